//! Reads the full content of one email, or of a draft. A text that is too long for an answer is saved for an hour.

use serde_json::{Value, json};

use crate::model::MessageKey;
use crate::text_safety::many_lines;
use crate::tools::assistant::{ACCOUNT, EMAIL_ID};
use crate::tools::core::find_message;
use crate::tools::letter::Letter;
use crate::tools::text::{
    attachment_names, attachments, header, labels, people, sender, shortened, with_findings,
};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError, drafting};

pub(super) const READ_EMAIL: Tool = Tool {
    name: "read_email",
    title: "Read email",
    description: "Get full content of specific email, with the names of its attachments",
    effect: Effect::Reads,
    arguments: &[EMAIL_ID, ACCOUNT],
    output,
    run,
};

/// A text up to here is answered whole.
const INLINE: usize = 1 << 20;
/// Of a longer one this many characters are answered; the file has the rest.
const BEGINNING: usize = 14_000;
/// Of a text that is saved this many bytes are kept.
const MOST_SAVED: usize = 8 << 20;

fn output() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    json!({ "type": "object", "properties": {
        "id": text, "thread_id": text, "subject": text, "sender": text, "to": text, "date": text, "body": text,
        "has_attachments": { "type": "boolean" }, "attachment_names": texts, "labels": texts, "path": text,
    } })
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let id = arguments.required(&EMAIL_ID)?;
    let account = context.account(arguments.text(&ACCOUNT))?;
    if let Some(draft) = drafting::find(context, id, Some(&account))? {
        return Ok(drafting::letter(&draft).beginning(INLINE, ""));
    }
    let key = find_message(context, id, Some(&account))?;
    let archive = context.archive()?;
    let message = archive.read(key)?;
    let summary =
        archive.summary(key, Some(account.key))?.ok_or_else(|| ToolError::not_found("Email not found"))?;
    let reading = archive.reading(key)?;
    let path = if message.text.len() > INLINE { Some(saved(context, key, &message.id)?) } else { None };
    let note = path.as_deref().map(saved_note).unwrap_or_default();
    let mut structured = json!({
        "id": message.id, "thread_id": message.thread, "subject": shortened(&summary.subject, 1_000),
        "sender": sender(&summary.name, &summary.address), "to": people(&message.to), "date": message.date,
        "has_attachments": summary.has_attachments, "attachment_names": attachment_names(&message),
        "labels": labels(&message, &account.address).shown,
    });
    let most = if path.is_some() { BEGINNING } else { INLINE };
    if let Some(path) = path {
        structured["path"] = json!(path);
    }
    let head = header(&message, &summary);
    let letter = Letter { head, files: attachments(&message), data: structured, text: message.text };
    Ok(with_findings(letter.beginning(most, &note), &reading))
}

/// Saves the whole text; what cannot be seen is taken out of it as it is out of an answer.
fn saved(context: &mut ToolContext, key: MessageKey, id: &str) -> Result<String, ToolError> {
    let text = context.archive()?.long_text(key, MOST_SAVED)?;
    context.save_for_an_hour(&format!("{id}.txt"), many_lines(&text).as_bytes())
}

fn saved_note(path: &str) -> String {
    format!("\n\n[Large text saved to: {path}]\n[File will be deleted in 1 hour]")
}
