//! Searches emails.

use serde_json::json;

use crate::query::{Page, Question};
use crate::tools::assistant::ACCOUNT;
use crate::tools::text::{fitting, search_entry, summaries_schema, summary_json};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SEARCH_EMAILS: Tool = Tool {
    name: "search_emails",
    title: "Search emails",
    description: "Search emails by query: words, \"phrases\", from: to: subject: is:unread has:attachment before: after:",
    effect: Effect::Reads,
    arguments: &[
        Argument::text("query", "What to search for").required().like("invoice"),
        ACCOUNT,
        Argument::number("limit", 1, 50, "Max results (default 20, max 50)").or(20),
    ],
    output: summaries_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let query = arguments.required("query")?.to_owned();
    let account = context.account(arguments)?;
    let page = Page { limit: arguments.count("limit"), offset: 0 };
    let archive = context.archive()?;
    let found =
        archive.matches(&Question { account: Some(&account.address), ..Question::of(&query, page) })?;
    let (texts, items) =
        fitting(found.listing.items.iter().map(|item| (search_entry(item), summary_json(item, false))));
    let shown_query = crate::text_safety::one_line(&query);
    let text =
        format!("Search results for \"{shown_query}\": {} emails\n\n{}", texts.len(), texts.join("\n"));
    Ok(Reply::new(text, json!({ "items": items, "total": found.total }))
        .with_meta("withheld", found.listing.withheld))
}
