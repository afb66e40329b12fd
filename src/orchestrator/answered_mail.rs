//! The notes of messages follow the answers to them.

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
