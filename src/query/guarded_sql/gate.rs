//! What a statement may touch: an authorizer over an allow-list.
//!
//! SQLite tells the authorizer through which view a table is read, but it tells the name only, and a statement can give
//! that name to a table expression of its own. So the views that may read tables carry a random name that no statement
//! can know, and the public names are views over those. The store is attached under such a name as well: a table from
//! which no column is read is reported without its view, but with the schema as it was written.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, OptionalExtension};

use crate::query::guarded_sql::{SqlOptions, contents};
use crate::store::Reader;

/// The public views.
pub(super) const VIEWS: [&str; 5] = ["emails", "threads", "attachments", "labels", "daily_counts"];

/// Table-valued functions that read nothing but their argument.
const TABLE_FUNCTIONS: [&str; 2] = ["json_each", "json_tree"];

/// Functions whose time grows no faster than their arguments, and that see nothing but these.
pub(super) const FUNCTIONS: &[&str] = &[
    "abs",
    "char",
    "coalesce",
    "concat",
    "concat_ws",
    "format",
    "glob",
    "hex",
    "if",
    "ifnull",
    "iif",
    "instr",
    "length",
    "like",
    "likelihood",
    "likely",
    "lower",
    "ltrim",
    "max",
    "min",
    "nullif",
    "octet_length",
    "printf",
    "quote",
    "random",
    "replace",
    "round",
    "rtrim",
    "sign",
    "soundex",
    "substr",
    "substring",
    "trim",
    "typeof",
    "unicode",
    "unlikely",
    "upper",
    "current_date",
    "current_time",
    "current_timestamp",
    "date",
    "datetime",
    "julianday",
    "strftime",
    "time",
    "timediff",
    "unixepoch",
    "avg",
    "count",
    "group_concat",
    "string_agg",
    "sum",
    "total",
    "cume_dist",
    "dense_rank",
    "first_value",
    "lag",
    "last_value",
    "lead",
    "nth_value",
    "ntile",
    "percent_rank",
    "rank",
    "row_number",
    "->",
    "->>",
    "json",
    "json_array",
    "json_array_length",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_object",
    "json_quote",
    "json_type",
    "json_valid",
];

/// What was refused first while a statement was prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// A table that is not a public view.
    Table(String),
    /// A function that is not on the list.
    Function(String),
    /// Anything but reading.
    Action(&'static str),
}

/// The refusals of the statement that is being prepared.
#[derive(Clone, Default)]
pub(super) struct Refusals(Arc<Mutex<Option<Refusal>>>);

impl Refusals {
    pub(super) fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(super) fn first(&self) -> Option<Refusal> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, refusal: Refusal) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(refusal);
    }
}

/// A name that nobody can guess.
pub(super) fn secret(reader: &Reader) -> Result<String, rusqlite::Error> {
    let random = "SELECT 'hidden_' || lower(hex(randomblob(16)))";
    reader.connection().query_row(random, [], |row| row.get(0))
}

/// The views of one connection and the rule over them.
pub(super) struct Gate {
    secret: String,
    schema: String,
    taken: HashSet<String>,
    columns: Vec<(String, Vec<String>)>,
    refusals: Refusals,
}

impl Gate {
    /// Makes the views that this connection's statements see.
    pub(super) fn build(
        connection: &Connection,
        secret: String,
        schema: String,
        options: &SqlOptions,
    ) -> Result<Self, rusqlite::Error> {
        let taken = taken_names(connection, &schema)?;
        let mut columns = Vec::new();
        for view in VIEWS {
            let hidden = format!("{secret}_{view}");
            let body = qualified(&body(connection, &schema, view)?, &schema, &taken);
            let scope = scope(view, &schema, options);
            let names = column_names(connection, &format!("SELECT * FROM ({body})"))?;
            let unpacked: Vec<_> = names.iter().map(|name| unpacked_column(view, name)).collect();
            let unpacked = unpacked.join(", ");
            connection.execute_batch(&format!(
                "CREATE TEMP VIEW {hidden} AS SELECT {unpacked} FROM ({body}) {scope}"
            ))?;
            let shown: Vec<_> = names.iter().map(|name| shown_column(name, options)).collect();
            let shown = shown.join(", ");
            connection
                .execute_batch(&format!("CREATE TEMP VIEW {view} AS SELECT {shown} FROM temp.{hidden}"))?;
            columns.push((view.to_owned(), names));
        }
        Ok(Self { secret, schema, taken, columns, refusals: Refusals::default() })
    }

