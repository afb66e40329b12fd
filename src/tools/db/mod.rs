//! Analytics over the archive, as document 003 names them: 22 tools that only read. Their text is the JSON of the rows.

mod count_emails;
mod execute_sql_query;
mod filter_emails;
mod get_duplicate_emails;
mod get_email_activity_heatmap;
mod get_email_frequency_by_sender;
mod get_email_full;
mod get_email_stats;
mod get_email_thread;
mod get_emails_by_date_range;
mod get_emails_by_keywords;
mod get_emails_by_size_range;
mod get_emails_with_attachments;
mod get_largest_emails;
mod get_mailbox_stats;
mod get_response_time_stats;
mod get_seasonal_trends;
mod get_top_domains;
mod get_top_senders;
mod list_earliest_emails;
mod manual;
mod search_email_headers;
mod search_emails;
mod shapes;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::query::analytics::{Attachments, Filter, Span, Timeline};
use crate::tools::db::shapes::Shape;
use crate::tools::{Argument, Arguments, Reply, Tool, ToolContext, ToolError};

pub use manual::page;

/// The tools and what they give back, in the order of their document.
const SHAPES: &[(&Tool, &Shape)] = &[
    (&list_earliest_emails::LIST_EARLIEST_EMAILS, &list_earliest_emails::SHAPE),
    (&get_email_full::GET_EMAIL_FULL, &get_email_full::SHAPE),
    (&filter_emails::FILTER_EMAILS, &filter_emails::SHAPE),
    (&search_emails::SEARCH_EMAILS, &search_emails::SHAPE),
    (&count_emails::COUNT_EMAILS, &count_emails::SHAPE),
    (&get_email_stats::GET_EMAIL_STATS, &get_email_stats::SHAPE),
    (&get_top_senders::GET_TOP_SENDERS, &get_top_senders::SHAPE),
    (&get_top_domains::GET_TOP_DOMAINS, &get_top_domains::SHAPE),
    (&get_largest_emails::GET_LARGEST_EMAILS, &get_largest_emails::SHAPE),
    (&get_mailbox_stats::GET_MAILBOX_STATS, &get_mailbox_stats::SHAPE),
    (&get_emails_by_date_range::GET_EMAILS_BY_DATE_RANGE, &get_emails_by_date_range::SHAPE),
    (&get_emails_with_attachments::GET_EMAILS_WITH_ATTACHMENTS, &get_emails_with_attachments::SHAPE),
    (&get_email_thread::GET_EMAIL_THREAD, &get_email_thread::SHAPE),
    (&get_email_activity_heatmap::GET_EMAIL_ACTIVITY_HEATMAP, &get_email_activity_heatmap::SHAPE),
    (&get_response_time_stats::GET_RESPONSE_TIME_STATS, &get_response_time_stats::SHAPE),
    (&get_email_frequency_by_sender::GET_EMAIL_FREQUENCY_BY_SENDER, &get_email_frequency_by_sender::SHAPE),
    (&get_seasonal_trends::GET_SEASONAL_TRENDS, &get_seasonal_trends::SHAPE),
    (&get_emails_by_size_range::GET_EMAILS_BY_SIZE_RANGE, &get_emails_by_size_range::SHAPE),
    (&get_duplicate_emails::GET_DUPLICATE_EMAILS, &get_duplicate_emails::SHAPE),
    (&search_email_headers::SEARCH_EMAIL_HEADERS, &search_email_headers::SHAPE),
    (&get_emails_by_keywords::GET_EMAILS_BY_KEYWORDS, &get_emails_by_keywords::SHAPE),
    (&execute_sql_query::EXECUTE_SQL_QUERY, &execute_sql_query::SHAPE),
];

/// The tools, in the order of their document.
pub(super) const TOOLS: &[&Tool] = &{
    let mut tools = [SHAPES[0].0; SHAPES.len()];
    let mut at = 0;
    while at < SHAPES.len() {
        tools[at] = SHAPES[at].0;
        at += 1;
    }
    tools
};

