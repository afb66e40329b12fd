//! Why a server could not be read.

use crate::account::AccountError;
use crate::wire::WireError;

/// An error of a source on a server.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The conversation failed.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The account cannot sign in.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// What the server says of a mailbox does not add up. The connection is as good as before.
    #[error("{detail}")]
    Incomplete {
        /// What is missing.
        detail: String,
    },
}

impl SourceError {
    /// We were told to stop.
    #[must_use]
    pub const fn stopped() -> Self {
        Self::Wire(WireError::Stopped)
    }

    /// What the server says does not add up.
    pub(super) fn incomplete(detail: impl Into<String>) -> Self {
        Self::Incomplete { detail: detail.into() }
    }

    /// Nobody knows where the account's server is.
    #[must_use]
    pub fn no_server(address: &str) -> Self {
        Self::Account(AccountError::ServerUnknown { address: address.to_owned() })
    }

    /// Whether trying again soon can help.
    #[must_use]
    pub const fn can_retry(&self) -> bool {
        match self {
            Self::Wire(error) => error.can_retry(),
            Self::Account(error) => error.can_retry(),
            Self::Incomplete { .. } => false,
        }
    }

    /// What the person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Wire(error) => error.hint().to_owned(),
            Self::Account(error) => error.hint(),
            Self::Incomplete { .. } => "run `mailkeep sync` again; what is here stays as it is".to_owned(),
        }
    }

    /// A short name for scripts.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Wire(error) => error.code(),
            Self::Account(error) => error.code(),
            Self::Incomplete { .. } => "incomplete",
        }
    }
}