    pub(super) fn columns(&self) -> &[(String, Vec<String>)] {
        &self.columns
    }

    pub(super) fn refusals(&self) -> Refusals {
        self.refusals.clone()
    }

    /// The rule, as SQLite asks it while it prepares a statement.
    pub(super) fn authorizer(self) -> impl FnMut(AuthContext<'_>) -> Authorization + Send + 'static {
        move |context| match self.refused(&context) {
            None => Authorization::Allow,
            Some(refusal) => {
                self.refusals.note(refusal);
                Authorization::Deny
            }
        }
    }

    fn refused(&self, context: &AuthContext<'_>) -> Option<Refusal> {
        let ours = context.accessor.is_some_and(|view| view.starts_with(&self.secret));
        match context.action {
            AuthAction::Select | AuthAction::Recursive => None,
            AuthAction::Read { .. } | AuthAction::Function { .. } if ours => None,
            AuthAction::Read { table_name, column_name: "" }
                if self.is_nameable(table_name, context.database_name) =>
            {
                None
            }
            AuthAction::Read { table_name, .. } if self.is_open(table_name, context.database_name) => None,
            AuthAction::Read { table_name, .. } => Some(Refusal::Table(table_name.to_owned())),
            AuthAction::Function { function_name } if is_known(function_name) => None,
            AuthAction::Function { function_name } => Some(Refusal::Function(function_name.to_owned())),
            other => Some(Refusal::Action(name(&other))),
        }
    }

    /// Whether a table may be named without reading a column of it: one that a view of ours wrote with the schema's
    /// name, and a table expression of the statement itself, whose name no table has.
    fn is_nameable(&self, table: &str, database: Option<&str>) -> bool {
        match database {
            Some(name) => name == self.schema,
            None => {
                let table = table.to_lowercase();
                !self.taken.contains(&table) && !table.starts_with("sqlite_") && !table.starts_with("pragma_")
            }
        }
    }

    /// Whether a statement may read this table by its own name.
    fn is_open(&self, table: &str, database: Option<&str>) -> bool {
        if table.starts_with(&self.secret) {
            return true;
        }
        let public = VIEWS.iter().any(|view| view.eq_ignore_ascii_case(table));
        let argument = TABLE_FUNCTIONS.iter().any(|function| function.eq_ignore_ascii_case(table));
        argument || public && database.is_none_or(|name| name == "temp")
    }
}

fn is_known(function: &str) -> bool {
    FUNCTIONS.iter().any(|known| known.eq_ignore_ascii_case(function))
}

/// Names of tables, views and modules that are there already.
fn taken_names(connection: &Connection, schema: &str) -> Result<HashSet<String>, rusqlite::Error> {
    let sql = format!(
        "SELECT lower(name) FROM {schema}.sqlite_schema UNION SELECT lower(name) FROM pragma_module_list"
    );
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    rows.collect()
}

/// The same SELECT with the schema before every table that FROM or JOIN names.
fn qualified(body: &str, schema: &str, taken: &HashSet<String>) -> String {
    let mut out = String::with_capacity(body.len() * 2);
    let mut names_table = false;
    for word in body.split_inclusive(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',')) {
        let bare = word.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';'));
        if names_table && taken.contains(&bare.to_lowercase()) {
            out.push_str(schema);
            out.push('.');
        }
        if !bare.is_empty() {
            names_table = bare.eq_ignore_ascii_case("from") || bare.eq_ignore_ascii_case("join");
        }
        out.push_str(word);
    }
    out
}

