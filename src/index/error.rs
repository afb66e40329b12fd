//! What can go wrong with the text index. It is never worth more than a rebuild.

use std::path::PathBuf;

use tantivy::TantivyError;
use tantivy::directory::error::LockError;

use crate::store::StoreError;

/// An error of the text index.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The files cannot be read as an index of this program.
    #[error("the text index in `{}` is damaged: {detail}", path.display())]
    Damaged {
        /// The index's directory.
        path: PathBuf,
        /// What tantivy said.
        detail: String,
    },
    /// No space left.
    #[error("the disk is full, the text index could not be written")]
    DiskFull,
    /// A file could not be read or written.
    #[error("cannot use the text index in `{}`: {detail}", path.display())]
    File {
        /// The index's directory.
        path: PathBuf,
        /// What the system said.
        detail: String,
    },
    /// The store that the index follows could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl IndexError {
    /// What the person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Damaged { .. } => "run `mailkeep reindex`; the stored mail is not affected".to_owned(),
            Self::DiskFull => {
                "free some space, then run `mailkeep reindex`; the stored mail is not affected".to_owned()
            }
            Self::File { .. } => "check the permissions of the home directory".to_owned(),
            Self::Store(error) => error.hint(),
        }
    }

    /// A short name for scripts.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Damaged { .. } => "index_damaged",
            Self::DiskFull => "disk_full",
            Self::File { .. } => "file_error",
            Self::Store(error) => error.code(),
        }
    }

    /// An error while a query was prepared or run.
    #[must_use]
    pub fn searching(error: &TantivyError) -> Self {
        Self::from_tantivy(std::path::Path::new("text"), error)
    }

    pub(super) fn from_tantivy(path: &std::path::Path, error: &TantivyError) -> Self {
        let detail = error.to_string();
        let kind = match error {
            TantivyError::IoError(io) => Some(io.kind()),
            TantivyError::LockFailure(LockError::IoError(io), _) => Some(io.kind()),
            _ => None,
        };
        match kind {
            Some(std::io::ErrorKind::StorageFull) => Self::DiskFull,
            None
            | Some(
                std::io::ErrorKind::UnexpectedEof
                | std::io::ErrorKind::InvalidData
                | std::io::ErrorKind::InvalidInput
                | std::io::ErrorKind::NotFound,
            ) => Self::Damaged { path: path.to_owned(), detail },
            Some(_) => Self::File { path: path.to_owned(), detail },
        }
    }
}
