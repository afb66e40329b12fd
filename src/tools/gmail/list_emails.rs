//! Lists what a search in Gmail's own syntax finds, newest first. What it does not understand it refuses.

use serde_json::{Value, json};

use crate::query::{Leniency, Mode, Page, Question, Sort};
use crate::tools::gmail::{of_strangers, shown_id};
use crate::tools::text::{fitting, sender, shortened};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const QUERY: Argument = Argument::text("query", "Gmail search query (same syntax as Gmail UI)")
    .or_text("is:unread")
    .like("is:unread");
const MAX_RESULTS: Argument = Argument::number("max_results", 1, 100, "1-100").or(10).clamped();

pub(super) const LIST_EMAILS: Tool = Tool {
    name: "list_emails",
    title: "List emails",
    description: "List emails that match a Gmail search query, newest first.",
    effect: Effect::Reads,
    arguments: &[QUERY, MAX_RESULTS],
    output,
    run,
};

fn output() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "properties": { "items": { "type": "array", "items": { "type": "object", "properties": {
            "id": text, "subject": text, "sender": text, "date": text, "snippet": text,
        }, "required": ["id", "subject", "sender", "date", "snippet"] } } },
        "required": ["items"],
    })
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let query = as_gmail_means_it(arguments.text(&QUERY).unwrap_or_default());
    let page = Page { limit: arguments.count(&MAX_RESULTS), offset: 0 };
    let account = context.sender().map(str::to_owned);
    let question = Question {
        mode: Some(Mode::Lexical),
        sort: Some(Sort::Newest),
        leniency: Leniency::Strict,
        ..Question::of(&query, page).within(account.as_deref())
    };
    let found = context.archive()?.search(&question)?;
    let mut rows = Vec::new();
    for item in &found.items {
        let key = context.archive()?.resolve(&item.id)?;
        rows.push(json!({
            "id": shown_id(context, key)?, "subject": shortened(&item.subject, 300),
            "sender": sender(&item.name, &item.address), "date": item.date,
            "snippet": shortened(&item.snippet, 100),
        }));
    }
    let (_, rows) = fitting(rows.into_iter().map(|row| (row.to_string(), row)));
    let mut reply = of_strangers(Reply::rows(rows));
    if found.withheld > 0 {
        reply = reply.with_meta("withheld", found.withheld);
    }
    if !found.notes.is_empty() {
        reply = reply.with_meta("notes", json!(found.notes));
    }
    Ok(reply)
}

/// Gmail leaves out what is in the trash and what is spam, unless the query asks where a message is.
fn as_gmail_means_it(query: &str) -> String {
    let lower = query.to_ascii_lowercase();
    let asks = ["in:anywhere", "in:trash", "in:spam", "label:trash", "label:spam", "in:bin"];
    let query = query.trim();
    match asks.iter().any(|word| lower.contains(word)) {
        true => query.to_owned(),
        false if query.is_empty() => "-in:trash -in:spam".to_owned(),
        false => format!("({query}) -in:trash -in:spam"),
    }
}

#[cfg(test)]
mod tests {
    use super::as_gmail_means_it;

    #[test]
    fn trash_and_spam_are_left_out_unless_they_are_asked_for() {
        assert_eq!(as_gmail_means_it("is:unread"), "(is:unread) -in:trash -in:spam");
        assert_eq!(as_gmail_means_it("a OR b"), "(a OR b) -in:trash -in:spam");
        assert_eq!(as_gmail_means_it(""), "-in:trash -in:spam");
        assert_eq!(as_gmail_means_it("x in:anywhere"), "x in:anywhere");
        assert_eq!(as_gmail_means_it("In:Trash x"), "In:Trash x");
    }
}
