//! The person's passkeys: which there are, and how another one is added.

use askama::Template;
use axum::http::StatusCode;
use serde_json::json;

use crate::outbox::OutboxError;
use crate::outbox::approval::Proof;
use crate::outbox::approval::passkey::{self, NewKeyAnswer, Purpose, Voucher};
use crate::secret::Secret;
use crate::text_safety::one_line;
use crate::web::answer::Answer;
use crate::web::form::Form;
use crate::web::frame::Frame;
use crate::web::trouble::{Trouble, capital};
use crate::web::visit::Visit;

struct KeyRow {
    name: String,
    since: String,
}

#[derive(Template)]
#[template(path = "keys.html")]
struct KeysPage {
    frame: Frame,
    keys: Vec<KeyRow>,
    voucher: &'static str,
    factor: &'static str,
    problem: Option<String>,
}

pub(super) fn show(visit: &Visit<'_>) -> Result<Answer, Trouble> {
    page(visit, StatusCode::OK, None)
}

fn page(visit: &Visit<'_>, status: StatusCode, problem: Option<String>) -> Result<Answer, Trouble> {
    let overview = &visit.pages.parts.overview;
    let rows = overview.passkeys()?.keys.into_iter();
    let rows = rows.map(|key| KeyRow { name: one_line(&key.name), since: visit.time(key.since) });
    let mut frame = visit.frame("Passkeys", "keys")?;
    frame.watch.clear();
    let page = KeysPage {
        frame,
        keys: rows.collect(),
        voucher: match overview.voucher()? {
            Voucher::Passkey => "passkey",
            Voucher::Pin => "pin",
            Voucher::Code => "code",
        },
        factor: overview.in_force()?.factor.name(),
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
    match added {
        Ok(_) => Ok(visit.see("/keys?done=enrolled")),
        Err(Trouble::Outbox(error)) => {
            let words = format!("{}. No key was added.", capital(&error.to_string()));
            page(visit, Trouble::from(error).status(), Some(words))
        }
        Err(other) => Err(other),
    }
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
