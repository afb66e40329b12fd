//! Why a statement was refused or stopped, and what would be allowed instead.

use std::time::Duration;

use rusqlite::{Error, ErrorCode};
use serde::{Deserialize, Serialize};

use crate::query::guarded_sql::gate::{FUNCTIONS, Refusal, VIEWS};
use crate::query::guarded_sql::{LONGEST_VALUE, MEMORY, words};

/// A statement that gave no rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum SqlError {
    /// Nothing to run.
    #[error("there is no statement")]
    Empty,
    /// Too many characters.
    #[error("the statement has {length} bytes; at most {most} are allowed")]
    TooLong {
        /// How many it has.
        length: usize,
        /// How many it may have.
        most: usize,
    },
    /// It does something else than reading.
    #[error("only SELECT is allowed, not {what}")]
    NotASelect {
        /// What it wants to do.
        what: String,
    },
    /// More than one statement.
    #[error("only one statement is allowed at a time")]
    Several,
    /// A table that is not public.
    #[error("`{table}` is not a public view")]
    NotPublic {
        /// The table.
        table: String,
    },
    /// A function that is not on the list.
    #[error("the function `{function}` is not allowed")]
    Function {
        /// The function.
        function: String,
    },
    /// No such column.
    #[error("there is no column `{column}`")]
    UnknownColumn {
        /// What was written.
        column: String,
        /// What looks most like it.
        nearest: Option<String>,
    },
    /// SQLite cannot read it.
    #[error("the statement cannot be read: {detail}")]
    Unreadable {
        /// What SQLite says.
        detail: String,
    },
    /// It took too long.
    #[error("the statement was stopped after {} s", .after.as_secs_f32())]
    Stopped {
        /// How long it ran.
        after: Duration,
    },
    /// It wants more memory than it may have.
    #[error("the statement needs more than {} MiB of memory, or {} MiB for one value", MEMORY >> 20, LONGEST_VALUE >> 20)]
    TooLarge,
    /// One row is more than an answer may hold.
    #[error("one row is longer than {} MiB, which is the longest answer", most >> 20)]
    AnswerTooLong {
        /// How many bytes an answer may hold.
        most: usize,
    },
    /// It failed while it ran.
    #[error("the statement failed: {detail}")]
    Failed {
        /// What SQLite says.
        detail: String,
    },
}

impl SqlError {
    /// What would be allowed instead.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Empty | Self::NotASelect { .. } => {
                "write one SELECT, or WITH ... SELECT, for example: SELECT mailbox, count(*) FROM emails GROUP BY mailbox"
                    .to_owned()
            }
            Self::TooLong { .. } => "ask in several smaller statements".to_owned(),
            Self::Several => "leave out what follows the first `;`".to_owned(),
            Self::NotPublic { table } => match nearest_view(table) {
                Some(view) => format!("did you mean `{view}`? The views are: {}", VIEWS.join(", ")),
                None => format!("the views are: {}", VIEWS.join(", ")),
            },
            Self::Function { function } => match nearest(function, FUNCTIONS) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("the functions are: {}", FUNCTIONS.join(", ")),
            },
            Self::UnknownColumn { nearest: Some(column), .. } => format!("did you mean `{column}`?"),
            Self::UnknownColumn { nearest: None, .. } => {
                "put text into single quotes; docs/sql.md lists the columns".to_owned()
            }
            Self::Unreadable { .. } => {
                format!("this is SQLite's SQL; the views are: {}", VIEWS.join(", "))
            }
            Self::Stopped { .. } => {
                "narrow it with WHERE on internaldate_epoch, mailbox or id; leave out plain_text and raw".to_owned()
            }
            Self::TooLarge | Self::AnswerTooLong { .. } => "name fewer columns, and sort or group fewer rows".to_owned(),
            Self::Failed { .. } => "make it simpler: fewer joins, columns and nested queries".to_owned(),
        }
    }

    /// A short name for scripts.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Empty | Self::Unreadable { .. } | Self::UnknownColumn { .. } => "bad_sql",
            Self::TooLong { .. }
            | Self::NotASelect { .. }
            | Self::Several
            | Self::NotPublic { .. }
            | Self::Function { .. } => "sql_refused",
            Self::Stopped { .. } | Self::TooLarge | Self::AnswerTooLong { .. } | Self::Failed { .. } => {
                "sql_stopped"
            }
        }
    }

    /// A statement that is not a SELECT, named by its own verb.
    pub(super) fn not_a_select(sql: &str) -> Self {
        let verb = words::verb(sql).unwrap_or_default();
        Self::NotASelect { what: verb.chars().take(20).collect() }
    }

    /// Says after how long it was stopped.
    pub(super) fn after(self, time: Duration) -> Self {
        match self {
            Self::Stopped { .. } => Self::Stopped { after: time },
            other => other,
        }
    }
}

