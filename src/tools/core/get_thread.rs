//! A conversation as a digest: what each author added, oldest first.

use serde_json::{Value, json};

use crate::model::MessageKey;
use crate::query::{AccountInfo, Summary, new_text};
use crate::text_safety::{brief, many_lines};
use crate::tools::core::{CURSOR, HOLDER, find_message, object_schema, page, with_freshness, with_next};
use crate::tools::drafting::copy_keys;
use crate::tools::text::{fenced, fitting, people, sender, shortened};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const THREAD_ID: Argument =
    Argument::text("thread_id", "Thread ID or any email's ID.").required().like("t42");
const LIMIT: Argument = Argument::number("limit", 1, 200, "").or(100).clamped();

pub(super) const GET_THREAD: Tool = Tool {
    name: "get_thread",
    title: "Get thread",
    description: "Read a conversation: what each author newly wrote, oldest first.",
    effect: Effect::Reads,
    arguments: &[THREAD_ID, HOLDER, LIMIT, CURSOR],
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
                "id": text, "sender": text, "to": text, "cc": text, "date": text, "account": text, "body": text,
                "cut": { "type": "boolean" }, "same_subject": { "type": "boolean" },
            })) },
        },
        "required": ["items"],
    })
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let scope = context.account_scope(arguments.text(&HOLDER))?;
    let Conversation { keys, by_subject } =
        conversation(context, arguments.required(&THREAD_ID)?, scope.named.as_ref())?;
    let page = page(arguments, arguments.count(&LIMIT))?;
    let asked: Vec<_> = keys.iter().skip(page.offset).take(page.limit).copied().collect();
    let messages = messages(context, &asked, scope.named.as_ref())?;
    let several = scope.is_several();
    let (texts, items) = fitting(messages.iter().map(|message| entry(message, &by_subject, several)));
    let first = messages.first().map(|message| &message.summary);
    let (thread, subject) =
        first.map(|first| (first.thread.clone(), shortened(&first.subject, 300))).unwrap_or_default();
    let (shown, total) = (page.offset + texts.len(), keys.len());
    let kin = match by_subject.len() {
        0 => String::new(),
        many => format!(", {many} of them by the same subject alone"),
    };
    let text =
        format!("Thread ID: {thread}\nSubject: {subject}\nEmails: {total}{kin}\n\n{}", texts.join("\n"));
    let structured = json!({ "thread_id": thread, "subject": subject, "total": total, "items": items });
    let more = shown < total && !texts.is_empty();
    let reply = with_next(Reply::new(text, structured), more.then_some(shown));
    Ok(with_freshness(reply, context, &scope.accounts))
}

/// The messages of a conversation, oldest first.
struct Conversation {
    keys: Vec<MessageKey>,
    /// Those that no reference connects.
    by_subject: Vec<MessageKey>,
}

/// The messages that may be seen; where references are missing, what has the same subject belongs to them.
fn conversation(
    context: &mut ToolContext,
    id: &str,
    account: Option<&AccountInfo>,
) -> Result<Conversation, ToolError> {
    let mut keys = thread_keys(context, id, account)?;
    let kin = context.archive()?.same_subject(&keys)?;
    let by_subject = shown(context, kin, account)?;
    keys.extend(&by_subject);
    let archive = context.archive()?;
    let mut dated = Vec::with_capacity(keys.len());
    for key in keys {
        dated.push((archive.message(key)?.map(|message| message.date.epoch), key));
    }
    dated.sort_unstable();
    Ok(Conversation { keys: dated.into_iter().map(|(_, key)| key).collect(), by_subject })
}

/// The messages of the thread that may be seen.
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
    let seen = shown(context, keys, account)?;
    if seen.is_empty() {
        return Err(ToolError::not_found(format!("Thread not found: {}", crate::text_safety::one_line(id))));
    }
    Ok(seen)
}

/// Those that the account shows, without copies of drafts.
fn shown(
    context: &mut ToolContext,
    keys: Vec<MessageKey>,
    account: Option<&AccountInfo>,
) -> Result<Vec<MessageKey>, ToolError> {
    let drafts = copy_keys(context, account.map(|account| account.key))?;
    let archive = context.archive()?;
    let mut seen = Vec::with_capacity(keys.len());
    for key in keys.into_iter().filter(|key| !drafts.contains(key)) {
        if archive.shows(key, account.map(|account| account.key))? {
            seen.push(key);
        }
    }
    Ok(seen)
}

/// A message of a conversation, and what is new in it.
struct Contribution {
    summary: Summary,
    to: String,
    cc: String,
    new: String,
}

fn messages(
    context: &mut ToolContext,
    keys: &[MessageKey],
    account: Option<&AccountInfo>,
) -> Result<Vec<Contribution>, ToolError> {
    let archive = context.archive()?;
    let mut messages = Vec::new();
    for key in keys {
        if let Some(summary) = archive.summary(*key, account.map(|account| account.key))? {
            let message = archive.read(*key)?;
            let new = brief(&new_text(&message.text), LONGEST_TEXT).into_owned();
            messages.push(Contribution { summary, to: people(&message.to), cc: people(&message.cc), new });
        }
    }
    Ok(messages)
}

fn entry(message: &Contribution, by_subject: &[MessageKey], several: bool) -> (String, Value) {
    let Contribution { summary, to, cc, new } = message;
    let new = many_lines(new);
    let body = shortened(&new, LONGEST_BODY);
    let cut = body.len() < new.trim_end().len();
    let note = if cut { format!("\n[cut; read_email {} gives all]", summary.id) } else { String::new() };
    let from = sender(&summary.name, &summary.address);
    let account = if several { format!("\nAccount: {}", summary.account) } else { String::new() };
    let copied = if cc.is_empty() { String::new() } else { format!("\nCc: {cc}") };
    let text = format!(
        "ID: {}\nFrom: {from}\nTo: {to}{copied}\nDate: {}{account}\n\n{}{note}\n---",
        summary.id,
        summary.date,
        fenced(&body)
    );
    let mut data = json!({
        "id": summary.id, "sender": from, "to": to, "cc": cc, "date": summary.date, "account": summary.account,
        "body": body, "cut": cut,
    });
    if by_subject.contains(&summary.key) {
        data["same_subject"] = json!(true);
    }
    (text, data)
}
