//! Lists conversations that wait for an answer.

use serde_json::{Value, json};

use crate::query::analytics::{Awaited, AwaitingReply, Bounds, Turn};
use crate::text_safety::one_line;
use crate::tools::core::{ACCOUNT, CURSOR, limit, page, with_freshness, with_next};
use crate::tools::text::{fitting, people, person, shortened};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

/// What has waited longer is over.
const MOST_DAYS: i64 = 365;

const WAITING_FOR: Argument = Argument::one_of("waiting_for", &["others", "me"], "").or_text("others");
const DAYS: Argument = Argument::number("days", 0, 3650, "").or(3);
const AUTOMATIC: Argument = Argument::flag("automatic", "Also lists, no-reply and invitations.");
const LIMIT: Argument = limit(100);

pub(super) const AWAITING_REPLY: Tool = Tool {
    name: "awaiting_reply",
    title: "Awaiting reply",
    description: "List threads that wait for others' answer, or for the user's; not those of machines.",
    effect: Effect::Reads,
    arguments: &[ACCOUNT, WAITING_FOR, DAYS, AUTOMATIC, LIMIT, CURSOR],
    output,
    run,
};

fn output() -> Value {
    let text = json!({ "type": "string" });
    let thread = json!({
        "thread_id": text, "id": text, "account": text, "subject": text, "from": text, "to": text, "date": text,
        "days_waiting": { "type": "integer" }, "messages": { "type": "integer" },
    });
    super::object_schema(json!({
        "items": { "type": "array", "items": { "type": "object", "properties": thread } }, "next_cursor": text,
    }))
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let scope = context.account_scope(arguments.text(&ACCOUNT))?;
    let page = page(arguments, arguments.count(&LIMIT))?;
    let asked = AwaitingReply {
        turn: if arguments.text(&WAITING_FOR) == Some("me") { Turn::Me } else { Turn::Others },
        days: arguments.number(&DAYS).unwrap_or(3),
        most_days: MOST_DAYS,
        limit: page.limit + 1,
        offset: page.offset,
        automatic: arguments.flag(&AUTOMATIC),
    };
    let bounds = Bounds { account: scope.key(), max_limit: 101, raw: false };
    let threads = context.archive()?.db(bounds).awaiting_reply(&asked)?;
    let several = scope.is_several();
    let entries = threads.iter().take(page.limit).map(|thread| (entry(thread, several), item(thread)));
    let (texts, items) = fitting(entries);
    let more = texts.len() < threads.len();
    let next = more.then(|| page.offset + texts.len());
    let text = if texts.is_empty() { "No thread waits.".to_owned() } else { texts.join("\n") };
    let reply = with_next(Reply::new(text, json!({ "items": items })), next);
    Ok(with_freshness(reply, context, &scope.accounts))
}

/// A thread as data, under the name by which `get_thread` takes it.
fn item(thread: &Awaited) -> Value {
    json!({
        "id": thread.id, "thread_id": format!("t{}", thread.thread_id), "account": thread.account,
        "subject": subject(thread), "from": person(&thread.from), "to": people(&thread.to),
        "date": thread.date, "days_waiting": thread.days_waiting, "messages": thread.messages,
    })
}

fn subject(thread: &Awaited) -> String {
    shortened(&one_line(&thread.subject), 300)
}

fn entry(thread: &Awaited, several: bool) -> String {
    let day = thread.date.get(..10).unwrap_or(&thread.date);
    let account = if several { format!(" in {}", thread.account) } else { String::new() };
    format!(
        "{} t{} ({day}, {} days{account}): {} from {} to {}",
        thread.id,
        thread.thread_id,
        thread.days_waiting,
        subject(thread),
        person(&thread.from),
        people(&thread.to)
    )
}
