//! After mail was brought in: notes what it reports on what was sent, and tells the person how much that is. What cannot
//! be noted now is found by the next look, so nothing that was brought in fails because of it.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;
use crate::outbox::delivery;

pub(super) fn look(context: &Context) {
    match delivery::look(&context.home, &context.clock) {
        Ok(looked) if looked.changes > 0 => {
            let changes = counted(looked.changes, "change");
            context.output.note(&format!("reports on what you sent: {changes}, see `mailkeep outbox list`"));
        }
        Ok(_) => {}
        Err(error) => Failure::tell(&error.to_string(), Some(&error.hint())),
    }
}
