//! Adds or removes labels.

use serde_json::json;

use crate::tools::assistant::{ACCOUNT, EMAIL_ID};
use crate::tools::core::find_message;
use crate::tools::drafting::{LabelWish, follow_labels, labels_json, labels_schema, labels_text, relabel};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const ADD_LABELS: Argument = Argument::texts("add_labels", "Labels to add").like("work");
const REMOVE_LABELS: Argument = Argument::texts("remove_labels", "Labels to remove").like("UNREAD");

pub(super) const MANAGE_LABELS: Tool = Tool {
    name: "manage_labels",
    title: "Manage labels",
    description: "Add or remove labels from email; new labels are created",
    effect: Effect::Changes,
    arguments: &[EMAIL_ID, ACCOUNT, ADD_LABELS, REMOVE_LABELS],
    output: labels_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let account = context.account(arguments.text(&ACCOUNT))?;
    let message = find_message(context, arguments.required(&EMAIL_ID)?, Some(&account))?;
    let (add, remove) = (arguments.texts(&ADD_LABELS), arguments.texts(&REMOVE_LABELS));
    let changed = relabel(context, &LabelWish { message, account: account.clone(), add, remove })?;
    let mut structured = labels_json(&changed);
    for (_, state) in follow_labels(context, &[(&account.address, &changed)])?.into_iter().flatten() {
        structured["server"] = json!(state);
    }
    Ok(Reply::new(labels_text(&changed), structured))
}
