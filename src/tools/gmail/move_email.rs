//! Moves a message: it gets the label and leaves the inbox, as moving is in Gmail.

use serde_json::json;

use crate::tools::gmail::{MESSAGE_ID, label, label_schema, message};
use crate::tools::text::labels;
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const DESTINATION: Argument =
    Argument::text("destination_label", "Label name, e.g. \"INBOX\", \"DONE\", custom label")
        .required()
        .like("DONE");

pub(super) const MOVE_EMAIL: Tool = Tool {
    name: "move_email",
    title: "Move email",
    description: "Move an email to a label, out of the inbox; a new label is made.",
    effect: Effect::Changes,
    arguments: &[MESSAGE_ID, DESTINATION],
    output: label_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let key = message(context, arguments)?;
    let destination = arguments.required(&DESTINATION)?;
    let account = context.account_of(key, None)?;
    let now = labels(&context.archive()?.read(key)?, &account.address);
    // These two move by themselves; whatever else it is moved to, it is not in the inbox any more.
    let moves_itself = ["INBOX", "TRASH", "SPAM"].iter().any(|word| destination.eq_ignore_ascii_case(word));
    let leaves = !moves_itself && now.shown.iter().any(|name| name == "INBOX");
    let remove = if leaves { vec!["INBOX".to_owned()] } else { Vec::new() };
    let mut answer = label(context, key, destination, remove)?;
    answer["moved"] = json!(true);
    Ok(Reply::object(answer))
}
