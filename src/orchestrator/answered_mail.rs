//! The notes of messages follow the answers to them, and go to `Done` when they are over.

use crate::crash_point::crash_point;
use crate::orchestrator::notes::{self, DONE, Found, IS_DONE};
use crate::orchestrator::{Orchestrator, OrchestratorError};
use crate::vault::{VaultError, Yaml};

impl Orchestrator {
    /// Changes the note of a message that is at this status.
    pub(super) fn mark_email(
        &self,
        emails: &mut [Found],
        message: &str,
        at: &str,
        fields: &[(&str, &str)],
    ) -> Result<(), OrchestratorError> {
        let is_it = |found: &&mut Found| {
            let text = |key| notes::text(&found.note, key);
            text("message_id").as_deref() == Some(message) && text("status").as_deref() == Some(at)
        };
        let Some(email) = emails.iter_mut().find(is_it) else { return Ok(()) };
        let fields: Vec<_> = fields.iter().map(|(key, value)| (*key, Yaml::from(*value))).collect();
        ignore_others(self.write(&mut email.note, &fields))
    }

    /// Moves notes of messages to `Done` that say they are over: whoever said so may not have come to move them, and no
    /// tool can.
    pub(super) fn file_what_is_over(&self, emails: &mut Vec<Found>) -> Result<(), OrchestratorError> {
        let is_over = |found: &mut Found| {
            let is = |key, value| notes::text(&found.note, key).as_deref() == Some(value);
            is("type", "email") && is("status", IS_DONE)
        };
        for email in emails.extract_if(.., is_over).collect::<Vec<_>>() {
            let moved = notes::move_into(&self.parts.vault, email.note.path(), DONE);
            ignore_others(moved.map(drop).map_err(Into::into))?;
            crash_point("after a note that is over went to Done");
        }
        Ok(())
    }

    /// Moves the note of a message that was answered to `Done`.
    pub(super) fn file_email(&self, emails: &mut Vec<Found>, message: &str) -> Result<(), OrchestratorError> {
        let is_it = |found: &Found| notes::text(&found.note, "message_id").as_deref() == Some(message);
        let Some(place) = emails.iter().position(is_it) else { return Ok(()) };
        let mut email = emails.remove(place).note;
        ignore_others(self.write(&mut email, &[("status", IS_DONE.into())]))?;
        crash_point("before the note of an answered message goes to Done");
        let moved = notes::move_into(&self.parts.vault, email.path(), DONE);
        ignore_others(moved.map(drop).map_err(Into::into))
    }
}

/// A note that somebody else is at is left to them.
fn ignore_others(done: Result<(), OrchestratorError>) -> Result<(), OrchestratorError> {
    match done {
        Err(OrchestratorError::Vault(VaultError::Changed { .. } | VaultError::NotFound { .. })) => Ok(()),
        other => other,
    }
}
