//! Copies of what was sent, among the mail that came in as sent, and what providers changed in them.

use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

use crate::model::{AccountKey, ContentHash, DraftKey, MessageKey, ShortId};
use crate::store::{Reader, ReportCursor, StoreError, WriteTransaction};

/// How far the time of a copy may be from when we sent it.
const NEAR: i64 = 86_400;

/// Something that a provider changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderChange {
    /// `subject`, `text`, `recipients`, `from`, `reply_to`, `attachments`.
    pub what: String,
    /// What it was, and what it became.
    pub detail: String,
}

/// A copy in which a provider changed something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedCopy {
    /// The copy.
    pub message: ShortId,
    /// What was changed.
    pub changes: Vec<ProviderChange>,
}

/// A message that came in as sent mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMessage {
    /// Its row.
    pub key: MessageKey,
    /// Whose.
    pub account: AccountKey,
    /// Its Message-ID without angle brackets.
    pub message_id: Option<String>,
    /// Its date.
    pub epoch: i64,
}

impl Reader {
    /// How far the change log was looked at for copies of what was sent.
    pub fn copy_cursor(&self) -> Result<ReportCursor, StoreError> {
        const SELECT: &str =
            "SELECT copies_seen, (SELECT coalesce(max(number), 0) FROM changes) FROM outbox WHERE id = 1";
        let read = |row: &Row<'_>| Ok(ReportCursor { seen: row.get(0)?, newest: row.get(1)? });
        Ok(self.connection().prepare_cached(SELECT)?.query_row([], read)?)
    }

    /// Sent mail that came in, or became sent mail, with these changes.
    pub fn sent_mail_of_changes(&self, after: i64, until: i64) -> Result<Vec<SentMessage>, StoreError> {
        const SELECT: &str = "
            SELECT DISTINCT m.id, b.account, m.message_id, m.epoch
            FROM changes c JOIN messages m ON m.id = c.message
            JOIN placements p ON p.message = m.id JOIN mailboxes b ON b.id = p.mailbox
            WHERE c.number > ?1 AND c.number <= ?2 AND c.kind <> 2 AND b.role = 'sent' ORDER BY m.id";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement.query_map([after, until], |row| {
            let (key, account) = (MessageKey(row.get(0)?), AccountKey(row.get(1)?));
            Ok(SentMessage { key, account, message_id: row.get(2)?, epoch: row.get(3)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Whether something of this account left around that time, or may have.
    pub fn has_left_around(&self, account: AccountKey, epoch: i64) -> Result<bool, StoreError> {
        const SELECT: &str = "
            SELECT 1 FROM drafts d JOIN proposals p ON p.draft = d.id
            WHERE d.account = ?1 AND d.state IN ('sending', 'sent', 'unknown')
              AND coalesce(p.sent_epoch, p.changed_epoch) BETWEEN ?2 - ?3 AND ?2 + ?3";
        Ok(self.connection().prepare_cached(SELECT)?.exists([account.0, epoch, NEAR])?)
    }

    /// Copies of an item in which a provider changed something.
    pub fn changed_copies(&self, draft: DraftKey) -> Result<Vec<ChangedCopy>, StoreError> {
        const SELECT: &str = "
            SELECT m.hash, c.changes FROM sent_copies c JOIN messages m ON m.id = c.message
            WHERE c.draft = ?1 AND c.changes <> '[]' ORDER BY c.epoch, m.id";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement.query_map([draft.0], |row| {
            let message = ShortId::of(&ContentHash(row.get(0)?));
            let changes = serde_json::from_str(&row.get::<_, String>(1)?).unwrap_or_default();
            Ok(ChangedCopy { message, changes })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many items were found changed by a provider since then.
    pub fn count_changed_copies(&self, since: i64) -> Result<u64, StoreError> {
        const SELECT: &str =
            "SELECT count(DISTINCT draft) FROM sent_copies WHERE changes <> '[]' AND epoch >= ?1";
        Ok(self.connection().prepare_cached(SELECT)?.query_row([since], |row| row.get(0))?)
    }
}

impl WriteTransaction<'_> {
    /// Moves on from one change to another; says no, and changes nothing, when somebody else has.
    pub fn note_copies_seen(&self, from: i64, to: i64) -> Result<bool, StoreError> {
        const SET: &str = "UPDATE outbox SET copies_seen = ?2 WHERE id = 1 AND copies_seen = ?1";
        Ok(self.transaction.prepare_cached(SET)?.execute([from, to])? == 1)
    }

    /// Notes what a provider changed in a copy; says no when it is known already, or one of them is gone.
    pub fn put_sent_copy(
        &self,
        draft: DraftKey,
        message: MessageKey,
        changes: &[ProviderChange],
        epoch: i64,
    ) -> Result<bool, StoreError> {
        const INSERT: &str = "
            INSERT OR IGNORE INTO sent_copies (draft, message, epoch, changes)
            SELECT d.id, m.id, ?3, ?4 FROM drafts d, messages m WHERE d.id = ?1 AND m.id = ?2";
        let changes = serde_json::to_string(changes).expect("names and texts are JSON");
        let values = params![draft.0, message.0, epoch, changes];
        Ok(self.transaction.prepare_cached(INSERT)?.execute(values)? == 1)
    }
}
