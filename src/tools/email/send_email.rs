//! Asks to send a mail.

use serde_json::{Value, json};

use crate::drafts::NewDraft;
use crate::query::iso_date;
use crate::tools::sending::{self, Asked, Asking};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const TO: Argument = Argument::text("to", "").required().like("user@example.com");
const SUBJECT: Argument = Argument::text("subject", "").required();
const BODY: Argument = Argument::text("body", "").required();

pub(super) const SEND_EMAIL: Tool = Tool {
    name: "send_email",
    title: "Send email",
    description: "Send an email via SMTP",
    effect: Effect::Sends,
    arguments: &[TO, SUBJECT, BODY],
    output,
    run,
};

fn output() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "properties": {
            "status": text, "message_id": text, "sent_at": text, "code": text, "message": text,
            "approvalUrl": text, "duplicate_of": text,
        },
        "required": ["status", "message_id"],
    })
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let body = arguments.verbatim(&BODY);
    let html = sending::looks_like_html(body);
    let new = NewDraft {
        to: vec![arguments.required(&TO)?.to_owned()],
        subject: arguments.verbatim(&SUBJECT).to_owned(),
        body: if html { String::new() } else { body.to_owned() },
        html: html.then(|| body.to_owned()),
        ..NewDraft::default()
    };
    let asked = sending::write_from(context, None, new, &Asking::default())?;
    told(context, &asked)
}

/// What is said of the item, now or later.
pub(in crate::tools) fn told(context: &mut ToolContext, asked: &Asked) -> Result<Reply, ToolError> {
    if let Some(error) = sending::failure(context, asked) {
        return Err(error);
    }
    let item = &asked.status.item;
    let mut answer = json!({
        "message_id": item.draft.message_id, "sent_at": item.sent.map(iso_date).unwrap_or_default(),
    });
    for (name, value) in sending::additions(context, asked) {
        answer[name] = value;
    }
    Ok(Reply::object(answer).with_proposed(sending::proposed(context, &asked.status)))
}
