//! Changes a draft.

use crate::drafts::DraftChange;
use crate::tools::drafting::{confirmation, draft_json, draft_schema, drafts, item, pushed_item};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const DRAFT_ID: Argument = Argument::text("draft_id", "From list_drafts.").required().like("d0123456789ab");
const TO: Argument = Argument::texts("to", "Recipients.").like("bob@example.org");
const CC: Argument = Argument::texts("cc", "Copies.");
const BCC: Argument = Argument::texts("bcc", "Hidden copies.");
const SUBJECT: Argument = Argument::text("subject", "Subject.");
const BODY: Argument = Argument::text("body", "Plain text.");

pub(super) const UPDATE_DRAFT: Tool = Tool {
    name: "update_draft",
    title: "Update draft",
    description: "Change a draft; what is left out stays. The user has to review it anew.",
    effect: Effect::Proposes,
    arguments: &[DRAFT_ID, TO, CC, BCC, SUBJECT, BODY],
    output: draft_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let id = item(context, arguments.required(&DRAFT_ID)?)?.id;
    let texts = |argument: &Argument| arguments.has(argument).then(|| arguments.texts(argument));
    let text = |argument: &Argument| arguments.has(argument).then(|| arguments.verbatim(argument).to_owned());
    let change = DraftChange {
        to: texts(&TO),
        cc: texts(&CC),
        bcc: texts(&BCC),
        subject: text(&SUBJECT),
        body: text(&BODY),
        after: None,
        ..DraftChange::default()
    };
    drafts(context).update(&id, &change)?;
    let draft = pushed_item(context, &id)?;
    Ok(Reply::new(confirmation("Draft updated.", &draft), draft_json(&draft, 4_000)))
}
