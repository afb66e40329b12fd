//! Changes a draft.

use crate::outbox::DraftChange;
use crate::tools::drafting::{confirmation, draft_json, draft_schema, drafts, item};
use crate::tools::{Argument, Arguments, Desk, Effect, Reply, Tool, ToolError};

pub(super) const UPDATE_DRAFT: Tool = Tool {
    name: "update_draft",
    title: "Update draft",
    description: "Change a draft; what is left out stays. The user has to review it anew.",
    effect: Effect::Proposes,
    arguments: &[
        Argument::text("draft_id", "From list_drafts.").required().like("d0123456789ab"),
        Argument::texts("to", "To.").like("bob@example.org"),
        Argument::text("subject", "Subject."),
        Argument::text("body", "Plain text."),
    ],
    output: draft_schema,
    run,
};

fn run(desk: &mut Desk, arguments: &Arguments) -> Result<Reply, ToolError> {
    let id = arguments.required("draft_id")?.to_owned();
    item(desk, &id)?;
    let texts = |name: &str| arguments.has(name).then(|| arguments.texts(name));
    let text = |name: &str| arguments.has(name).then(|| arguments.verbatim(name).to_owned());
    let change =
        DraftChange { to: texts("to"), cc: None, bcc: None, subject: text("subject"), body: text("body") };
    drafts(desk).update(&id, &change)?;
    let draft = item(desk, &id)?;
    Ok(Reply::new(confirmation("Draft updated.", &draft), draft_json(&draft, 4_000)))
}
