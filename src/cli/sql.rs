//! `mailkeep sql`: one SELECT over the public views, as a table or as JSON.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::Value;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::column;
use crate::query::{QueryError, SqlAnswer, SqlOptions};
use crate::text_safety::one_line;

/// The widest a column is shown.
const WIDEST: usize = 60;

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
    let rows: Vec<Vec<String>> = answer.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    let widths: Vec<usize> =
        (0..answer.columns.len()).map(|at| width(&answer.columns[at], &rows, at)).collect();
    let bold = anstyle::Style::new().bold();
    let names: Vec<String> = answer.columns.iter().map(|name| one_line(name)).collect();
    context.output.line(format!("{bold}{}{bold:#}", line(&names, &widths)))?;
    for row in &rows {
        context.output.line(line(row, &widths))?;
    }
    if answer.truncated {
        context.output.note(&format!("there are more rows than {}; `--limit` shows more", rows.len()));
    }
    Ok(())
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        value => match SqlAnswer::shown(value) {
            Some(text) => one_line(&text.chars().take(4 * WIDEST).collect::<String>()),
            None => value.to_string(),
        },
    }
}

fn width(name: &str, rows: &[Vec<String>], at: usize) -> usize {
    let longest = rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    longest.max(name.chars().count()).min(WIDEST)
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let cells: Vec<_> = cells.iter().zip(widths).map(|(text, width)| column(text, *width)).collect();
    cells.join("  ").trim_end().to_owned()
}
