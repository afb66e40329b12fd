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
}

impl SourceError {
    /// We were told to stop.
    #[must_use]
    pub const fn stopped() -> Self {
        Self::Wire(WireError::Stopped)
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
        }
    }

    /// What the person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Wire(error) => error.hint().to_owned(),
            Self::Account(error) => error.hint(),
        }
    }

    /// A short name for scripts.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Wire(error) => error.code(),
            Self::Account(error) => error.code(),
        }
    }
}
