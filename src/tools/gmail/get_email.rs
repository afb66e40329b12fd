//! Opens one message: what a person would read of it, and the names of its files.

use serde_json::{Value, json};

use crate::tools::gmail::{MESSAGE_ID, message, shown_id};
use crate::tools::text::{people, sender, shortened, window, with_findings};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

/// The most characters of a body.
const LONGEST: usize = 30_000;

pub(super) const GET_EMAIL: Tool = Tool {
    name: "get_email",
    title: "Get email",
    description: "Read one email: header, plain-text body, names of attachments.",
    effect: Effect::Reads,
    arguments: &[MESSAGE_ID],
    output,
    run,
};

fn output() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "properties": {
            "id": text, "subject": text, "sender": text, "to": text, "date": text, "body": text,
            "has_attachments": { "type": "boolean" },
            "attachment_names": { "type": "array", "items": text },
        },
        "required": ["id", "subject", "sender", "to", "date", "body", "has_attachments", "attachment_names"],
    })
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let key = message(context, arguments)?;
    let id = shown_id(context, key)?;
    let archive = context.archive()?;
    let message = archive.read(key)?;
    let summary = archive.summary(key, None)?;
    let summary = summary.ok_or_else(|| ToolError::not_found("Email not found"))?;
    let reading = archive.reading(key)?;
    let body = window(&message.text, 0, LONGEST);
    let names: Vec<_> = message.attachment_names().into_iter().take(100).collect();
    let reply = Reply::object(json!({
        "id": id, "subject": shortened(&summary.subject, 1_000),
        "sender": sender(&summary.name, &summary.address), "to": people(&message.to), "date": message.date,
        "body": body.text, "has_attachments": !names.is_empty(), "attachment_names": names,
    }));
    let reply = with_findings(reply, &reading);
    Ok(if body.next.is_some() {
        reply.with_meta("truncated", json!({ "total_chars": body.total }))
    } else {
        reply
    })
}
