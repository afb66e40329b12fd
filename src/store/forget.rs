//! Deleting mail here for good, because the owner said so: out of every account, with all that was derived from it, and
//! without a trace in the file. A server that still has it does not bring it back; an import of the owner's does.

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::{AccountKey, ContentHash, MessageKey, PlacementKey};
use crate::store::gone::Cause;
use crate::store::servers::LARGEST_UID;
use crate::store::{NewPlacement, Reader, Store, StoreError, WriteTransaction};

/// Whether what is forgotten may come back when a server brings it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Again {
    /// It stays forgotten, whoever has it.
    #[default]
    Never,
    /// Another account may bring it.
    Maybe,
}

/// Why a message that a server has is not fetched.
const FORGOTTEN: &str = "it was forgotten here";
/// Bytes of free pages that are overwritten in one transaction.
const SCRUBBED_AT_ONCE: i64 = 4 << 20;

impl WriteTransaction<'_> {
    /// Forgets messages; says how many there were. What may come back is not kept out.
    pub fn forget(&mut self, messages: &[MessageKey], again: Again) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        for message in messages {
            let Some((hash, sender)) = self.hash_and_sender(*message)? else { continue };
            if again == Again::Never {
                self.leave_on_servers(*message)?;
                self.remember_forgotten(*message, &hash)?;
            }
            self.forget_draft(*message)?;
            self.delete_everywhere(*message)?;
            self.forget_sender(sender)?;
            forgotten += 1;
        }
        self.note_removal(Cause::Forgotten, forgotten)?;
        self.transaction.execute("INSERT OR IGNORE INTO unerased (id) VALUES (1)", [])?;
        Ok(forgotten)
    }

    /// Forgets the draft that the message was written as; what is on a server stays there.
    fn forget_draft(&self, message: MessageKey) -> Result<(), StoreError> {
        for table in ["copies", "drafts"] {
            let sql = format!(
                "DELETE FROM {table} WHERE message_id = (SELECT message_id FROM messages WHERE id = ?1)"
            );
            self.transaction.prepare_cached(&sql)?.execute([message.0])?;
        }
        Ok(())
    }

    fn hash_and_sender(&self, message: MessageKey) -> Result<Option<(ContentHash, i64)>, StoreError> {
        let mut statement =
            self.transaction.prepare_cached("SELECT hash, sender FROM messages WHERE id = ?1")?;
        let found = statement.query_row([message.0], |row| Ok((ContentHash(row.get(0)?), row.get(1)?)));
        Ok(found.optional()?)
    }

    /// Keeps what is forgotten from coming back; what is known by its bytes as received would come under another hash.
    fn remember_forgotten(&self, message: MessageKey, hash: &ContentHash) -> Result<(), StoreError> {
        const RECEIVED: &str = "
            SELECT mail_raw(dictionary, envelope_length, text_length, frame) FROM contents
            WHERE message = ?1 AND message <= (SELECT up_to FROM received_identities)";
        let mut insert =
            self.transaction.prepare_cached("INSERT OR IGNORE INTO forgotten (hash) VALUES (?1)")?;
        insert.execute([hash.0])?;
        let mut statement = self.transaction.prepare_cached(RECEIVED)?;
        let raw: Option<Vec<u8>> = statement.query_row([message.0], |row| row.get(0)).optional()?;
        if let Some(raw) = raw {
            insert.execute([ContentHash::of_message(&raw).0])?;
        }
        Ok(())
    }

    /// Has no sync fetch the message again where a server still has it.
    fn leave_on_servers(&self, message: MessageKey) -> Result<(), StoreError> {
        const IMAP: &str = "
            INSERT OR REPLACE INTO unfetched (mailbox, uid, problem, retry)
            SELECT p.mailbox, p.uid, ?3, 0 FROM placements p JOIN mailboxes b ON b.id = p.mailbox
            JOIN accounts a ON a.id = b.account
            WHERE p.message = ?1 AND p.uid BETWEEN 1 AND ?2 AND b.remote IS NOT NULL AND a.kind = 'imap'";
        const GMAIL: &str = "
            UPDATE gmail_messages SET message = NULL, problem = ?2, retry = 0 WHERE message = ?1";
        self.transaction.prepare_cached(IMAP)?.execute(params![message.0, LARGEST_UID, FORGOTTEN])?;
        self.transaction.prepare_cached(GMAIL)?.execute(params![message.0, FORGOTTEN])?;
        Ok(())
    }

    fn delete_everywhere(&mut self, message: MessageKey) -> Result<(), StoreError> {
        let mut statement =
            self.transaction.prepare_cached("SELECT id FROM placements WHERE message = ?1")?;
        let keys = statement.query_map([message.0], |row| row.get(0).map(PlacementKey))?;
        let keys: Vec<_> = keys.collect::<Result<_, _>>()?;
        drop(statement);
        self.delete_placements(&keys)
    }

    /// Takes messages out of an account; they stay in the others.
    pub fn leave_account(&mut self, account: AccountKey, messages: &[MessageKey]) -> Result<(), StoreError> {
        const SELECT: &str = "
            SELECT p.id FROM placements p JOIN mailboxes b ON b.id = p.mailbox
            WHERE p.message = ?1 AND b.account = ?2";
        for message in messages {
            let mut statement = self.transaction.prepare_cached(SELECT)?;
            let keys =
                statement.query_map(params![message.0, account.0], |row| row.get(0).map(PlacementKey))?;
            let keys: Vec<_> = keys.collect::<Result<_, _>>()?;
            drop(statement);
            self.delete_placements(&keys)?;
        }
        Ok(())
    }

    fn delete_placements(&mut self, keys: &[PlacementKey]) -> Result<(), StoreError> {
        for key in keys {
            if let Some(placement) = self.placement(*key)? {
                self.delete_row(&placement)?;
            }
        }
        Ok(())
    }

    /// A sender of whom nothing is left is forgotten too.
    fn forget_sender(&self, sender: i64) -> Result<(), StoreError> {
        const DELETE: &str = "
            DELETE FROM senders WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM messages WHERE sender = ?1)";
        self.transaction.prepare_cached(DELETE)?.execute([sender])?;
        Ok(())
    }

    /// Whether this content must not be stored: the owner has forgotten it, and it is a server that brings it.
    pub fn stays_forgotten(&self, hash: &ContentHash, place: &NewPlacement<'_>) -> Result<bool, StoreError> {
        if !self.has_forgotten {
            return Ok(false);
        }
        if place.on_server.is_none() {
            self.transaction.prepare_cached("DELETE FROM forgotten WHERE hash = ?1")?.execute([hash.0])?;
            return Ok(false);
        }
        Ok(self.transaction.prepare_cached("SELECT 1 FROM forgotten WHERE hash = ?1")?.exists([hash.0])?)
    }

    /// Notes that a message a server has is one that the owner has forgotten.
    pub fn leave_forgotten(&self, place: &NewPlacement<'_>) -> Result<(), StoreError> {
        const GMAIL: &str = "
            UPDATE gmail_messages SET problem = ?3, retry = 0
            WHERE number = ?2 AND message IS NULL AND account = (SELECT account FROM mailboxes WHERE id = ?1)";
        let Some(on_server) = place.on_server else { return Ok(()) };
        let row = params![place.mailbox.0, on_server.uid, FORGOTTEN];
        if self.transaction.prepare_cached(GMAIL)?.execute(row)? > 0 {
            return Ok(());
        }
        self.note_unfetched(place.mailbox, on_server.uid, FORGOTTEN, false)
    }
}

