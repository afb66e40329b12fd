//! Searches with the search language.

use serde_json::json;

use crate::query::Question;
use crate::tools::core::{ACCOUNT, CURSOR, FORMAT, is_detailed, page, with_freshness};
use crate::tools::text::{fitting, search_entry, summaries_schema, summary_json, with_withheld};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SEARCH_EMAILS: Tool = Tool {
    name: "search_emails",
    title: "Search emails",
    description: "Search all mail: words are ANDed, \"phrases\", OR, -word, from: to: subject: label: in: is:unread has:attachment before: after:2025-01-31 newer_than:7d. Best match first.",
    effect: Effect::Reads,
    arguments: &[
        Argument::text("query", "What to look for.").required().like("invoice from:ada"),
        ACCOUNT,
        Argument::number("limit", 1, 50, "How many.").or(20),
        CURSOR,
        FORMAT,
    ],
    output: summaries_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let query = arguments.required("query")?.to_owned();
    let account = context.account(arguments)?;
    let page = page(arguments)?;
    let archive = context.archive()?;
    let found =
        archive.matches(&Question { account: Some(&account.address), ..Question::of(&query, page) })?;
    let detailed = is_detailed(arguments);
    let (texts, items) =
        fitting(found.listing.items.iter().map(|item| (search_entry(item), summary_json(item, detailed))));
    let shown = texts.len();
    let mut structured = json!({ "items": items, "total": found.total });
    let shown_query = crate::text_safety::one_line(&query);
    let mut text = format!("Search results for \"{shown_query}\": {shown} emails\n\n{}", texts.join("\n"));
    if found.listing.more || shown < found.listing.items.len() {
        let cursor = (page.offset + shown).to_string();
        text.push_str(&format!("\n\n{} match; more: call again with cursor \"{cursor}\".", found.total));
        structured["next_cursor"] = json!(cursor);
    }
    if found.not_indexed > 0 {
        text.push_str(&format!(
            "\n\n{} new emails cannot be searched by their words yet.",
            found.not_indexed
        ));
    }
    let reply = with_withheld(Reply::new(text, structured), found.listing.withheld);
    Ok(with_freshness(reply, context, Some(&account)))
}
