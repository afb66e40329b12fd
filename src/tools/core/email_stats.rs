//! Counts messages by who, where and when.

use serde_json::{Value, json};

use crate::query::analytics::{Bounds, GroupBy, Grouped, Span};
use crate::tools::core::{ACCOUNT, with_freshness};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const EMAIL_STATS: Tool = Tool {
    name: "email_stats",
    title: "Email statistics",
    description: "Count emails by sender, domain, mailbox, time.",
    effect: Effect::Reads,
    arguments: &[
        ACCOUNT,
        Argument::one_of(
            "group_by",
            &["sender", "domain", "mailbox", "day", "month", "year", "weekday_hour"],
            "By what.",
        )
        .or_text("sender"),
        Argument::text("mailbox", "Mailbox."),
        Argument::text("after", "From.").like("2024-01-31"),
        Argument::text("before", "To."),
        Argument::number("limit", 1, 200, "How many.").or(20),
    ],
    output,
    run,
};

fn output() -> Value {
    let group = json!({ "key": { "type": "string" }, "count": { "type": "integer" } });
    super::object_schema(json!({
        "items": { "type": "array", "items": { "type": "object", "properties": group } },
    }))
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let account = arguments.has("account").then(|| context.account(arguments)).transpose()?;
    let by = arguments.text("group_by").unwrap_or("sender");
    let by: GroupBy = serde_json::from_value(json!(by))
        .map_err(|_| ToolError::invalid("group_by", format!("`{by}` is not known")))?;
    let asked = Grouped {
        by,
        mailbox: arguments.text("mailbox").map(str::to_owned),
        span: Span::between(arguments.text("after"), arguments.text("before"))?,
        limit: arguments.count("limit"),
    };
    let bounds = Bounds { account: account.as_ref().map(|account| account.key), max_limit: 200, raw: false };
    let groups = context.archive()?.db(bounds).grouped(&asked)?;
    let lines: Vec<_> = groups.iter().map(|group| format!("{:>8}  {}", group.count, group.key)).collect();
    let text = if lines.is_empty() { "No emails.".to_owned() } else { lines.join("\n") };
    Ok(with_freshness(Reply::new(text, json!({ "items": groups })), context, account.as_ref()))
}
