//! Lists messages, newest first.

use serde_json::json;

use crate::query::Browse;
use crate::tools::core::{ACCOUNT, CURSOR, FORMAT, is_detailed, page, with_freshness};
use crate::tools::drafting;
use crate::tools::text::{fitting, list_entry, summaries_schema, summary_json, with_withheld};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const LIST_EMAILS: Tool = Tool {
    name: "list_emails",
    title: "List emails",
    description: "List the newest emails of a folder, without bodies.",
    effect: Effect::Reads,
    arguments: &[
        ACCOUNT,
        Argument::text("folder", "inbox, sent, drafts, trash, spam, starred, a mailbox.").like("inbox"),
        Argument::flag("unread_only", "Only unread."),
        Argument::text("sender", "Address or name."),
        Argument::number("limit", 1, 100, "How many.").or(20),
        CURSOR,
        FORMAT,
    ],
    output: summaries_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let account = context.account(arguments)?;
    let page = page(arguments)?;
    let browse = Browse {
        account: account.key,
        folder: arguments.text("folder").map(str::to_owned),
        unread: arguments.flag("unread_only"),
        sender: arguments.text("sender").map(str::to_owned),
    };
    let listing = drafting::browse(context, &account, &browse, page)?;
    let detailed = is_detailed(arguments);
    let (texts, items) =
        fitting(listing.items.iter().map(|item| (list_entry(item), summary_json(item, detailed))));
    let shown = texts.len();
    let mut structured = json!({ "items": items });
    let mut text = format!("Found {shown} emails:\n\n{}", texts.join("\n"));
    if listing.more || shown < listing.items.len() {
        let cursor = (page.offset + shown).to_string();
        text.push_str(&format!("\n\nMore: call again with cursor \"{cursor}\"."));
        structured["next_cursor"] = json!(cursor);
    }
    let reply = with_withheld(Reply::new(text, structured), listing.withheld);
    Ok(with_freshness(reply, context, Some(&account)))
}
