//! What the person decides on a page. A form names the item, the hash of what was shown and a token bound to both; a yes
//! goes through the same door as one on a terminal, to exactly that hash.

use axum::http::StatusCode;
use serde_json::json;

use crate::model::{ContentHash, Factor, ItemHash, ItemState};
use crate::outbox::OutboxError;
use crate::outbox::approval::passkey::{self, Purpose, SignedItem};
use crate::outbox::approval::{Door, Proof, REASONS};
use crate::outbox::overview::Line;
use crate::secret::Secret;
use crate::text_safety::{brief, many_lines};
use crate::web::answer::Answer;
use crate::web::form::Form;
use crate::web::keys;
use crate::web::outbox::item::{self, Approved, Outcome, Refusal};
use crate::web::outbox::list::state_words;
use crate::web::trouble::{Trouble, capital};
use crate::web::visit::Visit;

/// The longest reason.
const LONGEST_REASON: usize = 2_000;
/// More boxes than this are not ticked at once.
const MOST_PICKED: usize = 100;

/// What a yes is to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Yes {
    /// To what waits.
    Send,
    /// To sending again what may have left.
    Again,
}

impl Yes {
    const fn action(self) -> &'static str {
        match self {
            Self::Send => "approve",
            Self::Again => "resend",
        }
    }

    const fn from(self) -> ItemState {
        match self {
            Self::Send => ItemState::PendingApproval,
            Self::Again => ItemState::Unknown,
        }
    }

    fn purpose(self, items: Vec<SignedItem>) -> Purpose {
        match self {
            Self::Send => Purpose::Approve { items },
            Self::Again => Purpose::Resend { items },
        }
    }
}

/// Says yes to one item.
pub(super) fn approve(visit: &Visit<'_>, id: &str, form: &Form, yes: Yes) -> Result<Answer, Trouble> {
    let line = match shown(visit, id, form, &[yes.from()])? {
        Ok(line) => line,
        Err(answer) => return Ok(answer),
    };
    let is_sure = form.get("armed") == "1" || form.get("confirmed") == "1";
    if !is_sure && !has_signature(form) {
        return item::confirm(visit, &line, yes.action());
    }
    let said = proof(visit, form, &yes.purpose(vec![signed(&line)])).and_then(|proof| {
        let (hash, approvals) = (hash(&line), &visit.pages.parts.approvals);
        Ok(match yes {
            Yes::Send => approvals.approve(&line.id, &hash, Door::Page, &proof)?,
            Yes::Again => approvals.resend(&line.id, &hash, Door::Page, &proof)?,
        })
    });
    match said {
        Ok(_) => Ok(visit.see(&format!("/outbox/{}", line.id))),
        Err(trouble) => told(visit, &line.id, trouble),
    }
}

/// Says no to one item, with a reason that the assistant reads.
pub(super) fn reject(visit: &Visit<'_>, id: &str, form: &Form) -> Result<Answer, Trouble> {
    let line = match shown(visit, id, form, &[ItemState::PendingApproval])? {
        Ok(line) => line,
        Err(answer) => return Ok(answer),
    };
    let ready = REASONS.iter().find(|reason| **reason == form.get("ready")).copied().unwrap_or_default();
    let own = many_lines(form.text("reason").trim());
    let reason: Vec<_> = [ready, &own].into_iter().filter(|words| !words.is_empty()).collect();
    let reason = brief(&reason.join(": "), LONGEST_REASON).into_owned();
    let reason = Some(reason.as_str()).filter(|reason| !reason.is_empty());
    match visit.pages.parts.approvals.reject(&line.id, reason) {
        Ok(_) => Ok(visit.see("/outbox?done=rejected")),
        Err(error) => told(visit, &line.id, error.into()),
    }
}

/// Takes a yes back.
pub(super) fn undo(visit: &Visit<'_>, id: &str, form: &Form) -> Result<Answer, Trouble> {
    let line = match shown(visit, id, form, &[ItemState::Approved])? {
        Ok(line) => line,
        Err(answer) => return Ok(answer),
    };
    match visit.pages.parts.approvals.cancel(&line.id, Some("taken back by the person")) {
        Ok(_) => Ok(visit.see(&format!("/outbox/{}?done=undone", line.id))),
        Err(error) => told(visit, &line.id, error.into()),
    }
}

/// Says yes to those whose boxes were ticked, each to the hash that stood beside its box.
pub(super) fn several(visit: &Visit<'_>, form: &Form) -> Result<Answer, Trouble> {
    let picked = picked(visit, form)?;
    if form.get("armed") != "1" && !has_signature(form) {
        let words = "without script, decide about one at a time".to_owned();
        return item::all(visit, vec![Outcome::undecided("", words)]);
    }
    let signed =
        picked.iter().map(|(id, hash)| SignedItem { item: id.clone(), hash: hash.clone() }).collect();
    let proof = match proof(visit, form, &Yes::Send.purpose(signed)) {
        Ok(proof) => proof,
        Err(Trouble::Outbox(error)) => {
            let words = capital(&error.to_string());
            return item::all(visit, vec![Outcome::undecided("", words)]);
        }
        Err(other) => return Err(other),
    };
    let outcomes = picked.iter().map(|(id, hash)| outcome(visit, id, hash, &proof)).collect();
    item::all(visit, outcomes)
}

