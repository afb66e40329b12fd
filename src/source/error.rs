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

    /// The account's mail comes from files.
    #[must_use]
    pub fn local(address: &str) -> Self {
        Self::Account(AccountError::NoServer { address: address.to_owned() })
    }

    /// Whether the account's mail comes from files.
    #[must_use]
    pub const fn is_local(&self) -> bool {
        matches!(self, Self::Account(AccountError::NoServer { .. }))
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

    /// Whether we were told to stop, which is nobody's fault.
    #[must_use]
    pub const fn is_stopped(&self) -> bool {
        match self {
            Self::Wire(error) => error.is_stopped(),
            Self::Account(error) => error.is_stopped(),
            Self::Incomplete { .. } => false,
        }
    }

    /// Whether the server wants us to come back later.
    #[must_use]
    pub const fn is_rate_limited(&self) -> bool {
        matches!(self, Self::Wire(error) if error.is_rate_limited())
    }

    /// Whether only the person can mend it, by signing in: asking again would lock the account.
    #[must_use]
    pub const fn wants_sign_in(&self) -> bool {
        match self {
            Self::Wire(error) => error.is_sign_in() || matches!(error, WireError::Locked { .. }),
            Self::Account(error) => error.wants_sign_in(),
            Self::Incomplete { .. } => false,
        }
    }

    /// What the person can do about it, for the account with this address.
    #[must_use]
    pub fn hint(&self, address: &str) -> String {
        match self {
            Self::Wire(error) => error.hint(address),
            Self::Account(error) => error.hint(address),
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
