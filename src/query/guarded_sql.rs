//! The caller's own SELECT over the public views, and nothing else.
//!
//! SQLite itself is the gate: a connection that cannot write, an authorizer over an allow-list, limits on length, depth,
//! memory and time. Nothing here decides by looking at the words of a statement; words only make errors clearer.

mod apart;
mod contents;
mod error;
mod functions;
mod gate;
mod values;
mod words;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::limits::Limit;
use rusqlite::{Batch, Connection, InterruptHandle, Statement};
use serde::{Deserialize, Serialize};

use crate::model::AccountKey;
use crate::query::QueryError;
use crate::store::Reader;

pub(super) use apart::{Order, run_apart};
pub use apart::{SUBCOMMAND, run_child};
pub use error::SqlError;
pub use values::SqlAnswer;

use contents::Contents;
use gate::{Gate, Refusals};
use values::Most;

/// The longest statement.
const LONGEST_STATEMENT: usize = 20_000;
/// The largest text or blob that a statement may make.
const LONGEST_VALUE: i32 = 4 << 20;
/// The longest message that can be measured.
const LONGEST_MEASURED: i32 = 1 << 30;
/// What all of SQLite in this process may allocate, the statement's own sorting and joining included. It stays so for
/// as long as the process lives, which is why a server runs statements in a process of their own. Small rows take twice as
/// much of the machine: the process stays below 100 MB.
const MEMORY: i64 = 44 << 20;
/// The longest a statement may run.
const LONGEST: Duration = Duration::from_secs(30);
/// How many steps of SQLite's machine pass between two looks at the clock.
const STEPS: i32 = 1000;

/// What a caller may set.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct SqlOptions {
    /// Only the mail of the account in this row.
    account: Option<i64>,
    /// Whether `raw` and `encoded` hold the bytes as received; otherwise they are null.
    raw: bool,
    /// How many bytes of text an answer may hold.
    longest_answer: usize,
}

impl SqlOptions {
    /// For an assistant, whose window an answer must fit.
    #[must_use]
    pub fn for_tools(account: Option<AccountKey>, raw: bool) -> Self {
        Self { account: account.map(|key| key.0), raw, longest_answer: 1 << 20 }
    }

    /// For a person, or a script of theirs.
    #[must_use]
    pub fn for_person(account: Option<AccountKey>) -> Self {
        Self { account: account.map(|key| key.0), raw: true, longest_answer: 8 << 20 }
    }
}

/// A connection that answers SELECTs over the public views.
pub struct GuardedSql {
    connection: Connection,
    deadline: Arc<Mutex<Option<Instant>>>,
    refusals: Refusals,
    contents: Contents,
    columns: Vec<(String, Vec<String>)>,
    longest_answer: usize,
}

impl GuardedSql {
    /// Opens a connection to the reader's store and locks it down.
    pub fn new(reader: &Reader, options: &SqlOptions) -> Result<Self, QueryError> {
        let secret = gate::secret(reader)?;
        let (mut connection, schema) = reader.attached(&secret)?;
        functions::register(&connection)?;
        let contents = Contents::of(reader)?;
        contents.register(&connection)?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        let gate = Gate::build(&connection, secret, schema, options)?;
        let columns = gate.columns().to_vec();
        configure(&connection)?;
        let refusals = gate.refusals();
        connection.authorizer(Some(gate.authorizer()))?;
        let deadline = Arc::new(Mutex::new(None));
        let watched = Arc::clone(&deadline);
        connection.progress_handler(STEPS, Some(move || is_over(&watched)))?;
        let longest_answer = options.longest_answer;
        Ok(Self { connection, deadline, refusals, contents, columns, longest_answer })
    }

