//! What Gmail has, as it was last told: messages by Gmail's own numbers, the labels of each, and the point in the
//! history up to which all of it is here. A message's placements follow from its labels.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{OptionalExtension, Row, params};

use crate::model::{AccountKey, Flags, MailboxKey, MessageKey};
use crate::store::transaction::{NewPlacement, ServerUid};
use crate::store::{Reader, StoreError, WriteTransaction};

/// A message that Gmail has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GmailRow {
    /// The uid of its placements.
    pub number: u32,
    /// Gmail's number of it.
    pub gmail_id: u64,
    /// The message; `None` while it is not here.
    pub message: Option<MessageKey>,
    /// The ids of its labels on the server.
    pub labels: BTreeSet<String>,
    /// Whether it should be fetched, when it is not here.
    pub retry: bool,
}

/// Where a message of Gmail's belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GmailPlace {
    /// The uid of its placements.
    pub number: u32,
    /// Gmail's number of it.
    pub gmail_id: u64,
    /// The ids of its labels on the server.
    pub ids: BTreeSet<String>,
    /// The mailboxes it is in.
    pub mailboxes: Vec<MailboxKey>,
    /// The mailboxes it is not in.
    pub elsewhere: Vec<MailboxKey>,
    /// Its flags.
    pub flags: Flags,
    /// Its labels by name.
    pub labels: Vec<String>,
}

fn packed(ids: &BTreeSet<String>) -> String {
    ids.iter().map(|id| format!(" {id} ")).collect()
}

fn unpacked(text: &str) -> BTreeSet<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

