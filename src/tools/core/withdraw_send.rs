//! Takes back something that was proposed and has not left.

use crate::tools::core::get_send_status::ID;
use crate::tools::sending::{self, item_schema};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const WITHDRAW_SEND: Tool = Tool {
    name: "withdraw_send",
    title: "Withdraw send",
    description: "Take back a proposed send that has not left yet.",
    effect: Effect::Changes,
    arguments: &[ID],
    output: item_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let id = sending::status(context, arguments.required(&ID)?)?.item.draft.id.to_string();
    context.proposals()?.withdraw(&id)?;
    Ok(sending::status_reply(context, sending::status(context, &id)?))
}
