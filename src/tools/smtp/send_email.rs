//! Asks to send a message. Where the owner lets mail leave at once, it has left when this answers.

use serde_json::{Map, Value, json};

use crate::drafts::{NewAttachment, NewDraft};
use crate::tools::sending::{self, Asked, Asking};
use crate::tools::smtp::timestamp;
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const TO: Argument =
    Argument::text_or_texts("to", "Recipient email address(es)").required().like("bob@example.org");
const SUBJECT: Argument = Argument::text("subject", "Email subject").required();
const BODY: Argument = Argument::text("body", "Email body (plain text or HTML)").required();
const FROM: Argument = Argument::text("from", "The account's address or one of its aliases");
const CC: Argument = Argument::text_or_texts("cc", "Copies").like("bob@example.org");
const BCC: Argument = Argument::text_or_texts("bcc", "Hidden copies").like("bob@example.org");
const ATTACHMENTS: Argument = Argument::objects(
    "attachments",
    &["filename", "content", "contentType"],
    3,
    "Files; content is Base64 encoded. 25 MB in all, no programs",
);
const REPLY_TO: Argument = Argument::text("replyTo", "Where answers go").like("bob@example.org");
const KEY: Argument = Argument::text("idempotencyKey", "The same key again is the same email");

pub(super) const SEND_EMAIL: Tool = Tool {
    name: "send-email",
    title: "Send email",
    description: "Send an email via SMTP. It waits for the owner's approval unless they allow it to leave at once.",
    effect: Effect::Sends,
    arguments: &[TO, SUBJECT, BODY, FROM, CC, BCC, ATTACHMENTS, REPLY_TO, KEY],
    output,
    run,
};

fn output() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "properties": {
            "success": { "type": "boolean" }, "messageId": text, "error": text, "timestamp": text,
            "status": text, "code": text, "message": text, "approvalUrl": text, "duplicate_of": text,
        },
        "required": ["success", "timestamp"],
    })
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let body = arguments.verbatim(&BODY);
    let html = sending::looks_like_html(body);
    let new = NewDraft {
        to: arguments.text_or_texts(&TO),
        cc: arguments.text_or_texts(&CC),
        bcc: arguments.text_or_texts(&BCC),
        subject: arguments.verbatim(&SUBJECT).to_owned(),
        body: if html { String::new() } else { body.to_owned() },
        html: html.then(|| body.to_owned()),
        reply_to_address: arguments.text(&REPLY_TO).map(str::to_owned),
        attachments: arguments.objects(&ATTACHMENTS).map(attachment).collect(),
        ..NewDraft::default()
    };
    if new.to.iter().all(|address| address.is_empty()) {
        return Err(ToolError::invalid("to", "`to` must not be empty"));
    }
    let asking = Asking { key: arguments.text(&KEY), may_be_partial: true };
    let asked = sending::write_from(context, arguments.text(&FROM), new, &asking)?;
    told(context, &asked)
}

/// What is said of the item, now or later.
pub(in crate::tools) fn told(context: &mut ToolContext, asked: &Asked) -> Result<Reply, ToolError> {
    if let Some(error) = sending::failure(context, asked) {
        return Err(error);
    }
    let mut answer = json!({
        "success": true,
        "messageId": asked.status.item.draft.message_id,
        "timestamp": timestamp(context.clock().now()),
    });
    for (name, value) in sending::additions(context, asked) {
        answer[name] = value;
    }
    Ok(Reply::object(answer).with_proposed(sending::proposed(context, &asked.status)))
}

fn attachment(given: &Map<String, Value>) -> NewAttachment {
    let text = |name: &str| given.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    NewAttachment::Base64 {
        name: text("filename"),
        content_type: Some(text("contentType")).filter(|kind| !kind.trim().is_empty()),
        content: text("content"),
    }
}
