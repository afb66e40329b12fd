//! Says what became of something that was proposed.

use crate::tools::sending::{self, item_schema};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const ID: Argument =
    Argument::text("id", "ID, code or Message-ID.").required().like("d0123456789ab");

pub(super) const GET_SEND_STATUS: Tool = Tool {
    name: "get_send_status",
    title: "Get send status",
    description: "What became of a send: state, the user's reason and changes, each recipient.",
    effect: Effect::Reads,
    arguments: &[ID],
    output: item_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let status = sending::status(context, arguments.required(&ID)?)?;
    Ok(sending::status_reply(context, status))
}
