//! Searches emails. Text that the search language cannot read is looked for as text.

use serde_json::json;

use crate::query::language::LanguageError;
use crate::query::{Archive, Leniency, Mode, Page, QueryError, Question, Results, as_text};
use crate::tools::assistant::ACCOUNT;
use crate::tools::text::{fitting, search_entry, summaries_schema, summary_json};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const QUERY: Argument = Argument::text("query", "What to search for").required().like("invoice");
const LIMIT: Argument = Argument::number("limit", 1, 50, "Max results (default 20, max 50)").or(20).clamped();

pub(super) const SEARCH_EMAILS: Tool = Tool {
    name: "search_emails",
    title: "Search emails",
    description: "Search emails by query: words, \"phrases\", from: to: subject: is:unread has:attachment before: after:",
    effect: Effect::Reads,
    arguments: &[QUERY, ACCOUNT, LIMIT],
    output: summaries_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let query = arguments.required(&QUERY)?;
    let account = context.account(arguments.text(&ACCOUNT))?;
    let page = Page { limit: arguments.count(&LIMIT), offset: 0 };
    let archive = context.archive()?;
    let (found, read_as) = matches(archive, query, &account.address, page)?;
    let (texts, items) =
        fitting(found.items.iter().map(|item| (search_entry(item, 100, ""), summary_json(item))));
    let shown_query = crate::text_safety::one_line(query);
    let text =
        format!("Search results for \"{shown_query}\": {} emails\n\n{}", texts.len(), texts.join("\n"));
    let reply = Reply::new(text, json!({ "items": items, "total": found.total }));
    let reply = if read_as == query { reply } else { reply.with_meta("read_as", read_as) };
    Ok(reply.with_meta("withheld", found.withheld))
}

/// What matches, and the query as it was read. A query that is no search is text: each word of it as it stands.
fn matches(
    archive: &mut Archive,
    query: &str,
    account: &str,
    page: Page,
) -> Result<(Results, String), QueryError> {
    // The answers have no room to say that a word is missing.
    let mut ask = |text: &str| {
        let question = Question::of(text, page).within(Some(account));
        archive.search(&Question { mode: Some(Mode::Lexical), leniency: Leniency::Strict, ..question })
    };
    let refused = match ask(query) {
        Ok(found) => return Ok((found, query.to_owned())),
        Err(QueryError::Language(error)) if is_plain_text(&error) => error,
        Err(error) => return Err(error),
    };
    let text = as_text(query);
    // Nothing left to look for would be everything.
    match (!text.is_empty()).then(|| ask(&text)) {
        Some(Ok(found)) => Ok((found, text)),
        _ => Err(refused.into()),
    }
}

/// Whether what the language stumbled over may be meant as text. A date or size that cannot be read is a slip that
/// whoever wrote it can mend.
fn is_plain_text(error: &LanguageError) -> bool {
    !matches!(
        error,
        LanguageError::BadDate { .. }
            | LanguageError::BadAge { .. }
            | LanguageError::BadSize { .. }
            | LanguageError::UnknownValue { .. }
            | LanguageError::TooLong
    )
}
