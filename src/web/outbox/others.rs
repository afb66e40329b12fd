//! The server refused some recipients, so that nothing left: the same to the others, which waits for a yes of its own.

use crate::drafts::DraftChange;
use crate::model::{Address, ItemState};
use crate::outbox::approval::{Door, Edit};
use crate::outbox::propose::Status;
use crate::web::answer::Answer;
use crate::web::form::Form;
use crate::web::outbox::decide;
use crate::web::trouble::Trouble;
use crate::web::visit::Visit;

/// How many are left when those are left out whom the server refused; `None`: that is no way out.
pub(super) fn count(status: &Status) -> Option<usize> {
    let recipients = &status.item.draft.recipients;
    let left = recipients.all().filter(|to| !is_refused(status, to)).count();
    let is_some_refused = left < recipients.all().count();
    (status.item.draft.state == ItemState::Failed && is_some_refused && left > 0).then_some(left)
}

/// Proposes it to the others. Nothing has left, so that it is the next revision of the same item.
pub(super) fn propose(visit: &Visit<'_>, id: &str, form: &Form) -> Result<Answer, Trouble> {
    let line = match decide::shown(visit, id, form, &[ItemState::Failed])? {
        Ok(line) => line,
        Err(answer) => return Ok(answer),
    };
    let status = visit.pages.parts.proposals.status(&line.id)?;
    let left = |list: &[Address]| {
        let kept = list.iter().filter(|to| !is_refused(&status, to));
        Some(kept.map(Address::to_string).collect())
    };
    let recipients = &status.item.draft.recipients;
    let change = DraftChange {
        to: left(&recipients.to),
        cc: left(&recipients.cc),
        bcc: left(&recipients.bcc),
        ..DraftChange::default()
    };
    let edit = Edit { id: &line.id, shown: &decide::hash(&line), change: &change, door: Door::Page };
    match visit.pages.parts.approvals.edit(&edit) {
        Ok(_) => Ok(visit.see(&format!("/outbox/{}", line.id))),
        Err(error) => decide::told(visit, &line.id, error.into()),
    }
}

fn is_refused(status: &Status, to: &Address) -> bool {
    let refused = status.deliveries.iter().filter(|delivery| delivery.status.name() == "refused");
    refused.into_iter().any(|delivery| delivery.recipient.eq_ignore_ascii_case(&to.address))
}
