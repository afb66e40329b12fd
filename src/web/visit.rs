//! A request of a browser that was let in. Its cookie must be the one of the path it asks for.

use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode};

use crate::local_time::local_time;
use crate::outbox::OutboxError;
use crate::outbox::overview::Board;
use crate::query::iso_date;
use crate::web::Pages;
use crate::web::answer::Answer;
use crate::web::door::{COOKIE, base};
use crate::web::form::Form;
use crate::web::frame::{Bare, Frame, state_of};
use crate::web::token::FormKey;
use crate::web::trouble::Trouble;
use crate::web::{keys, outbox};

/// So many cookies of our name are looked at; other servers of this machine may have set some.
const MOST_COOKIES: usize = 8;

/// Somebody who is let in, and what they see.
pub(super) struct Visit<'a> {
    pub(super) pages: &'a Pages,
    /// What every address begins with.
    pub(super) base: String,
    pub(super) key: FormKey,
    /// What stands behind the question mark.
    pub(super) query: Form,
}

/// The answer to a browser under its path.
pub(super) fn respond(
    pages: &Pages,
    head: &Parts,
    session: &str,
    inside: &[&str],
    form: &Form,
) -> Result<Answer, Trouble> {
    let is_reading = head.method != Method::POST;
    let Some(key) = key(pages, &head.headers, session)? else {
        return turned_away(is_reading, inside);
    };
    let query = Form::parse(head.uri.query().unwrap_or_default().as_bytes());
    let visit = Visit { pages, base: base(session), key, query };
    match inside {
        ["state"] if is_reading => visit.state(),
        ["sign-out"] if !is_reading => visit.sign_out(session, form),
        ["keys"] if is_reading => keys::show(&visit),
        ["keys"] => keys::add(&visit, form),
        ["keys", "remove"] if !is_reading => keys::remove(&visit, form),
        ["keys", "pin"] if !is_reading => keys::set_pin(&visit, form),
        ["keys", "question"] if !is_reading => keys::question(&visit, form),
        _ if is_reading => outbox::show(&visit, inside),
        _ => outbox::decide(&visit, inside, form),
    }
}

/// The key for the forms of the browser with this path, if it shows the right cookie.
fn key(pages: &Pages, headers: &HeaderMap, session: &str) -> Result<Option<FormKey>, Trouble> {
    for cookie in cookies(headers).take(MOST_COOKIES) {
        let is_admitted = pages.parts.access.is_admitted(session, cookie);
        if is_admitted.map_err(|error| Trouble::other(&error))? {
            return Ok(Some(FormKey::of(cookie)));
        }
    }
    Ok(None)
}

fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all("cookie").iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(name, _)| *name == COOKIE).map(|(_, value)| value)
}

/// Who is not let in any more is led to the door; what they wanted to decide is not.
fn turned_away(is_reading: bool, inside: &[&str]) -> Result<Answer, Trouble> {
    match inside {
        ["outbox", item] if is_reading => Ok(Answer::see(&format!("/outbox/{item}"))),
        ["outbox" | "history"] if is_reading => Ok(Answer::see("/outbox")),
        _ => Err(Trouble::SignedOut),
    }
}

impl Visit<'_> {
    /// What stands around a page.
    pub(super) fn frame(&self, title: &str, here: &'static str) -> Result<Frame, Trouble> {
        let board = self.pages.parts.overview.board()?;
        self.frame_over(&board, title, here)
    }

    /// The same for who knows how the outbox stands.
    pub(super) fn frame_over(
        &self,
        board: &Board,
        title: &str,
        here: &'static str,
    ) -> Result<Frame, Trouble> {
        let in_force = self.pages.parts.overview.in_force()?;
        let broken = in_force.is_broken.then(|| {
            "What you confirmed about sending was changed by another program. Nothing can be approved until you have \
             seen to it: mailkeep approval renew"
                .to_owned()
        });
        let missing = in_force.missing.map(|factor| {
            let missing = OutboxError::NotSetUp { factor };
            format!("Nothing can be approved: {missing}. {}", missing.hint())
        });
        Ok(Frame {
            bare: Bare::new(title),
            base: self.base.clone(),
            here,
            waiting: board.count_waiting(),
            paused: board.paused.map(|since| self.time(since)),
            token: self.key.token("", ""),
            factor: in_force.factor.name(),
            notices: broken.or(missing).into_iter().collect(),
            watch: "outbox".to_owned(),
            state: state_of(board),
            done: self.done(),
        })
    }

    /// What was just done, in our own words only: nobody puts words on a page through its address.
    fn done(&self) -> Option<String> {
        let words = match self.query.get("done") {
            "rejected" => "Rejected. The assistant reads why.",
            "undone" => "Taken back. It does not leave.",
            "paused" => "All sending is paused.",
            "resumed" => "Sending goes on.",
            "enrolled" => "The passkey was added.",
            "removed" => "The passkey was taken away.",
            "pin" => "The PIN is set.",
            "saved" => "Saved. It waits for your yes as it stands now.",
            _ => return None,
        };
        Some(words.to_owned())
    }

    /// Whether the person asked for the page, and not a script that found it changed.
    pub(super) fn is_by_person(&self) -> bool {
        self.query.get("again").is_empty()
    }

    /// A moment as every command prints it.
    pub(super) fn time(&self, epoch: i64) -> String {
        local_time(&iso_date(epoch), &self.pages.parts.clock)
    }

    /// How things stand, for the script that looks whether the page is still true.
    fn state(&self) -> Result<Answer, Trouble> {
        let text = match self.query.get("of") {
            "" | "outbox" => state_of(&self.pages.parts.overview.board()?),
            item => outbox::state(self, item)?,
        };
        Ok(Answer::text(StatusCode::OK, &text))
    }

    /// Refuses a form that is not of a page that this browser was shown about this item at this revision.
    pub(super) fn check(&self, form: &Form, item: &str, hash: &str) -> Result<(), Trouble> {
        if self.key.is_good(form.get("token"), item, hash) { Ok(()) } else { Err(Trouble::Forged) }
    }

    fn sign_out(&self, session: &str, form: &Form) -> Result<Answer, Trouble> {
        self.check(form, "", "")?;
        self.pages.parts.access.end(session).map_err(|error| Trouble::other(&error))?;
        let gone = format!("{COOKIE}=; Path={}; Max-Age=0; HttpOnly; SameSite=Strict", self.base);
        Ok(Answer::see("/outbox").with("set-cookie", &gone))
    }

    /// Shows a page of this browser's.
    pub(super) fn see(&self, path: &str) -> Answer {
        Answer::see(&format!("{}{path}", self.base))
    }
}
