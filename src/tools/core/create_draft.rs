//! Files a draft for the person to review.

use crate::tools::core::ACCOUNT;
use crate::tools::drafting::{confirmation, create, draft_json, draft_schema};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const CREATE_DRAFT: Tool = Tool {
    name: "create_draft",
    title: "Create draft",
    description: "File a draft, also as a reply; the user reviews and sends it. Nothing is sent.",
    effect: Effect::Proposes,
    arguments: &[
        ACCOUNT,
        Argument::texts("to", "If not a reply.").like("bob@example.org"),
        Argument::texts("cc", "Cc."),
        Argument::text("subject", "If not a reply."),
        Argument::text("body", "Plain text.").required(),
        Argument::text("reply_to_id", "Email to answer."),
        Argument::flag("reply_all", "To all."),
    ],
    output: draft_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let account = context.account(arguments)?;
    let draft = create(context, arguments, &account)?;
    Ok(Reply::new(confirmation("Draft created successfully!", &draft), draft_json(&draft, 4_000)))
}
