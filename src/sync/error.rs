//! Why mail could not be brought in.

use crate::index::IndexError;
use crate::store::StoreError;

/// An error that ends an import.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// The store could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The index could not be written.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl SyncError {
    /// What the person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Store(error) => error.hint(),
            Self::Index(error) => error.hint(),
        }
    }

    /// A short name for scripts.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Store(error) => error.code(),
            Self::Index(error) => error.code(),
        }
    }
}
