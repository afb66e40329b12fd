//! The pages outside: where links lead, how a browser is let in. They show nothing of what waits.

use askama::Template;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use serde_json::json;

use crate::account::Admission;
use crate::model::{DraftId, Factor, ItemCode};
use crate::outbox::OutboxError;
use crate::outbox::approval::Proof;
use crate::outbox::approval::passkey::{self, Purpose};
use crate::secret::Secret;
use crate::web::Pages;
use crate::web::answer::Answer;
use crate::web::form::Form;
use crate::web::frame::Bare;
use crate::web::trouble::{Trouble, capital};

/// The name of the cookie. Its path is the browser's own, so that no other server on this machine is sent it.
pub(super) const COOKIE: &str = "mailkeep";

#[derive(Template)]
#[template(path = "door.html")]
struct DoorPage {
    bare: Bare,
    /// Where the person wanted to go.
    next: String,
    has_pin: bool,
    has_passkey: bool,
    problem: Option<String>,
}

#[derive(Template)]
#[template(path = "enter.html")]
struct EnterPage {
    bare: Bare,
    link: String,
    next: String,
}

/// The answer to who is not let in yet.
pub(super) fn respond(pages: &Pages, head: &Parts, path: &[&str], form: &Form) -> Result<Answer, Trouble> {
    let is_reading = head.method != Method::POST;
    match path {
        [] if is_reading => Ok(Answer::see("/outbox")),
        ["outbox"] if is_reading => show(pages, "/outbox", None),
        ["outbox", item] if is_reading => show(pages, &next(&format!("/outbox/{item}")), None),
        ["open", link] if is_reading => {
            let query = Form::parse(head.uri.query().unwrap_or_default().as_bytes());
            let (bare, link) = (Bare::new("Come in"), (*link).to_owned());
            let next = next(&format!("/outbox/{}", query.get("next")));
            Ok(Answer::page(StatusCode::OK, &EnterPage { bare, link, next }))
        }
        ["open"] if !is_reading => enter(pages, form),
        ["sign-in"] if !is_reading => sign_in(pages, form),
        ["sign-in", "question"] if !is_reading => {
            let origin = pages.parts.address.origin();
            Ok(Answer::json(&json!(pages.parts.approvals.ask_passkey(&Purpose::SignIn, &origin)?)))
        }
        ["outbox", ..] => Ok(Answer::text(StatusCode::METHOD_NOT_ALLOWED, "nothing can be decided here")),
        _ => Err(Trouble::NoPage),
    }
}

fn show(pages: &Pages, next: &str, problem: Option<(StatusCode, String)>) -> Result<Answer, Trouble> {
    let in_force = pages.parts.overview.in_force()?;
    let has_passkey = in_force.factor == Factor::Passkey;
    let has_pin = in_force.has_pin && !has_passkey;
    let (status, problem) = problem.map_or((StatusCode::OK, None), |(status, why)| (status, Some(why)));
    let page = DoorPage {
        bare: Bare::new("Something may wait for you"),
        next: next.to_owned(),
        has_pin,
        has_passkey,
        problem,
    };
    Ok(Answer::page(status, &page))
}

/// Where to go after: a page of ours or the outbox.
fn next(wanted: &str) -> String {
    let item = wanted.strip_prefix("/outbox/").unwrap_or_default();
    let is_item = DraftId::parse(item).is_some() || ItemCode::parse(item).is_some();
    if is_item { format!("/outbox/{item}") } else { "/outbox".to_owned() }
}

/// Lets a browser in that shows a link.
fn enter(pages: &Pages, form: &Form) -> Result<Answer, Trouble> {
    let admitted = pages.parts.access.redeem(form.get("link")).map_err(|error| Trouble::other(&error))?;
    match admitted {
        Some(admission) => Ok(welcome(&admission, &next(form.get("next")))),
        None => {
            let why = "This link was used already, or is older than 15 minutes.".to_owned();
            show(pages, &next(form.get("next")), Some((StatusCode::FORBIDDEN, why)))
        }
    }
}

/// Lets a browser in whose person knows the PIN, or has the passkey.
fn sign_in(pages: &Pages, form: &Form) -> Result<Answer, Trouble> {
    let next = next(form.get("next"));
    let proved = proof(pages, form).and_then(|proof| pages.parts.approvals.sign_in(&proof));
    match proved {
        Ok(()) => {
            let admission = pages.parts.access.admit().map_err(|error| Trouble::other(&error))?;
            Ok(welcome(&admission, &next))
        }
        Err(error) => {
            let why = capital(&error.to_string());
            show(pages, &next, Some((Trouble::from(error).status(), why)))
        }
    }
}

fn proof(pages: &Pages, form: &Form) -> Result<Proof, OutboxError> {
    let approvals = &pages.parts.approvals;
    if form.get("signature").is_empty() {
        return approvals.prove_pin_at_door(&Secret::new(form.get("pin").to_owned()));
    }
    let unreadable = |_| OutboxError::Factor("the passkey was not asked".to_owned());
    let answer: passkey::Answer = serde_json::from_str(form.get("signature")).map_err(unreadable)?;
    approvals.prove_passkey(&Purpose::SignIn, &pages.parts.address.origin(), &answer)
}

fn welcome(admission: &Admission, next: &str) -> Answer {
    let base = base(&admission.path);
    let (value, seconds) = (admission.cookie.reveal(), admission.seconds);
    let cookie = format!("{COOKIE}={value}; Path={base}; Max-Age={seconds}; HttpOnly; SameSite=Strict");
    Answer::see(&format!("{base}{next}")).with("set-cookie", &cookie)
}

/// What the addresses of a browser begin with.
pub(super) fn base(path: &str) -> String {
    format!("/p/{path}")
}
