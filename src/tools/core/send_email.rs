//! Asks the person to send a message: a draft that is there, or a new one.

use crate::drafts::NewDraft;
use crate::tools::core::ACCOUNT;
use crate::tools::drafting::{self, Answering, Writing};
use crate::tools::sending::{self, ATTACHMENTS, Asking, item_schema};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const DRAFT_ID: Argument = Argument::text("draft_id", "Instead of all below.").like("d0123456789ab");
const TO: Argument = Argument::texts("to", "If not a reply.").like("bob@example.org");
const CC: Argument = Argument::texts("cc", "");
const BCC: Argument = Argument::texts("bcc", "");
const SUBJECT: Argument = Argument::text("subject", "");
const BODY: Argument = Argument::text("body", "Plain text.");
const HTML: Argument = Argument::text("html", "");
const REPLY_TO_ID: Argument = Argument::text("reply_to_id", "");
const REPLY_ALL: Argument = Argument::flag("reply_all", "");
const FROM: Argument = Argument::text("from", "An alias.");
const KEY: Argument = Argument::text("idempotency_key", "");
/// Where the same call is the same item anyway.
pub(super) const RARE_KEY: Argument = KEY.unlisted();

pub(super) const SEND_EMAIL: Tool = Tool {
    name: "send_email",
    title: "Send email",
    description: "Ask the user to send an email. It leaves when they approve it; do not call again to hurry it.",
    effect: Effect::Sends,
    arguments: &[
        DRAFT_ID,
        ACCOUNT,
        FROM,
        TO,
        CC,
        BCC,
        SUBJECT,
        BODY,
        HTML,
        REPLY_TO_ID,
        REPLY_ALL,
        ATTACHMENTS,
        KEY,
    ],
    output: item_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let asking = Asking { key: arguments.text(&KEY), may_be_partial: false };
    let asked = match arguments.text(&DRAFT_ID) {
        Some(id) => {
            refuse_more_than_draft(arguments)?;
            sending::propose_draft(context, id, &asking)?
        }
        None => {
            let new = new_draft(context, arguments)?;
            sending::write_and_propose(context, &new, &asking)?
        }
    };
    Ok(sending::reply(context, &asked))
}

/// A draft is sent as it is: what else is said would be ignored, and that would be a surprise.
fn refuse_more_than_draft(arguments: &Arguments) -> Result<(), ToolError> {
    let others = [TO, CC, BCC, SUBJECT, BODY, HTML, REPLY_TO_ID, REPLY_ALL, FROM, ATTACHMENTS];
    match others.iter().find(|argument| arguments.has(*argument)) {
        None => Ok(()),
        Some(other) => Err(ToolError::invalid(
            other.name(),
            format!("`draft_id` sends the draft as it is, so `{}` cannot be given with it", other.name()),
        )
        .with_hint("change the draft with update_draft first")),
    }
}

fn new_draft(context: &mut ToolContext, arguments: &Arguments) -> Result<NewDraft, ToolError> {
    if arguments.text(&BODY).is_none() && arguments.text(&HTML).is_none() {
        return Err(ToolError::invalid("body", "give `body` or `html`, or the `draft_id` of a draft"));
    }
    let reply = arguments.text(&REPLY_TO_ID).map(|id| Answering { id, all: arguments.flag(&REPLY_ALL) });
    let writing = Writing {
        account: arguments.text(&ACCOUNT),
        from: arguments.text(&FROM),
        to: arguments.texts(&TO),
        cc: arguments.texts(&CC),
        bcc: arguments.texts(&BCC),
        subject: arguments.verbatim(&SUBJECT),
        body: arguments.verbatim(&BODY),
        html: arguments.text(&HTML),
        attachments: sending::attachments(arguments)?,
        reply,
    };
    drafting::new_draft(context, writing)
}
