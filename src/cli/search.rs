//! `mailkeep search`: messages that match a query.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::{column, counted, grouped};
use crate::cli::output::Output;
use crate::cli::query_words::joined;
use crate::clock::Clock;
use crate::query::language::OPERATORS;
use crate::query::{Answer, Item, Page, Question, Sort};

/// Find messages
///
/// Words must all be there, in any form (meet finds meetings); "quoted words" exactly as written.
/// Best matches come first; pure filters list the newest first.
#[derive(Args)]
#[command(after_help = operators())]
pub(super) struct Arguments {
    /// Query; several words need no quotes
    query: Vec<String>,

    /// Only this account
    #[arg(long, value_name = "ADDRESS")]
    account: Option<String>,

    /// How to search
    #[arg(long, value_enum, default_value_t = Mode::Lexical)]
    mode: Mode,

    /// What comes first; without it the best for words, and the newest for filters
    #[arg(long, value_enum, value_name = "ORDER")]
    sort: Option<SortBy>,

    /// How many messages to show
    #[arg(long, default_value = "20", value_name = "N", value_parser = at_least_one)]
    limit: usize,

    /// How many to leave out first
    #[arg(long, default_value_t = 0, value_name = "N")]
    offset: usize,
}

/// More than there can ever be, and still a number that SQLite takes.
const MOST: usize = usize::MAX >> 2;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// By words
    Lexical,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SortBy {
    /// The newest
    Newest,
    /// The oldest
    Oldest,
    /// The best match
    Relevance,
}

impl From<SortBy> for Sort {
    fn from(by: SortBy) -> Self {
        match by {
            SortBy::Newest => Self::Newest,
            SortBy::Oldest => Self::Oldest,
            SortBy::Relevance => Self::Relevance,
        }
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "give a number of at least 1".to_owned())
}

/// The day on the person's calendar, which is the one that `on:` and `after:` go by.
pub(super) fn local_day(date: &str, clock: &Clock) -> String {
    let moment = date.parse::<jiff::Timestamp>().unwrap_or_default();
    moment.to_zoned(clock.zone().clone()).date().to_string()
}

fn operators() -> String {
    let lines =
        OPERATORS.iter().map(|operator| format!("  {}  {}", column(operator.example, 28), operator.summary));
    format!(
        "Operators (quote the query in a shell when it holds quotes or parentheses):\n{}\n\n\
         Example: mailkeep search invoice from:northwind after:2025-01-01 has:attachment",
        lines.collect::<Vec<_>>().join("\n")
    )
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let Mode::Lexical = arguments.mode;
    let mut archive = context.archive()?;
    let page = Page { limit: arguments.limit.min(MOST), offset: arguments.offset.min(MOST) };
    let query = joined(&arguments.query);
    let answer = archive.search(&Question {
        text: &query,
        account: arguments.account.as_deref(),
        sort: arguments.sort.map(Into::into),
        page,
    })?;
    if answer.not_indexed > 0 {
        let waiting = i64::try_from(answer.not_indexed).unwrap_or(i64::MAX);
        let text = format!(
            "{} not indexed yet; `mailkeep reindex --only-new` does it now",
            counted(waiting, "message")
        );
        context.output.note(&text);
    }
    answer.notes.iter().for_each(|note| context.output.note(note));
    if context.output.is_json() {
        context.output.json(&answer)?;
    } else {
        print(&answer, page, context)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints an answer for a person.
pub(super) fn print(answer: &Answer, page: Page, context: &mut Context) -> Result<(), Failure> {
    let total = i64::try_from(answer.total).unwrap_or(i64::MAX);
    let Context { output: out, clock, .. } = context;
    if answer.results.is_empty() {
        let what = match total {
            0 => "no messages match".to_owned(),
            _ => format!("nothing more: there are only {}", counted(total, "message")),
        };
        out.line(what)?;
        return Ok(());
    }
    for item in &answer.results {
        print_item(item, clock, out)?;
    }
    let dim = anstyle::Style::new().dimmed();
    let last = page.offset + answer.results.len();
    let shown = format!("{} to {last} of {}", page.offset + 1, grouped(total));
    out.line(format!("{dim}{shown}, {:.1} ms{dim:#}", answer.took_ms))?;
    if (last as u64) < answer.total {
        out.line(format!("{dim}next page: add --offset {last}{dim:#}"))?;
    }
    Ok(())
}

fn print_item(item: &Item, clock: &Clock, out: &mut Output) -> Result<(), Failure> {
    let (bold, dim) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
    let subject = if item.subject.is_empty() { "(no subject)" } else { &item.subject };
    let date = local_day(&item.date, clock);
    let gone = if item.gone.is_some() { format!("  {dim}(gone){dim:#}") } else { String::new() };
    out.line(format!("{date}  {}  {bold}{subject}{bold:#}{gone}", column(&item.from, 30)))?;
    out.line(format!("{dim}{}{dim:#}  {}", item.id, item.snippet))?;
    Ok(())
}
