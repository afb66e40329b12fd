//! Find a regular expression or text in raw headers, newest first, for two seconds at most.

use crate::tools::db::{limit, limit_or, rows, rows_schema};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

/// What is said when not all messages could be looked at.
const TIME_RAN_OUT: &str = "the time ran out: older messages were not looked at";

pub(super) const SEARCH_EMAIL_HEADERS: Tool = Tool {
    name: "db.search_email_headers",
    title: "Search email headers",
    description: "Find a regular expression or text in raw headers, newest first, for two seconds at most.",
    effect: Effect::Reads,
    arguments: &[
        Argument::text("header_pattern", "Regular expression or text, in any case.")
            .required()
            .like("^List-Id:"),
        limit_or(100),
    ],
    output: rows_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let found = context.db()?.search_headers(arguments.required("header_pattern")?, limit(arguments, 100))?;
    let reply = rows(&found.rows)?;
    Ok(if found.ran_out { reply.with_meta("warning", TIME_RAN_OUT) } else { reply })
}
