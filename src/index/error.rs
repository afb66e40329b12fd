//! What can go wrong with the text index. It is never worth more than a rebuild.

use std::path::PathBuf;

use tantivy::TantivyError;
use tantivy::directory::error::LockError;

use crate::model::Fault;
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
    /// A beginning in a phrase that more words have than can be looked for.
    #[error("too many different words begin like this")]
    TooBroad,
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
    /// The files cannot be read as vectors of this program.
    #[error("the vectors in `{}` are damaged: {detail}", path.display())]
    VectorsDamaged {
        /// Their directory.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// No space left.
    #[error("the disk is full, the vectors could not be written")]
    VectorsFull,
    /// A file could not be read or written.
    #[error("cannot use the vectors in `{}`: {detail}", path.display())]
    VectorsFile {
        /// Their directory.
        path: PathBuf,
        /// What the system said.
        detail: String,
    },
    /// Vectors of different models are never compared.
    #[error("the vectors were made by `{made_by}`, and the model in use is `{wanted}`")]
    OtherModel {
        /// The model that made them.
        made_by: String,
        /// The model that is to be used.
        wanted: String,
    },
    /// The model cannot be loaded or run.
    #[error("the model for semantic search cannot be used: {detail}")]
    Model {
        /// What is wrong.
        detail: String,
    },
    /// The server that makes vectors did not.
    #[error("the server that makes vectors did not answer: {detail}")]
    Endpoint {
        /// What it said, or what the connection did.
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
            Self::TooBroad => "write more letters before the `*`".to_owned(),
            Self::DiskFull => {
                "free some space, then run `mailkeep reindex`; the stored mail is not affected".to_owned()
            }
            Self::File { .. } | Self::VectorsFile { .. } => {
                "check the permissions of the home directory".to_owned()
            }
            Self::VectorsDamaged { .. } => {
                "run `mailkeep verify` or `mailkeep reindex --semantic`; searches go by words meanwhile"
                    .to_owned()
            }
            Self::VectorsFull => "free some space; the vectors that are there still count".to_owned(),
            Self::OtherModel { .. } => {
                "run `mailkeep reindex --semantic`, or let `mailkeep serve` make them anew".to_owned()
            }
            Self::Model { .. } => "check `[semantic] model` with `mailkeep config show`".to_owned(),
            Self::Endpoint { .. } => {
                "check `[semantic] endpoint` and that the server runs; searches go by words meanwhile"
                    .to_owned()
            }
            Self::Store(error) => error.hint(),
        }
    }

    /// Whether it keeps mail from being found by meaning, and nothing else.
    #[must_use]
    pub const fn is_of_meaning(&self) -> bool {
        match self {
            Self::VectorsDamaged { .. }
            | Self::VectorsFull
            | Self::VectorsFile { .. }
            | Self::OtherModel { .. }
            | Self::Model { .. }
            | Self::Endpoint { .. } => true,
            Self::Damaged { .. } | Self::TooBroad | Self::DiskFull | Self::File { .. } | Self::Store(_) => {
                false
            }
        }
    }

    /// Of what kind it is.
    #[must_use]
    pub const fn fault(&self) -> Fault {
        match self {
            Self::TooBroad => Fault::Mistaken,
            Self::Endpoint { .. } => Fault::Passing,
            Self::Store(error) => error.fault(),
            Self::Damaged { .. }
            | Self::DiskFull
            | Self::File { .. }
            | Self::VectorsDamaged { .. }
            | Self::VectorsFull
            | Self::VectorsFile { .. }
            | Self::OtherModel { .. }
            | Self::Model { .. } => Fault::Internal,
        }
    }

    /// A short name for scripts.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Damaged { .. } => "index_damaged",
            Self::TooBroad => "too_broad",
            Self::DiskFull | Self::VectorsFull => "disk_full",
            Self::File { .. } | Self::VectorsFile { .. } => "file_error",
            Self::VectorsDamaged { .. } => "vectors_damaged",
            Self::OtherModel { .. } => "other_model",
            Self::Model { .. } => "model_unusable",
            Self::Endpoint { .. } => "endpoint_failed",
            Self::Store(error) => error.code(),
        }
    }

    /// What the system says about the files with the vectors.
    pub(super) fn vectors(path: &std::path::Path, error: &std::io::Error) -> Self {
        use std::io::ErrorKind;
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::VectorsFull,
            ErrorKind::UnexpectedEof | ErrorKind::InvalidData | ErrorKind::NotFound => {
                Self::damaged_vectors(path, error.to_string())
            }
            _ => Self::VectorsFile { path: path.to_owned(), detail: error.to_string() },
        }
    }

    /// What is wrong with the vectors.
    pub(super) fn damaged_vectors(path: &std::path::Path, detail: impl Into<String>) -> Self {
        Self::VectorsDamaged { path: path.to_owned(), detail: detail.into() }
    }

    /// An error while a query was prepared or run.
    #[must_use]
    pub fn searching(error: &TantivyError) -> Self {
        Self::from_tantivy(std::path::Path::new("text"), error)
    }

    pub(super) fn from_tantivy(path: &std::path::Path, error: &TantivyError) -> Self {
        let detail = error.to_string();
        if matches!(error, TantivyError::InvalidArgument(_)) && detail.contains("max expansions") {
            return Self::TooBroad;
        }
        let kind = match error {
            TantivyError::IoError(io) => Some(io.kind()),
            TantivyError::LockFailure(LockError::IoError(io), _) => Some(io.kind()),
            _ => None,
        };
        match kind {
            _ if is_full(path, kind, &detail) => Self::DiskFull,
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

/// Whether the disk is full. Tantivy writes in threads of its own, whose errors reach us as words, or only as the news
/// that a thread is gone: then the disk itself is asked.
fn is_full(path: &std::path::Path, kind: Option<std::io::ErrorKind>, detail: &str) -> bool {
    let is_said = detail.contains("No space left") || detail.contains("StorageFull");
    match kind {
        Some(kind) => kind == std::io::ErrorKind::StorageFull || is_said,
        None => is_said || has_no_space(path),
    }
}

/// Less than a segment needs.
#[cfg(unix)]
fn has_no_space(path: &std::path::Path) -> bool {
    const LEAST: u64 = 1 << 20;
    rustix::fs::statvfs(path).is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < LEAST)
}

#[cfg(not(unix))]
fn has_no_space(_: &std::path::Path) -> bool {
    false
}
