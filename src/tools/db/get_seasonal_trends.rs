//! Emails per month and season.

use crate::tools::db::{rows, rows_schema};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const GET_SEASONAL_TRENDS: Tool = Tool {
    name: "db.get_seasonal_trends",
    title: "Get seasonal trends",
    description: "Count emails per month and season of the year.",
    effect: Effect::Reads,
    arguments: &[Argument::number("years_back", 0, 1000, "How far back.").or(3)],
    output: rows_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    rows(&context.db()?.seasonal(arguments.number("years_back").unwrap_or(3))?)
}
