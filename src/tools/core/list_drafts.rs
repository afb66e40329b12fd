//! Lists the drafts that wait for the person.

use serde_json::{Value, json};

use crate::query::{DraftItem, Page};
use crate::tools::core::{ACCOUNT, CURSOR, page};
use crate::tools::drafting::{draft_json, draft_schema};
use crate::tools::text::{fenced_server, fitting, people, shortened};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const LIST_DRAFTS: Tool = Tool {
    name: "list_drafts",
    title: "List drafts",
    description: "List drafts that wait for the user, newest first.",
    effect: Effect::Reads,
    arguments: &[ACCOUNT, CURSOR],
    output,
    run,
};

/// Drafts on one page.
const PAGE: usize = 20;

fn output() -> Value {
    json!({
        "type": "object",
        "properties": {
            "items": { "type": "array", "items": draft_schema() },
            "total": { "type": "integer" }, "next_cursor": { "type": "string" },
        },
        "required": ["items"],
    })
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let account = arguments.text("account").map(|_| context.account(arguments)).transpose()?;
    let page = Page { limit: PAGE, ..page(arguments)? };
    let address = account.as_ref().map(|account| account.address.as_str());
    let drafts = context.archive()?.drafts(address, page)?;
    let (texts, items) = fitting(drafts.items.iter().map(|draft| (entry(draft), draft_json(draft, 2_000))));
    let shown = texts.len();
    let mut text = format!("Found {shown} drafts:\n\n{}", texts.join("\n"));
    let mut structured = json!({ "items": items, "total": drafts.total });
    if ((page.offset + shown) as u64) < drafts.total {
        let cursor = (page.offset + shown).to_string();
        text.push_str(&format!("\n\nMore: call again with cursor \"{cursor}\"."));
        structured["next_cursor"] = json!(cursor);
    }
    Ok(Reply::new(text, structured))
}

fn entry(draft: &DraftItem) -> String {
    let problem =
        draft.problem.as_ref().map(|text| format!("Problem:\n{}\n", fenced_server(text))).unwrap_or_default();
    format!(
        "Draft ID: {}\nAccount: {}\nTo: {}\nSubject: {}\nUpdated: {}\nState: {}\n{problem}---",
        draft.id,
        draft.account,
        people(&draft.to),
        shortened(&draft.subject, 300),
        draft.updated,
        draft.state
    )
}
