//! The person changes an item: what they write is the next revision, and waits for a yes or is one.

use askama::Template;
use axum::http::StatusCode;

use crate::drafts::DraftChange;
use crate::model::{Address, Draft, Factor, ItemHash};
use crate::outbox::OutboxError;
use crate::outbox::approval::passkey::Purpose;
use crate::outbox::approval::{Door, Edit, Proof};
use crate::outbox::letter::Letter;
use crate::web::answer::Answer;
use crate::web::form::Form;
use crate::web::frame::Frame;
use crate::web::outbox::card::Card;
use crate::web::outbox::changes::Changes;
use crate::web::outbox::{decide, item};
use crate::web::trouble::{Trouble, capital};
use crate::web::visit::Visit;

#[derive(Template)]
#[template(path = "edit.html")]
struct EditPage {
    frame: Frame,
    /// All that would leave as it is now.
    card: Card,
    written: Written,
    /// Whether saving can be the yes, too.
    may_send: bool,
    /// What is different from what the person saw, when they wrote over that.
    changes: Option<Changes>,
    factor: &'static str,
    problem: Option<String>,
}

/// What stands in the form.
#[derive(PartialEq, Eq)]
struct Written {
    to: String,
    cc: String,
    bcc: String,
    subject: String,
    body: String,
}

impl Written {
    fn of(draft: &Draft) -> Self {
        let shown = |list: &[Address]| list.iter().map(Address::to_string).collect::<Vec<_>>().join("\n");
        let recipients = &draft.recipients;
        Self {
            to: shown(&recipients.to),
            cc: shown(&recipients.cc),
            bcc: shown(&recipients.bcc),
            subject: draft.subject.clone(),
            body: draft.body.replace("\r\n", "\n"),
        }
    }

    fn read(form: &Form) -> Self {
        let [to, cc, bcc, body] = ["to", "cc", "bcc", "body"].map(|name| form.text(name));
        Self { to, cc, bcc, subject: form.get("subject").to_owned(), body }
    }

    /// What is different from what was there; what is the same is left alone, so that the HTML beside a text stays.
    fn change(&self, before: &Self) -> DraftChange {
        let lines = |text: &str| {
            text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
        };
        let list = |now: &str, was: &str| (now.trim() != was.trim()).then(|| lines(now));
        let text = |now: &str, was: &str| (now.trim_end() != was.trim_end()).then(|| now.to_owned());
        DraftChange {
            to: list(&self.to, &before.to),
            cc: list(&self.cc, &before.cc),
            bcc: list(&self.bcc, &before.bcc),
            subject: text(&self.subject, &before.subject),
            body: text(&self.body, &before.body),
            ..DraftChange::default()
        }
    }
}

/// What the form is to hold, and what it was written over.
struct Attempt {
    /// The hash of what the person was shown.
    shown: String,
    /// What they wrote; `None`: nothing yet.
    written: Option<Written>,
    /// Why it was not saved.
    problem: Option<(StatusCode, String)>,
}

/// The form for exactly what the page of the item showed; when that is something else by now, its page says what.
pub(super) fn show(visit: &Visit<'_>, id: &str) -> Result<Answer, Trouble> {
    let id = visit.pages.parts.overview.line(id)?.id;
    match visit.query.get("hash") {
        "" => Ok(visit.see(&format!("/outbox/{id}"))),
        shown => page(visit, &id, Attempt { shown: shown.to_owned(), written: None, problem: None }),
    }
}

fn page(visit: &Visit<'_>, id: &str, attempt: Attempt) -> Result<Answer, Trouble> {
    let in_force = visit.pages.parts.overview.in_force()?;
    let stands = super::state(visit, id)?;
    let (sight, card) = item::sight(visit, id, in_force.policy.expire)?;
    let is_current = attempt.shown == card.hash;
    let written = match attempt.written {
        Some(written) => written,
        None => match current(visit, id, &card.hash)?.filter(|_| is_current) {
            Some((draft, _)) => Written::of(&draft),
            None => return item::changed(visit, id, &attempt.shown),
        },
    };
    let mut frame = visit.frame("Change it", "outbox")?;
    (frame.watch, frame.state) = (card.id.clone(), stands);
    let (status, problem) = attempt.problem.map_or((StatusCode::OK, None), |(it, why)| (it, Some(why)));
    let page = EditPage {
        frame,
        written,
        may_send: is_current && may_send(visit, &sight.letter)?,
        changes: if is_current { None } else { item::changes(visit, &sight, Some(&attempt.shown))? },
        factor: in_force.factor.name(),
        problem,
        card,
    };
    Ok(Answer::page(status, &page))
}

