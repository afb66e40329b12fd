//! Why mail could not be brought in.

use crate::index::IndexError;
use crate::source::SourceError;
use crate::source::imap::ImapSource;
use crate::store::StoreError;

/// An error that ends an import or a sync.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// The store could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The index could not be written.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The server could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// Another process is at it.
    #[error("another mailkeep process is syncing `{address}`")]
    Busy {
        /// The account.
        address: String,
    },
    /// The account was moved meanwhile.
    #[error("the account `{address}` has another server now")]
    Moved {
        /// The account.
        address: String,
    },
    /// The one who writes has given up; it says why itself.
    #[error("nothing more could be stored")]
    HungUp,
}

impl SyncError {
    /// Whether trying again soon can help.
    #[must_use]
    pub const fn can_retry(&self) -> bool {
        matches!(self, Self::Source(error) if error.can_retry())
    }

    /// Whether a server understood and said no, with the connection as good as before.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Source(error) if ImapSource::is_refusal(error))
    }

    /// Whether we were told to stop, which is nobody's fault.
    #[must_use]
    pub const fn is_stopped(&self) -> bool {
        matches!(self, Self::Source(error) if error.is_stopped())
    }

    /// Whether another process is at it.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        matches!(self, Self::Busy { .. })
    }

    /// Whether the server wants us to come back later.
    #[must_use]
    pub const fn is_rate_limited(&self) -> bool {
        matches!(self, Self::Source(error) if error.is_rate_limited())
    }

    /// Whether only the person can mend it, by signing in: asking again would lock the account.
    #[must_use]
    pub const fn wants_sign_in(&self) -> bool {
        matches!(self, Self::Source(error) if error.wants_sign_in())
    }

    /// Whether the account is another one now, or has no server any more, so that nothing is wrong with it.
    #[must_use]
    pub const fn is_about_the_past(&self) -> bool {
        match self {
            Self::Moved { .. } => true,
            Self::Source(error) => error.is_local(),
            _ => false,
        }
    }

    /// What the person can do about it, for the account with this address.
    #[must_use]
    pub fn hint(&self, address: &str) -> String {
        match self {
            Self::Store(error) => error.hint(),
            Self::Index(error) => error.hint(),
            Self::Source(error) => error.hint(address),
            Self::Busy { .. } => "wait for it to finish: it brings in the same mail".to_owned(),
            Self::Moved { .. } => "run it again: it then goes by the new settings".to_owned(),
            Self::HungUp => "run `mailkeep doctor`".to_owned(),
        }
    }

    /// A short name for scripts.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Store(error) => error.code(),
            Self::Index(error) => error.code(),
            Self::Source(error) => error.code(),
            Self::Busy { .. } => "sync_busy",
            Self::Moved { .. } => "account_moved",
            Self::HungUp => "store_error",
        }
    }
}
