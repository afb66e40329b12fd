//! Asks the person to pass a message on.

use crate::drafts::{Forward, NewDraft};
use crate::tools::core::send_email::RARE_KEY;
use crate::tools::core::{EMAIL_ID, HOLDER, find_message};
use crate::tools::sending::{self, Asking, item_schema};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const TO: Argument = Argument::texts("to", "").required().like("bob@example.org");
const CC: Argument = Argument::texts("cc", "");
const BCC: Argument = Argument::texts("bcc", "");
const BODY: Argument = Argument::text("body", "Above it.");
const AS_ATTACHMENT: Argument = Argument::flag("as_attachment", "Whole, as a file.");
const WITHOUT_ATTACHMENTS: Argument = Argument::flag("without_attachments", "");

pub(super) const FORWARD: Tool = Tool {
    name: "forward",
    title: "Forward email",
    description: "Ask the user to forward an email with its attachments. It leaves when they approve it.",
    effect: Effect::Sends,
    arguments: &[EMAIL_ID, HOLDER, TO, CC, BCC, BODY, AS_ATTACHMENT, WITHOUT_ATTACHMENTS, RARE_KEY],
    output: item_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let scope = context.account_scope(arguments.text(&HOLDER))?;
    let key = find_message(context, arguments.required(&EMAIL_ID)?, scope.named.as_ref())?;
    let account = context.account_of(key, scope.named.as_ref())?;
    let new = NewDraft {
        account: account.address,
        to: arguments.texts(&TO),
        cc: arguments.texts(&CC),
        bcc: arguments.texts(&BCC),
        body: arguments.verbatim(&BODY).to_owned(),
        forward: Some(Forward {
            message: context.archive()?.read(key)?.id,
            as_attachment: arguments.flag(&AS_ATTACHMENT),
            without_attachments: arguments.flag(&WITHOUT_ATTACHMENTS),
        }),
        ..NewDraft::default()
    };
    let asking = Asking { key: arguments.text(&RARE_KEY), may_be_partial: false };
    let asked = sending::write_and_propose(context, &new, &asking)?;
    Ok(sending::reply(context, &asked))
}
