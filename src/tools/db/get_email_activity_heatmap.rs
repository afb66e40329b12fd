//! Emails by weekday and hour, UTC.

use crate::tools::db::{DATE_FROM, DATE_TO, rows, rows_schema, span};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const GET_EMAIL_ACTIVITY_HEATMAP: Tool = Tool {
    name: "db.get_email_activity_heatmap",
    title: "Get activity heatmap",
    description: "Count emails by weekday and hour of day, in UTC.",
    effect: Effect::Reads,
    arguments: &[DATE_FROM, DATE_TO],
    output: rows_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    rows(&context.db()?.heatmap(span(arguments)?)?)
}
