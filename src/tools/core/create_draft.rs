//! Files a draft for the person to review.

use crate::tools::core::ACCOUNT;
use crate::tools::drafting::{self, Answering, Writing, confirmation, draft_json, draft_schema};
use crate::tools::sending::{self, FILES};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const TO: Argument = Argument::texts("to", "If not a reply.").like("bob@example.org");
const CC: Argument = Argument::texts("cc", "");
const BCC: Argument = Argument::texts("bcc", "");
const SUBJECT: Argument = Argument::text("subject", "");
const BODY: Argument = Argument::text("body", "");
const HTML: Argument = Argument::text("html", "");
const REPLY_TO_ID: Argument = Argument::text("reply_to_id", "");
const REPLY_ALL: Argument = Argument::flag("reply_all", "");

pub(super) const CREATE_DRAFT: Tool = Tool {
    name: "create_draft",
    title: "Create draft",
    description: "File a draft, also as a reply. Nothing is sent; send_email asks for that.",
    effect: Effect::Proposes,
    arguments: &[ACCOUNT, TO, CC, BCC, SUBJECT, BODY, HTML, REPLY_TO_ID, REPLY_ALL, FILES],
    output: draft_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let reply = arguments.text(&REPLY_TO_ID).map(|id| Answering { id, all: arguments.flag(&REPLY_ALL) });
    let writing = Writing {
        account: arguments.text(&ACCOUNT),
        to: arguments.texts(&TO),
        cc: arguments.texts(&CC),
        bcc: arguments.texts(&BCC),
        subject: arguments.verbatim(&SUBJECT),
        body: arguments.verbatim(&BODY),
        html: arguments.text(&HTML),
        attachments: sending::attachments(arguments)?,
        reply,
        ..Writing::default()
    };
    let draft = drafting::create(context, writing)?;
    let text = confirmation("Draft created successfully!", &draft);
    Ok(Reply::new(text, draft_json(&draft, 4_000)))
}
