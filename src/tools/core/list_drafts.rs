//! Lists the drafts that wait for the person.

use serde_json::{Value, json};

use crate::query::DraftItem;
use crate::tools::core::{ACCOUNT, CURSOR, limit, page, with_next};
use crate::tools::drafting::{draft_json, draft_schema};
use crate::tools::text::{fenced_server, fitting, people, shortened};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const LIMIT: Argument = limit(100);

pub(super) const LIST_DRAFTS: Tool = Tool {
    name: "list_drafts",
    title: "List drafts",
    description: "List drafts that wait for the user, newest first.",
    effect: Effect::Reads,
    arguments: &[ACCOUNT, LIMIT, CURSOR],
    output,
    run,
};

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
    let scope = context.account_scope(arguments.text(&ACCOUNT))?;
    let page = page(arguments, arguments.count(&LIMIT))?;
    let drafts = context.archive()?.drafts(scope.address(), page)?;
    let (texts, items) = fitting(drafts.items.iter().map(|draft| (entry(draft), draft_json(draft, 2_000))));
    let shown = texts.len();
    let text = format!("Found {shown} drafts:\n\n{}", texts.join("\n"));
    let end = page.offset + shown;
    let more = (end as u64) < drafts.total && shown > 0;
    let reply = Reply::new(text, json!({ "items": items, "total": drafts.total }));
    Ok(with_next(reply, more.then_some(end)))
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
