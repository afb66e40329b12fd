//! The journal of sending: one row an attempt, written ahead of each step, so that after any crash it can be told
//! whether something left. Every write names the fence of its worker; one whose turn is over writes nothing.

use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};

use crate::model::{DraftKey, Lane};
use crate::store::{Approval, Reader, Store, StoreError, WriteTransaction};

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The server has it.
    Sent,
    /// The server does not want it, or it cannot be sent.
    Failed,
    /// Nothing left, and it may be tried again.
    Later,
    /// Nobody can say.
    Unknown,
}

impl AttemptOutcome {
    const NAMES: [(Self, &'static str); 4] =
        [(Self::Sent, "sent"), (Self::Failed, "failed"), (Self::Later, "later"), (Self::Unknown, "unknown")];

    /// The name kept in the store.
    #[must_use]
    pub fn name(self) -> &'static str {
        let named = Self::NAMES.iter().find(|(outcome, _)| *outcome == self);
        named.map(|(_, name)| *name).expect("every outcome has a name")
    }

    fn parse(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(outcome, _)| *outcome)
    }
}

/// A recipient that the server did not take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedRecipient {
    /// Who.
    pub address: String,
    /// What the server said.
    pub reply: String,
}

/// One attempt to send an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Its row.
    pub key: i64,
    /// Which item.
    pub draft: DraftKey,
    /// Which revision.
    pub revision: i64,
    /// The yes that it was made under.
    pub approval: i64,
    /// Whose turn it was.
    pub fence: i64,
    /// Where to.
    pub host: String,
    /// When it began, in milliseconds since 1970.
    pub begun_ms: i64,
    /// When the server asked for the message.
    pub data_ms: Option<i64>,
    /// When all but the final dot was out.
    pub dot_ms: Option<i64>,
    /// When it ended.
    pub ended_ms: Option<i64>,
    /// How.
    pub outcome: Option<AttemptOutcome>,
    /// The server's last words.
    pub reply: Option<String>,
    /// Whom it did not take.
    pub refused: Vec<RefusedRecipient>,
    /// What an API calls it.
    pub remote_id: Option<String>,
}

impl Attempt {
    /// Whether it has sent something, or nobody can say.
    #[must_use]
    pub fn may_have_left(&self) -> bool {
        match self.outcome {
            Some(AttemptOutcome::Sent | AttemptOutcome::Unknown) => true,
            Some(AttemptOutcome::Failed | AttemptOutcome::Later) => false,
            None => self.dot_ms.is_some(),
        }
    }
}

/// How an attempt ended, to be written down.
#[derive(Debug, Clone)]
pub struct Ending<'a> {
    /// How.
    pub outcome: AttemptOutcome,
    /// The server's last words.
    pub reply: Option<&'a str>,
    /// Whom it did not take.
    pub refused: &'a [RefusedRecipient],
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
}

/// What holds for all sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutboxState {
    /// Since when nothing is sent, in seconds since 1970: where its row says so, or the audit chain has a pause that
    /// nobody ended.
    pub paused: Option<i64>,
}

/// The lane of an attempt whose item is `d`.
pub(super) const LANE: &str = "iif(d.channel IN ('whatsapp', 'linkedin'), d.channel, 'mail')";
/// Whether the turn that an attempt was begun in still lasts.
const IS_ITS_TURN: &str = "
    fence = (SELECT t.fence FROM turns t JOIN drafts d ON d.id = attempts.draft
             WHERE t.lane = iif(d.channel IN ('whatsapp', 'linkedin'), d.channel, 'mail'))";

