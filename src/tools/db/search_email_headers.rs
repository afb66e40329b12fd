//! Find a regular expression in raw headers, newest first, for two seconds at most.

use crate::tools::db::shapes::Shape;
use crate::tools::db::{limit, limit_or, noted, rows, shapes};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

/// What is said when not all messages could be looked at.
const TIME_RAN_OUT: &str = "the time ran out: older messages were not looked at";

pub(super) const SHAPE: Shape = Shape::list(&[shapes::MESSAGE]);

pub(super) const SEARCH_EMAIL_HEADERS: Tool = Tool {
    name: "db.search_email_headers",
    title: "Search email headers",
    description: "Find a regular expression in raw headers, newest first, for two seconds at most.",
    effect: Effect::Reads,
    arguments: &[
        Argument::text("header_pattern", "Regular expression, in any case; a broken one is an error.")
            .required()
            .like("^List-Id:"),
        limit_or(100),
    ],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let found = context.db()?.search_headers(arguments.required("header_pattern")?, limit(arguments, 100))?;
    let reply = rows(&found.rows)?;
    let reply = if found.ran_out { reply.with_meta("warning", TIME_RAN_OUT) } else { reply };
    noted(context, arguments, reply)
}
