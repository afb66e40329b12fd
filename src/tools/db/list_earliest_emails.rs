//! List the oldest emails, oldest first; those without a date come last.

use crate::tools::db::{limit, limit_or, rows, rows_schema};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const LIST_EARLIEST_EMAILS: Tool = Tool {
    name: "db.list_earliest_emails",
    title: "List earliest emails",
    description: "List the oldest emails, oldest first; those without a date come last.",
    effect: Effect::Reads,
    arguments: &[limit_or(100)],
    output: rows_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    rows(&context.db()?.list_earliest(limit(arguments, 100))?)
}
