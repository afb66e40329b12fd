//! Emails per day, month or year, oldest first.

use crate::tools::db::{DATE_FROM, DATE_TO, PERIOD, limit, limit_or, rows, rows_schema, span, word};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const GET_EMAILS_BY_DATE_RANGE: Tool = Tool {
    name: "db.get_emails_by_date_range",
    title: "Get emails by date range",
    description: "Emails per day, month or year, oldest first.",
    effect: Effect::Reads,
    arguments: &[PERIOD, DATE_FROM, DATE_TO, limit_or(50)],
    output: rows_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    rows(&context.db()?.by_date_range(word(arguments, "period")?, span(arguments)?, limit(arguments, 50))?)
}
