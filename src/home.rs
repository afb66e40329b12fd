//! Where everything is: one directory holds a person's mail and all that is derived from it.

use std::path::{Path, PathBuf};

use directories::BaseDirs;

/// The directory that holds the store and the indexes.
#[derive(Debug, Clone)]
pub struct Home {
    directory: PathBuf,
}

impl Home {
    /// A home at this directory, which need not exist yet.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// The platform's data directory for mailkeep; `None` when the user has no home directory.
    #[must_use]
    pub fn standard() -> Option<Self> {
        BaseDirs::new().map(|base| Self::at(base.data_local_dir().join("mailkeep")))
    }

    /// The directory itself.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The store: every message, and what must never be lost.
    #[must_use]
    pub fn store(&self) -> PathBuf {
        self.directory.join("mail.db")
    }

    /// Passwords and tokens, encrypted.
    #[must_use]
    pub fn secrets(&self) -> PathBuf {
        self.directory.join("secrets")
    }

    /// Locked while an account is synced, so that two processes do not do the same work.
    #[must_use]
    pub fn sync_lock(&self, account: i64) -> PathBuf {
        self.directory.join(format!("sync-{account}.lock"))
    }

    /// The text index: derived, can be deleted.
    #[must_use]
    pub fn text_index(&self) -> PathBuf {
        self.directory.join("text")
    }
}
