//! Reads the full content of one email.

use serde_json::{Value, json};

use crate::tools::assistant::{ACCOUNT, EMAIL_ID};
use crate::tools::core::find_message;
use crate::tools::text::{
    attachments, fenced, header, labels, people, sender, shortened, window, with_findings,
};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const READ_EMAIL: Tool = Tool {
    name: "read_email",
    title: "Read email",
    description: "Get full content of specific email, with the names of its attachments",
    effect: Effect::Reads,
    arguments: &[EMAIL_ID, ACCOUNT],
    output,
    run,
};

/// The most characters of a body: text and data together stay within an answer's window.
const LONGEST_BODY: usize = 14_000;

fn output() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    json!({ "type": "object", "properties": {
        "id": text, "thread_id": text, "subject": text, "sender": text, "to": text, "date": text, "body": text,
        "has_attachments": { "type": "boolean" }, "attachment_names": texts, "labels": texts,
    } })
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let id = arguments.required("email_id")?.to_owned();
    let account = context.account(arguments)?;
    let key = find_message(context, &id, Some(&account))?;
    let archive = context.archive()?;
    let message = archive.read(key)?;
    let summary =
        archive.summary(key, Some(account.key))?.ok_or_else(|| ToolError::not_found("Email not found"))?;
    let body = window(&message.text, 0, LONGEST_BODY);
    let mut text = format!("{}\n--- Body ---\n{}", header(&message, &summary), fenced(&body.text));
    if let Some(shown) = body.next {
        let note = format!(
            "\n\n[{shown} of {} characters shown; `mailkeep show {}` shows all]",
            body.total, message.id
        );
        text.push_str(&note);
    }
    if !message.attachments.is_empty() {
        text.push_str(&format!("\n{}", attachments(&message.attachments)));
    }
    let names: Vec<_> = message.attachments.iter().take(100).map(|part| part.shown_name()).collect();
    let structured = json!({
        "id": message.id, "thread_id": message.thread, "subject": shortened(&summary.subject, 1_000),
        "sender": sender(&summary.name, &summary.address), "to": people(&message.to), "date": message.date,
        "body": body.text, "has_attachments": summary.has_attachments, "attachment_names": names,
        "labels": labels(&message),
    });
    Ok(with_findings(Reply::new(text, structured), &context.archive()?.reading(key)?))
}
