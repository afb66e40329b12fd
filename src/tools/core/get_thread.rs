//! A conversation as a digest: what each author added, oldest first.

use serde_json::{Value, json};

use crate::model::MessageKey;
use crate::query::{AccountInfo, Summary, new_text};
use crate::text_safety::{brief, many_lines};
use crate::tools::core::{ACCOUNT, CURSOR, find_message, object_schema, page, with_freshness, with_next};
use crate::tools::drafting::copy_keys;
use crate::tools::text::{fenced, fitting, sender, shortened};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const THREAD_ID: Argument =
    Argument::text("thread_id", "Thread ID or any email's ID.").required().like("t42");
const LIMIT: Argument = Argument::number("limit", 1, 200, "").or(100).clamped();

pub(super) const GET_THREAD: Tool = Tool {
    name: "get_thread",
    title: "Get thread",
    description: "Read a conversation: what each author newly wrote, oldest first.",
    effect: Effect::Reads,
    arguments: &[THREAD_ID, ACCOUNT, LIMIT, CURSOR],
    output,
    run,
};

/// The most characters of one message.
const LONGEST_BODY: usize = 2_000;
/// So many characters of each are held while it is decided what fits.
const LONGEST_TEXT: usize = 20_000;

fn output() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "properties": {
            "thread_id": text, "subject": text, "total": { "type": "integer" }, "next_cursor": text,
            "synced_at": text,
            "items": { "type": "array", "items": object_schema(json!({
                "id": text, "sender": text, "date": text, "account": text, "body": text,
                "cut": { "type": "boolean" },
            })) },
        },
        "required": ["items"],
    })
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let scope = context.account_scope(arguments.text(&ACCOUNT))?;
    let keys = thread_keys(context, arguments.required(&THREAD_ID)?, scope.named.as_ref())?;
    let page = page(arguments, arguments.count(&LIMIT))?;
    let asked: Vec<_> = keys.iter().skip(page.offset).take(page.limit).copied().collect();
    let messages = messages(context, &asked, scope.named.as_ref())?;
    let several = scope.is_several();
    let (texts, items) = fitting(messages.iter().map(|(summary, text)| entry(summary, text, several)));
    let first = messages.first().map(|(summary, _)| summary);
    let (thread, subject) =
        first.map(|first| (first.thread.clone(), shortened(&first.subject, 300))).unwrap_or_default();
    let (shown, total) = (page.offset + texts.len(), keys.len());
    let text = format!("Thread ID: {thread}\nSubject: {subject}\nEmails: {total}\n\n{}", texts.join("\n"));
    let structured = json!({ "thread_id": thread, "subject": subject, "total": total, "items": items });
    let more = shown < total && !texts.is_empty();
    let reply = with_next(Reply::new(text, structured), more.then_some(shown));
    Ok(with_freshness(reply, context, &scope.accounts))
}

/// The messages of the thread that may be seen, oldest first.
fn thread_keys(
    context: &mut ToolContext,
    id: &str,
    account: Option<&AccountInfo>,
) -> Result<Vec<MessageKey>, ToolError> {
    let named = context.archive()?.thread_keys(id)?;
    let keys = match named {
        Some(keys) => keys,
        None => {
            let key = find_message(context, id, account)?;
            context.archive()?.thread_of(key)?.into_iter().map(|message| message.key).collect()
        }
    };
    let drafts = copy_keys(context, account.map(|account| account.key))?;
    let archive = context.archive()?;
    let mut seen = Vec::with_capacity(keys.len());
    for key in keys.into_iter().filter(|key| !drafts.contains(key)) {
        if archive.shows(key, account.map(|account| account.key))? {
            seen.push(key);
        }
    }
    if seen.is_empty() {
        return Err(ToolError::not_found(format!("Thread not found: {}", crate::text_safety::one_line(id))));
    }
    Ok(seen)
}

fn messages(
    context: &mut ToolContext,
    keys: &[MessageKey],
    account: Option<&AccountInfo>,
) -> Result<Vec<(Summary, String)>, ToolError> {
    let archive = context.archive()?;
    let mut messages = Vec::new();
    for key in keys {
        if let Some(summary) = archive.summary(*key, account.map(|account| account.key))? {
            let text = new_text(&archive.read(*key)?.text);
            messages.push((summary, brief(&text, LONGEST_TEXT).into_owned()));
        }
    }
    Ok(messages)
}

fn entry(summary: &Summary, new: &str, several: bool) -> (String, Value) {
    let new = many_lines(new);
    let body = shortened(&new, LONGEST_BODY);
    let cut = body.len() < new.trim_end().len();
    let note = if cut { format!("\n[cut; read_email {} gives all]", summary.id) } else { String::new() };
    let from = sender(&summary.name, &summary.address);
    let account = if several { format!("\nAccount: {}", summary.account) } else { String::new() };
    let text = format!(
        "ID: {}\nFrom: {from}\nDate: {}{account}\n\n{}{note}\n---",
        summary.id,
        summary.date,
        fenced(&body)
    );
    let data = json!({
        "id": summary.id, "sender": from, "date": summary.date, "account": summary.account, "body": body,
        "cut": cut,
    });
    (text, data)
}
