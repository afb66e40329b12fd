//! Adds or removes labels, of one message or of many.

use serde_json::{Value, json};

use crate::labels::LabelsChanged;
use crate::tools::core::{HOLDER, find_message, object_schema};
use crate::tools::drafting::{LabelWish, follow_labels, labels_json, labels_schema, relabel};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const EMAIL_IDS: Argument = Argument::texts("email_ids", "Email IDs, up to 100.").like("m0123456789ab");
const EMAIL_ID: Argument = Argument::text("email_id", "").like("m0123456789ab").unlisted();
const ADD_LABELS: Argument = Argument::texts("add_labels", "To add; new ones are made.").like("work");
const REMOVE_LABELS: Argument = Argument::texts("remove_labels", "").like("UNREAD");

pub(super) const MANAGE_LABELS: Tool = Tool {
    name: "manage_labels",
    title: "Manage labels",
    description: "Add or remove labels of emails. UNREAD and STARRED mark, INBOX, TRASH and SPAM move.",
    effect: Effect::Changes,
    arguments: &[EMAIL_IDS, EMAIL_ID, HOLDER, ADD_LABELS, REMOVE_LABELS],
    output,
    run,
};

/// More at once is a mistake, or something for a person to decide.
const MOST_EMAILS: usize = 100;

fn output() -> Value {
    object_schema(json!({
        "items": { "type": "array", "items": labels_schema() },
        "failed": { "type": "array", "items": object_schema(json!({
            "id": { "type": "string" }, "problem": { "type": "string" },
        })) },
    }))
}

/// Every id is looked up before anything changes, so that a slip in one of them changes nothing.
fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let ids = ids(arguments)?;
    let scope = context.account_scope(arguments.text(&HOLDER))?;
    let (add, remove) = (arguments.texts(&ADD_LABELS), arguments.texts(&REMOVE_LABELS));
    let mut wishes = Vec::with_capacity(ids.len());
    for id in ids {
        let message = find_message(context, &id, scope.named.as_ref())?;
        let account = context.account_of(message, scope.named.as_ref())?;
        wishes.push(LabelWish { message, account, add: add.clone(), remove: remove.clone() });
    }
    let (mut changed, mut failed) = (Vec::new(), Vec::new());
    for wish in wishes {
        match relabel(context, &wish) {
            Ok(done) => changed.push((wish.account.address, done)),
            // The first is told as the error it is: nothing has changed yet.
            Err(error) if changed.is_empty() => return Err(error),
            Err(error) => failed.push((context.archive()?.read(wish.message)?.id, error.message)),
        }
    }
    let pairs: Vec<_> = changed.iter().map(|(account, done)| (account.as_str(), done)).collect();
    let followed = follow_labels(context, &pairs)?;
    let changed: Vec<_> = changed.into_iter().map(|(_, done)| done).zip(followed).collect();
    Ok(answer(&changed, &failed))
}

fn ids(arguments: &Arguments) -> Result<Vec<String>, ToolError> {
    let mut ids = arguments.texts(&EMAIL_IDS);
    ids.extend(arguments.text(&EMAIL_ID).map(str::to_owned));
    let mut met = std::collections::HashSet::new();
    ids.retain(|id| met.insert(id.clone()));
    match ids.len() {
        0 => Err(ToolError::invalid("email_ids", "`email_ids` is missing; it must be an array of IDs")),
        1..=MOST_EMAILS => Ok(ids),
        many => Err(ToolError::invalid(
            "email_ids",
            format!("`email_ids` has {many} IDs; at most {MOST_EMAILS} are allowed"),
        )),
    }
}

fn answer(changed: &[Followed], failed: &[(String, String)]) -> Reply {
    let mut text = groups(changed).join("\n\n");
    for (id, problem) in failed {
        text.push_str(&format!("\n\nNot changed: {id}: {problem}"));
    }
    let items: Vec<_> = changed.iter().map(item).collect();
    let mut structured = json!({ "items": items });
    if !failed.is_empty() {
        let failed: Vec<_> =
            failed.iter().map(|(id, problem)| json!({ "id": id, "problem": problem })).collect();
        structured["failed"] = json!(failed);
    }
    Reply::new(text, structured)
}

/// A change, and what has become of it on the server.
type Followed = (LabelsChanged, Option<(String, &'static str)>);

fn item((done, followed): &Followed) -> Value {
    let mut item = labels_json(done);
    if let Some((_, state)) = followed {
        item["server"] = json!(state);
    }
    item
}

/// One paragraph for all messages to which the same happened.
fn groups(changed: &[Followed]) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (done, followed) in changed {
        let mut told = told(done);
        told.extend(followed.iter().flat_map(|(sentence, _)| ["\n", sentence.as_str()]));
        match groups.iter_mut().find(|(known, _)| *known == told) {
            Some((_, ids)) => ids.push(&done.message),
            None => groups.push((told, vec![&done.message])),
        }
    }
    let heading = |ids: &[&str]| match ids {
        [one] => format!("Labels updated for email {one}:"),
        many => format!("Labels updated for {} emails ({}):", many.len(), many.join(", ")),
    };
    groups.iter().map(|(told, ids)| format!("{}{told}", heading(ids))).collect()
}

fn told(done: &LabelsChanged) -> String {
    let lines = [
        ("Added", &done.added),
        ("Removed", &done.removed),
        ("Shown here after the next sync", &done.waiting),
    ];
    let lines = lines.into_iter().filter(|(_, labels)| !labels.is_empty());
    lines.map(|(word, labels)| format!("\n{word}: {}", labels.join(", "))).collect()
}
