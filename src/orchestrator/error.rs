//! Why the orchestrator could not go on.

use crate::outbox::propose::OutboxError;
use crate::query::QueryError;
use crate::vault::VaultError;

/// An error of the orchestrator.
#[derive(Debug, thiserror::Error)]
pub enum OrchestratorError {
    /// The vault.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// The archive.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The outbox.
    #[error(transparent)]
    Outbox(#[from] OutboxError),
    /// Another process sees to this vault.
    #[error("another mailkeep sees to the vault already")]
    Busy,
}

impl OrchestratorError {
    /// What the person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Vault(error) => error.hint().to_owned(),
            Self::Query(error) => error.hint().unwrap_or_else(|| "run `mailkeep doctor`".to_owned()),
            Self::Outbox(error) => error.hint(),
            Self::Busy => {
                "end it first: `mailkeep orchestrate`, or `serve` with `[orchestrator] background`".to_owned()
            }
        }
    }

    /// A short name for scripts.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Vault(error) => error.code(),
            Self::Query(error) => error.code(),
            Self::Outbox(error) => error.code(),
            Self::Busy => "orchestrator_busy",
        }
    }
}
