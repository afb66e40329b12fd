//! Lists emails with optional filters.

use serde_json::{Value, json};

use crate::query::{Browse, Page};
use crate::tools::assistant::ACCOUNT;
use crate::tools::drafting;
use crate::tools::text::{fitting, list_entry, sender, summaries_schema};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const LIST_EMAILS: Tool = Tool {
    name: "list_emails",
    title: "List emails",
    description: "List emails with optional filters, newest first",
    effect: Effect::Reads,
    arguments: &[
        ACCOUNT,
        Argument::text("folder", "Folder (inbox, sent, drafts, trash, spam, starred)").like("inbox"),
        Argument::flag("unread_only", "Only return unread"),
        Argument::number("limit", 1, 100, "Max results (default 20, max 100)").or(20),
        Argument::text("sender", "Filter by sender email"),
    ],
    output: summaries_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let account = context.account(arguments)?;
    let browse = Browse {
        account: account.key,
        folder: arguments.text("folder").map(str::to_owned),
        unread: arguments.flag("unread_only"),
        sender: arguments.text("sender").map(str::to_owned),
    };
    let page = Page { limit: arguments.count("limit"), offset: 0 };
    let listing = drafting::browse(context, &account, &browse, page)?;
    let (texts, items) = fitting(listing.items.iter().map(|item| (list_entry(item), short_json(item))));
    let text = format!("Found {} emails:\n\n{}", texts.len(), texts.join("\n"));
    Ok(Reply::new(text, json!({ "items": items })).with_meta("withheld", listing.withheld))
}

/// A message in a list as data, without what the text does not say either: a hundred of them must fit.
fn short_json(item: &crate::query::Summary) -> Value {
    json!({
        "id": item.id,
        "subject": crate::tools::text::shortened(&item.subject, 300),
        "sender": sender(&item.name, &item.address),
        "date": item.date,
        "unread": item.unread,
        "starred": item.starred,
    })
}
