//! Adds or removes labels, of one message or of many.

use serde_json::{Value, json};

use crate::labels::LabelsChanged;
use crate::query::AccountInfo;
use crate::tools::core::{ACCOUNT, find_message, object_schema};
use crate::tools::drafting::{LabelWish, follow_labels, labels_json, labels_schema, relabel};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const EMAIL_IDS: Argument = Argument::texts("email_ids", "Email IDs, up to 100.").like("m0123456789ab");
const EMAIL_ID: Argument = Argument::text("email_id", "Or one.").like("m0123456789ab");
const ADD_LABELS: Argument = Argument::texts("add_labels", "To add; new ones are made.").like("work");
const REMOVE_LABELS: Argument = Argument::texts("remove_labels", "To remove.").like("UNREAD");

pub(super) const MANAGE_LABELS: Tool = Tool {
    name: "manage_labels",
    title: "Manage labels",
    description: "Add or remove labels of emails. UNREAD and STARRED mark, INBOX, TRASH and SPAM move.",
    effect: Effect::Changes,
    arguments: &[EMAIL_IDS, EMAIL_ID, ACCOUNT, ADD_LABELS, REMOVE_LABELS],
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
    let scope = context.account_scope(arguments.text(&ACCOUNT))?;
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
            Ok(done) => changed.push((wish.account, done)),
            // The first is told as the error it is: nothing has changed yet.
            Err(error) if changed.is_empty() => return Err(error),
            Err(error) => failed.push((context.archive()?.read(wish.message)?.id, error.message)),
        }
    }
    let servers = follow(context, &changed)?;
    Ok(answer(&changed, &failed, &servers))
}

/// What became of the changes on the server of each account.
fn follow(
    context: &ToolContext,
    changed: &[(AccountInfo, LabelsChanged)],
) -> Result<Vec<OnServer>, ToolError> {
    let mut accounts: Vec<&AccountInfo> = Vec::new();
    for (account, _) in changed {
        if !accounts.iter().any(|known| known.key == account.key) {
            accounts.push(account);
        }
    }
    let mut servers = Vec::new();
    for account in accounts {
        let theirs: Vec<_> =
            changed.iter().filter(|(of, _)| of.key == account.key).map(|(_, done)| done).collect();
        let followed = follow_labels(context, account, &theirs)?;
        servers.extend(followed.map(|(sentence, state)| OnServer {
            account: account.address.clone(),
            sentence,
            state,
        }));
    }
    Ok(servers)
}

/// How far the server of an account has followed.
struct OnServer {
    account: String,
    sentence: String,
    state: &'static str,
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

fn answer(
    changed: &[(AccountInfo, LabelsChanged)],
    failed: &[(String, String)],
    servers: &[OnServer],
) -> Reply {
    let mut text = groups(changed).join("\n\n");
    for server in servers {
        let whose = if servers.len() > 1 { format!("{}: ", server.account) } else { String::new() };
        text.push_str(&format!("\n{whose}{}", server.sentence));
    }
    for (id, problem) in failed {
        text.push_str(&format!("\n\nNot changed: {id}: {problem}"));
    }
    let items: Vec<_> = changed.iter().map(|(account, done)| item(account, done, servers)).collect();
    let mut structured = json!({ "items": items });
    if !failed.is_empty() {
        let failed: Vec<_> =
            failed.iter().map(|(id, problem)| json!({ "id": id, "problem": problem })).collect();
        structured["failed"] = json!(failed);
    }
    Reply::new(text, structured)
}

fn item(account: &AccountInfo, done: &LabelsChanged, servers: &[OnServer]) -> Value {
    let mut value = labels_json(done);
    if let Some(server) = servers.iter().find(|server| server.account == account.address) {
        value["server"] = json!(server.state);
    }
    value
}

/// One paragraph for all messages to which the same happened.
fn groups(changed: &[(AccountInfo, LabelsChanged)]) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (_, done) in changed {
        let told = told(done);
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
