//! What a tool has before it while it runs: the archive, the clock, the person's accounts. Archives are opened when a
//! tool first needs one and kept for the next call; the tools themselves hold nothing.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::clock::Clock;
use crate::drafts::Drafts;
use crate::home::Home;
use crate::model::{MessageKey, SendRecords};
use crate::outbox::propose::Proposals;
use crate::query::analytics::{Bounds, Db};
use crate::query::{Archive, QueryError, schema_version};
use crate::tools::kept_files::{self, KeptFiles};
use crate::tools::{Cancellation, ChangePusher, ErrorKind, Pushed, ToolError};
use crate::vault::ToolVault;

/// Opens the archive of the home.
pub type OpenArchive = Box<dyn Fn() -> Result<Archive, QueryError> + Send + Sync>;

/// Says whether there is something to sign in to this account with, and it was not refused.
pub type IsSignedIn = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// Says where the person's page is, if there is one now.
pub type PageAddress = Box<dyn Fn() -> Option<String> + Send + Sync>;

/// Sends what the owner's rules let leave at once. Tools send nothing: whoever starts them hands them somebody who does.
pub trait Courier: Send + Sync {
    /// Has the item with this id sent, and waits a moment for it. What became of it stands in the store.
    fn send(&self, item: &str);
}

/// Who calls a tool.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    /// The name the client gave.
    pub client: Option<String>,
    /// The tools it works with.
    pub profile: String,
    /// The tool it calls.
    pub tool: &'static str,
    /// Whether it shows pages of ours beside a call.
    pub shows_app: bool,
}

/// Archives of one home, and a context for each call that is under way.
pub struct ArchivePool {
    home: Home,
    clock: Clock,
    open: OpenArchive,
    free: Mutex<Vec<(FileId, Archive)>>,
    db: DbSettings,
    kept: KeptFiles,
    signed_in: Option<IsSignedIn>,
    pusher: Option<Box<dyn ChangePusher>>,
    drafts: Drafts,
    proposals: Option<Arc<Proposals>>,
    page: Option<PageAddress>,
    courier: Option<Box<dyn Courier>>,
    sender: Option<String>,
    records: SendRecords,
    vault: Option<ToolVault>,
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
            drafts: Drafts::new(&home, clock.clone()),
            home,
            clock,
            open,
            free: Mutex::default(),
            db: DbSettings::default(),
            kept: KeptFiles::default(),
            signed_in: None,
            pusher: None,
            proposals: None,
            page: None,
            courier: None,
            records: SendRecords::default(),
            sender: None,
            vault: None,
        }
    }

    /// The same, with somebody who takes changes to the servers at once.
    #[must_use]
    pub fn with_pusher(mut self, pusher: Box<dyn ChangePusher>) -> Self {
        self.pusher = Some(pusher);
        self
    }

    /// The same, with somebody who knows which accounts are signed in.
    #[must_use]
    pub fn with_sign_in(mut self, ask: IsSignedIn) -> Self {
        self.signed_in = Some(ask);
        self
    }

    /// The same, with directories that files may be attached from.
    #[must_use]
    pub fn with_attach_from(mut self, directories: Vec<PathBuf>) -> Self {
        self.drafts = self.drafts.attaching_from(directories);
        self
    }

    /// The same, with the outbox that tools propose to.
    #[must_use]
    pub fn with_proposals(mut self, proposals: Arc<Proposals>) -> Self {
        self.proposals = Some(proposals);
        self
    }

    /// The same, with somebody who knows where the person's page is.
    #[must_use]
    pub fn with_page(mut self, page: PageAddress) -> Self {
        self.page = Some(page);
        self
    }

    /// The same, with somebody who sends what the owner's rules let leave at once.
    #[must_use]
    pub fn with_courier(mut self, courier: Box<dyn Courier>) -> Self {
        self.courier = Some(courier);
        self
    }

    /// The same, with the account that mail leaves from where nobody names one.
    #[must_use]
    pub fn with_sender(mut self, address: Option<String>) -> Self {
        self.sender = address;
        self
    }

    /// The same, with places where lines about sending are wanted.
    #[must_use]
    pub fn with_records(mut self, records: SendRecords) -> Self {
        self.records = records;
        self
    }

    /// The same, with the vault of the owner's at this directory.
    #[must_use]
    pub fn with_vault(mut self, root: Option<PathBuf>) -> Self {
        self.vault = root.map(|root| ToolVault::at(root, self.clock.clone()));
        self
    }

    /// The outbox that tools propose to.
    #[must_use]
    pub fn proposals(&self) -> Option<&Arc<Proposals>> {
        self.proposals.as_ref()
    }

    /// Whether a tool of this profile can cause something to leave without anybody being asked.
    #[must_use]
    pub fn may_send_at_once(&self, profile: &str) -> bool {
        self.proposals.as_ref().is_some_and(|proposals| proposals.may_send_at_once(profile))
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
        ToolContext { pool: self, archive: None, cancellation, caller: Caller::default() }
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

    /// Seals the calls that were noted since into the audit chain; what cannot be sealed now is later.
    pub fn seal_calls(&self) {
        if let Some(proposals) = &self.proposals {
            let _ = proposals.seal_calls();
        }
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

    /// The time.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The schema version of the store; 0 where there is none.
    #[must_use]
    pub fn schema_version(&self) -> i64 {
        schema_version(&self.home)
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
    caller: Caller,
}

impl ToolContext<'_> {
    /// The same for this caller.
    #[must_use]
    pub fn for_caller(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    /// The short ids of messages that the call has opened.
    #[must_use]
    pub fn opened(&self) -> Vec<String> {
        self.archive.as_ref().map(|(_, archive)| archive.take_opened()).unwrap_or_default()
    }

    /// Who calls.
    pub(super) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The outbox.
    pub(super) fn proposals(&self) -> Result<Arc<Proposals>, ToolError> {
        let missing = || ToolError::new(ErrorKind::Unavailable, "nothing can be sent from here");
        self.pool.proposals.clone().ok_or_else(missing)
    }

    /// Where the person's page is, if there is one now.
    pub(super) fn page(&self) -> Option<String> {
        self.pool.page.as_ref().and_then(|page| page())
    }

    /// The account that mail leaves from where nobody names one.
    pub(super) fn sender(&self) -> Option<&str> {
        self.pool.sender.as_deref()
    }

    /// The owner's vault.
    pub(super) fn vault(&self) -> Result<&ToolVault, ToolError> {
        self.pool.vault.as_ref().ok_or_else(|| {
            ToolError::not_found("no vault is set up").with_hint(
                "the user sets `VAULT_PATH`, or `path` in `[vault]` of the configuration, to the vault's directory",
            )
        })
    }

    /// Where lines about sending are wanted.
    pub(super) fn records(&self) -> &SendRecords {
        &self.pool.records
    }

    /// Has an item sent that the owner's rules let leave at once, and waits a moment for it.
    pub(super) fn send_now(&self, item: &str) {
        if let Some(courier) = &self.pool.courier {
            courier.send(item);
        }
    }

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

    /// Whether somebody has signed in to this account.
    pub(super) fn is_signed_in(&self, address: &str) -> bool {
        self.pool.signed_in.as_ref().is_none_or(|ask| ask(address))
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

    /// The drafts of the home.
    pub(super) fn drafts(&self) -> &Drafts {
        &self.pool.drafts
    }

    /// Has the changes of an account taken to its server, and waits a moment for it.
    pub(super) fn push(&self, address: &str) -> Pushed {
        self.pool.pusher.as_ref().map_or(Pushed::Off, |pusher| pusher.push(address))
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
