//! Prompts a person can pick in the client, and what completes their arguments.

use serde_json::{Map, Value, json};

use crate::server::{RequestContext, RpcError};
use crate::tools::ArchivePool;

struct Prompt {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    arguments: &'static [(&'static str, &'static str, bool)],
    text: &'static str,
}

/// The longest value of an argument.
const LONGEST: usize = 10_000;

const ACCOUNT: (&str, &str, bool) = ("account", "Address of the account, if there are several", false);

const PROMPTS: [Prompt; 3] = [
    Prompt {
        name: "triage",
        title: "Triage the inbox",
        description: "Sort unread mail by what it asks of you",
        arguments: &[ACCOUNT],
        text: "List my unread mail in the inbox{account}. Read what is not obvious from the subject. Sort it into: needs my \
               answer, needs me to do something, worth knowing, can wait. One line each, with its ID. Change nothing \
               and draft nothing until I say so.",
    },
    Prompt {
        name: "digest",
        title: "Digest of recent mail",
        description: "What happened in my mail in the last days",
        arguments: &[ACCOUNT, ("days", "How many days back; 7 if left out", false)],
        text: "Summarise my mail of the last {days} days{account}: search with newer_than:{days}d, group by conversation, use \
               get_thread for the long ones. Say who wants what by when, and what I still owe an answer. Name the IDs.",
    },
    Prompt {
        name: "reply",
        title: "Draft a reply",
        description: "Draft an answer to one email for your review",
        arguments: &[
            ("email_id", "ID of the email to answer", true),
            ("intent", "What the answer should say", false),
            ACCOUNT,
        ],
        text: "Read email {email_id}{account} and its thread, then file a draft reply to it with create_draft and reply_to_id. \
               What it should say: {intent}. Match the tone of the conversation, keep it short, and show me the draft; I \
               review and send it myself.",
    },
];

/// The prompts.
pub(super) fn list() -> Value {
    let prompts: Vec<_> = PROMPTS.iter().map(definition).collect();
    json!({ "prompts": prompts })
}

fn definition(prompt: &Prompt) -> Value {
    let arguments: Vec<_> = prompt
        .arguments
        .iter()
        .map(|(name, description, required)| json!({ "name": name, "description": description, "required": required }))
        .collect();
    json!({
        "name": prompt.name, "title": prompt.title, "description": prompt.description, "arguments": arguments,
    })
}

/// A prompt with its arguments filled in.
pub(super) fn get(params: &Map<String, Value>) -> Result<Value, RpcError> {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let Some(prompt) = PROMPTS.iter().find(|prompt| prompt.name == name) else {
        let known: Vec<_> = PROMPTS.iter().map(|prompt| prompt.name).collect();
        return Err(RpcError::invalid_params(format!(
            "Unknown prompt; the prompts are: {}",
            known.join(", ")
        )));
    };
    let given = |name: &str| {
        let value = params.get("arguments").and_then(|arguments| arguments.get(name)).and_then(Value::as_str);
        value.map(str::trim).filter(|value| !value.is_empty())
    };
    if let Some((long, ..)) =
        prompt.arguments.iter().find(|(name, ..)| given(name).is_some_and(|value| value.len() > LONGEST))
    {
        return Err(RpcError::invalid_params(format!("`{long}` has more than {LONGEST} bytes")));
    }
    if let Some((missing, ..)) =
        prompt.arguments.iter().find(|(name, _, needed)| *needed && given(name).is_none())
    {
        return Err(RpcError::invalid_params(format!("`{missing}` is missing")));
    }
    let account = given("account").map(|account| format!(" of {account}")).unwrap_or_default();
    let text = prompt
        .text
        .replace("{account}", &account)
        .replace("{days}", given("days").unwrap_or("7"))
        .replace("{email_id}", given("email_id").unwrap_or_default())
        .replace("{intent}", given("intent").unwrap_or("what the conversation calls for"));
    Ok(json!({
        "description": prompt.description,
        "messages": [{ "role": "user", "content": { "type": "text", "text": text } }],
    }))
}

/// The most values a completion may hold.
const MOST_VALUES: usize = 100;

/// What an argument could be: accounts and labels that begin with what is typed.
pub(super) fn complete(
    archives: &ArchivePool,
    params: &Map<String, Value>,
    context: &RequestContext,
) -> Value {
    let argument = params.get("argument").and_then(Value::as_object);
    let word = |name: &str| argument.and_then(|it| it.get(name)).and_then(Value::as_str).unwrap_or_default();
    let (name, typed) = (word("name"), word("value").to_lowercase());
    let known = match name {
        "account" => accounts(archives, context),
        "label" => labels(archives, context),
        _ => Vec::new(),
    };
    let fitting: Vec<_> =
        known.into_iter().filter(|value| value.to_lowercase().starts_with(&typed)).collect();
    let (total, more) = (fitting.len(), fitting.len() > MOST_VALUES);
    let values: Vec<_> = fitting.into_iter().take(MOST_VALUES).collect();
    json!({ "completion": { "values": values, "total": total, "hasMore": more } })
}

fn accounts(archives: &ArchivePool, context: &RequestContext) -> Vec<String> {
    let mut tool_context = archives.context(context.cancellation());
    let accounts = tool_context.archive().and_then(|archive| Ok(archive.accounts()?)).unwrap_or_default();
    accounts.into_iter().map(|account| account.address).collect()
}

fn labels(archives: &ArchivePool, context: &RequestContext) -> Vec<String> {
    let mut tool_context = archives.context(context.cancellation());
    let Ok(archive) = tool_context.archive() else { return Vec::new() };
    let accounts = archive.accounts().unwrap_or_default();
    let mut labels: Vec<_> =
        accounts.iter().flat_map(|account| archive.labels_of(account.key).unwrap_or_default()).collect();
    labels.sort_unstable();
    labels.dedup();
    labels
}