impl WriteTransaction<'_> {
    /// Takes over from whoever sent on this lane before: their turn is over with this.
    pub fn take_turn(&self, lane: Lane) -> Result<i64, StoreError> {
        self.transaction.execute("UPDATE turns SET fence = fence + 1 WHERE lane = ?1", [lane.name()])?;
        self.turn(lane)
    }

    /// Whose turn it is on a lane.
    pub fn turn(&self, lane: Lane) -> Result<i64, StoreError> {
        turn(&self.transaction, lane)
    }

    /// What holds for all sending, as this transaction sees it.
    pub fn outbox_state(&self) -> Result<OutboxState, StoreError> {
        outbox_state(&self.transaction)
    }

    /// Stops all sending, or lets it go on.
    pub fn set_paused(&self, since: Option<i64>) -> Result<(), StoreError> {
        self.transaction.execute("UPDATE outbox SET paused_epoch = ?1 WHERE id = 1", [since])?;
        Ok(())
    }

    /// Writes down that an attempt begins.
    pub fn begin_attempt(&self, approval: &Approval, host: &str, at_ms: i64) -> Result<i64, StoreError> {
        let insert = format!(
            "INSERT INTO attempts (draft, revision, approval, fence, host, begun_ms)
             SELECT ?1, ?2, ?3, t.fence, ?4, ?5 FROM drafts d JOIN turns t ON t.lane = {LANE} WHERE d.id = ?1"
        );
        let values = params![approval.draft.0, approval.revision, approval.key, host, at_ms];
        self.transaction.prepare_cached(&insert)?.execute(values)?;
        Ok(self.transaction.last_insert_rowid())
    }

    /// Writes down that the server waits for the message; says no when another worker has taken over.
    pub fn attempt_data(&self, attempt: i64, at_ms: i64) -> Result<bool, StoreError> {
        self.advance("UPDATE attempts SET data_ms = ?2", attempt, at_ms)
    }

    /// Writes down that the final dot is about to go out; says no when another worker has taken over.
    pub fn attempt_dot(&self, attempt: i64, at_ms: i64) -> Result<bool, StoreError> {
        self.advance("UPDATE attempts SET dot_ms = ?2", attempt, at_ms)
    }

    fn advance(&self, set: &str, attempt: i64, at_ms: i64) -> Result<bool, StoreError> {
        let sql = format!("{set} WHERE id = ?1 AND outcome IS NULL AND {IS_ITS_TURN}");
        Ok(self.transaction.prepare_cached(&sql)?.execute(params![attempt, at_ms])? > 0)
    }

    /// Keeps what an API calls the message of an attempt; says no when another worker has taken over.
    pub fn attempt_remote_id(&self, attempt: i64, remote_id: &str) -> Result<bool, StoreError> {
        let sql =
            format!("UPDATE attempts SET remote_id = ?2 WHERE id = ?1 AND outcome IS NULL AND {IS_ITS_TURN}");
        Ok(self.transaction.prepare_cached(&sql)?.execute(params![attempt, remote_id])? > 0)
    }

    /// Writes down how an attempt ended. Who began it may also correct an `unknown` that another worker noted.
    pub fn end_attempt(&self, attempt: i64, ending: &Ending<'_>) -> Result<bool, StoreError> {
        const SET: &str = "
            UPDATE attempts SET outcome = ?2, reply = ?3, refused = ?4, ended_ms = ?5
            WHERE id = ?1 AND (outcome IS NULL OR outcome = 'unknown')";
        let refused = serde_json::to_string(ending.refused).expect("addresses and replies are plain strings");
        let values = params![attempt, ending.outcome.name(), ending.reply, refused, ending.at_ms];
        Ok(self.transaction.prepare_cached(SET)?.execute(values)? > 0)
    }

    /// Attempts on a lane that nobody has ended.
    pub fn open_attempts(&self, lane: Lane) -> Result<Vec<Attempt>, StoreError> {
        let is_on_lane = format!("draft IN (SELECT d.id FROM drafts d WHERE {LANE} = ?1)");
        attempts(&self.transaction, &format!("outcome IS NULL AND {is_on_lane} ORDER BY id"), [lane.name()])
    }

    /// All attempts to send an item, oldest first.
    pub fn attempts_of(&self, draft: DraftKey) -> Result<Vec<Attempt>, StoreError> {
        attempts(&self.transaction, "draft = ?1 ORDER BY id", [draft.0])
    }
}

impl Store {
    /// What holds for all sending.
    pub fn outbox_state(&self) -> Result<OutboxState, StoreError> {
        outbox_state(&self.connection)
    }

    /// Whose turn it is on a lane.
    pub fn turn(&self, lane: Lane) -> Result<i64, StoreError> {
        turn(&self.connection, lane)
    }
}

impl Reader {
    /// What holds for all sending.
    pub fn outbox_state(&self) -> Result<OutboxState, StoreError> {
        outbox_state(self.connection())
    }

    /// All attempts to send an item, oldest first.
    pub fn attempts_of(&self, draft: DraftKey) -> Result<Vec<Attempt>, StoreError> {
        attempts(self.connection(), "draft = ?1 ORDER BY id", [draft.0])
    }
}

fn outbox_state(connection: &Connection) -> Result<OutboxState, StoreError> {
    const SELECT: &str = "
        SELECT coalesce(paused_epoch, (
                   SELECT iif(kind = 'paused', time_ms / 1000, NULL) FROM audit WHERE kind IN ('paused', 'resumed')
                   ORDER BY id DESC LIMIT 1))
        FROM outbox WHERE id = 1";
    let mut statement = connection.prepare_cached(SELECT)?;
    Ok(statement.query_row([], |row| Ok(OutboxState { paused: row.get(0)? }))?)
}

fn turn(connection: &Connection, lane: Lane) -> Result<i64, StoreError> {
    let mut statement = connection.prepare_cached("SELECT fence FROM turns WHERE lane = ?1")?;
    Ok(statement.query_row([lane.name()], |row| row.get(0))?)
}

fn attempts(
    connection: &Connection,
    condition: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<Attempt>, StoreError> {
    let sql = format!(
        "SELECT id, draft, revision, fence, host, begun_ms, data_ms, dot_ms, ended_ms, outcome, reply, refused,
                remote_id, approval FROM attempts WHERE {condition}"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(values, read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Attempt> {
    let outcome: Option<String> = row.get(9)?;
    Ok(Attempt {
        key: row.get(0)?,
        draft: DraftKey(row.get(1)?),
        revision: row.get(2)?,
        fence: row.get(3)?,
        host: row.get(4)?,
        begun_ms: row.get(5)?,
        data_ms: row.get(6)?,
        dot_ms: row.get(7)?,
        ended_ms: row.get(8)?,
        outcome: outcome.as_deref().and_then(AttemptOutcome::parse),
        reply: row.get(10)?,
        refused: serde_json::from_str(&row.get::<_, String>(11)?).unwrap_or_default(),
        remote_id: row.get(12)?,
        approval: row.get(13)?,
    })
}
