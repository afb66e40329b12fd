//! Emails per day, month or year, oldest first.

use crate::tools::db::shapes::Shape;
use crate::tools::db::{DATE_FROM, DATE_TO, PERIOD, limit, limit_or, noted, rows, shapes, span, word};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::list(&[shapes::PERIODS]);

pub(super) const GET_EMAILS_BY_DATE_RANGE: Tool = Tool {
    name: "db.get_emails_by_date_range",
    title: "Get emails by date range",
    description: "Count emails per day, month or year of arrival (internaldate): the newest periods, oldest first.",
    effect: Effect::Reads,
    arguments: &[PERIOD, DATE_FROM, DATE_TO, limit_or(50)],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let reply = rows(&context.db()?.by_date_range(
        word(arguments, "period")?,
        span(arguments)?,
        limit(arguments, 50),
    )?)?;
    noted(context, arguments, reply)
}
