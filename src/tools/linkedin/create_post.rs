//! Asks to post on LinkedIn.

use serde_json::Value;

use crate::outbox::propose::Visibility;
use crate::tools::sending::{self, Asked};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const TEXT: Argument = Argument::text("text", "Up to 3000 characters.").required();
const VISIBILITY: Argument =
    Argument::one_of("visibility", &["PUBLIC", "CONNECTIONS"], "Who may see it.").or_text("PUBLIC");

pub(super) const CREATE_POST: Tool = Tool {
    name: "create_post",
    title: "Create LinkedIn post",
    description: "Create a LinkedIn post",
    effect: Effect::Sends,
    arguments: &[TEXT, VISIBILITY],
    output,
    run,
};

fn output() -> Value {
    sending::channel_schema("post_id")
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let word = arguments.text(&VISIBILITY).unwrap_or("PUBLIC");
    let visibility = Visibility::parse(word)
        .ok_or_else(|| ToolError::invalid("visibility", "`visibility` must be `PUBLIC` or `CONNECTIONS`"))?;
    let text = arguments.verbatim(&TEXT).to_owned();
    let asked = sending::propose_with(context, None, |outbox, request| {
        outbox.propose_post(&text, visibility, request)
    })?;
    told(context, &asked)
}

/// What is said of the item, now or later.
pub(in crate::tools) fn told(context: &mut ToolContext, asked: &Asked) -> Result<Reply, ToolError> {
    sending::told_on_channel(context, asked, "post_id")
}
