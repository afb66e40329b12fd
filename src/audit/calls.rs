//! Calls of tools: name, ids and sizes, no texts. A file of its own that is never waited for, because reading must stay
//! fast; what stands there is sealed into the chain of the store before something is proposed, and when nothing happens.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, params};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::model::ContentHash;

/// Calls are kept so long, in milliseconds: 30 days.
const KEPT_MS: i64 = 30 * 24 * 3_600 * 1_000;

/// A call.
#[derive(Debug, Clone, Default)]
pub struct CallNote<'a> {
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// The name the client gave.
    pub client: Option<&'a str>,
    /// The tools it works with.
    pub profile: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// Short ids of the messages whose text it got.
    pub opened: &'a [String],
    /// Bytes of the arguments.
    pub asked: usize,
    /// Bytes of the answer.
    pub answered: usize,
    /// Whether it went wrong.
    pub is_error: bool,
}

/// Why the evidence cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the log of calls cannot be read: {0}")]
pub struct EvidenceError(#[from] rusqlite::Error);

/// What assistants read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Short ids of messages, each once, in the order of their ids.
    pub opened: Vec<String>,
    /// Calls in that time.
    pub calls: u64,
}

const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS calls (
        id       INTEGER PRIMARY KEY,
        time_ms  INTEGER NOT NULL,
        client   TEXT,
        profile  TEXT NOT NULL,
        tool     TEXT NOT NULL,
        opened   TEXT NOT NULL,      -- short ids, a blank between them
        asked    INTEGER NOT NULL,   -- bytes
        answered INTEGER NOT NULL,
        failed   INTEGER NOT NULL
    );
    CREATE INDEX IF NOT EXISTS calls_by_time ON calls (time_ms);";

/// The log of calls of one home. Opened with the first call; what goes wrong with it costs no call.
pub struct CallLog {
    path: PathBuf,
    connection: Mutex<Option<Connection>>,
}

impl CallLog {
    /// The log at this place, which need not exist yet.
    #[must_use]
    pub const fn at(path: PathBuf) -> Self {
        Self { path, connection: Mutex::new(None) }
    }

    /// Notes a call.
    pub fn note(&self, call: &CallNote<'_>) -> Result<(), EvidenceError> {
        const INSERT: &str = "
            INSERT INTO calls (time_ms, client, profile, tool, opened, asked, answered, failed)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        self.with(|connection| {
            let opened = call.opened.join(" ");
            connection.prepare_cached(INSERT)?.execute(params![
                call.at_ms,
                call.client,
                call.profile,
                call.tool,
                opened,
                call.asked,
                call.answered,
                call.is_error,
            ])?;
            Ok(())
        })
    }

    /// What is to be sealed into the chain behind the call that its last entry names: the particulars of an entry; `None`
    /// when nothing is new. Only the chain is asked how far it got: this file can be written by anybody. Old calls go.
    pub fn unsealed(&self, after: i64, now_ms: i64) -> Result<Option<Value>, EvidenceError> {
        // The last one stays, so that no number is given twice.
        const FORGET: &str = "DELETE FROM calls WHERE time_ms < ?1 AND id < (SELECT max(id) FROM calls)";
        const NEWEST: &str = "SELECT coalesce(max(id), 0) FROM calls";
        const TIMES: &str = "SELECT min(time_ms), max(time_ms) FROM calls WHERE id > ?1 AND id <= ?2";
        if !self.path.exists() {
            return Ok(None);
        }
        self.with(|connection| {
            connection.execute(FORGET, [now_ms - KEPT_MS])?;
            let newest: i64 = connection.query_row(NEWEST, [], |row| row.get(0))?;
            // A log whose numbers end before that is another one than was sealed.
            let from = if newest < after { 0 } else { after };
            let (count, upto, hash) = digest(connection, from, i64::MAX)?;
            if count == 0 {
                return Ok(None);
            }
            let (first, last): (i64, i64) =
                connection.query_row(TIMES, [from, upto], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(Some(json!({
                "after": from, "upto": upto, "calls": count, "hash": hash.to_hex(),
                "first_ms": first, "last_ms": last,
            })))
        })
    }

    /// Whether the calls that an entry of the chain sealed are as they were; those that are old may have gone.
    pub fn is_as_sealed(&self, entry: &Value, now_ms: i64) -> Result<bool, EvidenceError> {
        const KEPT: &str = "SELECT count(*) FROM calls WHERE id > ?1 AND id <= ?2";
        const LAST: &str = "SELECT count(*) FROM calls WHERE id = ?1";
        let number = |field: &str| entry[field].as_i64().unwrap_or_default();
        let is_old = |field: &str| number(field) < now_ms - KEPT_MS;
        if !self.path.exists() {
            return Ok(is_old("last_ms"));
        }
        let (after, upto) = (number("after"), number("upto"));
        self.with(|connection| {
            let kept: i64 = connection.query_row(KEPT, [after, upto], |row| row.get(0))?;
            let (_, _, hash) = digest(connection, after, upto)?;
            let has_last: bool = connection.query_row(LAST, [upto], |row| row.get(0))?;
            let may_have_gone = is_old("first_ms") && (has_last || is_old("last_ms"));
            Ok(match kept < number("calls") {
                true => may_have_gone,
                false => entry["hash"] == hash.to_hex(),
            })
        })
    }

    /// What any assistant of this home read since then.
    pub fn evidence(&self, since_ms: i64) -> Result<Evidence, EvidenceError> {
        const SELECT: &str = "SELECT opened FROM calls WHERE time_ms >= ?1";
        if !self.path.exists() {
            return Ok(Evidence::default());
        }
        self.with(|connection| {
            let mut statement = connection.prepare_cached(SELECT)?;
            let rows: Vec<String> =
                statement.query_map([since_ms], |row| row.get(0))?.collect::<Result<_, _>>()?;
            let opened: BTreeSet<_> = rows.iter().flat_map(|ids| ids.split_whitespace()).collect();
            let opened = opened.into_iter().map(str::to_owned).collect();
            Ok(Evidence { opened, calls: rows.len() as u64 })
        })
    }

    /// Short ids of the messages that any assistant of this home opened in a span of time, the last one first.
    pub fn opened_between(&self, since_ms: i64, until_ms: i64) -> Result<Vec<String>, EvidenceError> {
        const SELECT: &str = "SELECT opened FROM calls WHERE time_ms BETWEEN ?1 AND ?2 AND opened <> '' ORDER BY time_ms DESC, id DESC";
        if !self.path.exists() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            let mut statement = connection.prepare_cached(SELECT)?;
            let rows: Vec<String> =
                statement.query_map([since_ms, until_ms], |row| row.get(0))?.collect::<Result<_, _>>()?;
            let mut met = BTreeSet::new();
            let ids = rows.iter().flat_map(|ids| ids.split_whitespace()).filter(|id| met.insert(*id));
            Ok(ids.map(str::to_owned).collect())
        })
    }

    fn with<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, EvidenceError> {
        let mut kept = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = match kept.take() {
            Some(connection) => connection,
            None => open(&self.path)?,
        };
        let result = work(&connection);
        *kept = Some(connection);
        Ok(result?)
    }
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    if let Some(directory) = path.parent() {
        let _ = std::fs::create_dir(directory);
    }
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(2))?;
    connection.execute_batch(SCHEMA)?;
    Ok(connection)
}

