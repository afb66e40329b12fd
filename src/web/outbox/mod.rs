//! The approval pages: what waits, one item whole, and the forms by which the person decides.

mod card;
mod changes;
mod decide;
mod edit;
mod item;
mod list;
mod others;
mod person;

use crate::web::answer::Answer;
use crate::web::form::Form;
use crate::web::trouble::Trouble;
use crate::web::visit::Visit;
use decide::Yes;

pub(super) use decide::proof;

/// A page that is looked at. Nothing changes but that the audit chain knows what was seen.
pub(super) fn show(visit: &Visit<'_>, path: &[&str]) -> Result<Answer, Trouble> {
    match path {
        [] | ["outbox"] => list::show(visit),
        ["history"] => list::history(visit),
        ["outbox", "all"] => item::all(visit, Vec::new()),
        ["outbox", id] => item::show(visit, id),
        ["outbox", id, "edit"] => edit::show(visit, id),
        ["outbox", id, "as-sent"] => item::as_sent(visit, id),
        ["outbox", id, "source"] => item::source(visit, id),
        ["outbox", id, "file", part] => item::file(visit, id, part),
        _ => Err(Trouble::NoPage),
    }
}

/// A form that was sent.
pub(super) fn decide(visit: &Visit<'_>, path: &[&str], form: &Form) -> Result<Answer, Trouble> {
    match path {
        ["pause"] => list::pause(visit, form),
        ["resume"] => list::resume(visit, form),
        ["question"] => decide::question(visit, form),
        ["outbox", "all"] => decide::several(visit, form),
        ["outbox", id, "approve"] => decide::approve(visit, id, form, Yes::Send),
        ["outbox", id, "resend"] => decide::approve(visit, id, form, Yes::Again),
        ["outbox", id, "reject"] => decide::reject(visit, id, form),
        ["outbox", id, "undo"] => decide::undo(visit, id, form),
        ["outbox", id, "others"] => others::propose(visit, id, form),
        ["outbox", id, "edit"] => edit::save(visit, id, form),
        _ => Err(Trouble::NoPage),
    }
}

/// How an item stands, in a few letters that change when something does.
pub(super) fn state(visit: &Visit<'_>, item: &str) -> Result<String, Trouble> {
    let line = visit.pages.parts.overview.line(item)?;
    Ok(format!("{} {} {}", line.revision, line.state.name(), line.changed))
}
