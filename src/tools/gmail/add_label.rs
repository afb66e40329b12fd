//! Puts a label on a message; one that is new is made.

use crate::tools::gmail::{MESSAGE_ID, label, label_schema, message};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const LABEL_NAME: Argument =
    Argument::text("label_name", "Label to apply, e.g. \"AI_PROCESSED\"").required().like("AI_PROCESSED");

pub(super) const ADD_LABEL: Tool = Tool {
    name: "add_label",
    title: "Add label",
    description: "Apply a label to an email; a new one is made.",
    effect: Effect::Changes,
    arguments: &[MESSAGE_ID, LABEL_NAME],
    output: label_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let key = message(context, arguments)?;
    Ok(Reply::object(label(context, key, arguments.required(&LABEL_NAME)?, Vec::new())?))
}