/// The item, if it is what this hash stands for.
fn current(visit: &Visit<'_>, id: &str, hash: &str) -> Result<Option<(Draft, ItemHash)>, Trouble> {
    let item = visit.pages.parts.proposals.status(id)?.item;
    let now = item.hash();
    Ok((now.0.to_hex() == hash).then_some((item.draft, now)))
}

/// Whether saving can be the yes, too: the person saw all of what they change. What does not stand in the form stays as
/// they saw it, or goes: a new text takes the HTML away.
fn may_send(visit: &Visit<'_>, letter: &Letter) -> Result<bool, Trouble> {
    Ok(visit.pages.parts.overview.was_shown(&letter.line.id, &letter.hash)?)
}

/// Keeps what was written, and sends it where the person asked for that. What they wrote over something else than what is
/// there now is not saved: they see what is different first, and can then save, and look.
pub(super) fn save(visit: &Visit<'_>, id: &str, form: &Form) -> Result<Answer, Trouble> {
    let id = visit.pages.parts.overview.line(id)?.id;
    let shown = form.get("hash");
    visit.check(form, &id, shown)?;
    let written = Written::read(form);
    let saved = match current(visit, &id, shown)? {
        Some((draft, hash)) => {
            let change = written.change(&Written::of(&draft));
            put(visit, form, &Edit { id: &id, shown: &hash, change: &change, door: Door::Page })
        }
        None => Err(OutboxError::Changed { id: id.clone() }.into()),
    };
    match saved {
        Ok(is_sent) => Ok(visit.see(&format!("/outbox/{id}{}", if is_sent { "" } else { "?done=saved" }))),
        Err(Trouble::Outbox(error)) => {
            let words = format!("{}. Nothing was saved.", capital(&error.to_string()));
            let problem = Some((Trouble::from(error).status(), words));
            page(visit, &id, Attempt { shown: shown.to_owned(), written: Some(written), problem })
        }
        Err(other) => Err(other),
    }
}

/// Saves, and says whether it is to be sent too. A passkey signs what was saved, so it is asked after that; so is a
/// browser whose button could not wait, and who would send what the form does not show.
fn put(visit: &Visit<'_>, form: &Form, edit: &Edit<'_>) -> Result<bool, Trouble> {
    let approvals = &visit.pages.parts.approvals;
    let factor = visit.pages.parts.overview.in_force()?.factor;
    let is_asked = form.get("then") == "send" && form.get("armed") == "1" && factor != Factor::Passkey;
    let letter = visit.pages.parts.overview.letter(edit.id)?;
    let sends = is_asked && letter.hash == *edit.shown && may_send(visit, &letter)?;
    if edit.change == &DraftChange::default() {
        return unchanged(visit, form, edit, sends);
    }
    if sends {
        approvals.edit_and_approve(edit, &proof(visit, form)?)?;
    } else {
        approvals.edit(edit)?;
    }
    Ok(sends)
}

/// Nothing was changed: there is nothing to save, and a yes is one to what was shown.
fn unchanged(visit: &Visit<'_>, form: &Form, edit: &Edit<'_>, sends: bool) -> Result<bool, Trouble> {
    if sends {
        visit.pages.parts.approvals.approve(edit.id, edit.shown, Door::Page, &proof(visit, form)?)?;
    }
    Ok(sends)
}

fn proof(visit: &Visit<'_>, form: &Form) -> Result<Proof, Trouble> {
    decide::proof(visit, form, &Purpose::Approve { items: Vec::new() })
}