/// The items whose boxes were ticked, with the hash that was shown; a box without its token is a forgery.
fn picked(visit: &Visit<'_>, form: &Form) -> Result<Vec<(String, String)>, Trouble> {
    let mut picked = Vec::new();
    for pick in form.all("pick").take(MOST_PICKED) {
        let mut words = pick.split(' ');
        let (Some(id), Some(hash), Some(token), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(Trouble::Forged);
        };
        if !visit.key.is_good(token, id, hash) {
            return Err(Trouble::Forged);
        }
        picked.push((id.to_owned(), hash.to_owned()));
    }
    Ok(picked)
}

fn outcome(visit: &Visit<'_>, id: &str, hash: &str, proof: &Proof) -> Outcome {
    let code = match visit.pages.parts.overview.letter(id) {
        Ok(letter) => letter.line.code,
        Err(error) => return Outcome::undecided("", error.to_string()),
    };
    let Some(exactly) = ContentHash::from_hex(hash).map(ItemHash) else {
        return Outcome::undecided(&code, "not decided".to_owned());
    };
    match visit.pages.parts.approvals.approve(id, &exactly, Door::Page, proof) {
        Ok(_) => {
            Outcome { code, words: "Approved.".to_owned(), approved: Approved::of(visit, id, hash).ok() }
        }
        Err(error) => Outcome::undecided(&code, error.to_string()),
    }
}

/// The item that a form is about, if it is still what was shown and in one of these states; else the page that says what
/// is different, and that nothing was decided.
pub(super) fn shown(
    visit: &Visit<'_>,
    id: &str,
    form: &Form,
    states: &[ItemState],
) -> Result<Result<Line, Answer>, Trouble> {
    // Read from the bytes: a row that another program changed is nothing to decide about.
    let line = visit.pages.parts.overview.letter(id)?.line;
    visit.check(form, &line.id, form.get("hash"))?;
    if line.hash != form.get("hash") {
        return Ok(Err(item::changed(visit, &line.id, form.get("hash"))?));
    }
    if states.contains(&line.state) {
        return Ok(Ok(line));
    }
    let problem = format!("It is {} by now. Nothing was decided.", state_words(line.state).0);
    let refusal = Refusal { status: StatusCode::CONFLICT, problem, shown: None };
    Ok(Err(item::page(visit, &line.id, Some(refusal))?))
}

/// The page of an item with what went wrong; what does not belong there is told on its own.
pub(super) fn told(visit: &Visit<'_>, id: &str, trouble: Trouble) -> Result<Answer, Trouble> {
    match trouble {
        Trouble::Outbox(error @ OutboxError::UnknownItem { .. }) => Err(error.into()),
        Trouble::Outbox(error) => {
            let problem = format!("{}. Nothing was decided.", capital(&error.to_string()));
            let refusal = Refusal { status: Trouble::from(error).status(), problem, shown: None };
            item::page(visit, id, Some(refusal))
        }
        other => Err(other),
    }
}

/// What proves that it is the person: their click, the PIN or the signature in the form.
pub(in crate::web) fn proof(visit: &Visit<'_>, form: &Form, purpose: &Purpose) -> Result<Proof, Trouble> {
    let approvals = &visit.pages.parts.approvals;
    match visit.pages.parts.overview.in_force()?.factor {
        Factor::Click => Ok(Proof::click()),
        Factor::Pin => Ok(approvals.prove_pin(&Secret::new(form.get("pin").to_owned()))?),
        Factor::Passkey => {
            let answer: passkey::Answer = serde_json::from_str(form.get("signature"))
                .map_err(|_| OutboxError::Factor("the passkey was not asked".to_owned()))?;
            let origin = visit.pages.parts.address.origin();
            Ok(approvals.prove_passkey(purpose, &origin, &answer)?)
        }
    }
}

/// A signature cannot be clicked by accident: the key asks the person itself.
fn has_signature(form: &Form) -> bool {
    !form.get("signature").is_empty()
}

/// What the key is to be asked, for a form that is about to be sent.
pub(super) fn question(visit: &Visit<'_>, form: &Form) -> Result<Answer, Trouble> {
    let purpose = match form.get("for") {
        "approve" | "resend" => {
            let (id, hash) = (form.get("item"), form.get("hash"));
            visit.check(form, id, hash)?;
            let yes = if form.get("for") == "resend" { Yes::Again } else { Yes::Send };
            yes.purpose(vec![SignedItem { item: id.to_owned(), hash: hash.to_owned() }])
        }
        "several" => {
            let picked = picked(visit, form)?.into_iter();
            Purpose::Approve { items: picked.map(|(item, hash)| SignedItem { item, hash }).collect() }
        }
        "resume" => {
            visit.check(form, "", "")?;
            Purpose::Resume
        }
        "enrol" => keys::to_enrol(visit, form)?,
        "remove" => keys::to_remove(visit, form)?,
        "set-pin" => {
            visit.check(form, "", "")?;
            Purpose::SetPin
        }
        _ => return Err(Trouble::NoPage),
    };
    let question = visit.pages.parts.approvals.ask_passkey(&purpose, &visit.pages.parts.address.origin())?;
    Ok(Answer::json(&json!(question)))
}

fn signed(line: &Line) -> SignedItem {
    SignedItem { item: line.id.clone(), hash: line.hash.clone() }
}

pub(super) fn hash(line: &Line) -> ItemHash {
    ItemHash(ContentHash::from_hex(&line.hash).expect("a list shows hashes as they are read"))
}
