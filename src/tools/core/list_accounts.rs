//! Lists the accounts and their mailboxes.

use serde_json::{Value, json};

use crate::tools::core::object_schema;
use crate::tools::text::server_words;
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const LIST_ACCOUNTS: Tool = Tool {
    name: "list_accounts",
    title: "List accounts",
    description: "List accounts, mailboxes with counts, and labels.",
    effect: Effect::Reads,
    arguments: &[],
    output,
    run,
};

/// An account may have hundreds of mailboxes; this many are told.
const MOST_NAMES: usize = 100;

fn output() -> Value {
    json!({
        "type": "object",
        "properties": { "items": { "type": "array", "items": object_schema(json!({
            "address": { "type": "string" }, "kind": { "type": "string" }, "synced_at": { "type": "string" },
            "mailboxes": { "type": "array", "items": { "type": "object" } },
            "labels": { "type": "array", "items": { "type": "string" } },
        })) } },
        "required": ["items"],
    })
}

fn run(context: &mut ToolContext, _: &Arguments) -> Result<Reply, ToolError> {
    let archive = context.archive()?;
    let (mut texts, mut items) = (Vec::new(), Vec::new());
    for account in archive.accounts()? {
        let mailboxes = archive.mailboxes_of(account.key)?;
        let labels = archive.labels_of(account.key)?;
        let lines: Vec<_> = mailboxes
            .iter()
            .take(MOST_NAMES)
            .map(|mailbox| {
                let name = server_words(&mailbox.name);
                format!("- {name} ({} emails, {} unread)", mailbox.count, mailbox.unread)
            })
            .collect();
        let shown_labels: Vec<_> = labels.iter().take(MOST_NAMES).map(|name| server_words(name)).collect();
        let synced_at = account.synced_at();
        texts.push(format!(
            "Account: {}\nKind: {}\nSynced: {}\nMailboxes:\n{}\nLabels: {}\n---",
            account.address,
            account.kind,
            synced_at.as_deref().unwrap_or("never"),
            lines.join("\n"),
            shown_labels.join(", ")
        ));
        let mailboxes: Vec<_> = mailboxes
            .iter()
            .take(MOST_NAMES)
            .map(|b| json!({ "name": server_words(&b.name), "role": b.role, "count": b.count, "unread": b.unread }))
            .collect();
        items.push(json!({
            "address": account.address, "kind": account.kind, "synced_at": synced_at.unwrap_or_default(),
            "mailboxes": mailboxes, "labels": shown_labels,
        }));
    }
    Ok(Reply::new(texts.join("\n"), json!({ "items": items })))
}
