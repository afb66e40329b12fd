//! The default profile: everyday work with mail. Texts read like those of `assistant`; every answer comes as data too,
//! is paged, and says how fresh it is when that is more than an hour ago.

mod awaiting_reply;
mod create_draft;
mod email_stats;
mod get_attachment;
mod get_thread;
mod list_accounts;
mod list_drafts;
mod list_emails;
mod manage_labels;
mod read_email;
mod search_emails;
mod sync_status;
mod update_draft;

use serde_json::{Value, json};

use crate::query::{AccountInfo, Page};
use crate::tools::{Argument, Arguments, Reply, Tool, ToolContext, ToolError};

/// The tools, in the order they are listed.
pub(super) const TOOLS: &[&Tool] = &[
    &list_emails::LIST_EMAILS,
    &search_emails::SEARCH_EMAILS,
    &read_email::READ_EMAIL,
    &get_thread::GET_THREAD,
    &get_attachment::GET_ATTACHMENT,
    &create_draft::CREATE_DRAFT,
    &list_drafts::LIST_DRAFTS,
    &update_draft::UPDATE_DRAFT,
    &manage_labels::MANAGE_LABELS,
    &email_stats::EMAIL_STATS,
    &awaiting_reply::AWAITING_REPLY,
    &list_accounts::LIST_ACCOUNTS,
    &sync_status::SYNC_STATUS,
];

const ACCOUNT: Argument = Argument::text("account", "Account.").like("ada@example.org");
const EMAIL_ID: Argument = Argument::text("email_id", "ID.").required().like("m0123456789ab");
const CURSOR: Argument = Argument::text("cursor", "next_cursor.");
const FORMAT: Argument = Argument::one_of("response_format", &["concise", "detailed"], "Default concise.");

/// Mail older than this says so.
const FRESH_SECONDS: i64 = 3600;

/// The page that the arguments ask for.
fn page(arguments: &Arguments) -> Result<Page, ToolError> {
    let offset = match arguments.text("cursor") {
        None => 0,
        Some(cursor) => cursor.parse().map_err(|_| {
            ToolError::invalid("cursor", "`cursor` must be the next_cursor of the page before, or left out")
        })?,
    };
    Ok(Page { limit: arguments.count("limit"), offset })
}

fn is_detailed(arguments: &Arguments) -> bool {
    arguments.text("response_format") == Some("detailed")
}

/// Adds how fresh the account is, when that is worth saying, as the last thing.
fn with_freshness(mut reply: Reply, context: &ToolContext, account: Option<&AccountInfo>) -> Reply {
    let Some(account) = account else { return reply };
    let now = context.clock().now().as_second();
    if account.synced_epoch.is_some_and(|epoch| now - epoch < FRESH_SECONDS) {
        return reply;
    }
    let synced_at = account.synced_at();
    let shown = synced_at.clone().unwrap_or_else(|| "never".to_owned());
    reply.text = format!("{}\n\nsynced_at: {shown}", reply.text.trim_end());
    reply.structured["synced_at"] = json!(shown);
    reply
}

/// The account that a message is asked for in, if one is named, and its row.
fn message_of(
    context: &mut ToolContext,
    arguments: &Arguments,
) -> Result<(crate::model::MessageKey, Option<AccountInfo>), ToolError> {
    let account = match arguments.text("account") {
        Some(_) => Some(context.account(arguments)?),
        None => None,
    };
    let key = find_message(context, arguments.required("email_id")?, account.as_ref())?;
    Ok((key, account))
}

/// The message with this id, which must be in the account where one is named.
pub(super) fn find_message(
    context: &mut ToolContext,
    id: &str,
    account: Option<&AccountInfo>,
) -> Result<crate::model::MessageKey, ToolError> {
    let archive = context.archive()?;
    let unknown = || {
        let owner = account.map(|account| format!(" in {}", account.address)).unwrap_or_default();
        ToolError::not_found(format!("Email not found: {}{owner}", crate::text_safety::one_line(id)))
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