/// The SELECT of a public view, as its migration wrote it.
fn body(connection: &Connection, schema: &str, view: &str) -> Result<String, rusqlite::Error> {
    let select = format!("SELECT sql FROM {schema}.sqlite_schema WHERE type = 'view' AND name = ?1");
    let sql: Option<String> = connection.query_row(&select, [view], |row| row.get(0)).optional()?;
    let sql = sql.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let select = sql.to_ascii_uppercase().find("SELECT").ok_or(rusqlite::Error::InvalidQuery)?;
    Ok(sql[select..].to_owned())
}

/// What restricts a view to one account.
fn scope(view: &str, schema: &str, options: &SqlOptions) -> String {
    let Some(account) = options.account else { return String::new() };
    match view {
        "threads" => format!(
            "WHERE thread_id IN (SELECT m.thread FROM {schema}.messages m JOIN {schema}.placements p ON p.message = m.id
             JOIN {schema}.mailboxes b ON b.id = p.mailbox WHERE b.account = {account})"
        ),
        "attachments" => format!(
            "WHERE message IN (SELECT mail_short_id(m.hash) FROM {schema}.messages m
             JOIN {schema}.placements p ON p.message = m.id JOIN {schema}.mailboxes b ON b.id = p.mailbox
             WHERE b.account = {account})"
        ),
        _ => format!("WHERE address = (SELECT a.address FROM {schema}.accounts a WHERE a.id = {account})"),
    }
}

fn column_names(connection: &Connection, select: &str) -> Result<Vec<String>, rusqlite::Error> {
    let statement = connection.prepare(select)?;
    Ok(statement.column_names().map(str::to_owned).collect())
}

/// A column of a view's SELECT; contents are read by functions of this connection.
fn unpacked_column(view: &str, name: &str) -> String {
    let unpacked = Some(name).filter(|_| view == "emails").and_then(contents::expression);
    unpacked.map_or_else(|| format!("\"{name}\""), |expression| format!("{expression} AS \"{name}\""))
}

fn shown_column(name: &str, options: &SqlOptions) -> String {
    match name {
        "raw" | "encoded" if !options.raw => format!("NULL AS {name}"),
        _ => format!("\"{name}\""),
    }
}

fn name(action: &AuthAction<'_>) -> &'static str {
    match action {
        AuthAction::Insert { .. } => "INSERT",
        AuthAction::Update { .. } => "UPDATE",
        AuthAction::Delete { .. } => "DELETE",
        AuthAction::Pragma { .. } => "PRAGMA",
        AuthAction::Attach { .. } => "ATTACH",
        AuthAction::Detach { .. } => "DETACH",
        AuthAction::Transaction { .. } => "BEGIN, COMMIT and ROLLBACK",
        AuthAction::Savepoint { .. } => "SAVEPOINT",
        AuthAction::AlterTable { .. } => "ALTER",
        AuthAction::Reindex { .. } => "REINDEX",
        AuthAction::Analyze { .. } => "ANALYZE",
        AuthAction::DropTable { .. }
        | AuthAction::DropView { .. }
        | AuthAction::DropIndex { .. }
        | AuthAction::DropTrigger { .. }
        | AuthAction::DropVtable { .. } => "DROP",
        AuthAction::CreateTable { .. }
        | AuthAction::CreateView { .. }
        | AuthAction::CreateIndex { .. }
        | AuthAction::CreateTrigger { .. }
        | AuthAction::CreateTempTable { .. }
        | AuthAction::CreateTempView { .. }
        | AuthAction::CreateVtable { .. } => "CREATE",
        _ => "anything but SELECT",
    }
}
