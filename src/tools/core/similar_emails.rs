//! Finds what means the same as an email.

use crate::query::{Page, Question};
use crate::tools::core::{EMAIL_ID, HOLDER, find_message, found_reply, limit, with_freshness};
use crate::tools::text::{found_schema, place_lines, placed_json, search_entry};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const LIMIT: Argument = limit(50);

pub(super) const SIMILAR_EMAILS: Tool = Tool {
    name: "similar_emails",
    title: "Similar emails",
    description: "Find emails that mean much the same as one, whatever their words.",
    effect: Effect::Reads,
    arguments: &[EMAIL_ID, HOLDER, LIMIT],
    output: found_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let scope = context.account_scope(arguments.text(&HOLDER))?;
    let key = find_message(context, arguments.required(&EMAIL_ID)?, scope.named.as_ref())?;
    let page = Page { limit: arguments.count(&LIMIT), offset: 0 };
    let question = Question::of("", page).within(scope.address());
    let found = context.archive()?.similar(key, &question)?.ok_or_else(|| {
        let hint = "the user can run `mailkeep reindex --semantic`; until then search_emails with its words";
        ToolError::not_found(format!("This email cannot be compared by meaning yet: {hint}"))
    })?;
    let reply = found_reply("Emails like this one", &found, 0, |item| {
        (search_entry(item, 100, &place_lines(item, scope.is_several())), placed_json(item, false))
    });
    Ok(with_freshness(reply, context, &scope.accounts))
}
