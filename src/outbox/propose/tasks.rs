//! What a client waits with: a handle that nobody can guess, for one call and the item that it proposed. It lives in the
//! store, so that any process of this home answers for it. It can be asked about and taken back, and nothing else.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::model::{ContentHash, ItemState};
use crate::outbox::propose::{OutboxError, Proposals, Status, find_draft, status_of};
use crate::store::{Item, Move, NewTask, Reader, TaskPage, TaskRow, WriteTransaction};

/// So many hours a task is kept after the time in which the owner must have decided: a day in which a server that is not
/// there is tried again, and three in which the client can come for the result.
const HOURS_AFTER: i64 = 96;
/// One item has so many tasks without an end; who asks for more gets one that is there.
const MOST_OF_ONE_ITEM: u64 = 20;
/// The longest handle that is looked for.
const LONGEST: usize = 100;
/// So many tasks stand on one page of a list.
const PAGE: usize = 50;

/// A call that wants to wait.
#[derive(Debug, Clone, Copy)]
pub struct Waiting<'a> {
    /// Short id of the item that it proposed.
    pub item: &'a str,
    /// The profile of the tool that was called.
    pub profile: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// SHA-256 of what it was called with.
    pub arguments: ContentHash,
}

/// A call that waits, or has waited.
#[derive(Debug, Clone)]
pub struct Task {
    /// What the client knows it by.
    pub handle: String,
    /// The profile of the tool that was called.
    pub profile: String,
    /// The tool.
    pub tool: String,
    /// SHA-256 of what it was called with.
    pub arguments: ContentHash,
    /// When it was made.
    pub created: Timestamp,
    /// When its item last moved.
    pub updated: Timestamp,
    /// How long it is kept from its beginning on.
    pub kept_for: SignedDuration,
    /// Whether the item came to rest: this never changes back.
    pub is_over: bool,
    /// What is known about the item, as it was when the task ended.
    pub status: Status,
}

/// A page of tasks, newest first.
#[derive(Debug, Clone, Default)]
pub struct Tasks {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// Where the next page begins, if there is one.
    pub next: Option<i64>,
}

impl Proposals {
    /// Makes a task. When this returns, every process of this home answers for it.
    pub fn open_task(&self, waiting: &Waiting<'_>) -> Result<Task, OutboxError> {
        let reader = self.approvals.connections().reader()?;
        let (draft, _) = find_draft(&reader, waiting.item)?;
        let now = self.clock.now();
        let until = now.as_second() + (self.hours_to_decide(&reader) + HOURS_AFTER) * 3_600;
        let handle = fresh_handle();
        let new = NewTask {
            handle: &handle,
            draft: draft.key,
            profile: waiting.profile,
            tool: waiting.tool,
            arguments: waiting.arguments,
            created_ms: now.as_millisecond(),
            until,
        };
        let mut store = self.approvals.connections().writer()?;
        let tx = store.begin()?;
        tx.forget_tasks(now.as_second())?;
        let handle = put(&tx, &new)?;
        tx.commit()?;
        self.task(&handle)?.ok_or(OutboxError::UnknownItem { id: handle })
    }

    /// The task with this handle; none where there is none, or its time is over.
    pub fn task(&self, handle: &str) -> Result<Option<Task>, OutboxError> {
        if handle.len() > LONGEST || !self.home.store().exists() {
            return Ok(None);
        }
        let reader = self.approvals.connections().reader()?;
        let kept = |row: &TaskRow| row.until >= self.clock.now().as_second();
        let Some(row) = reader.task(handle)?.filter(kept) else { return Ok(None) };
        let Some(task) = self.read(&reader, row)? else { return Ok(None) };
        // Somebody has to say that it is too late, where nobody runs who sends.
        if !self.approvals.is_late(&task.status.item).unwrap_or_default() {
            return Ok(Some(task));
        }
        self.approvals.expire(&task.status.item)?;
        let row = reader.task(handle)?;
        row.map_or(Ok(None), |row| self.read(&reader, row))
    }

