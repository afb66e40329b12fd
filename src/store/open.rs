//! Opens the store for the one who owns it: creates it, migrates it, sets it up so that a commit is on the disk.

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior, params};

use crate::clock::Clock;
use crate::store::codec::BUILT_IN_DICTIONARY;
use crate::store::transaction::SenderCache;
use crate::store::{Codec, StoreError, WriteTransaction, functions, people, shield, undated_drafts};

pub(super) const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_archive.sql"),
    include_str!("../../migrations/0002_views.sql"),
    include_str!("../../migrations/0003_drafts.sql"),
    include_str!("../../migrations/0004_statistics.sql"),
    include_str!("../../migrations/0005_withheld.sql"),
    include_str!("../../migrations/0006_servers.sql"),
    include_str!("../../migrations/0007_copies.sql"),
    include_str!("../../migrations/0008_gmail.sql"),
    include_str!("../../migrations/0009_gone.sql"),
    include_str!("../../migrations/0010_kinship.sql"),
    include_str!("../../migrations/0011_arrival.sql"),
    include_str!("../../migrations/0012_leaving.sql"),
    include_str!("../../migrations/0013_pages.sql"),
    include_str!("../../migrations/0014_channels.sql"),
    include_str!("../../migrations/0015_note_moves.sql"),
    include_str!("../../migrations/0016_sender_days.sql"),
];

/// The schema version this program reads and writes.
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// How long a writer waits for another one.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How often it looks whether its turn has come. Other writers leave only short gaps between transactions.
const BUSY_STEP: Duration = Duration::from_millis(1);

/// How many pages of notes may gather in the log before they are moved into the file.
const NOTES_IN_LOG: i64 = 64;

/// Waits a little for another writer, and says whether to go on waiting.
pub(super) fn wait_for_turn(tries: i32) -> bool {
    std::thread::sleep(BUSY_STEP);
    BUSY_STEP * u32::try_from(tries).unwrap_or(u32::MAX) < BUSY_TIMEOUT
}

/// The store, opened for writing.
pub struct Store {
    pub(super) connection: Connection,
    pub(super) senders: SenderCache,
    codec: Codec,
    clock: Clock,
    /// Whether a commit is waited for until it is on the disk.
    waits: bool,
}

impl Store {
    /// Opens the store at `path`, creating or migrating it as needed.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        create_private(path)?;
        let mut connection = Connection::open_with_flags(
            path,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        configure_writer(&mut connection)?;
        migrate(&mut connection)?;
        Self::assemble(connection)
    }

    /// Opens the store at `path` as it is, for a process that may write to it but does not own it: what is not
    /// there is not made, and another schema version is an error.
    pub fn open_existing(path: &Path) -> Result<Self, StoreError> {
        if !StoreError::is_there(path)? {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        let mut connection = Connection::open_with_flags(
            path,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        connection.busy_handler(Some(wait_for_turn))?;
        require_version(&connection, path)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        erase_what_is_deleted(&connection)?;
        Self::assemble(connection)
    }

    /// The same for notes that a power cut may undo, such as when a server was last looked at: nothing waits for the
    /// disk. What others have stored stays as safe as it was.
    pub fn open_for_notes(path: &Path) -> Result<Self, StoreError> {
        let store = Self::open_existing(path)?;
        store.connection.pragma_update(None, "synchronous", "NORMAL")?;
        store.connection.pragma_update(None, "wal_autocheckpoint", NOTES_IN_LOG)?;
        store.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        Ok(store)
    }

    /// An empty store that lives in memory only.
    pub fn in_memory() -> Result<Self, StoreError> {
        let mut connection = Connection::open_in_memory()?;
        migrate(&mut connection)?;
        Self::assemble(connection)
    }

    fn assemble(connection: Connection) -> Result<Self, StoreError> {
        let codec = prepare(&connection)?;
        Ok(Self { connection, senders: SenderCache::default(), codec, clock: Clock::system(), waits: true })
    }

    /// Starts a write transaction. Keep it under a quarter of a second: others wait for it.
    pub fn begin(&mut self) -> Result<WriteTransaction<'_>, StoreError> {
        self.wait_for_disk(true)?;
        self.begin_now()
    }

    /// The same for what the next one takes to the disk as well: a kill leaves it, a power cut before that may undo it.
    pub fn begin_ahead(&mut self) -> Result<WriteTransaction<'_>, StoreError> {
        self.wait_for_disk(false)?;
        self.begin_now()
    }

    fn wait_for_disk(&mut self, waits: bool) -> Result<(), StoreError> {
        if self.waits != waits {
            let word = if waits { "FULL" } else { "NORMAL" };
            self.connection.pragma_update(None, "synchronous", word)?;
            self.waits = waits;
        }
        Ok(())
    }

