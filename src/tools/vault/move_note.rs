//! Gives a note another place.

use serde_json::{Value, json};

use crate::tools::vault::path;
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const SOURCE: Argument =
    Argument::text("source", "Vault-relative source path").required().like("Needs_Action/email-001.md");
const DESTINATION: Argument =
    Argument::text("destination", "Vault-relative destination path").required().like("Drafts/email-001.md");

pub(super) const MOVE_NOTE: Tool = Tool {
    name: "move_note",
    title: "Move a note",
    description: "Move a note of the vault to another path, with its folders if they are missing. A note that is there \
                  already stays, and the call fails. Not into or out of Approved, Done and Logs: that is the user's.",
    effect: Effect::Changes,
    arguments: &[SOURCE, DESTINATION],
    output,
    run,
};

fn output() -> Value {
    json!({ "type": "object", "properties": { "moved": { "type": "boolean" } }, "required": ["moved"] })
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let (source, destination) = (path(arguments, &SOURCE)?, path(arguments, &DESTINATION)?);
    context.vault()?.rename(&source, &destination)?;
    Ok(Reply::object(json!({ "moved": true })))
}