/// Puts SQLite's answer into words.
pub(super) fn worded(
    error: &Error,
    sql: &str,
    refusal: Option<Refusal>,
    columns: &[(String, Vec<String>)],
) -> SqlError {
    match (error.sqlite_error_code(), refusal) {
        (Some(ErrorCode::OperationInterrupted), _) => SqlError::Stopped { after: Duration::ZERO },
        (Some(ErrorCode::OutOfMemory | ErrorCode::TooBig), _) => SqlError::TooLarge,
        (_, Some(refusal)) => refused(refusal, sql),
        (Some(ErrorCode::ReadOnly), _) => SqlError::not_a_select(sql),
        _ => explained(&plain(error), sql, columns),
    }
}

/// SQLite asks about the tables behind a statement first: a CREATE inserts into the schema, a DROP deletes from it. What
/// the statement calls itself is what its writer knows.
fn refused(refusal: Refusal, sql: &str) -> SqlError {
    match refusal {
        Refusal::Table(table) => SqlError::NotPublic { table },
        Refusal::Function(function) => SqlError::Function { function },
        Refusal::Action(what) => {
            let verb = words::verb(sql).filter(|verb| !matches!(verb.as_str(), "SELECT" | "VALUES" | "WITH"));
            SqlError::NotASelect { what: verb.unwrap_or_else(|| what.to_owned()) }
        }
    }
}

/// SQLite's own words, without the statement and without names that are nobody's business.
fn plain(error: &Error) -> String {
    match error {
        Error::SqlInputError { msg, .. } => msg.clone(),
        Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    }
}

fn explained(message: &str, sql: &str, columns: &[(String, Vec<String>)]) -> SqlError {
    let rest = |start: &str| {
        let rest = message.strip_prefix(start)?;
        Some(rest.split(" - ").next().unwrap_or(rest).trim_matches('"').to_owned())
    };
    if let Some(column) = rest("no such column: ") {
        let nearest = nearest_column(&column, sql, columns);
        return SqlError::UnknownColumn { column, nearest };
    }
    if let Some(table) = rest("no such table: ") {
        return SqlError::NotPublic { table };
    }
    if let Some(function) = rest("no such function: ") {
        return SqlError::Function { function };
    }
    if message.contains("too big") {
        return SqlError::TooLarge;
    }
    if message.starts_with("cannot modify")
        || words::verb(sql).is_some_and(|verb| OTHERS.contains(&verb.as_str()))
    {
        return SqlError::not_a_select(sql);
    }
    let detail =
        if message.contains("hidden_") { "it is too complex".to_owned() } else { message.to_owned() };
    SqlError::Unreadable { detail }
}

/// Verbs of statements that do not read; some databases have them and SQLite cannot even read them.
const OTHERS: [&str; 12] = [
    "ALTER", "CREATE", "DELETE", "DROP", "GRANT", "INSERT", "MERGE", "REPLACE", "REVOKE", "SET", "TRUNCATE",
    "UPDATE",
];

/// The column that looks most like it, of the views that the statement names.
fn nearest_column(column: &str, sql: &str, columns: &[(String, Vec<String>)]) -> Option<String> {
    let bare = column.rsplit('.').next().unwrap_or(column);
    let sql = sql.to_lowercase();
    let named = columns.iter().filter(|(view, _)| sql.contains(view.as_str()));
    let names: Vec<&str> = named.flat_map(|(_, names)| names.iter().map(String::as_str)).collect();
    let meant = MEANT.iter().find(|(word, _)| word.eq_ignore_ascii_case(bare)).map(|(_, column)| *column);
    meant.filter(|column| names.contains(column)).or_else(|| nearest(bare, &names)).map(str::to_owned)
}

/// What people call columns that look different.
const MEANT: [(&str, &str); 14] = [
    ("attachments", "has_attachments"),
    ("body", "plain_text"),
    ("cc", "envelope_cc"),
    ("content", "plain_text"),
    ("folder", "mailbox"),
    ("received", "internaldate"),
    ("recipient", "envelope_to"),
    ("recipients", "envelope_to"),
    ("sender", "from"),
    ("sent", "date"),
    ("text", "plain_text"),
    ("title", "subject"),
    ("to", "envelope_to"),
    ("unread", "is_read"),
];

/// The view that looks most like it; what holds messages everywhere else is `emails` here.
fn nearest_view(table: &str) -> Option<&'static str> {
    let bare = table.rsplit('.').next().unwrap_or(table);
    match bare.to_lowercase().as_str() {
        "messages" | "message" | "mails" | "mail" | "inbox" => Some("emails"),
        _ => nearest(bare, &VIEWS),
    }
}

fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let name = name.to_lowercase();
    let likeness = |other: &str| strsim::jaro_winkler(&name, other);
    let best = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(best) > 0.75).then_some(*best)
}
