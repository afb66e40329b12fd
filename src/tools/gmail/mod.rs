//! Mail as a Gmail client of the usual kind sees it: five tools with that document's inputs and outputs. They work on any
//! account; a message that Gmail has goes by Gmail's id, every other one by ours.

mod add_label;
mod get_email;
mod list_emails;
mod move_email;
mod send_email;

use serde_json::{Value, json};

use crate::model::MessageKey;
use crate::tools::core::find_message;
use crate::tools::drafting::{LabelWish, follow_labels, relabel};
use crate::tools::{Argument, Arguments, Reply, Tool, ToolContext, ToolError};

pub(super) use send_email::told;

/// The tools, in the order they are listed.
pub(super) const TOOLS: &[&Tool] = &[
    &send_email::SEND_EMAIL,
    &list_emails::LIST_EMAILS,
    &get_email::GET_EMAIL,
    &move_email::MOVE_EMAIL,
    &add_label::ADD_LABEL,
];

const MESSAGE_ID: Argument =
    Argument::text("message_id", "Message ID (from list_emails)").required().like("18c2f0a1b2c3d4e5");

/// The message with this id.
fn message(context: &mut ToolContext, arguments: &Arguments) -> Result<MessageKey, ToolError> {
    find_message(context, arguments.required(&MESSAGE_ID)?, None)
}

/// The id that a message goes by here.
fn shown_id(context: &mut ToolContext, key: MessageKey) -> Result<String, ToolError> {
    let archive = context.archive()?;
    match archive.gmail_ids(key)? {
        Some((id, _)) => Ok(id),
        None => Ok(archive.read(key)?.id),
    }
}

/// Puts labels on a message and takes others off, and says what was done.
fn label(
    context: &mut ToolContext,
    message: MessageKey,
    add: &str,
    remove: Vec<String>,
) -> Result<Value, ToolError> {
    let account = context.account_of(message, None)?;
    let address = account.address.clone();
    let done = relabel(context, &LabelWish { message, account, add: vec![add.to_owned()], remove })?;
    let followed = follow_labels(context, &[(address.as_str(), &done)])?;
    let mut answer = json!({
        "message_id": shown_id(context, message)?, "added": done.added, "removed": done.removed,
    });
    if let Some((sentence, state)) = followed.into_iter().flatten().next() {
        answer["server"] = json!(state);
        answer["note"] = json!(sentence);
    }
    Ok(answer)
}

fn label_schema() -> Value {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "properties": {
            "message_id": text, "added": texts, "removed": texts, "server": text, "note": text,
            "moved": { "type": "boolean" },
        },
        "required": ["message_id"],
    })
}

/// Marks a result as what strangers wrote.
fn of_strangers(reply: Reply) -> Reply {
    reply.with_meta("untrusted", true)
}
