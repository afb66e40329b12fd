//! Adds or removes labels.

use serde_json::json;

use crate::tools::core::{ACCOUNT, EMAIL_ID};
use crate::tools::drafting::{follow_labels, labels_json, labels_schema, labels_text, relabel};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const MANAGE_LABELS: Tool = Tool {
    name: "manage_labels",
    title: "Manage labels",
    description: "Add or remove labels, also UNREAD and STARRED.",
    effect: Effect::Changes,
    arguments: &[
        EMAIL_ID,
        ACCOUNT,
        Argument::texts("add_labels", "To add.").like("work"),
        Argument::texts("remove_labels", "To remove.").like("UNREAD"),
    ],
    output: labels_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let account = context.account(arguments)?;
    let changed = relabel(context, arguments, &account)?;
    let (mut text, mut structured) = (labels_text(&changed), labels_json(&changed));
    if let Some((sentence, state)) = follow_labels(context, &account, &[&changed])? {
        text.push_str(&format!("\n{sentence}"));
        structured["server"] = json!(state);
    }
    if !changed.waiting.is_empty() {
        text.push_str(&format!("\nShown here after the next sync: {}", changed.waiting.join(", ")));
    }
    Ok(Reply::new(text, structured))
}
