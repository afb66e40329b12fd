//! Lists conversations that wait for an answer.

use serde_json::{Value, json};

use crate::query::analytics::{Awaited, AwaitingReply, Bounds, Turn};
use crate::text_safety::one_line;
use crate::tools::core::{ACCOUNT, with_freshness};
use crate::tools::text::{fitting, people};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

/// What has waited longer is over.
const MOST_DAYS: i64 = 365;

pub(super) const AWAITING_REPLY: Tool = Tool {
    name: "awaiting_reply",
    title: "Awaiting reply",
    description: "List threads that wait for others' answer, or for the user's.",
    effect: Effect::Reads,
    arguments: &[
        ACCOUNT,
        Argument::one_of("waiting_for", &["others", "me"], "Whose answer.").or_text("others"),
        Argument::number("days", 0, 3650, "At least so long.").or(3),
    ],
    output,
    run,
};

/// Threads in one answer.
const MOST_THREADS: usize = 50;

fn output() -> Value {
    let thread = json!({
        "thread_id": { "type": "string" }, "id": { "type": "string" }, "subject": { "type": "string" },
        "from": { "type": "string" }, "date": { "type": "string" }, "days_waiting": { "type": "integer" },
    });
    super::object_schema(json!({
        "items": { "type": "array", "items": { "type": "object", "properties": thread } },
    }))
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let account = arguments.has("account").then(|| context.account(arguments)).transpose()?;
    let asked = AwaitingReply {
        turn: if arguments.text("waiting_for") == Some("me") { Turn::Me } else { Turn::Others },
        days: arguments.number("days").unwrap_or(3),
        most_days: MOST_DAYS,
        limit: MOST_THREADS,
    };
    let bounds = Bounds { account: account.as_ref().map(|account| account.key), max_limit: 100, raw: false };
    let threads = context.archive()?.db(bounds).awaiting_reply(&asked)?;
    let (texts, items) = fitting(threads.iter().map(|thread| (entry(thread), item(thread))));
    let text = if texts.is_empty() { "No thread waits.".to_owned() } else { texts.join("\n") };
    Ok(with_freshness(Reply::new(text, json!({ "items": items })), context, account.as_ref()))
}

/// A thread as data, under the name by which `get_thread` takes it.
fn item(thread: &Awaited) -> Value {
    json!({
        "id": thread.id, "thread_id": format!("t{}", thread.thread_id), "subject": one_line(&thread.subject),
        "from": one_line(&thread.from), "to": people(&thread.to), "date": thread.date,
        "days_waiting": thread.days_waiting, "messages": thread.messages,
    })
}

fn entry(thread: &Awaited) -> String {
    let day = thread.date.get(..10).unwrap_or(&thread.date);
    format!(
        "{} ({day}, {} days): {} from {} to {}",
        thread.id,
        thread.days_waiting,
        one_line(&thread.subject),
        one_line(&thread.from),
        people(&thread.to)
    )
}
