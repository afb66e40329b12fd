//! Says how fresh the mail is.

use serde_json::{Value, json};

use crate::tools::core::object_schema;
use crate::tools::text::{fenced_server, server_words};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SYNC_STATUS: Tool = Tool {
    name: "sync_status",
    title: "Sync status",
    description: "Tell how fresh each account is and if all of it can be searched.",
    effect: Effect::Reads,
    arguments: &[],
    output,
    run,
};

fn output() -> Value {
    json!({
        "type": "object",
        "properties": {
            "items": { "type": "array", "items": object_schema(json!({
                "address": { "type": "string" }, "synced_at": { "type": "string" }, "problem": { "type": "string" },
            })) },
            "fully_indexed": { "type": "boolean" },
        },
        "required": ["items"],
    })
}

fn run(context: &mut ToolContext, _: &Arguments) -> Result<Reply, ToolError> {
    let accounts = context.archive()?.accounts()?;
    let indexed = !context.archive()?.is_behind()?;
    let synced =
        |account: &crate::query::AccountInfo| account.synced_at().unwrap_or_else(|| "never".to_owned());
    let lines: Vec<_> = accounts
        .iter()
        .map(|account| {
            let problem = account.problem.as_deref();
            let problem = problem.map(|text| format!("; the last sync failed:\n{}", fenced_server(text)));
            format!("{}: synced {}{}", account.address, synced(account), problem.unwrap_or_default())
        })
        .collect();
    let state = if indexed { "All mail can be searched." } else { "The newest mail is still being indexed." };
    let items: Vec<_> = accounts
        .iter()
        .map(|account| {
            let mut item =
                json!({ "address": account.address, "kind": account.kind, "synced_at": synced(account) });
            if let Some(problem) = &account.problem {
                item["problem"] = json!(server_words(problem));
            }
            item
        })
        .collect();
    let has_problem = accounts.iter().any(|account| account.problem.is_some());
    let reply = Reply::new(
        format!("{}\n{state}", lines.join("\n")),
        json!({ "items": items, "fully_indexed": indexed }),
    );
    Ok(if has_problem { reply.with_meta("untrusted", true) } else { reply })
}
