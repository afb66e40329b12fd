//! Creates a draft. What it says about sending is all there is: no tool sends.

use crate::tools::assistant::ACCOUNT;
use crate::tools::drafting::{create, documented_confirmation, draft_json, draft_schema};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const CREATE_DRAFT: Tool = Tool {
    name: "create_draft",
    title: "Create draft",
    description: "Create draft email (AI CANNOT send directly); the user reviews and sends it",
    effect: Effect::Proposes,
    arguments: &[
        ACCOUNT,
        Argument::texts("to", "Recipients").required().like("bob@example.org"),
        Argument::texts("cc", "Copy recipients"),
        Argument::text("subject", "Subject").required(),
        Argument::text("body", "Plain text").required(),
        Argument::text("reply_to_id", "ID of the email this replies to"),
    ],
    output: draft_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let account = context.account(arguments)?;
    let draft = create(context, arguments, &account)?;
    Ok(Reply::new(documented_confirmation("Draft created successfully!", &draft), draft_json(&draft, 2_000)))
}
