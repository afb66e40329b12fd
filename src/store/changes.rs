//! The change log: what happened to messages, in order, so that derived data can follow.

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::MessageKey;
use crate::store::{Reader, StoreError};

/// One entry of the change log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// Its place in the order; grows by one.
    pub number: i64,
    /// The message it is about.
    pub message: MessageKey,
    /// What happened.
    pub kind: ChangeKind,
}

/// What can happen to a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// Its content was stored or read anew.
    Content = 1,
    /// It was removed.
    Removed = 2,
    /// Its flags, labels or mailboxes changed.
    Facts = 3,
}

pub(super) fn record(
    connection: &Connection,
    message: MessageKey,
    kind: ChangeKind,
) -> Result<i64, StoreError> {
    connection
        .prepare_cached("INSERT INTO changes (message, kind) VALUES (?1, ?2)")?
        .execute(params![message.0, kind as i64])?;
    Ok(connection.last_insert_rowid())
}

impl Reader {
    /// The number of the newest change; 0 when nothing ever happened.
    pub fn newest_change(&self) -> Result<i64, StoreError> {
        let mut statement =
            self.connection().prepare_cached("SELECT coalesce(max(number), 0) FROM changes")?;
        Ok(statement.query_row([], |row| row.get(0))?)
    }

    /// The number of the newest change that an index of contents must follow.
    pub fn newest_content_change(&self) -> Result<i64, StoreError> {
        const SELECT: &str = "SELECT number FROM changes WHERE kind <> 3 ORDER BY number DESC LIMIT 1";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        Ok(statement.query_row([], |row| row.get(0)).optional()?.unwrap_or(0))
    }

    /// Changes of content and removals after `number`, oldest first, at most `limit`.
    pub fn changes_after(&self, number: i64, limit: usize) -> Result<Vec<Change>, StoreError> {
        const SELECT: &str = "
            SELECT number, message, kind FROM changes WHERE number > ?1 AND kind <> 3 ORDER BY number LIMIT ?2";
        self.changes(SELECT, number, limit)
    }

    /// Changes of content and removals after `number`, newest first, at most `limit`.
    pub fn newest_changes_after(&self, number: i64, limit: usize) -> Result<Vec<Change>, StoreError> {
        const SELECT: &str = "
            SELECT number, message, kind FROM changes WHERE number > ?1 AND kind <> 3 ORDER BY number DESC LIMIT ?2";
        self.changes(SELECT, number, limit)
    }

    /// The messages of all changes after `number`, of whatever kind, oldest first, at most `limit`.
    pub fn all_changes_after(&self, number: i64, limit: usize) -> Result<Vec<MessageKey>, StoreError> {
        const SELECT: &str = "SELECT message FROM changes WHERE number > ?1 ORDER BY number LIMIT ?2";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let keys = statement.query_map(params![number, limit], |row| row.get(0).map(MessageKey))?;
        Ok(keys.collect::<Result<_, _>>()?)
    }

    /// How many changes of content and removals there are after `number`.
    pub fn count_changes_after(&self, number: i64) -> Result<usize, StoreError> {
        const SELECT: &str = "SELECT count(*) FROM changes WHERE number > ?1 AND kind <> 3";
        Ok(self.connection().prepare_cached(SELECT)?.query_row([number], |row| row.get(0))?)
    }

    fn changes(&self, sql: &str, number: i64, limit: usize) -> Result<Vec<Change>, StoreError> {
        let mut statement = self.connection().prepare_cached(sql)?;
        let rows = statement.query_map(params![number, limit], |row| {
            let kind = if row.get::<_, i64>(2)? == 2 { ChangeKind::Removed } else { ChangeKind::Content };
            Ok(Change { number: row.get(0)?, message: MessageKey(row.get(1)?), kind })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