    /// Runs one SELECT; at most `limit` rows come back, and less if the statement says so itself.
    pub fn run(&mut self, sql: &str, limit: usize, time: Duration) -> Result<SqlAnswer, SqlError> {
        check_text(sql)?;
        let time = time.min(LONGEST);
        self.refusals.clear();
        self.prepare_contents(sql).map_err(|error| self.worded(error.into(), sql, time))?;
        self.set_deadline(Some(Instant::now() + time));
        let answer = self.answer(sql, limit);
        self.set_deadline(None);
        answer.map_err(|failure| self.worded(failure, sql, time))
    }

    /// A length stands for bytes that are not there, so that it may be that of the longest message.
    fn prepare_contents(&self, sql: &str) -> Result<(), rusqlite::Error> {
        let only_measures = words::only_measures(sql);
        self.contents.begin(only_measures);
        let most = if only_measures { LONGEST_MEASURED } else { LONGEST_VALUE };
        self.connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, most).map(drop)
    }

    /// Stops what is running, from another thread.
    #[must_use]
    pub fn interrupt_handle(&self) -> InterruptHandle {
        self.connection.get_interrupt_handle()
    }

    /// The public views and their columns.
    #[must_use]
    pub fn columns(&self) -> &[(String, Vec<String>)] {
        &self.columns
    }

    fn set_deadline(&self, until: Option<Instant>) {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    fn answer(&self, sql: &str, limit: usize) -> Result<SqlAnswer, Failure> {
        let mut statement = self.only_statement(sql)?;
        if statement.is_explain() != 0 || !statement.readonly() || statement.column_count() == 0 {
            return Err(Failure::NotASelect);
        }
        let most = Most { rows: limit, bytes: self.longest_answer };
        values::read(&mut statement, sql, &most, &self.contents)
    }

    /// The statement, when it is the only one: what follows it may be nothing but space and comments.
    fn only_statement(&self, sql: &str) -> Result<Statement<'_>, Failure> {
        let mut statements = Batch::new(&self.connection, sql);
        let statement = statements.next()?.ok_or(Failure::Empty)?;
        match statements.next() {
            Ok(None) => Ok(statement),
            Ok(Some(_)) | Err(_) => Err(Failure::Several),
        }
    }

    fn worded(&self, failure: Failure, sql: &str, time: Duration) -> SqlError {
        match failure {
            Failure::Empty => SqlError::Empty,
            Failure::NotASelect => SqlError::not_a_select(sql),
            Failure::Several => SqlError::Several,
            Failure::TooLong { most } => SqlError::AnswerTooLong { most },
            Failure::Sqlite(error) => {
                error::worded(&error, sql, self.refusals.first(), &self.columns).after(time)
            }
        }
    }
}

/// Why a statement did not give rows, before it is put into words.
enum Failure {
    Empty,
    NotASelect,
    Several,
    TooLong { most: usize },
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

fn is_over(deadline: &Mutex<Option<Instant>>) -> bool {
    deadline.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|until| Instant::now() >= until)
}

/// SQLite reads up to a NUL and no further; what it does not read must not be there.
fn check_text(sql: &str) -> Result<(), SqlError> {
    if sql.contains('\0') {
        return Err(SqlError::Unreadable { detail: "it holds a NUL character".to_owned() });
    }
    if sql.len() > LONGEST_STATEMENT {
        return Err(SqlError::TooLong { length: sql.len(), most: LONGEST_STATEMENT });
    }
    Ok(())
}

fn configure(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.pragma_update(None, "cache_size", -4096)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.query_row(&format!("PRAGMA hard_heap_limit = {MEMORY}"), [], |_| Ok(()))?;
    connection.pragma_update(None, "query_only", true)?;
    for (config, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
    ] {
        connection.set_db_config(config, on)?;
    }
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 100_000),
        (Limit::SQLITE_LIMIT_COLUMN, 200),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 60),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 30),
        (Limit::SQLITE_LIMIT_VDBE_OP, 200_000),
        (Limit::SQLITE_LIMIT_FUNCTION_ARG, 60),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 250),
        (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 0),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 0),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, most)?;
    }
    Ok(())
}