/// How many calls there are behind a number, the last of them, and the hash over all.
fn digest(connection: &Connection, from: i64, upto: i64) -> rusqlite::Result<(i64, i64, ContentHash)> {
    const SELECT: &str = "
        SELECT id, time_ms, coalesce(client, ''), profile, tool, opened, asked, answered, failed FROM calls
        WHERE id > ?1 AND id <= ?2 ORDER BY id";
    let mut hash = Sha256::new();
    let (mut count, mut last) = (0, from);
    let mut statement = connection.prepare_cached(SELECT)?;
    let mut rows = statement.query([from, upto])?;
    while let Some(row) = rows.next()? {
        last = row.get(0)?;
        count += 1;
        for column in [0, 1, 6, 7, 8] {
            hash.update(row.get::<_, i64>(column)?.to_be_bytes());
        }
        for column in 2..=5 {
            let text: String = row.get(column)?;
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text);
        }
    }
    Ok((count, last, ContentHash(hash.finalize().into())))
}

#[cfg(test)]
mod tests {
    use super::{CallLog, CallNote};

    fn note<'a>(at_ms: i64, opened: &'a [String]) -> CallNote<'a> {
        CallNote { at_ms, profile: "core", tool: "read_email", opened, ..CallNote::default() }
    }

    #[test]
    fn what_was_read_is_known_each_message_once_for_a_month() {
        const DAY: i64 = 24 * 3_600 * 1_000;
        let home = tempfile::tempdir().unwrap();
        let log = CallLog::at(home.path().join("audit/calls.db"));
        assert_eq!(log.evidence(0).unwrap().calls, 0);
        assert!(!home.path().join("audit").exists());

        log.note(&note(0, &["m1".to_owned()])).unwrap();
        log.note(&note(29 * DAY, &["m2".to_owned(), "m3".to_owned()])).unwrap();
        log.note(&note(30 * DAY, &["m2".to_owned()])).unwrap();

        assert_eq!(log.evidence(29 * DAY).unwrap().opened, ["m2", "m3"]);
        let sealed = log.unsealed(0, 31 * DAY).unwrap().unwrap();
        assert_eq!((&sealed["calls"], &sealed["upto"]), (&2.into(), &3.into()));
        assert_eq!(log.unsealed(3, 31 * DAY).unwrap(), None);
        assert!(log.is_as_sealed(&sealed, 31 * DAY).unwrap());
        log.with(|file| file.execute("UPDATE calls SET opened = 'm9' WHERE id = 3", [])).unwrap();
        assert!(!log.is_as_sealed(&sealed, 31 * DAY).unwrap());
        assert_eq!(log.evidence(0).unwrap().calls, 2);

        for gone in ["DELETE FROM calls WHERE id = 2", "DELETE FROM calls"] {
            log.with(|file| file.execute(gone, [])).unwrap();
            assert!(!log.is_as_sealed(&sealed, 59 * DAY).unwrap(), "{gone}");
        }
        assert!(log.is_as_sealed(&sealed, 61 * DAY).unwrap());
    }

    #[test]
    fn a_call_after_a_quiet_month_is_sealed_too() {
        const DAY: i64 = 24 * 3_600 * 1_000;
        let home = tempfile::tempdir().unwrap();
        let log = CallLog::at(home.path().join("audit/calls.db"));
        log.note(&note(0, &[])).unwrap();
        log.note(&note(0, &[])).unwrap();
        let first = log.unsealed(0, 0).unwrap().unwrap();

        assert_eq!(log.unsealed(2, 40 * DAY).unwrap(), None);
        log.note(&note(40 * DAY, &["m1".to_owned()])).unwrap();
        let second = log.unsealed(2, 40 * DAY).unwrap().unwrap();

        assert_eq!((&first["upto"], &second["upto"], &second["calls"]), (&2.into(), &3.into(), &1.into()));
        assert!(log.is_as_sealed(&first, 40 * DAY).unwrap());
    }
}
