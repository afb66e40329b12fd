//! Creates a draft. What it says about sending is all there is: no tool sends.

use crate::tools::assistant::ACCOUNT;
use crate::tools::drafting::{self, Answering, Writing, documented_confirmation, draft_json, draft_schema};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const TO: Argument = Argument::texts("to", "Recipients").required().like("bob@example.org");
const CC: Argument = Argument::texts("cc", "Copy recipients");
const SUBJECT: Argument = Argument::text("subject", "Subject").required();
const BODY: Argument = Argument::text("body", "Plain text").required();
const REPLY_TO_ID: Argument = Argument::text("reply_to_id", "ID of the email this replies to");

pub(super) const CREATE_DRAFT: Tool = Tool {
    name: "create_draft",
    title: "Create draft",
    description: "Create draft email (AI CANNOT send directly); the user reviews and sends it",
    effect: Effect::Proposes,
    arguments: &[ACCOUNT, TO, CC, SUBJECT, BODY, REPLY_TO_ID],
    output: draft_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let account = context.account(arguments.text(&ACCOUNT))?;
    let writing = Writing {
        account: Some(&account.address),
        to: arguments.texts(&TO),
        cc: arguments.texts(&CC),
        bcc: Vec::new(),
        subject: arguments.verbatim(&SUBJECT),
        body: arguments.verbatim(&BODY),
        reply: arguments.text(&REPLY_TO_ID).map(|id| Answering { id, all: false }),
        ..Writing::default()
    };
    let draft = drafting::create(context, writing)?;
    let text = documented_confirmation("Draft created successfully!", &draft);
    Ok(Reply::new(text, draft_json(&draft, 2_000)))
}
