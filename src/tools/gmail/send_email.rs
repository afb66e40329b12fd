//! Asks to send a message, also as an answer.

use serde_json::{Value, json};

use crate::drafts::NewDraft;
use crate::query::iso_date;
use crate::tools::drafting::{self, Answering, Writing};
use crate::tools::sending::{self, Asked, Asking};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const TO: Argument = Argument::text("to", "Recipient email address").required().like("bob@example.org");
const SUBJECT: Argument = Argument::text("subject", "Email subject line").required();
const BODY: Argument = Argument::text("body", "Plain-text or HTML body").required();
const REPLY_TO: Argument = Argument::text("reply_to_message_id", "Message ID to answer, in its thread");

pub(super) const SEND_EMAIL: Tool = Tool {
    name: "send_email",
    title: "Send email",
    description: "Send an email, also as a reply. It waits for the owner's approval; sent_at is empty until it left.",
    effect: Effect::Sends,
    arguments: &[TO, SUBJECT, BODY, REPLY_TO],
    output,
    run,
};

fn output() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "properties": {
            "message_id": text, "thread_id": text, "sent_at": text, "status": text, "code": text,
            "message": text, "approvalUrl": text, "duplicate_of": text,
        },
        "required": ["message_id", "thread_id", "sent_at"],
    })
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let new = written(context, arguments)?;
    let asked = sending::write_and_propose(context, &new, &Asking::default())?;
    told(context, &asked)
}

/// What is said of the item, now or later.
pub(in crate::tools) fn told(context: &mut ToolContext, asked: &Asked) -> Result<Reply, ToolError> {
    if let Some(error) = sending::failure(context, asked) {
        return Err(error);
    }
    let thread = thread(context, asked)?;
    let item = &asked.status.item;
    let mut answer = json!({
        "message_id": item.draft.message_id,
        "thread_id": thread,
        "sent_at": item.sent.map(iso_date).unwrap_or_default(),
    });
    for (name, value) in sending::additions(context, asked) {
        answer[name] = value;
    }
    Ok(Reply::object(answer).with_proposed(sending::proposed(context, &asked.status)))
}

fn written(context: &mut ToolContext, arguments: &Arguments) -> Result<NewDraft, ToolError> {
    let body = arguments.verbatim(&BODY);
    let html = sending::looks_like_html(body);
    let writing = Writing {
        to: vec![arguments.required(&TO)?.to_owned()],
        subject: arguments.verbatim(&SUBJECT),
        body: if html { "" } else { body },
        html: html.then_some(body),
        reply: arguments.text(&REPLY_TO).map(|id| Answering { id, all: false }),
        ..Writing::default()
    };
    drafting::new_draft(context, writing)
}

/// The thread that it answers in; nothing where it begins one, which has no id before somebody has it.
fn thread(context: &mut ToolContext, asked: &Asked) -> Result<String, ToolError> {
    let Some(answered) = asked.status.item.draft.answers else { return Ok(String::new()) };
    let archive = context.archive()?;
    let key = archive.resolve(&answered.message.to_string())?;
    match archive.gmail_ids(key)? {
        Some((_, thread)) => Ok(thread),
        None => Ok(archive.read(key)?.thread),
    }
}
