//! Emails per month and season.

use crate::tools::db::shapes::Shape;
use crate::tools::db::{noted, rows, shapes};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::list(&[shapes::SEASONS]);

pub(super) const GET_SEASONAL_TRENDS: Tool = Tool {
    name: "db.get_seasonal_trends",
    title: "Get seasonal trends",
    description: "Count emails per month of arrival (internaldate), with its season.",
    effect: Effect::Reads,
    arguments: &[Argument::number("years_back", 0, 1000, "How far back.").or(3)],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let reply = rows(&context.db()?.seasonal(arguments.number("years_back").unwrap_or(3))?)?;
    noted(context, arguments, reply)
}
