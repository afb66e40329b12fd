//! Changes that were made here and not on the server yet, in the order in which they were made.

use std::ops::RangeInclusive;

use rusqlite::{Row, params};

use crate::model::{AccountKey, Flags, MailboxKey, MailboxRole, MessageKey};
use crate::store::{PlacedMessage, Reader, StoreError, WriteTransaction};

/// What is done to a message in one mailbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeAction {
    /// It gets a label.
    AddLabel(String),
    /// It loses a label.
    RemoveLabel(String),
    /// It gets a flag.
    SetFlag(Flags),
    /// It loses a flag.
    ClearFlag(Flags),
    /// It goes to the mailbox for this.
    Move(MailboxRole),
}

impl ChangeAction {
    /// The names under which it is kept.
    fn words(&self) -> (&'static str, String) {
        match self {
            Self::AddLabel(label) => ("add_label", label.clone()),
            Self::RemoveLabel(label) => ("remove_label", label.clone()),
            Self::SetFlag(flag) => ("set_flag", flag.names().join(" ")),
            Self::ClearFlag(flag) => ("clear_flag", flag.names().join(" ")),
            Self::Move(role) => ("move", role.name().to_owned()),
        }
    }

    fn from_words(action: &str, value: String) -> Option<Self> {
        Some(match action {
            "add_label" => Self::AddLabel(value),
            "remove_label" => Self::RemoveLabel(value),
            "set_flag" => Self::SetFlag(Flags::from_names(value.split(' '))),
            "clear_flag" => Self::ClearFlag(Flags::from_names(value.split(' '))),
            "move" => Self::Move(MailboxRole::parse(&value)?),
            _ => return None,
        })
    }
}

/// A change that the server is still to make.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingChange {
    /// Its place in the order.
    pub number: i64,
    /// The message.
    pub message: MessageKey,
    /// Gmail's id of the message.
    pub gmail_id: Option<u64>,
    /// The mailbox it was in.
    pub mailbox: MailboxKey,
    /// What the uid belongs to; with another uidvalidity the uid means nothing.
    pub uidvalidity: i64,
    /// Its number in the mailbox.
    pub uid: i64,
    /// What was done.
    pub action: ChangeAction,
    /// When, in seconds since 1970.
    pub epoch: i64,
}

/// What became of a pending change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled<'a> {
    /// The server made it.
    Pushed,
    /// The server refused it, and why.
    Failed(&'a str),
}

impl WriteTransaction<'_> {
    /// Remembers a change for the next sync.
    pub(super) fn remember(
        &self,
        place: &PlacedMessage,
        action: &ChangeAction,
        now: i64,
    ) -> Result<(), StoreError> {
        const INSERT: &str = "
            INSERT INTO pending_changes (account, message, mailbox, uidvalidity, uid, action, value, epoch, state)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'pending')";
        let (action, value) = action.words();
        self.transaction.prepare_cached(INSERT)?.execute(params![
            place.account.0,
            place.message.0,
            place.mailbox.0,
            place.uidvalidity,
            place.uid,
            action,
            value,
            now
        ])?;
        Ok(())
    }

    /// Whether the last move that waits for this message in this mailbox is the same one.
    pub(super) fn waits_for_move(&self, place: &PlacedMessage, to: MailboxRole) -> Result<bool, StoreError> {
        const SELECT: &str = "
            SELECT 1 FROM (SELECT value FROM pending_changes
                           WHERE message = ?1 AND mailbox = ?2 AND action = 'move' AND state = 'pending'
                           ORDER BY id DESC LIMIT 1)
            WHERE value = ?3";
        let mut statement = self.transaction.prepare_cached(SELECT)?;
        Ok(statement.exists(params![place.message.0, place.mailbox.0, to.name()])?)
    }

    /// The number of the change that was remembered last; 0 before the first.
    pub fn newest_pending(&self) -> Result<i64, StoreError> {
        const SELECT: &str = "SELECT coalesce(max(id), 0) FROM pending_changes";
        Ok(self.transaction.prepare_cached(SELECT)?.query_row([], |row| row.get(0))?)
    }

    /// Notes what became of a pending change.
    pub fn settle(&self, number: i64, outcome: Settled<'_>) -> Result<(), StoreError> {
        let (state, reason) = match outcome {
            Settled::Pushed => ("pushed", None),
            Settled::Failed(reason) => ("failed", Some(reason)),
        };
        self.transaction
            .prepare_cached("UPDATE pending_changes SET state = ?2, reason = ?3 WHERE id = ?1")?
            .execute(params![number, state, reason])?;
        Ok(())
    }
}

impl Reader {
    /// What became of the changes with these numbers: whether some still wait, and why others were not made.
    pub fn fate_of_changes(
        &self,
        account: AccountKey,
        numbers: &RangeInclusive<i64>,
    ) -> Result<(bool, Vec<String>), StoreError> {
        const SELECT: &str = "
            SELECT state, coalesce(reason, '') FROM pending_changes
            WHERE account = ?1 AND id BETWEEN ?2 AND ?3 AND state <> 'pushed' ORDER BY id";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let mut rows = statement.query(params![account.0, numbers.start(), numbers.end()])?;
        let (mut waits, mut reasons) = (false, Vec::new());
        while let Some(row) = rows.next()? {
            match row.get::<_, String>(0)?.as_str() {
                "pending" => waits = true,
                _ => reasons.push(row.get(1)?),
            }
        }
        Ok((waits, reasons))
    }

    /// What an account's server is still to be told, oldest first.
    pub fn pending_changes(&self, account: AccountKey) -> Result<Vec<PendingChange>, StoreError> {
        const SELECT: &str = "
            SELECT c.id, c.message, m.x_gm_msgid, c.mailbox, c.uidvalidity, c.uid, c.action, c.value, c.epoch
            FROM pending_changes c JOIN messages m ON m.id = c.message
            WHERE c.account = ?1 AND c.state = 'pending' ORDER BY c.id";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement.query_map([account.0], read_change)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn read_change(row: &Row<'_>) -> rusqlite::Result<PendingChange> {
    let words: (String, String) = (row.get(6)?, row.get(7)?);
    let unreadable =
        || rusqlite::Error::InvalidColumnType(6, "pending_changes".to_owned(), rusqlite::types::Type::Text);
    Ok(PendingChange {
        number: row.get(0)?,
        message: MessageKey(row.get(1)?),
        gmail_id: row.get::<_, Option<i64>>(2)?.map(i64::cast_unsigned),
        mailbox: MailboxKey(row.get(3)?),
        uidvalidity: row.get(4)?,
        uid: row.get(5)?,
        action: ChangeAction::from_words(&words.0, words.1).ok_or_else(unreadable)?,
        epoch: row.get(8)?,
    })
}
