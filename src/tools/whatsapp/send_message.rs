//! Asks to send a text on WhatsApp.

use serde_json::Value;

use crate::tools::sending::{self, Asked};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const TO: Argument = Argument::text("to", "Phone number with its country.").required().like("+4915112345678");
const MESSAGE: Argument = Argument::text("message", "Up to 4096 characters.").required();

pub(super) const SEND_MESSAGE: Tool = Tool {
    name: "send_message",
    title: "Send WhatsApp message",
    description: "Send a WhatsApp message",
    effect: Effect::Sends,
    arguments: &[TO, MESSAGE],
    output,
    run,
};

fn output() -> Value {
    sending::channel_schema("message_id")
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let (to, message) = (arguments.required(&TO)?.to_owned(), arguments.verbatim(&MESSAGE).to_owned());
    let asked = sending::propose_with(context, None, |outbox, request| {
        outbox.propose_whatsapp(&to, &message, request)
    })?;
    told(context, &asked)
}

/// What is said of the item, now or later.
pub(in crate::tools) fn told(context: &mut ToolContext, asked: &Asked) -> Result<Reply, ToolError> {
    sending::told_on_channel(context, asked, "message_id")
}
