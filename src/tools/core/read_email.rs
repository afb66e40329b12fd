//! Reads one message, or one draft.

use serde_json::{Value, json};

use crate::query::{FullMessage, Summary, fold_history, sections, stretches};
use crate::text_safety::{many_lines, one_line};
use crate::tools::core::{ACCOUNT, EMAIL_ID, find_message, object_schema, with_freshness};
use crate::tools::text::{
    Window, attachments, fenced, header, labels, people, sender, shortened, window, with_findings,
};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError, drafting};

const OFFSET: Argument = Argument::number("offset", 0, i64::MAX, "Start character.");
const MAX_CHARS: Argument = Argument::number("max_chars", 100, 12_000, "").or(6_000).clamped();
const FULL: Argument = Argument::flag("full", "Keep quoted history.");
const FIND: Argument = Argument::text("find", "Only the passages around these words.");

/// From this many characters on, a text says which sections it has.
const LONG: usize = 6_000;

pub(super) const READ_EMAIL: Tool = Tool {
    name: "read_email",
    title: "Read email",
    description: "Read one email or draft. Quoted history is folded, long text windowed.",
    effect: Effect::Reads,
    arguments: &[EMAIL_ID, FIND, ACCOUNT, OFFSET, MAX_CHARS, FULL],
    output,
    run,
};

fn output() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    let number = json!({ "type": "integer" });
    object_schema(json!({
        "id": text, "thread_id": text, "account": text, "subject": text, "sender": text, "to": text, "cc": text,
        "date": text, "body": text, "has_attachments": { "type": "boolean" }, "attachment_names": texts,
        "labels": texts, "next_offset": { "type": "integer" }, "total_chars": { "type": "integer" },
        "folded_lines": { "type": "integer" }, "synced_at": text,
        "passages": { "type": "array", "items": object_schema(json!({ "offset": number, "text": text })) },
        "sections": { "type": "array", "items": object_schema(json!({ "offset": number, "title": text })) },
    }))
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let id = arguments.required(&EMAIL_ID)?;
    let scope = context.account_scope(arguments.text(&ACCOUNT))?;
    if let Some(draft) = drafting::find(context, id, scope.named.as_ref())? {
        return Ok(drafting::as_email(&draft));
    }
    let key = find_message(context, id, scope.named.as_ref())?;
    let archive = context.archive()?;
    let message = archive.read(key)?;
    let summary = archive.summary(key, scope.key())?;
    let summary = summary.ok_or_else(|| ToolError::not_found("Email not found"))?;
    let reading = archive.reading(key)?;
    let head = header_with_account(&message, &summary, scope.is_several());
    let (text, data) = match arguments.text(&FIND) {
        Some(wanted) => found(&message, &summary, wanted, arguments.count(&MAX_CHARS)),
        None => read(&message, &summary, arguments),
    };
    let reply = Reply::new(format!("{head}\n--- Body ---\n{text}{}", attachments(&message)), data);
    let owner: Vec<_> =
        scope.accounts.into_iter().filter(|account| account.address == summary.account).collect();
    Ok(with_freshness(with_findings(reply, &reading), context, &owner))
}

/// A part of the text.
fn read(message: &FullMessage, summary: &Summary, arguments: &Arguments) -> (String, Value) {
    let (body, folded) = body(message, arguments.flag(&FULL));
    let part = window(&body, arguments.count(&OFFSET), arguments.count(&MAX_CHARS));
    let mut data = data(message, summary, &part, folded);
    let sections = if part.total > LONG { sections(&many_lines(&body)) } else { Vec::new() };
    let mut text = format!("{}{}", fenced(&part.text), how_to_go_on(&part, folded));
    if part.next.is_some() && sections.len() > 1 {
        let lines = sections.iter().map(|section| format!("{} {}", section.offset, one_line(&section.title)));
        let lines = lines.collect::<Vec<_>>().join("\n");
        text.push_str(&format!("\n\nSections, by offset:\n{}", fenced(&lines)));
        data["sections"] = json!(sections);
    }
    (text, data)
}

/// The passages around what is looked for, in all of the text.
fn found(message: &FullMessage, summary: &Summary, wanted: &str, most: usize) -> (String, Value) {
    let body = many_lines(&message.text);
    let total = body.chars().count();
    let passages = stretches(&body, wanted, most);
    let part = Window { text: String::new(), next: None, total };
    let mut data = data(message, summary, &part, 0);
    let items = passages.iter().map(|one| json!({ "offset": one.offset, "text": one.text }));
    data["passages"] = items.collect();
    let shown: Vec<_> = passages.iter().map(|one| format!("[at {}]\n{}", one.offset, one.text)).collect();
    let note = match passages.len() {
        0 => format!("[not found in {total} characters; leave out find to read them]"),
        count => format!("\n\n[{count} passages of {total} characters; offset reads on from any place]"),
    };
    let text = if shown.is_empty() { note } else { format!("{}{note}", fenced(&shown.join("\n…\n"))) };
    (text, data)
}

fn body(message: &FullMessage, full: bool) -> (String, usize) {
    if full {
        return (message.text.clone(), 0);
    }
    let folded = fold_history(&message.text);
    (folded.text, folded.hidden_lines)
}

fn header_with_account(message: &FullMessage, summary: &Summary, several: bool) -> String {
    let header = header(message, summary);
    if several { format!("{header}Account: {}\n", summary.account) } else { header }
}

fn data(message: &FullMessage, summary: &Summary, part: &Window, folded: usize) -> Value {
    let names: Vec<_> = message.attachment_names().into_iter().take(100).collect();
    let mut data = json!({
        "id": message.id, "thread_id": message.thread, "account": summary.account,
        "subject": shortened(&summary.subject, 1_000), "sender": sender(&summary.name, &summary.address),
        "to": people(&message.to), "cc": people(&message.cc), "date": message.date, "body": part.text,
        "has_attachments": summary.has_attachments, "attachment_names": names,
        "labels": labels(message, &summary.account), "total_chars": part.total,
    });
    if let Some(next) = part.next {
        data["next_offset"] = json!(next);
    }
    if folded > 0 {
        data["folded_lines"] = json!(folded);
    }
    data
}

fn how_to_go_on(part: &Window, folded: usize) -> String {
    let mut notes = String::new();
    if let Some(next) = part.next {
        notes.push_str(&format!("\n\n[{} of {} characters; go on with offset {next}]", next, part.total));
    }
    if folded > 0 && part.next.is_none() {
        notes.push_str(&format!("\n\n[{folded} quoted lines folded; full: true shows them]"));
    }
    notes
}
