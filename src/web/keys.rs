//! What a yes can ask for: the PIN, and the passkeys. Both are set, added and taken away here by the same functions as on
//! the terminal, with the factor that counts until then.

use askama::Template;
use axum::http::StatusCode;
use serde_json::json;

use crate::model::Factor;
use crate::outbox::OutboxError;
use crate::outbox::approval::Proof;
use crate::outbox::approval::passkey::{self, Base64Url, NewKeyAnswer, Purpose, Voucher};
use crate::secret::Secret;
use crate::text_safety::plain_line;
use crate::web::answer::Answer;
use crate::web::form::Form;
use crate::web::frame::Frame;
use crate::web::outbox::proof;
use crate::web::trouble::{Trouble, capital};
use crate::web::visit::Visit;

struct KeyRow {
    name: String,
    fingerprint: String,
    /// The beginning of it, which people compare.
    short: String,
    since: String,
}

#[derive(Template)]
#[template(path = "keys.html")]
struct KeysPage {
    frame: Frame,
    keys: Vec<KeyRow>,
    voucher: &'static str,
    factor: &'static str,
    has_pin: bool,
    problem: Option<String>,
}

pub(super) fn show(visit: &Visit<'_>) -> Result<Answer, Trouble> {
    page(visit, StatusCode::OK, None)
}

fn page(visit: &Visit<'_>, status: StatusCode, problem: Option<String>) -> Result<Answer, Trouble> {
    let overview = &visit.pages.parts.overview;
    let rows = overview.passkeys()?.keys.into_iter();
    let rows = rows.map(|key| KeyRow {
        name: plain_line(&key.name),
        short: key.fingerprint.chars().take(16).collect(),
        since: visit.time(key.since),
        fingerprint: key.fingerprint,
    });
    let in_force = overview.in_force()?;
    let mut frame = visit.frame("PIN and passkeys", "keys")?;
    frame.watch.clear();
    let page = KeysPage {
        frame,
        keys: rows.collect(),
        voucher: match overview.voucher()? {
            Voucher::Passkey => "passkey",
            Voucher::Pin => "pin",
            Voucher::Code => "code",
        },
        factor: in_force.factor.name(),
        has_pin: in_force.has_pin,
        problem,
    };
    Ok(Answer::page(status, &page))
}

/// What the browser is to make a key for.
pub(super) fn question(visit: &Visit<'_>, form: &Form) -> Result<Answer, Trouble> {
    visit.check(form, "", "")?;
    let origin = visit.pages.parts.address.origin();
    let question = visit.pages.parts.approvals.begin_enrolment(form.get("name"), &origin)?;
    Ok(Answer::json(&json!(question)))
}

/// What a key that is there signs, so that the new one counts.
pub(super) fn to_enrol(visit: &Visit<'_>, form: &Form) -> Result<Purpose, Trouble> {
    visit.check(form, "", "")?;
    Ok(visit.pages.parts.approvals.to_enrol(&made(form)?)?)
}

/// Enrols the key that the browser made.
pub(super) fn add(visit: &Visit<'_>, form: &Form) -> Result<Answer, Trouble> {
    visit.check(form, "", "")?;
    let origin = visit.pages.parts.address.origin();
    let added = made(form).and_then(|made| {
        let proof = vouched(visit, form, &made)?;
        Ok(visit.pages.parts.approvals.finish_enrolment(form.get("name"), &origin, &made, &proof)?)
    });
    finished(visit, added.map(drop), "enrolled")
}

/// The page afterwards: what was done, or why nothing was.
fn finished(visit: &Visit<'_>, outcome: Result<(), Trouble>, done: &str) -> Result<Answer, Trouble> {
    match outcome {
        Ok(()) => Ok(visit.see(&format!("/keys?done={done}"))),
        Err(Trouble::Outbox(error)) => {
            let words = format!("{}. Nothing was changed.", capital(&error.to_string()));
            page(visit, Trouble::from(error).status(), Some(words))
        }
        Err(other) => Err(other),
    }
}

/// Takes the key away that the form names, with the factor that counts.
pub(super) fn remove(visit: &Visit<'_>, form: &Form) -> Result<Answer, Trouble> {
    let removed = to_remove(visit, form).and_then(|purpose| {
        let proof = proof(visit, form, &purpose)?;
        Ok(visit.pages.parts.approvals.remove_passkey(&chosen(visit, form)?, &proof)?)
    });
    finished(visit, removed, "removed")
}

/// What a key signs so that the one that the form names goes.
pub(super) fn to_remove(visit: &Visit<'_>, form: &Form) -> Result<Purpose, Trouble> {
    visit.check(form, "", "")?;
    Ok(Purpose::Remove { credential: Base64Url(chosen(visit, form)?) })
}

/// The key that the form names by its whole fingerprint.
fn chosen(visit: &Visit<'_>, form: &Form) -> Result<Vec<u8>, Trouble> {
    let keys = visit.pages.parts.overview.passkeys()?.keys.into_iter();
    let named = keys.filter(|key| key.fingerprint == form.get("key")).map(|key| key.credential).next();
    Ok(named.ok_or_else(|| OutboxError::Factor("this key is not enrolled any more".to_owned()))?)
}

/// Sets the PIN; another one takes the one that is set, or the passkey where that counts.
pub(super) fn set_pin(visit: &Visit<'_>, form: &Form) -> Result<Answer, Trouble> {
    visit.check(form, "", "")?;
    let secret = |name: &str| Secret::new(form.get(name).to_owned());
    let new = secret("new");
    if new != secret("again") {
        let two = OutboxError::Factor("what you typed twice is not the same".to_owned());
        return finished(visit, Err(two.into()), "");
    }
    let (approvals, in_force) = (&visit.pages.parts.approvals, visit.pages.parts.overview.in_force()?);
    let proof = match (in_force.factor, in_force.has_pin) {
        (Factor::Passkey, _) => proof(visit, form, &Purpose::SetPin),
        (_, true) => approvals.prove_pin(&secret("pin")).map_err(Trouble::from),
        (_, false) => Ok(Proof::click()),
    };
    finished(visit, proof.and_then(|proof| Ok(approvals.set_pin(&new, &proof)?)), "pin")
}

fn made(form: &Form) -> Result<NewKeyAnswer, Trouble> {
    let unmade = |_| OutboxError::Factor("the browser made no passkey".to_owned()).into();
    serde_json::from_str(form.get("made")).map_err(unmade)
}

/// What vouches for a new key: a key that is there, the PIN, or a code from the terminal.
fn vouched(visit: &Visit<'_>, form: &Form, made: &NewKeyAnswer) -> Result<Proof, Trouble> {
    let approvals = &visit.pages.parts.approvals;
    Ok(match visit.pages.parts.overview.voucher()? {
        Voucher::Pin => approvals.prove_pin(&Secret::new(form.get("pin").to_owned()))?,
        Voucher::Code => approvals.prove_code(form.get("code"))?,
        Voucher::Passkey => {
            let unsigned = |_| OutboxError::Factor("the passkey was not asked".to_owned());
            let answer: passkey::Answer = serde_json::from_str(form.get("signature")).map_err(unsigned)?;
            approvals.prove_passkey(
                &approvals.to_enrol(made)?,
                &visit.pages.parts.address.origin(),
                &answer,
            )?
        }
    })
}