const FROM_CONTAINS: Argument = Argument::text("from_contains", "Part of the sender's name or address.");
const FROM_DOMAIN: Argument = Argument::text("from_domain", "Sender's domain.").like("example.org");
const SUBJECT_CONTAINS: Argument = Argument::text("subject_contains", "Part of the subject.");
const MAILBOX: Argument = Argument::text("mailbox", "Mailbox.").like("INBOX");
const DATE_FROM: Argument =
    Argument::text("date_from", "First day of internaldate, YYYY-MM-DD, UTC.").like("2024-01-31");
const DATE_TO: Argument =
    Argument::text("date_to", "Last day of internaldate, YYYY-MM-DD, UTC.").like("2024-12-31");
const ORDER: Argument =
    Argument::one_of("order", &["date_asc", "date_desc"], "By internaldate.").or_text("date_desc");
const PERIOD: Argument =
    Argument::one_of("period", &["daily", "monthly", "yearly"], "Period.").or_text("monthly");
const ATTACHMENTS: Argument =
    Argument::one_of("attachments", &["any", "with", "without"], "Attachments.").or_text("any");

/// How many rows; more than the server allows is cut, none or less is the default.
const fn limit_or(default: i64) -> Argument {
    Argument::number("limit", i64::MIN, i64::MAX, "How many.").or(default)
}

fn limit(arguments: &Arguments, default: usize) -> usize {
    let given = arguments.number("limit").and_then(|limit| usize::try_from(limit).ok());
    given.filter(|limit| *limit > 0).unwrap_or(default)
}

/// One of the words that the schema allows.
fn word<T: DeserializeOwned>(arguments: &Arguments, name: &str) -> Result<T, ToolError> {
    let word = arguments.text(name).unwrap_or_default();
    serde_json::from_value(json!(word))
        .map_err(|_| ToolError::invalid(name, format!("`{word}` is not known")))
}

fn span(arguments: &Arguments) -> Result<Span, ToolError> {
    Ok(Span::between(date(arguments, "date_from"), date(arguments, "date_to"))?)
}

/// A date as given: an empty one is not as good as none.
fn date<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a str> {
    arguments.has(name).then(|| arguments.verbatim(name))
}

/// Says how many rows are withheld in the mailbox and time that was asked about.
fn noted(context: &mut ToolContext, arguments: &Arguments, reply: Reply) -> Result<Reply, ToolError> {
    let withheld = context.db()?.withheld(arguments.text("mailbox"), span(arguments)?)?;
    Ok(if withheld == 0 { reply } else { reply.with_meta("withheld", withheld) })
}

fn filter(arguments: &Arguments) -> Result<Filter, ToolError> {
    let owned = |name| arguments.text(name).map(str::to_owned);
    Ok(Filter {
        from_contains: owned("from_contains"),
        from_domain: owned("from_domain"),
        subject_contains: owned("subject_contains"),
        mailbox: owned("mailbox"),
        span: Some(span(arguments)?),
        by: Timeline::Arrival,
        attachments: Attachments::Any,
    })
}

fn rows(rows: &[impl Serialize]) -> Result<Reply, ToolError> {
    let text = serde_json::to_string(rows).map_err(|error| unwritable(&error))?;
    let items: Vec<Value> = rows
        .iter()
        .map(serde_json::to_value)
        .collect::<Result<_, _>>()
        .map_err(|error| unwritable(&error))?;
    Ok(Reply::new(text, json!({ "items": items })))
}

fn object(object: &impl Serialize) -> Result<Reply, ToolError> {
    let text = serde_json::to_string(object).map_err(|error| unwritable(&error))?;
    Ok(Reply::new(text, serde_json::to_value(object).map_err(|error| unwritable(&error))?))
}

fn unwritable(error: &serde_json::Error) -> ToolError {
    ToolError::new(crate::tools::ErrorKind::Internal, format!("the answer cannot be written: {error}"))
}
