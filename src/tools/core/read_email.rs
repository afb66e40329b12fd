//! Reads one message, or one draft.

use serde_json::{Value, json};

use crate::query::{FullMessage, Summary, fold_history, sections, stretches};
use crate::text_safety::{many_lines, one_line};
use crate::tools::core::{EMAIL_ID, HOLDER, find_message, object_schema, with_freshness};
use crate::tools::letter::Letter;
use crate::tools::text::{
    Window, attachment_names, attachments, fenced, header, labels, people, sender, shortened, window,
    with_findings,
};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError, drafting};

const OFFSET: Argument = Argument::number("offset", 0, i64::MAX, "");
const MAX_CHARS: Argument = Argument::number("max_chars", 100, 12_000, "").or(6_000).clamped();
const FULL: Argument = Argument::flag("full", "Keep quoted history.");
const FIND: Argument = Argument::text("find", "Only the passages around these words.");

/// From this many characters on, a text says which sections it has.
const LONG: usize = 6_000;
/// So many characters a list of sections may take, in the text and in the data.
const SECTIONS: usize = 10_000;

pub(super) const READ_EMAIL: Tool = Tool {
    name: "read_email",
    title: "Read email",
    description: "Read one email or draft. Quoted history is folded, long text windowed.",
    effect: Effect::Reads,
    arguments: &[EMAIL_ID, FIND, HOLDER, OFFSET, MAX_CHARS, FULL],
    output,
    run,
};

fn output() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    let number = json!({ "type": "integer" });
    object_schema(json!({
        "id": text, "thread_id": text, "account": text, "subject": text, "sender": text, "to": text, "cc": text,
        "bcc": text,        "date": text, "body": text, "has_attachments": { "type": "boolean" }, "attachment_names": texts,
        "labels": texts, "next_offset": { "type": "integer" }, "total_chars": { "type": "integer" },
        "folded_lines": { "type": "integer" }, "synced_at": text,
        "passages": { "type": "array", "items": object_schema(json!({ "offset": number, "text": text })) },
        "sections": { "type": "array", "items": object_schema(json!({ "offset": number, "title": text })) },
    }))
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let id = arguments.required(&EMAIL_ID)?;
    let scope = context.account_scope(arguments.text(&HOLDER))?;
    if let Some(draft) = drafting::find(context, id, scope.named.as_ref())? {
        // What would leave is shown as it would.
        return Ok(shown(drafting::letter(&draft), arguments, true));
    }
    let key = find_message(context, id, scope.named.as_ref())?;
    let archive = context.archive()?;
    let message = archive.read(key)?;
    let summary = archive.summary(key, scope.key())?;
    let summary = summary.ok_or_else(|| ToolError::not_found("Email not found"))?;
    let reading = archive.reading(key)?;
    let reply = shown(letter(message, &summary, scope.is_several()), arguments, arguments.flag(&FULL));
    let owner: Vec<_> =
        scope.accounts.into_iter().filter(|account| account.address == summary.account).collect();
    Ok(with_freshness(with_findings(reply, &reading), context, &owner))
}

fn letter(message: FullMessage, summary: &Summary, several: bool) -> Letter {
    let (head, data) = (header_with_account(&message, summary, several), data(&message, summary));
    Letter { head, files: attachments(&message), data, text: message.text }
}

fn shown(letter: Letter, arguments: &Arguments, full: bool) -> Reply {
    match arguments.text(&FIND) {
        Some(wanted) => found(letter, wanted, arguments.count(&MAX_CHARS)),
        None => read(letter, arguments, full),
    }
}

/// A part of the text.
fn read(mut letter: Letter, arguments: &Arguments, full: bool) -> Reply {
    let (body, folded) = body(&letter.text, full);
    let most = arguments.count(&MAX_CHARS).min(letter.room(SECTIONS));
    let part = window(&body, arguments.count(&OFFSET), most);
    let sections = if part.total > LONG { sections(&many_lines(&body)) } else { Vec::new() };
    let mut text = format!("{}{}", fenced(&part.text), how_to_go_on(&part, folded));
    if part.next.is_some() && sections.len() > 1 {
        let lines = sections.iter().map(|section| format!("{} {}", section.offset, one_line(&section.title)));
        let lines = lines.collect::<Vec<_>>().join("\n");
        text.push_str(&format!("\n\nSections, by offset:\n{}", fenced(&lines)));
        letter.data["sections"] = json!(sections);
    }
    describe(&mut letter.data, &part, folded);
    letter.around(&text)
}

/// The passages around what is looked for, in all of the text.
fn found(mut letter: Letter, wanted: &str, most: usize) -> Reply {
    let body = many_lines(&letter.text);
    let total = body.chars().count();
    let passages = stretches(&body, wanted, most.min(letter.room(0)));
    describe(&mut letter.data, &Window { text: String::new(), next: None, total }, 0);
    let items = passages.iter().map(|one| json!({ "offset": one.offset, "text": one.text }));
    letter.data["passages"] = items.collect();
    let shown: Vec<_> = passages.iter().map(|one| format!("[at {}]\n{}", one.offset, one.text)).collect();
    let note = match passages.len() {
        0 => format!("[not found in {total} characters; leave out find to read them]"),
        count => format!("\n\n[{count} passages of {total} characters; offset reads on from any place]"),
    };
    let text = if shown.is_empty() { note } else { format!("{}{note}", fenced(&shown.join("\n…\n"))) };
    letter.around(&text)
}

fn body(text: &str, full: bool) -> (String, usize) {
    if full {
        return (text.to_owned(), 0);
    }
    let folded = fold_history(text);
    (folded.text, folded.hidden_lines)
}

fn header_with_account(message: &FullMessage, summary: &Summary, several: bool) -> String {
    let header = header(message, summary);
    if several { format!("{header}Account: {}\n", summary.account) } else { header }
}

fn data(message: &FullMessage, summary: &Summary) -> Value {
    json!({
        "id": message.id, "thread_id": message.thread, "account": summary.account,
        "subject": shortened(&summary.subject, 1_000), "sender": sender(&summary.name, &summary.address),
        "to": people(&message.to), "cc": people(&message.cc), "date": message.date,
        "has_attachments": summary.has_attachments, "attachment_names": attachment_names(message),
        "labels": labels(message, &summary.account).shown,
    })
}

/// Adds which part of the text is shown.
fn describe(data: &mut Value, part: &Window, folded: usize) {
    data["body"] = json!(part.text);
    data["total_chars"] = json!(part.total);
    if let Some(next) = part.next {
        data["next_offset"] = json!(next);
    }
    if folded > 0 {
        data["folded_lines"] = json!(folded);
    }
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