    /// Tasks of the tools of a profile.
    pub fn tasks(&self, profile: &str, before: Option<i64>) -> Result<Tasks, OutboxError> {
        if !self.home.store().exists() {
            return Ok(Tasks::default());
        }
        let reader = self.approvals.connections().reader()?;
        let now = self.clock.now().as_second();
        let mut rows = reader.task_page(&TaskPage { profile, before, now, limit: PAGE + 1 })?;
        let more = rows.len() > PAGE;
        rows.truncate(PAGE);
        let next = rows.last().filter(|_| more).map(|row| row.key);
        let tasks = rows.into_iter().map(|row| self.read(&reader, row));
        let tasks = tasks.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        Ok(Tasks { tasks, next })
    }

    /// Takes back what a task waits for; fails when it is on its way, and changes nothing when it is over.
    pub fn cancel_task(&self, task: &Task) -> Result<(), OutboxError> {
        let item = &task.status.item;
        if task.is_over {
            return Ok(());
        }
        if item.draft.state != ItemState::Draft {
            return self.withdraw(&item.draft.id.to_string()).map(|_| ());
        }
        // Nobody is asked any more, so there is nothing to take back.
        let mut store = self.approvals.connections().writer()?;
        let tx = store.begin()?;
        tx.end_tasks(&self.step(item, ItemState::Withdrawn, None))?;
        tx.commit()?;
        Ok(())
    }

    fn read(&self, reader: &Reader, row: TaskRow) -> Result<Option<Task>, OutboxError> {
        let Some(item) = reader.item_by_key(row.draft)? else { return Ok(None) };
        let is_over = row.end.is_some();
        let status = status_of(reader, as_it_ended(item, &row))?;
        let created = Timestamp::from_millisecond(row.created_ms).unwrap_or_default();
        let updated = Timestamp::from_second(status.item.changed).unwrap_or_default().max(created);
        Ok(Some(Task {
            handle: row.handle,
            profile: row.profile,
            tool: row.tool,
            arguments: row.arguments,
            created,
            updated,
            kept_for: SignedDuration::from_secs(row.until - created.as_second()),
            is_over,
            status,
        }))
    }

    fn hours_to_decide(&self, reader: &Reader) -> i64 {
        // Where the rules cannot be read, what waits is kept for as long as anything is.
        self.approvals.now_in_force(reader).map_or(i64::from(u16::MAX), |rules| rules.policy.expire.into())
    }

    fn step<'a>(&self, item: &Item, to: ItemState, reason: Option<&'a str>) -> Move<'a> {
        Move {
            draft: item.draft.key,
            revision: item.draft.revision,
            from: item.draft.state,
            to,
            reason,
            error_code: None,
            epoch: self.clock.now().as_second(),
        }
    }
}

/// Keeps a task, or finds one that is there; its handle. One for an item that has come to rest is over.
fn put(tx: &WriteTransaction<'_>, new: &NewTask<'_>) -> Result<String, OutboxError> {
    if tx.count_open_tasks(new.draft)? >= MOST_OF_ONE_ITEM
        && let Some(known) = tx.newest_open_task(new)?
    {
        return Ok(known);
    }
    tx.put_task(new)?;
    if let Some(item) = tx.item(new.draft)?.filter(|item| item.draft.state.is_at_rest()) {
        tx.end_tasks(&Move {
            draft: new.draft,
            revision: item.draft.revision,
            from: item.draft.state,
            to: item.draft.state,
            reason: item.reason.as_deref(),
            error_code: item.error_code.as_deref(),
            epoch: item.changed,
        })?;
    }
    Ok(new.handle.to_owned())
}

/// The item with the state it had when the task ended: what became of it later is another story.
fn as_it_ended(mut item: Item, row: &TaskRow) -> Item {
    if let Some(end) = &row.end {
        item.draft.state = end.state;
        item.draft.revision = end.revision;
        item.reason.clone_from(&end.reason);
        item.error_code.clone_from(&end.error_code);
        item.changed = end.epoch;
    }
    item
}

/// 244 random bits, from the system.
fn fresh_handle() -> String {
    format!("t_{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}
