//! Emails per month and season.

use crate::tools::db::{rows, rows_schema};
use crate::tools::{Argument, Arguments, Desk, Effect, Reply, Tool, ToolError};

pub(super) const GET_SEASONAL_TRENDS: Tool = Tool {
    name: "db.get_seasonal_trends",
    title: "Get seasonal trends",
    description: "Count emails per month and season of the year.",
    effect: Effect::Reads,
    arguments: &[Argument::number("years_back", 0, 1000, "How far back.").or(3)],
    output: rows_schema,
    run,
};

fn run(desk: &mut Desk, arguments: &Arguments) -> Result<Reply, ToolError> {
    rows(&desk.db()?.seasonal(arguments.number("years_back").unwrap_or(3))?)
}
