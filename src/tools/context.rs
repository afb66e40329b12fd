//! What a tool has before it while it runs: the archive, the clock, the person's accounts. Archives are opened when a
//! tool first needs one and kept for the next call; the tools themselves hold nothing.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::clock::Clock;
use crate::home::Home;
use crate::model::MessageKey;
use crate::query::analytics::{Bounds, Db};
use crate::query::{AccountInfo, Archive, QueryError};
use crate::tools::kept_files::{self, KeptFiles};
use crate::tools::{Arguments, Cancellation, ToolError};

/// Opens the archive of the home.
pub type OpenArchive = Box<dyn Fn() -> Result<Archive, QueryError> + Send + Sync>;

/// Archives of one home, and a context for each call that is under way.
pub struct ArchivePool {
    home: Home,
    clock: Clock,
    open: OpenArchive,
    free: Mutex<Vec<(FileId, Archive)>>,
    db: DbSettings,
    kept: KeptFiles,
}

/// What the `db` tools are told when the server starts.
#[derive(Debug, Clone)]
pub struct DbSettings {
    /// Only the mail of this account.
    pub address: Option<String>,
    /// No list is longer.
    pub max_limit: usize,
    /// Whether raw bytes, which may hold hidden text, are given away.
    pub raw: bool,
    /// The file that was asked for by name.
    pub database: Option<PathBuf>,
}

impl Default for DbSettings {
    fn default() -> Self {
        Self { address: None, max_limit: 1000, raw: false, database: None }
    }
}

/// Which file the store is: another one after a restore, none before the first import.
type FileId = Option<(u64, u64)>;

impl ArchivePool {
    /// A pool over this home.
    #[must_use]
    pub fn new(home: Home, clock: Clock, open: OpenArchive) -> Self {
        Self {
            home,
            clock,
            open,
            free: Mutex::default(),
            db: DbSettings::default(),
            kept: KeptFiles::default(),
        }
    }

    /// The same, with settings for the `db` tools.
    #[must_use]
    pub fn with_db(mut self, settings: DbSettings) -> Self {
        self.db = settings;
        self
    }

    /// A context for one call.
    #[must_use]
    pub fn context(&self, cancellation: Arc<Cancellation>) -> ToolContext<'_> {
        ToolContext { pool: self, archive: None, cancellation }
    }

    /// Opens an archive ahead of the first call, so that it need not wait. That it cannot be opened is told by the
    /// call that needs it.
    pub fn prepare(&self) {
        if let Ok(archive) = self.take() {
            self.give_back(archive);
        }
    }

    /// Deletes saved files whose hour is over.
    pub fn sweep(&self) {
        kept_files::sweep(&self.home.attachments_out());
    }

    /// Deletes the files that were saved here: the server ends.
    pub fn close(&self) {
        self.kept.clear();
    }

    /// The home.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }

    fn take(&self) -> Result<(FileId, Archive), ToolError> {
        let file = file_id(&self.home.store());
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.retain(|(known, _)| *known == file);
        match free.pop() {
            Some(kept) => Ok(kept),
            None => {
                drop(free);
                let archive = (self.open)()?;
                if archive.is_stand_in() { Err(ToolError::database_missing()) } else { Ok((file, archive)) }
            }
        }
    }

    fn give_back(&self, archive: (FileId, Archive)) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(archive);
    }
}

#[cfg(unix)]
fn file_id(path: &std::path::Path) -> FileId {
    use std::os::unix::fs::MetadataExt;
    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}

/// What one call has before it.
pub struct ToolContext<'a> {
    pool: &'a ArchivePool,
    archive: Option<(FileId, Archive)>,
    cancellation: Arc<Cancellation>,
}

impl ToolContext<'_> {
    /// The archive. Fails where there is no store yet, it is of another version, or it has no account.
    pub fn archive(&mut self) -> Result<&mut Archive, ToolError> {
        if self.archive.is_none() {
            let (file, archive) = self.pool.take()?;
            self.cancellation.on_cancel(Some(archive.interrupter()));
            let no_accounts = archive.accounts()?.is_empty();
            self.archive = Some((file, archive));
            if no_accounts {
                return Err(ToolError::no_accounts());
            }
        }
        match &mut self.archive {
            Some((_, archive)) => Ok(archive),
            None => Err(ToolError::database_missing()),
        }
    }

    /// The account that the argument names; where there is only one, it need not be named.
    pub fn account(&mut self, arguments: &Arguments) -> Result<AccountInfo, ToolError> {
        let named = arguments.text("account").map(str::to_owned);
        let accounts = self.archive()?.accounts()?;
        let known = accounts.iter().map(|account| account.address.as_str()).collect::<Vec<_>>().join(", ");
        match (named, accounts.as_slice()) {
            (None, [only]) => Ok(only.clone()),
            (None, _) => Err(self.with_accounts(ToolError::account_required())),
            (Some(address), _) => accounts
                .iter()
                .find(|account| account.address.eq_ignore_ascii_case(&address))
                .cloned()
                .ok_or_else(|| {
                    ToolError::not_found(format!(
                        "Account not found: {}",
                        crate::text_safety::one_line(&address)
                    ))
                    .with_hint(format!("the accounts are: {known}"))
                }),
        }
    }

    /// An error about a missing account, with the accounts there are; where there are none, that is the error.
    #[must_use]
    pub fn with_accounts(&mut self, error: ToolError) -> ToolError {
        let accounts = self.archive().and_then(|archive| Ok(archive.accounts()?));
        match accounts {
            Ok(accounts) => {
                let known: Vec<_> = accounts.into_iter().map(|account| account.address).collect();
                error
                    .with_hint(format!("the accounts are: {}", known.join(", ")))
                    .with_details(serde_json::json!({ "field": "account", "allowed": known }))
            }
            Err(more_serious) => more_serious,
        }
    }

    /// The archive as the `db` tools ask it.
    pub fn db(&mut self) -> Result<Db<'_>, ToolError> {
        let DbSettings { address, max_limit, raw, database } = self.pool.db.clone();
        let archive = self.archive().map_err(|error| match database.filter(|file| !file.exists()) {
            Some(file) => ToolError::no_such_database(&file),
            None => error,
        })?;
        let account = address.map(|address| archive.account(&address)).transpose()?;
        Ok(archive.db(Bounds { account, max_limit, raw }))
    }

    /// The time.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.pool.clock
    }

    /// The home.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.pool.home
    }

    /// Saves what is too large for an answer; the path is good for an hour.
    pub(super) fn save_for_an_hour(&self, name: &str, bytes: &[u8]) -> Result<String, ToolError> {
        let path = self.pool.kept.save(&self.pool.home.attachments_out(), name, bytes)?;
        Ok(path.display().to_string())
    }

    /// Saves the raw bytes of a message that is too large for an answer; the path is good for an hour.
    pub(super) fn save_raw_for_an_hour(&mut self, name: &str, key: MessageKey) -> Result<String, ToolError> {
        let pool = self.pool;
        let db = self.db()?;
        let write = |out: &mut std::fs::File| db.write_raw(key, out).map_err(std::io::Error::other);
        let path = pool.kept.save_with(&pool.home.attachments_out(), name, write)?;
        Ok(path.display().to_string())
    }

    /// Whether nobody waits for the answer any more.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }
}

impl Drop for ToolContext<'_> {
    fn drop(&mut self) {
        self.cancellation.on_cancel(None);
        if let Some(archive) = self.archive.take() {
            self.pool.give_back(archive);
        }
    }
}
