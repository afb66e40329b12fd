//! Handles that clients wait with: each stands for one call of a tool and the item that it proposed. How a task ended is
//! written by the one function that moves a state, and never changes: an item that is proposed again is another task.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::model::{ContentHash, DraftKey, ItemState};
use crate::store::drafts::unreadable;
use crate::store::{Move, Reader, StoreError, WriteTransaction};

/// A task as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    /// Its row; later ones are larger.
    pub key: i64,
    /// What the client knows it by.
    pub handle: String,
    /// The item.
    pub draft: DraftKey,
    /// The profile of the tool that was called.
    pub profile: String,
    /// The tool.
    pub tool: String,
    /// SHA-256 of what it was called with.
    pub arguments: ContentHash,
    /// When, in milliseconds since 1970.
    pub created_ms: i64,
    /// Until when it is kept, in seconds since 1970.
    pub until: i64,
    /// How it ended; `None`: it has not.
    pub end: Option<TaskEnd>,
}

/// How a task ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskEnd {
    /// Where the item came to rest.
    pub state: ItemState,
    /// At which revision.
    pub revision: i64,
    /// Why, for people.
    pub reason: Option<String>,
    /// Why, for programs.
    pub error_code: Option<String>,
    /// When, in seconds since 1970.
    pub epoch: i64,
}

/// A task to be kept.
pub struct NewTask<'a> {
    /// What the client will know it by.
    pub handle: &'a str,
    /// The item.
    pub draft: DraftKey,
    /// The profile of the tool that was called.
    pub profile: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// SHA-256 of what it was called with.
    pub arguments: ContentHash,
    /// When, in milliseconds since 1970.
    pub created_ms: i64,
    /// Until when it is kept, in seconds since 1970.
    pub until: i64,
}

/// Which tasks to list.
#[derive(Debug, Clone, Copy)]
pub struct TaskPage<'a> {
    /// Of tools of this profile.
    pub profile: &'a str,
    /// Only older ones than this row.
    pub before: Option<i64>,
    /// Only those that are kept at this time, in seconds since 1970.
    pub now: i64,
    /// How many at most.
    pub limit: usize,
}

const COLUMNS: &str = "
    SELECT id, handle, draft, profile, tool, arguments, created_ms, until_epoch, state, revision, reason, error_code,
           ended_epoch
    FROM tasks";

impl WriteTransaction<'_> {
    /// Keeps a task.
    pub fn put_task(&self, new: &NewTask<'_>) -> Result<(), StoreError> {
        const INSERT: &str = "
            INSERT INTO tasks (handle, draft, profile, tool, arguments, created_ms, until_epoch)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        self.transaction.prepare_cached(INSERT)?.execute(params![
            new.handle,
            new.draft.0,
            new.profile,
            new.tool,
            new.arguments.0,
            new.created_ms,
            new.until,
        ])?;
        Ok(())
    }

    /// Forgets tasks whose time is over.
    pub fn forget_tasks(&self, now: i64) -> Result<(), StoreError> {
        self.transaction.prepare_cached("DELETE FROM tasks WHERE until_epoch < ?1")?.execute([now])?;
        Ok(())
    }

    /// The task with this handle, as this transaction sees it.
    pub fn task(&self, handle: &str) -> Result<Option<TaskRow>, StoreError> {
        one(&self.transaction, handle)
    }

    /// How many tasks of an item have no end yet.
    pub fn count_open_tasks(&self, draft: DraftKey) -> Result<u64, StoreError> {
        const SELECT: &str = "SELECT count(*) FROM tasks WHERE draft = ?1 AND state IS NULL";
        Ok(self.transaction.prepare_cached(SELECT)?.query_row([draft.0], |row| row.get(0))?)
    }

    /// The newest task of an item for a tool that has no end yet.
    pub fn newest_open_task(&self, new: &NewTask<'_>) -> Result<Option<String>, StoreError> {
        const SELECT: &str = "
            SELECT handle FROM tasks WHERE draft = ?1 AND profile = ?2 AND tool = ?3 AND state IS NULL
            ORDER BY id DESC LIMIT 1";
        let mut statement = self.transaction.prepare_cached(SELECT)?;
        let of = params![new.draft.0, new.profile, new.tool];
        Ok(statement.query_row(of, |row| row.get(0)).optional()?)
    }

    /// Ends every task of an item that has no end, as this step says.
    pub fn end_tasks(&self, step: &Move<'_>) -> Result<(), StoreError> {
        const SET: &str = "
            UPDATE tasks SET state = ?3, revision = ?2, reason = ?4, error_code = ?5, ended_epoch = ?6
            WHERE draft = ?1 AND state IS NULL";
        let Move { draft, revision, to, reason, error_code, epoch, .. } = step;
        let values = params![draft.0, revision, to.name(), reason, error_code, epoch];
        self.transaction.prepare_cached(SET)?.execute(values)?;
        Ok(())
    }
}

impl Reader {
    /// The task with this handle.
    pub fn task(&self, handle: &str) -> Result<Option<TaskRow>, StoreError> {
        one(self.connection(), handle)
    }

    /// Tasks, newest first.
    pub fn task_page(&self, page: &TaskPage<'_>) -> Result<Vec<TaskRow>, StoreError> {
        let sql = format!(
            "{COLUMNS} WHERE profile = ?1 AND (?2 IS NULL OR id < ?2) AND until_epoch >= ?3
             ORDER BY id DESC LIMIT ?4"
        );
        let mut statement = self.connection().prepare_cached(&sql)?;
        let rows = statement.query_map(params![page.profile, page.before, page.now, page.limit], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn one(connection: &Connection, handle: &str) -> Result<Option<TaskRow>, StoreError> {
    let mut statement = connection.prepare_cached(&format!("{COLUMNS} WHERE handle = ?1"))?;
    Ok(statement.query_row([handle], read).optional()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<TaskRow> {
    Ok(TaskRow {
        key: row.get("id")?,
        handle: row.get("handle")?,
        draft: DraftKey(row.get("draft")?),
        profile: row.get("profile")?,
        tool: row.get("tool")?,
        arguments: ContentHash(row.get("arguments")?),
        created_ms: row.get("created_ms")?,
        until: row.get("until_epoch")?,
        end: read_end(row)?,
    })
}

fn read_end(row: &Row<'_>) -> rusqlite::Result<Option<TaskEnd>> {
    let Some(state) = row.get::<_, Option<String>>("state")? else { return Ok(None) };
    Ok(Some(TaskEnd {
        state: ItemState::parse(&state).ok_or_else(|| unreadable(0))?,
        revision: row.get("revision")?,
        reason: row.get("reason")?,
        error_code: row.get("error_code")?,
        epoch: row.get("ended_epoch")?,
    }))
}
