//! `mailkeep search`: messages that match a query.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted_are;
use crate::cli::query_words::joined;
use crate::cli::{help_table, message_list, search_json};
use crate::query::Page;
use crate::query::language::OPERATORS;
use crate::query::{Mode, Question, Sort};

/// Find messages
///
/// Words in any form (meet finds meetings); "quoted words" exactly as written. What has all words comes first, then,
/// where that is less than a page, what has some of them, marked. Pure filters list the newest first.
#[derive(Args)]
#[command(after_help = operators())]
pub(super) struct Arguments {
    /// Query; several words need no quotes
    query: Vec<String>,

    /// Only this account
    #[arg(long, value_name = "ADDRESS")]
    account: Option<String>,

    /// How to search; without it by both for questions in words, once nine of ten messages are indexed by meaning
    #[arg(long, value_enum, value_name = "MODE")]
    mode: Option<By>,

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
enum By {
    /// By words
    Lexical,
    /// By meaning
    Semantic,
    /// By both
    Hybrid,
}

impl From<By> for Mode {
    fn from(by: By) -> Self {
        match by {
            By::Lexical => Self::Lexical,
            By::Semantic => Self::Semantic,
            By::Hybrid => Self::Hybrid,
        }
    }
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

fn operators() -> String {
    let rows = OPERATORS.iter().map(|operator| (operator.example, operator.summary));
    format!(
        "Operators (quote the query in a shell when it holds quotes or parentheses):\n{}\n\n\
         Example: mailkeep search invoice from:northwind after:2025-01-01 has:attachment",
        help_table::table(rows, 26)
    )
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let mut archive = context.archive()?;
    let page = Page { limit: arguments.limit.min(MOST), offset: arguments.offset.min(MOST) };
    let query = joined(&arguments.query);
    let answer = archive.search(&Question {
        mode: arguments.mode.map(Into::into),
        sort: arguments.sort.map(Into::into),
        ..Question::of(&query, page).within(arguments.account.as_deref())
    })?;
    if answer.not_indexed > 0 {
        let waiting = counted_are(answer.not_indexed, "message");
        context.output.note(&format!("{waiting} not indexed yet; `mailkeep reindex --only-new` does it now"));
    }
    answer.notes.iter().for_each(|note| context.output.note(note));
    if context.output.is_json() {
        context.output.json(&search_json::answer(&query, &answer))?;
    } else {
        context.output.page();
        message_list::print(&answer, page, context)?;
    }
    Ok(ExitCode::SUCCESS)
}