    fn begin_now(&mut self) -> Result<WriteTransaction<'_>, StoreError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let shield = shield::state(&transaction)?;
        WriteTransaction::new(transaction, &mut self.senders, shield, self.clock.now().as_second())
    }

    /// Packs and unpacks the contents of this store.
    #[must_use]
    pub fn codec(&self) -> &Codec {
        &self.codec
    }

    /// The connection, for reading within this process.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Moves what is in the write-ahead log into the database file, as far as nobody is reading it.
    /// A log that stays is as durable as the file, so a failure here is nobody's loss.
    pub fn checkpoint(&self) {
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    }

    pub(super) fn into_connection(self) -> (Connection, Codec) {
        (self.connection, self.codec)
    }
}

/// What every connection needs before it is used: our functions, and statements that stay prepared
/// (SQLite would otherwise plan them anew whenever a bound value changes).
pub(super) fn prepare(connection: &Connection) -> Result<Codec, StoreError> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    let codec = Codec::load(connection)?;
    functions::register_ids(connection)?;
    functions::content_functions(connection, &codec)?;
    Ok(codec)
}

fn configure_writer(connection: &mut Connection) -> Result<(), StoreError> {
    connection.busy_handler(Some(wait_for_turn))?;
    connection.pragma_update(None, "page_size", 16384)?;
    use_log(connection)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "cache_size", -32_768)?;
    erase_what_is_deleted(connection)
}

/// Turns the write-ahead log on. When several processes do so with a new store at the same moment, SQLite refuses all
/// but one without asking the busy handler, because their waiting for each other could last for ever.
fn use_log(connection: &Connection) -> Result<(), StoreError> {
    let is_busy = |error: &rusqlite::Error| {
        matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    };
    let mut tries = 0;
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if is_busy(&error) && wait_for_turn(tries) => tries += 1,
            outcome => return Ok(outcome?),
        }
    }
}

/// Has SQLite overwrite what it deletes within a page, which costs nothing more to write; pages that fall free are
/// overwritten when mail is forgotten.
fn erase_what_is_deleted(connection: &Connection) -> Result<(), StoreError> {
    connection.pragma_update(None, "secure_delete", "FAST")?;
    Ok(())
}

/// Brings the schema up to date in one transaction: a kill leaves the old version or the new one.
fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    if version(connection)? == SCHEMA_VERSION {
        return Ok(());
    }
    functions::register_ids(connection)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = version(&transaction)?;
    if found > SCHEMA_VERSION {
        return Err(StoreError::NewerSchema { found, known: SCHEMA_VERSION });
    }
    for migration in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(migration)?;
    }
    if (1..12).contains(&found) {
        undated_drafts::freeze_anew(&transaction)?;
    }
    if (1..13).contains(&found) {
        functions::content_functions(&transaction, &Codec::load(&transaction)?)?;
        people::fill(&transaction)?;
    }
    if found == 0 {
        transaction
            .execute("INSERT INTO dictionaries (id, bytes) VALUES (1, ?1)", params![BUILT_IN_DICTIONARY])?;
        renew_identity(&transaction)?;
        shield::begin(&transaction)?;
    }
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    transaction.commit()?;
    Ok(())
}

/// Gives the store a new identity, so that no index made for another one is taken for its own.
pub(super) fn renew_identity(connection: &Connection) -> Result<(), StoreError> {
    connection
        .execute_batch("DELETE FROM identity; INSERT INTO identity VALUES (lower(hex(randomblob(8))))")?;
    Ok(())
}

/// The schema version a database file has; 0 for an empty one.
pub(super) fn version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Refuses every schema but this program's own.
pub(super) fn require_version(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    match version(connection)? {
        0 => Err(StoreError::Missing { path: path.to_owned() }),
        found if found > SCHEMA_VERSION => Err(StoreError::NewerSchema { found, known: SCHEMA_VERSION }),
        found if found < SCHEMA_VERSION => Err(StoreError::OlderSchema { found, needed: SCHEMA_VERSION }),
        _ => Ok(()),
    }
}

/// Makes the directory and the file, readable by their owner only.
fn create_private(path: &Path) -> Result<(), StoreError> {
    if let Some(directory) = path.parent() {
        create_private_directory(directory)?;
    }
    // One that is there is not opened: closing it again would take all locks that SQLite holds on it in this process away.
    if path.exists() {
        return Ok(());
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::StorageFull => Err(StoreError::DiskFull),
        Err(error) => Err(StoreError::ReadOnly { detail: format!("`{}`: {error}", path.display()) }),
    }
}

pub(crate) fn create_private_directory(directory: &Path) -> Result<(), StoreError> {
    if directory.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(directory)
        .map_err(|error| StoreError::ReadOnly { detail: format!("`{}`: {error}", directory.display()) })
}
