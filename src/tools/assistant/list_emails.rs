//! Lists emails with optional filters.

use serde_json::{Value, json};

use crate::query::{Browse, Page};
use crate::tools::assistant::ACCOUNT;
use crate::tools::drafting;
use crate::tools::text::{fitting, list_entry, sender, summaries_schema};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const FOLDER: Argument = Argument::text(
    "folder",
    "Folder (inbox, sent, drafts, trash, spam, starred); left out: all but drafts, trash and spam",
)
.like("inbox");
const UNREAD_ONLY: Argument = Argument::flag("unread_only", "Only return unread");
const LIMIT: Argument =
    Argument::number("limit", 1, 100, "Max results (default 20, max 100)").or(20).clamped();
const SENDER: Argument = Argument::text("sender", "Filter by sender email");

pub(super) const LIST_EMAILS: Tool = Tool {
    name: "list_emails",
    title: "List emails",
    description: "List emails with optional filters, newest first",
    effect: Effect::Reads,
    arguments: &[ACCOUNT, FOLDER, UNREAD_ONLY, LIMIT, SENDER],
    output: summaries_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let account = context.account(arguments.text(&ACCOUNT))?;
    let browse = Browse {
        account: Some(account.key),
        folder: arguments.text(&FOLDER).map(str::to_owned),
        unread: arguments.flag(&UNREAD_ONLY),
        sender: arguments.text(&SENDER).map(str::to_owned),
    };
    let page = Page { limit: arguments.count(&LIMIT), offset: 0 };
    let listing = drafting::browse(context, Some(&account.address), &browse, page)?;
    let (texts, items) = fitting(listing.items.iter().map(|item| (list_entry(item, ""), short_json(item))));
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
