//! Where everything is: one directory holds a person's mail and all that is derived from it.

use std::path::{Path, PathBuf};

use directories::BaseDirs;

/// The directory that holds the store and the indexes.
#[derive(Debug, Clone)]
pub struct Home {
    directory: PathBuf,
    store: PathBuf,
}

impl Home {
    /// A home at this directory, which need not exist yet.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        let directory = directory.into();
        Self { store: directory.join("mail.db"), directory }
    }

    /// The home around a store that may have any name.
    #[must_use]
    pub fn with_store(file: &Path) -> Self {
        let directory = file.parent().unwrap_or(Path::new(".")).to_owned();
        Self { directory, store: file.to_owned() }
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
        self.store.clone()
    }

    /// Passwords and tokens, encrypted.
    #[must_use]
    pub fn secrets(&self) -> PathBuf {
        self.directory.join("secrets")
    }

    /// What the person confirmed last about sending, beside what the store says.
    #[must_use]
    pub fn confirmed(&self) -> PathBuf {
        self.directory.join("approval-confirmed")
    }

    /// Locked while an account is synced, so that two processes do not do the same work.
    #[must_use]
    pub fn sync_lock(&self, account: i64) -> PathBuf {
        self.directory.join(format!("sync-{account}.lock"))
    }

    /// Locked as long as a process watches an account, so that the next one waits for it.
    #[must_use]
    pub fn watch_lock(&self, account: i64) -> PathBuf {
        self.directory.join(format!("watch-{account}.lock"))
    }

    /// Locked as long as a process sends what was approved on this lane.
    #[must_use]
    pub fn outbox_lock(&self, lane: &str) -> PathBuf {
        self.directory.join(format!("outbox-{lane}.lock"))
    }

    /// Locked as long as a process sees to the notes of a vault.
    #[must_use]
    pub fn orchestrator_lock(&self) -> PathBuf {
        self.directory.join("orchestrator.lock")
    }

    /// Where server processes count themselves.
    #[must_use]
    pub fn clients(&self) -> PathBuf {
        self.directory.join("clients")
    }

    /// What clients that come over HTTP must know.
    #[must_use]
    pub fn token(&self) -> PathBuf {
        self.directory.join("token")
    }

    /// Drafts that a person is editing, and texts of theirs that could not become drafts.
    #[must_use]
    pub fn edited_drafts(&self) -> PathBuf {
        self.directory.join("edited-drafts")
    }

    /// Attachments that were too large for an answer, for an hour.
    #[must_use]
    pub fn attachments_out(&self) -> PathBuf {
        self.directory.join("attachments-out")
    }

    /// Calls of tools: what assistants read, for a month.
    #[must_use]
    pub fn calls(&self) -> PathBuf {
        self.directory.join("audit").join("calls.db")
    }

    /// The text index: derived, can be deleted.
    #[must_use]
    pub fn text_index(&self) -> PathBuf {
        self.directory.join("text")
    }

    /// The vectors of the semantic index: derived, can be deleted.
    #[must_use]
    pub fn vectors(&self) -> PathBuf {
        self.directory.join("vectors")
    }
}

/// Where the platform keeps logs: `~/Library/Logs/mailkeep` on macOS, the state directory elsewhere.
#[must_use]
pub fn log_directory() -> Option<PathBuf> {
    let base = BaseDirs::new()?;
    if cfg!(target_os = "macos") {
        return Some(base.home_dir().join("Library/Logs/mailkeep"));
    }
    Some(base.state_dir().unwrap_or_else(|| base.data_local_dir()).join("mailkeep"))
}
