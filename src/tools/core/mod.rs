//! The default profile: everyday work with mail, in all accounts unless one is named. Texts read like those of
//! `assistant`; every answer comes as data too, is paged, and says how fresh it is when that is more than an hour ago.

mod awaiting_reply;
mod create_draft;
mod email_stats;
mod find_people;
mod forward;
mod get_attachment;
mod get_send_status;
mod get_thread;
mod list_accounts;
mod list_drafts;
mod list_emails;
mod manage_labels;
mod read_email;
mod search_emails;
mod send_email;
mod similar_emails;
mod sync_status;
mod unsubscribe;
mod update_draft;
mod withdraw_send;

use serde_json::{Value, json};

use crate::model::MessageKey;
use crate::query::{AccountInfo, MatchedBy, Page, Results, Summary};
use crate::text_safety::one_line;
use crate::tools::text::{fitting, with_notes};
use crate::tools::{Argument, Arguments, Reply, Tool, ToolContext, ToolError};

/// The tools, in the order they are listed.
pub(super) const TOOLS: &[&Tool] = &[
    &list_emails::LIST_EMAILS,
    &search_emails::SEARCH_EMAILS,
    &read_email::READ_EMAIL,
    &get_thread::GET_THREAD,
    &get_attachment::GET_ATTACHMENT,
    &find_people::FIND_PEOPLE,
    &similar_emails::SIMILAR_EMAILS,
    &create_draft::CREATE_DRAFT,
    &list_drafts::LIST_DRAFTS,
    &update_draft::UPDATE_DRAFT,
    &send_email::SEND_EMAIL,
    &forward::FORWARD,
    &unsubscribe::UNSUBSCRIBE,
    &get_send_status::GET_SEND_STATUS,
    &withdraw_send::WITHDRAW_SEND,
    &manage_labels::MANAGE_LABELS,
    &email_stats::EMAIL_STATS,
    &awaiting_reply::AWAITING_REPLY,
    &list_accounts::LIST_ACCOUNTS,
    &sync_status::SYNC_STATUS,
];

const ACCOUNT: Argument = Argument::text("account", "").like("ada@example.org");
/// Only for a message that is in several accounts; the error about that asks for it.
const HOLDER: Argument = ACCOUNT.unlisted();
const EMAIL_ID: Argument = Argument::text("email_id", "").required().like("m0123456789ab");
/// Answers say which.
const CURSOR: Argument = Argument::text("cursor", "");
const FORMAT: Argument = Argument::one_of(
    "response_format",
    &["concise", "detailed"],
    "detailed: mailbox, labels, attachments too.",
);

/// How many to give: `most` at most, which larger numbers stand for.
const fn limit(most: i64) -> Argument {
    Argument::number("limit", 1, most, "").or(20).clamped()
}

/// What a search found: each entry as `entry` writes it, then what to know about all of them.
fn found_reply(
    title: &str,
    found: &Results,
    offset: usize,
    entry: impl Fn(&Summary) -> (String, Value),
) -> Reply {
    let entries = found.items.iter().map(|item| {
        let (text, data) = entry(item);
        (marked(text, item), with_match(data, item))
    });
    let (texts, items) = fitting(entries);
    let shown = texts.len();
    let mut text = format!("{title}: {shown} emails\n\n{}", texts.join("\n"));
    let cut = shown < found.items.len();
    let more = found.more || cut;
    if more {
        text.push_str(&match found.total {
            0 => "\n\nMore match in part or by meaning.".to_owned(),
            total => format!("\n\n{total} match."),
        });
    }
    if found.not_indexed > 0 {
        text.push_str(&format!(
            "\n\n{} new emails cannot be searched by their words yet.",
            found.not_indexed
        ));
    }
    let indexed =
        found.indexed.map(|indexed| format!(" ({} of {} emails have vectors)", indexed.messages, indexed.of));
    text.push_str(&format!("\n\nMode: {}{}", found.mode.name(), indexed.unwrap_or_default()));
    let mut data = json!({ "items": items, "total": found.total, "mode": found.mode });
    if let Some(indexed) = found.indexed {
        data["indexed"] = json!(indexed);
    }
    if found.partial > 0 {
        data["partial"] = json!(found.partial);
    }
    if !found.counts.is_empty() {
        data["words"] = json!(found.counts);
    }
    let covered = if cut { messages(&found.items[..shown]) } else { found.covered };
    with_notes(with_next(Reply::new(text, data), more.then(|| offset + covered)), &found.notes)
}

