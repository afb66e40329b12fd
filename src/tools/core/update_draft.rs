//! Changes a draft.

use crate::drafts::DraftChange;
use crate::tools::drafting::{confirmation, draft_json, draft_schema, drafts, item, pushed_item};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

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

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let id = arguments.required("draft_id")?.to_owned();
    item(context, &id)?;
    let texts = |name: &str| arguments.has(name).then(|| arguments.texts(name));
    let text = |name: &str| arguments.has(name).then(|| arguments.verbatim(name).to_owned());
    let change = DraftChange {
        to: texts("to"),
        subject: text("subject"),
        body: text("body"),
        ..DraftChange::default()
    };
    drafts(context).update(&id, &change)?;
    let draft = pushed_item(context, &id)?;
    Ok(Reply::new(confirmation("Draft updated.", &draft), draft_json(&draft, 4_000)))
}
