//! Searches with the search language.

use serde_json::json;

use crate::query::{Question, Sort};
use crate::tools::core::{ACCOUNT, CURSOR, FORMAT, is_detailed, limit, page, with_freshness, with_next};
use crate::tools::text::{
    fitting, place_lines, placed_json, search_entry, summaries_schema, with_notes, with_withheld,
};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const QUERY: Argument = Argument::text("query", "").required().like("invoice from:ada");
const LIMIT: Argument = limit(50);
const SORT: Argument = Argument::one_of(
    "sort",
    &["relevance", "newest", "oldest"],
    "Left out: best match for words, else newest.",
);

pub(super) const SEARCH_EMAILS: Tool = Tool {
    name: "search_emails",
    title: "Search emails",
    description: "Search all mail: words are ANDed, \"phrases\", OR, -word, from:ada from:me to: subject: account: label: in:inbox is:unread is:starred has:attachment filename: type:pdf attachment:WORD (text inside files) list: before: after:2025-01-31 newer_than:7d larger:2M.",
    effect: Effect::Reads,
    arguments: &[QUERY, SORT, ACCOUNT, LIMIT, CURSOR, FORMAT],
    output: summaries_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let query = arguments.required(&QUERY)?;
    let scope = context.account_scope(arguments.text(&ACCOUNT))?;
    let page = page(arguments, arguments.count(&LIMIT))?;
    let archive = context.archive()?;
    let question = Question { account: scope.address(), sort: sort(arguments), ..Question::of(query, page) };
    let found = archive.matches(&question)?;
    let (detailed, several) = (is_detailed(arguments), scope.is_several());
    let entries = found
        .listing
        .items
        .iter()
        .map(|item| (search_entry(item, &place_lines(item, several)), placed_json(item, detailed)));
    let (texts, items) = fitting(entries);
    let shown = texts.len();
    let shown_query = crate::text_safety::one_line(query);
    let mut text = format!("Search results for \"{shown_query}\": {shown} emails\n\n{}", texts.join("\n"));
    let more = found.listing.more || shown < found.listing.items.len();
    if more {
        text.push_str(&format!("\n\n{} match.", found.total));
    }
    if found.not_indexed > 0 {
        text.push_str(&format!(
            "\n\n{} new emails cannot be searched by their words yet.",
            found.not_indexed
        ));
    }
    let reply = Reply::new(text, json!({ "items": items, "total": found.total }));
    let reply = with_notes(with_next(reply, more.then(|| page.offset + shown)), &found.notes);
    Ok(with_freshness(with_withheld(reply, found.listing.withheld), context, &scope.accounts))
}

fn sort(arguments: &Arguments) -> Option<Sort> {
    match arguments.text(&SORT)? {
        "newest" => Some(Sort::Newest),
        "oldest" => Some(Sort::Oldest),
        _ => Some(Sort::Relevance),
    }
}