impl WriteTransaction<'_> {
    /// Notes messages that Gmail has; those that are known stay as they are.
    pub fn add_gmail(&self, account: AccountKey, ids: &[u64]) -> Result<(), StoreError> {
        const INSERT: &str = "INSERT OR IGNORE INTO gmail_messages (account, gmail_id) VALUES (?1, ?2)";
        let mut statement = self.transaction.prepare_cached(INSERT)?;
        for id in ids {
            statement.execute(params![account.0, id.cast_signed()])?;
        }
        Ok(())
    }

    /// Puts a stored message where its labels say, and takes it away from everywhere else; says whether that
    /// changed anything. Changes made here that still wait for the server are not undone.
    pub fn place_gmail(&mut self, message: MessageKey, place: &GmailPlace) -> Result<bool, StoreError> {
        let before = self.newest_change()?;
        let noted = self.note_gmail(message, place)?;
        if noted && self.waits_for_push(message)? {
            return Ok(false);
        }
        let internal_epoch = self.internal_epoch(message, place.number)?;
        for mailbox in &place.mailboxes {
            let on_server = Some(ServerUid { uid: place.number, internal_epoch });
            let place =
                NewPlacement { mailbox: *mailbox, flags: place.flags, labels: &place.labels, on_server };
            self.place_stored(message, &place)?;
        }
        for mailbox in &place.elsewhere {
            self.remove(*mailbox, place.number)?;
        }
        Ok(self.newest_change()? > before)
    }

    /// Notes what the server has; says whether the message was here before.
    fn note_gmail(&self, message: MessageKey, place: &GmailPlace) -> Result<bool, StoreError> {
        const NOTE: &str = "
            UPDATE gmail_messages SET message = ?2, labels = ?3, problem = NULL, retry = 1 WHERE number = ?1";
        const NUMBER: &str = "UPDATE messages SET x_gm_msgid = ?2 WHERE id = ?1 AND x_gm_msgid IS NULL";
        let mut statement = self
            .transaction
            .prepare_cached("SELECT 1 FROM gmail_messages WHERE number = ?1 AND message IS NOT NULL")?;
        let was_here = statement.exists([place.number])?;
        self.transaction.prepare_cached(NOTE)?.execute(params![
            place.number,
            message.0,
            packed(&place.ids)
        ])?;
        self.transaction.prepare_cached(NUMBER)?.execute(params![message.0, place.gmail_id.cast_signed()])?;
        Ok(was_here)
    }

    fn waits_for_push(&self, message: MessageKey) -> Result<bool, StoreError> {
        const SELECT: &str = "SELECT 1 FROM pending_changes WHERE message = ?1 AND state = 'pending'";
        Ok(self.transaction.prepare_cached(SELECT)?.exists([message.0])?)
    }

    /// When the server received a message, as its placements tell; its own first.
    fn internal_epoch(&self, message: MessageKey, number: u32) -> Result<i64, StoreError> {
        const SELECT: &str = "
            SELECT internal_epoch FROM placements WHERE message = ?1 ORDER BY uid <> ?2, id LIMIT 1";
        let mut statement = self.transaction.prepare_cached(SELECT)?;
        let epoch = statement.query_row(params![message.0, number], |row| row.get(0));
        Ok(epoch.optional()?.unwrap_or(0))
    }

    /// Takes out of all mailboxes what Gmail no longer has; says whether the message is gone with that.
    pub fn remove_gmail(
        &mut self,
        account: AccountKey,
        gmail_id: u64,
        mailboxes: &[MailboxKey],
    ) -> Result<bool, StoreError> {
        const DELETE: &str =
            "DELETE FROM gmail_messages WHERE account = ?1 AND gmail_id = ?2 RETURNING number";
        let mut statement = self.transaction.prepare_cached(DELETE)?;
        let number: Option<u32> =
            statement.query_row(params![account.0, gmail_id.cast_signed()], |row| row.get(0)).optional()?;
        drop(statement);
        let Some(number) = number else { return Ok(false) };
        let mut is_gone = false;
        for mailbox in mailboxes {
            is_gone |= self.remove(*mailbox, number)?;
        }
        Ok(is_gone)
    }

    /// Notes that a message could not be brought in.
    pub fn note_gmail_problem(&self, number: u32, problem: &str, retry: bool) -> Result<(), StoreError> {
        self.transaction
            .prepare_cached("UPDATE gmail_messages SET problem = ?2, retry = ?3 WHERE number = ?1")?
            .execute(params![number, problem, retry])?;
        Ok(())
    }

    /// Takes over the names of the server's labels. Those that people made are the account's labels from now on, also
    /// when no message carries them; names that are gone are forgotten.
    pub fn set_gmail_labels(
        &self,
        account: AccountKey,
        names: &BTreeMap<String, String>,
    ) -> Result<(), StoreError> {
        const FORGET: &str = "
            DELETE FROM label_names AS l WHERE account = ?1
            AND name IN (SELECT name FROM gmail_labels WHERE account = ?1 AND id <> name)
            AND NOT EXISTS (SELECT 1 FROM placement_labels p WHERE p.label = l.id)";
        const LEARN: &str = "
            INSERT INTO label_names (account, name) VALUES (?1, ?2)
            ON CONFLICT (account, name) DO UPDATE SET name = excluded.name";
        self.transaction.execute(FORGET, [account.0])?;
        self.transaction.execute("DELETE FROM gmail_labels WHERE account = ?1", [account.0])?;
        let mut insert = self
            .transaction
            .prepare_cached("INSERT INTO gmail_labels (account, id, name) VALUES (?1, ?2, ?3)")?;
        let mut learn = self.transaction.prepare_cached(LEARN)?;
        for (id, name) in names {
            insert.execute(params![account.0, id, name])?;
            if id != name {
                learn.execute(params![account.0, name])?;
            }
        }
        Ok(())
    }

    /// Notes that all that happened up to a point is here; `None` when everything must be looked at anew.
    pub fn set_history(&self, account: AccountKey, newest: Option<u64>) -> Result<(), StoreError> {
        self.transaction.execute(
            "UPDATE accounts SET history_id = ?2 WHERE id = ?1",
            params![account.0, newest.map(u64::cast_signed)],
        )?;
        Ok(())
    }

    /// Notes how many messages Gmail says it has more than it listed.
    pub fn set_unlisted(&self, account: AccountKey, count: u64) -> Result<(), StoreError> {
        self.transaction.execute(
            "UPDATE accounts SET unlisted = ?2 WHERE id = ?1",
            params![account.0, count.cast_signed()],
        )?;
        Ok(())
    }

    /// Forgets what Gmail has of an account.
    pub(super) fn forget_gmail(&self, account: AccountKey) -> Result<(), StoreError> {
        for sql in [
            "DELETE FROM gmail_messages WHERE account = ?1",
            "DELETE FROM gmail_labels WHERE account = ?1",
            "UPDATE accounts SET history_id = NULL WHERE id = ?1",
        ] {
            self.transaction.execute(sql, [account.0])?;
        }
        Ok(())
    }
}

const ROW: &str = "SELECT number, gmail_id, message, labels, retry FROM gmail_messages";

fn gmail_row(row: &Row<'_>) -> rusqlite::Result<GmailRow> {
    let labels: String = row.get(3)?;
    Ok(GmailRow {
        number: row.get(0)?,
        gmail_id: row.get::<_, i64>(1)?.cast_unsigned(),
        message: row.get::<_, Option<i64>>(2)?.map(MessageKey),
        labels: unpacked(&labels),
        retry: row.get(4)?,
    })
}

