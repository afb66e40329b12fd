//! A statement in a process of its own. SQLite counts its memory for a whole process: a statement beside others would
//! take from what they may have, and a sync in the same server could fail for it. One runs at a time, so that many
//! callers at once take no more than one.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::index::attachment_text::limited_process;
use crate::model::{Audience, MessageKey};
use crate::query::QueryError;
use crate::query::audience;
use crate::query::guarded_sql::{GuardedSql, LONGEST_STATEMENT, SqlAnswer, SqlError, SqlOptions, check_text};

/// The hidden subcommand that calls [`run_child`] with standard input and output.
pub const SUBCOMMAND: &str = "guarded-sql";

/// An order is a statement, a path and some numbers; JSON may write a byte as six.
const LONGEST_ORDER: u64 = 6 * LONGEST_STATEMENT as u64 + (64 << 10);
/// An answer holds so much text that it fits also when JSON writes each byte as six.
const LONGEST_REPORT: usize = 16 << 20;
/// What a child may take beyond the time of its statement.
const START: Duration = Duration::from_secs(5);

static TURN: Mutex<()> = Mutex::new(());

/// What a child is to do.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    /// The store.
    pub(crate) store: PathBuf,
    /// Whether an assistant asks.
    pub(crate) for_assistant: bool,
    /// What the caller may set.
    pub(crate) options: SqlOptions,
    /// The statement.
    pub(crate) sql: String,
    /// The most rows.
    pub(crate) limit: usize,
    /// How long it may run.
    pub(crate) time: Duration,
}

#[derive(Serialize, Deserialize)]
struct Rows {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
    truncated: bool,
    opened: Vec<i64>,
}

/// Runs the statement with `program guarded-sql`, after those that came before it.
pub(crate) fn run_apart(program: &Path, order: &Order) -> Result<SqlAnswer, SqlError> {
    check_text(&order.sql)?;
    let input = serde_json::to_vec(order).map_err(|error| failed(&error))?;
    let mut command = Command::new(program);
    command.arg(SUBCOMMAND);
    let output = {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        limited_process::output(&mut command, &input, LONGEST_REPORT, order.time + START)
    };
    let report = output.ok_or_else(|| failed(&"its process did not end well"))?;
    let told: Result<Rows, SqlError> = serde_json::from_slice(&report).map_err(|error| failed(&error))?;
    let Rows { columns, rows, truncated, opened } = told?;
    let opened = opened.into_iter().map(MessageKey).collect();
    Ok(SqlAnswer { query: order.sql.clone(), columns, rows, truncated, opened })
}

/// Runs one statement that comes in, and writes what it gave. For a process that has nothing else to do.
pub fn run_child(input: impl Read, mut output: impl Write) -> io::Result<()> {
    let order: Order = serde_json::from_reader(input.take(LONGEST_ORDER))?;
    let told = answer(&order).map(|answer| Rows {
        columns: answer.columns,
        rows: answer.rows,
        truncated: answer.truncated,
        opened: answer.opened.into_iter().map(|key| key.0).collect(),
    });
    serde_json::to_writer(&mut output, &told)?;
    output.flush()
}

fn answer(order: &Order) -> Result<SqlAnswer, SqlError> {
    let guarded = || -> Result<GuardedSql, QueryError> {
        let audience = if order.for_assistant { Audience::Assistant } else { Audience::Person };
        GuardedSql::new(&audience::open(&order.store, audience)?, &order.options)
    };
    guarded().map_err(|error| failed(&error))?.run(&order.sql, order.limit, order.time)
}

fn failed(error: &dyn std::fmt::Display) -> SqlError {
    SqlError::Failed { detail: error.to_string() }
}
