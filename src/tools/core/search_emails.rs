//! Searches with the search language.

use crate::query::{Mode, Question, Sort};
use crate::text_safety::one_line;
use crate::tools::core::{ACCOUNT, CURSOR, FORMAT, found_reply, is_detailed, limit, page, with_freshness};
use crate::tools::text::{found_schema, place_lines, placed_json, search_entry, shortened, with_withheld};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const QUERY: Argument = Argument::text("query", "").required().like("invoice from:ada");
const LIMIT: Argument = limit(50);
const SORT: Argument = Argument::one_of(
    "sort",
    &["relevance", "newest", "oldest"],
    "Left out: best match for words, else newest.",
);
const MODE: Argument =
    Argument::one_of("mode", &["lexical", "semantic", "hybrid"], "By words, meaning or both.");

pub(super) const SEARCH_EMAILS: Tool = Tool {
    name: "search_emails",
    title: "Search emails",
    description: "Search all mail: full matches first, then partial ones, marked; \"phrases\", OR, -word, from:ada from:me to: subject: account: label: in:inbox is:unread is:starred has:attachment filename: type:pdf attachment:WORD (text inside files) list: before: after:2025-01-31 newer_than:7d larger:2M.",
    effect: Effect::Reads,
    arguments: &[QUERY, MODE, SORT, ACCOUNT, LIMIT, CURSOR, FORMAT],
    output: found_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let query = arguments.required(&QUERY)?;
    let scope = context.account_scope(arguments.text(&ACCOUNT))?;
    let page = page(arguments, arguments.count(&LIMIT))?;
    let detailed = is_detailed(arguments);
    let question = Question {
        mode: mode(arguments),
        sort: sort(arguments),
        passages: detailed,
        ..Question::of(query, page).within(scope.address())
    };
    let found = context.archive()?.search(&question)?;
    let shown_query = shortened(&one_line(query), 300);
    let reply = found_reply(&format!("Search results for \"{shown_query}\""), &found, page.offset, |item| {
        let snippet = if detailed { 320 } else { 100 };
        (search_entry(item, snippet, &place_lines(item, scope.is_several())), placed_json(item, detailed))
    });
    Ok(with_freshness(with_withheld(reply, found.withheld), context, &scope.accounts))
}

fn mode(arguments: &Arguments) -> Option<Mode> {
    match arguments.text(&MODE)? {
        "lexical" => Some(Mode::Lexical),
        "semantic" => Some(Mode::Semantic),
        _ => Some(Mode::Hybrid),
    }
}

fn sort(arguments: &Arguments) -> Option<Sort> {
    match arguments.text(&SORT)? {
        "newest" => Some(Sort::Newest),
        "oldest" => Some(Sort::Oldest),
        _ => Some(Sort::Relevance),
    }
}