/// How many messages these entries stand for.
fn messages(items: &[Summary]) -> usize {
    items.iter().map(|item| 1 + item.matched.copies.len()).sum()
}

/// An entry with what it lacks and what it stands for.
fn marked(entry: String, item: &Summary) -> String {
    let matched = &item.matched;
    let lacks = (!matched.missing.is_empty()).then(|| format!("Missing: {}\n", matched.missing.join(", ")));
    let copies = matched.copies.len();
    let more = (copies > 0).then(|| format!("Copies: and {copies} more that say nearly the same\n"));
    let meaning = (matched.by == [MatchedBy::Meaning]).then(|| "Match: meaning\n".to_owned());
    let lines: String = meaning.into_iter().chain(lacks).chain(more).collect();
    match entry.strip_suffix("---") {
        Some(open) => format!("{open}{lines}---"),
        None => entry,
    }
}

fn with_match(mut data: Value, item: &Summary) -> Value {
    let matched = &item.matched;
    if !matched.by.is_empty() {
        data["matched"] = json!(matched.by);
    }
    if !matched.missing.is_empty() {
        data["missing"] = json!(matched.missing);
    }
    if !matched.copies.is_empty() {
        data["copies"] = json!(matched.copies);
    }
    data
}

/// Mail older than this says so.
const FRESH_SECONDS: i64 = 3600;

/// The page that the arguments ask for.
fn page(arguments: &Arguments, limit: usize) -> Result<Page, ToolError> {
    let offset = match arguments.text(&CURSOR) {
        None => 0,
        Some(cursor) => cursor.parse().map_err(|_| {
            ToolError::invalid("cursor", "`cursor` must be the next_cursor of the page before, or left out")
        })?,
    };
    Ok(Page { limit, offset })
}

fn is_detailed(arguments: &Arguments) -> bool {
    arguments.text(&FORMAT) == Some("detailed")
}

/// Adds how to go on where a page is not the last.
fn with_next(mut reply: Reply, next: Option<usize>) -> Reply {
    if let Some(next) = next {
        reply.text.push_str(&format!("\n\nMore: call again with cursor \"{next}\"."));
        reply.structured["next_cursor"] = json!(next.to_string());
    }
    reply
}

/// Adds how fresh the accounts are, when that is worth saying, as the last thing: the time of the one that is furthest
/// behind, and where there are several, whose it is.
fn with_freshness(mut reply: Reply, context: &ToolContext, accounts: &[AccountInfo]) -> Reply {
    let now = context.clock().now().as_second();
    let is_fresh = |account: &&AccountInfo| account.synced_epoch.is_some_and(|at| now - at < FRESH_SECONDS);
    let stale: Vec<_> = accounts.iter().filter(|account| !is_fresh(account)).collect();
    let Some(oldest) = stale.iter().min_by_key(|account| account.synced_epoch) else { return reply };
    let shown = oldest.synced_at().unwrap_or_else(|| "never".to_owned());
    let whose = if accounts.len() > 1 { format!(" ({})", oldest.address) } else { String::new() };
    reply.text = format!("{}\n\nsynced_at: {shown}{whose}", reply.text.trim_end());
    reply.structured["synced_at"] = json!(shown);
    reply
}

/// The message with this id, which must be in the account where one is named. From here on it goes by its row.
pub(super) fn find_message(
    context: &mut ToolContext,
    id: &str,
    account: Option<&AccountInfo>,
) -> Result<MessageKey, ToolError> {
    let archive = context.archive()?;
    let unknown = || {
        let owner = account.map(|account| format!(" in {}", account.address)).unwrap_or_default();
        ToolError::not_found(format!("Email not found: {}{owner}", one_line(id)))
            .with_hint("take an ID from list_emails or search_emails")
    };
    let key = archive.resolve(id).map_err(|_| unknown())?;
    if archive.shows(key, account.map(|account| account.key))? { Ok(key) } else { Err(unknown()) }
}

/// The schema of an object with these fields, all optional.
fn object_schema(properties: Value) -> Value {
    let kind = ("type".to_owned(), json!("object"));
    Value::Object([kind, ("properties".to_owned(), properties)].into_iter().collect())
}