/// Whether the owner has forgotten anything.
pub(super) fn has_forgotten(connection: &Connection) -> Result<bool, StoreError> {
    Ok(connection.prepare_cached("SELECT 1 FROM forgotten LIMIT 1")?.exists([])?)
}

/// The messages of an account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccountMessages {
    /// Those that are in no other account.
    pub own: Vec<MessageKey>,
    /// Those that are in others too.
    pub shared: Vec<MessageKey>,
}

/// What was deleted here for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// When, in seconds since 1970.
    pub epoch: i64,
    /// `forgotten` by the owner, or `gone` for as long as the owner's rule allows.
    pub cause: String,
    /// How many messages.
    pub messages: i64,
}

impl Store {
    /// Overwrites what was deleted: free pages, and the log behind which the file hides its past. Says whether all of it
    /// is overwritten; not while another process reads an older state of the store.
    pub fn erase(&mut self) -> Result<bool, StoreError> {
        self.connection.pragma_update(None, "secure_delete", "ON")?;
        self.connection.execute_batch("CREATE TABLE IF NOT EXISTS scrub (zeros BLOB)")?;
        while self.free_pages()? > 0 {
            self.connection.execute("INSERT INTO scrub VALUES (zeroblob(?1))", [SCRUBBED_AT_ONCE])?;
        }
        const DELETE: &str = "DELETE FROM scrub WHERE rowid = (SELECT max(rowid) FROM scrub)";
        while self.connection.execute(DELETE, [])? > 0 {}
        self.connection.execute_batch("DROP TABLE scrub")?;
        let busy: i64 = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if busy == 0 {
            self.connection.execute("DELETE FROM unerased", [])?;
        }
        Ok(busy == 0)
    }

