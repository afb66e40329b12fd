//! Reads one message.

use serde_json::{Value, json};

use crate::query::fold_history;
use crate::tools::core::{ACCOUNT, EMAIL_ID, message_of, object_schema, with_freshness};
use crate::tools::text::{
    Window, attachments, fenced, header, labels, people, sender, shortened, window, with_findings,
};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const READ_EMAIL: Tool = Tool {
    name: "read_email",
    title: "Read email",
    description: "Read one email. Quoted history is folded, long text windowed.",
    effect: Effect::Reads,
    arguments: &[
        EMAIL_ID,
        ACCOUNT,
        Argument::number("offset", 0, i64::MAX, "Start character."),
        Argument::number("max_chars", 100, 12_000, "Window size.").or(6_000),
        Argument::flag("full", "Keep quoted history."),
    ],
    output,
    run,
};

fn output() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    object_schema(json!({
        "id": text, "thread_id": text, "subject": text, "sender": text, "to": text, "cc": text, "date": text,
        "body": text, "has_attachments": { "type": "boolean" }, "attachment_names": texts, "labels": texts,
        "next_offset": { "type": "integer" }, "total_chars": { "type": "integer" },
        "folded_lines": { "type": "integer" }, "synced_at": text,
    }))
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let (key, account) = message_of(context, arguments)?;
    let archive = context.archive()?;
    let message = archive.read(key)?;
    let summary = archive.summary(key, account.as_ref().map(|account| account.key))?;
    let summary = summary.ok_or_else(|| ToolError::not_found("Email not found"))?;
    let owner = match account {
        Some(account) => Some(account),
        None => owner(context, &message)?,
    };
    let (body, folded) = if arguments.flag("full") {
        (message.text.clone(), 0)
    } else {
        let folded = fold_history(&message.text);
        (folded.text, folded.hidden_lines)
    };
    let part = window(&body, arguments.count("offset"), arguments.count("max_chars"));
    let mut text = format!("{}\n--- Body ---\n{}", header(&message, &summary), fenced(&part.text));
    text.push_str(&how_to_go_on(&part, folded));
    if !message.attachments.is_empty() {
        text.push_str(&format!("\n{}", attachments(&message.attachments)));
    }
    let names: Vec<_> = message.attachments.iter().take(100).map(|part| part.shown_name()).collect();
    let mut structured = json!({
        "id": message.id, "thread_id": message.thread, "subject": shortened(&summary.subject, 1_000),
        "sender": sender(&summary.name, &summary.address), "to": people(&message.to), "cc": people(&message.cc),
        "date": message.date, "body": part.text, "has_attachments": summary.has_attachments,
        "attachment_names": names, "labels": labels(&message), "total_chars": part.total,
    });
    if let Some(next) = part.next {
        structured["next_offset"] = json!(next);
    }
    if folded > 0 {
        structured["folded_lines"] = json!(folded);
    }
    let reply = with_findings(Reply::new(text, structured), &context.archive()?.reading(key)?);
    Ok(with_freshness(reply, context, owner.as_ref()))
}

/// The account that holds the message.
fn owner(
    context: &mut ToolContext,
    message: &crate::query::FullMessage,
) -> Result<Option<crate::query::AccountInfo>, ToolError> {
    let address = message.placements.first().map(|place| place.account.clone());
    let accounts = context.archive()?.accounts()?;
    Ok(accounts.into_iter().find(|account| Some(&account.address) == address.as_ref()))
}

fn how_to_go_on(part: &Window, folded: usize) -> String {
    let mut notes = String::new();
    if let Some(next) = part.next {
        notes.push_str(&format!("\n\n[{} of {} characters; go on with offset {next}]", next, part.total));
    }
    if folded > 0 && part.next.is_none() {
        notes.push_str(&format!("\n\n[{folded} quoted lines folded; full: true shows them]"));
    }
    notes
}
