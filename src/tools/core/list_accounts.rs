//! Lists the accounts and their mailboxes.

use serde_json::{Value, json};

use crate::query::{AccountInfo, Page};
use crate::tools::core::{ACCOUNT, CURSOR, object_schema, page, with_next};
use crate::tools::text::{WINDOW, length, name};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const LIST_ACCOUNTS: Tool = Tool {
    name: "list_accounts",
    title: "List accounts",
    description: "List accounts, mailboxes with counts, and labels.",
    effect: Effect::Reads,
    arguments: &[ACCOUNT, CURSOR],
    output,
    run,
};

/// An account may have hundreds of mailboxes and labels; this many of each are told at once.
const MOST_NAMES: usize = 100;

fn output() -> Value {
    json!({
        "type": "object",
        "properties": { "next_cursor": { "type": "string" }, "items": { "type": "array", "items": object_schema(json!({
            "address": { "type": "string" }, "kind": { "type": "string" }, "synced_at": { "type": "string" },
            "mailboxes": { "type": "array", "items": { "type": "object" } },
            "labels": { "type": "array", "items": { "type": "string" } },
        })) } },
        "required": ["items"],
    })
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let scope = context.account_scope(arguments.text(&ACCOUNT))?;
    let mut page = page(arguments, MOST_NAMES)?;
    loop {
        let (reply, more) = told(context, &scope.accounts, page)?;
        if page.limit == 1 || length(&reply.text, &reply.structured) <= WINDOW {
            return Ok(with_next(reply, more.then_some(page.offset + page.limit)));
        }
        // Names may be long.
        page.limit /= 2;
    }
}

/// What a page tells of all accounts, and whether there is more of any.
fn told(context: &mut ToolContext, accounts: &[AccountInfo], page: Page) -> Result<(Reply, bool), ToolError> {
    let (mut texts, mut items, mut more) = (Vec::new(), Vec::new(), false);
    for account in accounts {
        let told = Told::read(context, account, page)?;
        texts.push(told.text(account));
        items.push(told.data(account));
        more |= told.more;
    }
    Ok((Reply::new(texts.join("\n"), json!({ "items": items })), more))
}

/// The mailboxes and labels of one account that a page tells.
struct Told {
    mailboxes: Vec<Value>,
    labels: Vec<String>,
    more: bool,
}

impl Told {
    fn read(context: &mut ToolContext, account: &AccountInfo, page: Page) -> Result<Self, ToolError> {
        let archive = context.archive()?;
        let (mailboxes, labels) = (archive.mailboxes_of(account.key)?, archive.labels_of(account.key)?);
        let more = mailboxes.len().max(labels.len()) > page.offset + page.limit;
        let mailboxes =
            mailboxes.iter().skip(page.offset).take(page.limit).map(
                |b| json!({ "name": name(&b.name), "role": b.role, "count": b.count, "unread": b.unread }),
            );
        let labels = labels.iter().skip(page.offset).take(page.limit).map(|label| name(label));
        Ok(Self { mailboxes: mailboxes.collect(), labels: labels.collect(), more })
    }

    fn text(&self, account: &AccountInfo) -> String {
        let line = |b: &Value| {
            let mailbox = b["name"].as_str().unwrap_or_default();
            format!("- {mailbox} ({} emails, {} unread)", b["count"], b["unread"])
        };
        let lines: Vec<_> = self.mailboxes.iter().map(line).collect();
        format!(
            "Account: {}\nKind: {}\nSynced: {}\nMailboxes:\n{}\nLabels: {}\n---",
            account.address,
            account.kind,
            account.synced_at().as_deref().unwrap_or("never"),
            lines.join("\n"),
            self.labels.join(", ")
        )
    }

    fn data(&self, account: &AccountInfo) -> Value {
        json!({
            "address": account.address, "kind": account.kind,
            "synced_at": account.synced_at().unwrap_or_default(), "mailboxes": self.mailboxes,
            "labels": self.labels,
        })
    }
}
