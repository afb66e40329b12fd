//! After mail was brought in: notes what it reports on what was sent, and tells the person how much that is. What cannot
//! be noted now is found by the next look, so nothing that was brought in fails because of it.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;
use crate::outbox::delivery::{self, Looked};

pub(super) fn look(context: &Context) {
    match delivery::look(&context.home, &context.clock) {
        Ok(looked) => tell(context, looked),
        Err(error) => Failure::tell(&error.to_string(), Some(&error.hint())),
    }
}

fn tell(context: &Context, looked: Looked) {
    if looked.changes > 0 {
        let changes = counted(looked.changes, "change");
        context.output.note(&format!("reports on what you sent: {changes}, see `mailkeep outbox list`"));
    }
    if looked.changed_copies > 0 {
        let copies = counted(looked.changed_copies, "message");
        let hint = "see `mailkeep outbox show ID`";
        context.output.note(&format!("the provider changed {copies} that you sent, {hint}"));
    }
}
