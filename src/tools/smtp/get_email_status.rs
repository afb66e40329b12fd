//! Says what became of a message that was sent or proposed. The store knows; nobody else is asked.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::outbox::propose::Status;
use crate::tools::sending;
use crate::tools::smtp::timestamp;
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const MESSAGE_ID: Argument = Argument::text("messageId", "As send-email answered it").required();

pub(super) const GET_EMAIL_STATUS: Tool = Tool {
    name: "get-email-status",
    title: "Get email status",
    description: "What became of an email: sent, delivered, bounced, failed, or how far it is on its way out.",
    effect: Effect::Reads,
    arguments: &[MESSAGE_ID],
    output,
    run,
};

/// The document's four words, and ours for what has not left.
const WORDS: [&str; 12] = [
    "sent",
    "delivered",
    "bounced",
    "failed",
    "unknown",
    "pending_approval",
    "approved",
    "sending",
    "rejected",
    "withdrawn",
    "cancelled",
    "expired",
];

fn output() -> Value {
    let text = json!({ "type": "string" });
    let words: Vec<_> = WORDS.into_iter().chain(["draft"]).collect();
    json!({
        "type": "object",
        "properties": {
            "messageId": text, "status": { "type": "string", "enum": words }, "timestamp": text,
            "error": text, "code": text, "message": text,
        },
        "required": ["messageId", "status", "timestamp"],
    })
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let status = sending::status(context, arguments.required(&MESSAGE_ID)?)?;
    let since = status.deliveries.iter().map(|delivery| delivery.epoch).max();
    let since = since.unwrap_or(status.item.changed).max(status.item.changed);
    let mut answer = json!({
        "messageId": status.item.draft.message_id,
        "status": status.answer(),
        "timestamp": timestamp(Timestamp::from_second(since).unwrap_or_default()),
        "code": status.item.code.to_string(),
        "message": sending::message(context, &status),
    });
    if let Some(error) = error(&status) {
        answer["error"] = json!(error);
    }
    Ok(Reply::object(answer))
}

/// Why it is not with everybody, where that is so.
fn error(status: &Status) -> Option<String> {
    let bounced: Vec<_> = status
        .deliveries
        .iter()
        .filter(|delivery| matches!(delivery.status.name(), "bounced" | "refused"))
        .map(|delivery| {
            let detail = delivery.detail.as_deref().map(crate::tools::text::server_words);
            format!("{}: {}", delivery.recipient, detail.unwrap_or_else(|| delivery.status.name().to_owned()))
        })
        .collect();
    if !bounced.is_empty() {
        return Some(bounced.join("; "));
    }
    status.item.reason.as_deref().map(crate::tools::text::server_words)
}