impl Reader {
    /// The point up to which all that happened is here; `None` when the account is not filled yet.
    pub fn gmail_history(&self, account: AccountKey) -> Result<Option<u64>, StoreError> {
        let mut statement =
            self.connection().prepare_cached("SELECT history_id FROM accounts WHERE id = ?1")?;
        let newest: Option<i64> = statement.query_row([account.0], |row| row.get(0))?;
        Ok(newest.map(i64::cast_unsigned))
    }

    /// How many messages Gmail last said it has more than it listed.
    pub fn gmail_unlisted(&self, account: AccountKey) -> Result<u64, StoreError> {
        let mut statement =
            self.connection().prepare_cached("SELECT unlisted FROM accounts WHERE id = ?1")?;
        Ok(statement.query_row([account.0], |row| row.get::<_, i64>(0))?.cast_unsigned())
    }

    /// The names of the server's labels by their ids, as they were last told.
    pub fn gmail_labels(&self, account: AccountKey) -> Result<BTreeMap<String, String>, StoreError> {
        let mut statement =
            self.connection().prepare_cached("SELECT id, name FROM gmail_labels WHERE account = ?1")?;
        let rows = statement.query_map([account.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// All numbers that Gmail has given to messages of the account, as it was last told.
    pub fn gmail_ids(&self, account: AccountKey) -> Result<Vec<u64>, StoreError> {
        let mut statement =
            self.connection().prepare_cached("SELECT gmail_id FROM gmail_messages WHERE account = ?1")?;
        let rows = statement.query_map([account.0], |row| row.get::<_, i64>(0).map(i64::cast_unsigned))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// A message by Gmail's number.
    pub fn gmail_row(&self, account: AccountKey, gmail_id: u64) -> Result<Option<GmailRow>, StoreError> {
        let mut statement =
            self.connection().prepare_cached(&format!("{ROW} WHERE account = ?1 AND gmail_id = ?2"))?;
        Ok(statement.query_row(params![account.0, gmail_id.cast_signed()], gmail_row).optional()?)
    }

    /// A message by the uid of its placements.
    pub fn gmail_row_at(&self, account: AccountKey, number: i64) -> Result<Option<GmailRow>, StoreError> {
        let mut statement =
            self.connection().prepare_cached(&format!("{ROW} WHERE account = ?1 AND number = ?2"))?;
        Ok(statement.query_row(params![account.0, number], gmail_row).optional()?)
    }

    /// Messages that are not here yet and should be.
    pub fn gmail_missing(&self, account: AccountKey) -> Result<Vec<u64>, StoreError> {
        const SELECT: &str = "
            SELECT gmail_id FROM gmail_messages WHERE account = ?1 AND message IS NULL AND retry = 1
            ORDER BY gmail_id DESC";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement.query_map([account.0], |row| row.get::<_, i64>(0).map(i64::cast_unsigned))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The numbers of messages that carry a label.
    pub fn gmail_labelled(&self, account: AccountKey, label: &str) -> Result<Vec<u64>, StoreError> {
        const SELECT: &str = "
            SELECT gmail_id FROM gmail_messages WHERE account = ?1 AND instr(labels, ' ' || ?2 || ' ') > 0";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement
            .query_map(params![account.0, label], |row| row.get::<_, i64>(0).map(i64::cast_unsigned))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// A message of the account that came in another way (by IMAP) and has this number.
    pub fn stored_with_gmail_id(
        &self,
        account: AccountKey,
        gmail_id: u64,
    ) -> Result<Option<MessageKey>, StoreError> {
        const SELECT: &str = "
            SELECT m.id FROM messages m JOIN placements p ON p.message = m.id JOIN mailboxes b ON b.id = p.mailbox
            WHERE m.x_gm_msgid = ?1 AND b.account = ?2 LIMIT 1";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let key = statement.query_row(params![gmail_id.cast_signed(), account.0], |row| row.get(0));
        Ok(key.optional()?.map(MessageKey))
    }

    /// Gmail's thread of the message that a draft answers, by the draft's Message-ID.
    pub fn gmail_thread_of(&self, message_id: &str) -> Result<Option<u64>, StoreError> {
        const SELECT: &str = "
            SELECT m.x_gm_thrid FROM drafts d JOIN messages m ON m.id = d.answers WHERE d.message_id = ?1";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let thread = statement.query_row([message_id], |row| row.get::<_, Option<i64>>(0)).optional()?;
        Ok(thread.flatten().map(i64::cast_unsigned))
    }

    /// Whether messages of the account are here that the API knows.
    pub fn has_gmail_mail(&self, account: AccountKey) -> Result<bool, StoreError> {
        const SELECT: &str = "SELECT 1 FROM gmail_messages WHERE account = ?1 AND message IS NOT NULL";
        Ok(self.connection().prepare_cached(SELECT)?.exists([account.0])?)
    }
}
