//! `mailkeep sql`: one SELECT over the public views, as a table or as JSON.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::Value;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;
use crate::cli::layout::{column, cut, fitted, width};
use crate::cli::output::Output;
use crate::query::{QueryError, SqlAnswer, SqlOptions};
use crate::text_safety::one_line;

/// A table whose columns would be narrower than this is no table.
const LEAST_COLUMNS: usize = 10;

/// Ask in SQL: one SELECT over emails, threads, attachments, labels, daily_counts
#[derive(Args)]
#[command(
    after_help = "Example: mailkeep sql \"SELECT from_domain, count(*) AS n FROM emails GROUP BY 1 ORDER BY n DESC\"
The columns are listed in docs/sql.md; nothing can be changed."
)]
pub(super) struct Arguments {
    /// The statement
    #[arg(value_name = "SELECT", required = true)]
    statement: Vec<String>,

    /// Show at most this many rows
    #[arg(long, default_value_t = 1000, value_name = "N")]
    limit: usize,

    /// Stop after this many seconds, 30 at most
    #[arg(long, default_value_t = 5, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=30))]
    timeout: u64,

    /// Only the mail of this account
    #[arg(long, value_name = "ADDRESS")]
    account: Option<String>,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let archive = context.archive()?;
    let account = arguments.account.as_deref().map(|address| archive.account(address)).transpose()?;
    let mut sql = archive.guarded_sql(&SqlOptions::for_person(account))?;
    let time = Duration::from_secs(arguments.timeout);
    let answer = sql.run(&arguments.statement.join(" "), arguments.limit, time).map_err(QueryError::from)?;
    if context.output.is_json() {
        context.output.json(&answer)?;
    } else {
        print(&answer, context)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(answer: &SqlAnswer, context: &mut Context) -> Result<(), Failure> {
    let names: Vec<String> = answer.columns.iter().map(|name| one_line(name)).collect();
    let rows: Vec<Vec<String>> = answer.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    let out = &mut context.output;
    out.page();
    match out.columns().filter(|columns| names.len() * LEAST_COLUMNS > *columns) {
        Some(columns) => print_records(&names, &rows, columns, out)?,
        None => print_table(&names, &rows, out)?,
    }
    if answer.truncated {
        out.note(&format!("there are more than {}; `--limit` shows more", counted(rows.len(), "row")));
    }
    Ok(())
}

fn print_table(names: &[String], rows: &[Vec<String>], out: &mut Output) -> Result<(), Failure> {
    let longest =
        |at: usize| rows.iter().map(|row| width(&row[at])).max().unwrap_or(0).max(width(&names[at]));
    let widths = fitted((0..names.len()).map(longest).collect(), out.columns());
    let bold = anstyle::Style::new().bold();
    out.put(&format!("{bold}{}{bold:#}", line(names, &widths)))?;
    Ok(rows.iter().try_for_each(|row| out.put(&line(row, &widths)))?)
}

/// Each value on a line of its own, where so many columns have no room beside each other.
fn print_records(
    names: &[String],
    rows: &[Vec<String>],
    columns: usize,
    out: &mut Output,
) -> Result<(), Failure> {
    let longest = names.iter().map(|name| width(name)).max().unwrap_or(0).min(columns / 2);
    let bold = anstyle::Style::new().bold();
    for (number, row) in rows.iter().enumerate() {
        if number > 0 {
            out.put("")?;
        }
        for (name, value) in names.iter().zip(row) {
            let value = cut(value, columns - longest - 2);
            out.put(format!("{bold}{}{bold:#}  {value}", column(name, longest)).trim_end())?;
        }
    }
    Ok(())
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        value => match SqlAnswer::shown(value) {
            Some(text) => one_line(text),
            None => value.to_string(),
        },
    }
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let cells: Vec<_> = cells.iter().zip(widths).map(|(text, width)| column(text, *width)).collect();
    cells.join("  ").trim_end().to_owned()
}
