//! What can go wrong with the store, in words that say what to do next.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::model::Fault;

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no store at this path yet.
    #[error("there is no mail store at `{}`", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// Something is there, or may be, and it cannot be looked at.
    #[error("the mail store at `{}` cannot be read: {source}", path.display())]
    Unreadable {
        /// Where it was looked for.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The store was written by a newer mailkeep.
    #[error("the mail store has schema version {found}, this mailkeep knows up to {known}")]
    NewerSchema {
        /// Version in the file.
        found: i64,
        /// Version of this program.
        known: i64,
    },
    /// The store must be migrated first, and this process may not do it.
    #[error("the mail store has schema version {found}, this mailkeep needs {needed}")]
    OlderSchema {
        /// Version in the file.
        found: i64,
        /// Version of this program.
        needed: i64,
    },
    /// The file is no SQLite database, or its pages are damaged.
    #[error("the mail store is damaged or not a mailkeep store: {detail}")]
    Damaged {
        /// What SQLite said.
        detail: String,
    },
    /// No space left.
    #[error("the disk is full, the mail store could not be written")]
    DiskFull,
    /// The directory or file cannot be written.
    #[error("the mail store cannot be written: {detail}")]
    ReadOnly {
        /// What SQLite said.
        detail: String,
    },
    /// Another process held the write lock for longer than we wait.
    #[error("another mailkeep process is writing to the mail store")]
    Busy,
    /// Something is there already, and replacing it could lose mail.
    #[error("`{}` exists already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A file next to the store could not be read or written.
    #[error("cannot use `{}`: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A frame could not be packed or unpacked.
    #[error("message content cannot be unpacked: {detail}")]
    Content {
        /// What zstd or JSON said.
        detail: String,
    },
    /// Anything else SQLite refuses.
    #[error("the mail store refused a statement: {0}")]
    Sqlite(#[source] rusqlite::Error),
}

/// Whether this process may read a file.
#[cfg(unix)]
fn may_read(path: &Path) -> std::io::Result<()> {
    Ok(rustix::fs::access(path, rustix::fs::Access::READ_OK)?)
}

#[cfg(not(unix))]
fn may_read(_: &Path) -> std::io::Result<()> {
    Ok(())
}

impl StoreError {
    /// What the person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Missing { .. } => {
                "bring mail in with `mailkeep import PATH --account ADDRESS`, or try `mailkeep demo`"
            }
            Self::Unreadable { .. } => {
                "check the owner and the permissions of the home directory, or choose another with `--home DIR`"
            }
            Self::NewerSchema { .. } => "update mailkeep to the version that wrote this store",
            Self::OlderSchema { .. } => "run `mailkeep status` once, which migrates the store",
            Self::Damaged { .. } => "run `mailkeep verify`; if it stays damaged, `mailkeep restore` a backup",
            Self::DiskFull => {
                "free some space and run the command again: nothing that was reported stored is lost"
            }
            Self::ReadOnly { .. } => {
                "check the permissions of the home directory, or choose another with `--home DIR`"
            }
            Self::Busy => "wait for it to finish and run the command again",
            Self::Exists { .. } => "choose another name, or move it away first; a mail store is `mail.db` with its `-wal` and `-shm` files",
            Self::File { .. } => "check that the path exists and may be read and written",
            Self::Content { .. } => "run `mailkeep verify` to see which messages are affected",
            Self::Sqlite(_) => "run `mailkeep doctor`",
        }
        .to_owned()
    }

    /// Of what kind it is.
    #[must_use]
    pub const fn fault(&self) -> Fault {
        match self {
            Self::Missing { .. } => Fault::NoStore,
            Self::NewerSchema { .. } => Fault::NewerStore,
            Self::OlderSchema { .. } => Fault::OlderStore,
            Self::Busy => Fault::Passing,
            Self::Exists { .. } => Fault::Mistaken,
            Self::Content { .. } => Fault::Unreadable,
            Self::Unreadable { .. }
            | Self::Damaged { .. }
            | Self::DiskFull
            | Self::ReadOnly { .. }
            | Self::File { .. }
            | Self::Sqlite(_) => Fault::Internal,
        }
    }

    /// A short name for scripts.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "store_missing",
            Self::Unreadable { .. } => "store_unreadable",
            Self::NewerSchema { .. } => "schema_newer",
            Self::OlderSchema { .. } => "schema_older",
            Self::Damaged { .. } => "store_damaged",
            Self::DiskFull => "disk_full",
            Self::ReadOnly { .. } => "store_read_only",
            Self::Busy => "store_busy",
            Self::Exists { .. } => "file_exists",
            Self::File { .. } => "file_error",
            Self::Content { .. } => "content_damaged",
            Self::Sqlite(_) => "store_error",
        }
    }

    /// Whether there is a store at `path`. That it cannot be told is an error: nobody may take it for an empty one.
    pub(crate) fn is_there(path: &Path) -> Result<bool, Self> {
        let unreadable = |source| Self::Unreadable { path: path.to_owned(), source };
        // Looked at, never opened: closing it again would take all locks that SQLite holds on it in this process away.
        match path.metadata().and_then(|found| may_read(path).map(|()| found)) {
            Ok(found) if found.is_dir() => Err(unreadable(std::io::ErrorKind::IsADirectory.into())),
            Ok(_) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(unreadable(error)),
        }
    }

    pub(crate) fn content(error: &dyn std::fmt::Display) -> Self {
        Self::Content { detail: error.to_string() }
    }

    pub(crate) fn file(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        if source.kind() == std::io::ErrorKind::StorageFull {
            return Self::DiskFull;
        }
        Self::File { path: path.into(), source }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let detail = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged { detail },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
                Self::ReadOnly { detail }
            }
            Some(ErrorCode::SystemIoFailure) => Self::from_io_failure(error, detail),
            _ => Self::Sqlite(error),
        }
    }
}

impl StoreError {
    /// A full disk often shows as a failed write or a failed growth of the shared memory file.
    fn from_io_failure(error: rusqlite::Error, detail: String) -> Self {
        const IOERR_WRITE: i32 = 10 | 3 << 8;
        const IOERR_SHMSIZE: i32 = 10 | 19 << 8;
        match error.sqlite_error().map(|e| e.extended_code) {
            Some(IOERR_WRITE | IOERR_SHMSIZE) => Self::DiskFull,
            Some(_) => Self::Damaged { detail },
            None => Self::Sqlite(error),
        }
    }
}
