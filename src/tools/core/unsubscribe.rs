//! Asks the person to have them left off a list.

use crate::outbox::propose::WayOut;
use crate::tools::core::send_email::RARE_KEY;
use crate::tools::core::{EMAIL_ID, HOLDER, find_message};
use crate::tools::sending::{self, item_schema};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const BY_MAIL: Argument = Argument::flag("by_mail", "Not by a web request.");

pub(super) const UNSUBSCRIBE: Tool = Tool {
    name: "unsubscribe",
    title: "Unsubscribe",
    description: "Ask the user to unsubscribe from an email's list. It happens when they approve it.",
    effect: Effect::Sends,
    arguments: &[EMAIL_ID, HOLDER, BY_MAIL, RARE_KEY],
    output: item_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let scope = context.account_scope(arguments.text(&HOLDER))?;
    let key = find_message(context, arguments.required(&EMAIL_ID)?, scope.named.as_ref())?;
    let account = context.account_of(key, scope.named.as_ref())?.address;
    let way = if arguments.flag(&BY_MAIL) { WayOut::Mail } else { WayOut::Any };
    let asked = sending::propose_with(context, arguments.text(&RARE_KEY), |outbox, request| {
        outbox.propose_unsubscribe(key, &account, way, request)
    })?;
    Ok(sending::reply(context, &asked))
}
