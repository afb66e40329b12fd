//! Changes a draft. One that the person was asked to send is asked about anew, as it is now.

use serde_json::Value;

use crate::drafts::DraftChange;
use crate::tools::drafting::{confirmation, draft_json, draft_schema, item, pushed_item};
use crate::tools::sending::{self, Asking, FILES, item_schema};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const DRAFT_ID: Argument = Argument::text("draft_id", "").required().like("d0123456789ab");
const TO: Argument = Argument::texts("to", "").like("bob@example.org");
const CC: Argument = Argument::texts("cc", "");
const BCC: Argument = Argument::texts("bcc", "");
const SUBJECT: Argument = Argument::text("subject", "");
const BODY: Argument = Argument::text("body", "");
const HTML: Argument = Argument::text("html", "");

pub(super) const UPDATE_DRAFT: Tool = Tool {
    name: "update_draft",
    title: "Update draft",
    description: "Change a draft; what is left out stays. The user has to review it anew.",
    effect: Effect::Sends,
    arguments: &[DRAFT_ID, TO, CC, BCC, SUBJECT, BODY, HTML, FILES],
    output,
    run,
};

/// A draft, or an item of the outbox where the person is asked about it anew.
fn output() -> Value {
    let mut schema = draft_schema();
    if let (Some(fields), Value::Object(more)) =
        (schema["properties"].as_object_mut(), item_schema()["properties"].take())
    {
        fields.extend(more);
    }
    schema
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let before = item(context, arguments.required(&DRAFT_ID)?)?;
    let id = before.id;
    let texts = |argument: &Argument| arguments.has(argument).then(|| arguments.texts(argument));
    let text = |argument: &Argument| arguments.has(argument).then(|| arguments.verbatim(argument).to_owned());
    let change = DraftChange {
        to: texts(&TO),
        cc: texts(&CC),
        bcc: texts(&BCC),
        subject: text(&SUBJECT),
        body: text(&BODY),
        html: text(&HTML),
        attachments: arguments.has(&FILES).then(|| sending::attachments(arguments)).transpose()?,
        ..DraftChange::default()
    };
    context.drafts().update(&id, &change)?;
    if before.state == "pending_approval" || before.state == "approved" {
        let asked = sending::propose_draft(context, &id, &Asking::default())?;
        // Who waits for it waits with the call that proposed it.
        return Ok(Reply::object(sending::item_json(context, &asked)));
    }
    let draft = pushed_item(context, &id)?;
    Ok(Reply::new(confirmation("Draft updated.", &draft), draft_json(&draft, 4_000)))
}
