//! Lists messages, newest first.

use serde_json::json;

use crate::query::Browse;
use crate::tools::core::{ACCOUNT, CURSOR, FORMAT, is_detailed, limit, page, with_freshness, with_next};
use crate::tools::drafting;
use crate::tools::text::{fitting, list_entry, place_lines, placed_json, summaries_schema, with_withheld};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const FOLDER: Argument = Argument::text(
    "folder",
    "inbox, sent, drafts, trash, spam, starred, gone or a mailbox; default: all but drafts, trash, spam.",
)
.like("inbox");
const UNREAD_ONLY: Argument = Argument::flag("unread_only", "");
const SENDER: Argument = Argument::text("sender", "Address or part of the name.");
const LIMIT: Argument = limit(100);

pub(super) const LIST_EMAILS: Tool = Tool {
    name: "list_emails",
    title: "List emails",
    description: "List the newest emails of all accounts or one, without bodies.",
    effect: Effect::Reads,
    arguments: &[ACCOUNT, FOLDER, UNREAD_ONLY, SENDER, LIMIT, CURSOR, FORMAT],
    output: summaries_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let scope = context.account_scope(arguments.text(&ACCOUNT))?;
    let page = page(arguments, arguments.count(&LIMIT))?;
    let browse = Browse {
        account: scope.key(),
        folder: arguments.text(&FOLDER).map(str::to_owned),
        unread: arguments.flag(&UNREAD_ONLY),
        sender: arguments.text(&SENDER).map(str::to_owned),
    };
    let listing = drafting::browse(context, scope.address(), &browse, page)?;
    let (detailed, several) = (is_detailed(arguments), scope.is_several());
    let entries = listing
        .items
        .iter()
        .map(|item| (list_entry(item, &place_lines(item, several)), placed_json(item, detailed)));
    let (texts, items) = fitting(entries);
    let shown = texts.len();
    let more = listing.more || shown < listing.items.len();
    let text = format!("Found {shown} emails:\n\n{}", texts.join("\n"));
    let reply = with_next(Reply::new(text, json!({ "items": items })), more.then(|| page.offset + shown));
    Ok(with_freshness(with_withheld(reply, listing.withheld), context, &scope.accounts))
}
