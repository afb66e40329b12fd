//! Emails by weekday and hour, UTC.

use crate::tools::db::shapes::Shape;
use crate::tools::db::{DATE_FROM, DATE_TO, noted, rows, shapes, span};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::list(&[shapes::HEATMAP]);

pub(super) const GET_EMAIL_ACTIVITY_HEATMAP: Tool = Tool {
    name: "db.get_email_activity_heatmap",
    title: "Get activity heatmap",
    description: "Count emails by weekday and hour of arrival (internaldate), in UTC.",
    effect: Effect::Reads,
    arguments: &[DATE_FROM, DATE_TO],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let reply = rows(&context.db()?.heatmap(span(arguments)?)?)?;
    noted(context, arguments, reply)
}