    fn free_pages(&self) -> Result<i64, StoreError> {
        Ok(self.connection.query_row("PRAGMA freelist_count", [], |row| row.get(0))?)
    }
}

impl Reader {
    /// Whether something forgotten may still leave a trace in the files.
    pub fn is_unerased(&self) -> Result<bool, StoreError> {
        Ok(self.connection().prepare_cached("SELECT 1 FROM unerased")?.exists([])?)
    }

    /// What was deleted here for good, the newest first.
    pub fn removals(&self) -> Result<Vec<Removal>, StoreError> {
        const SELECT: &str = "SELECT epoch, cause, messages FROM removals ORDER BY id DESC";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement.query_map([], |row| {
            Ok(Removal { epoch: row.get(0)?, cause: row.get(1)?, messages: row.get(2)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many of these messages a server still has, as far as is known here.
    pub fn on_servers(&self, messages: &[MessageKey]) -> Result<usize, StoreError> {
        const SELECT: &str = "
            SELECT 1 FROM placements p JOIN mailboxes b ON b.id = p.mailbox
            WHERE p.message = ?1 AND p.uid BETWEEN 1 AND ?2 AND b.remote IS NOT NULL";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let mut count = 0;
        for message in messages {
            count += usize::from(statement.exists(params![message.0, LARGEST_UID])?);
        }
        Ok(count)
    }

    /// The messages of an account, those that are in other accounts too apart.
    pub fn messages_of(&self, account: AccountKey) -> Result<AccountMessages, StoreError> {
        const SELECT: &str = "
            SELECT DISTINCT p.message, EXISTS (
                SELECT 1 FROM placements o JOIN mailboxes c ON c.id = o.mailbox
                WHERE o.message = p.message AND c.account <> ?1)
            FROM placements p JOIN mailboxes b ON b.id = p.mailbox WHERE b.account = ?1";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let mut rows = statement.query([account.0])?;
        let mut messages = AccountMessages::default();
        while let Some(row) = rows.next()? {
            let key = MessageKey(row.get(0)?);
            if row.get(1)? { messages.shared.push(key) } else { messages.own.push(key) }
        }
        Ok(messages)
    }

    /// Whether contents are packed with the help of words from the mail itself.
    pub fn has_own_dictionary(&self) -> Result<bool, StoreError> {
        Ok(self.connection().prepare_cached("SELECT 1 FROM dictionaries WHERE id > 1")?.exists([])?)
    }
}
