//! Emails per sender and day, month or year.

use crate::tools::db::shapes::Shape;
use crate::tools::db::{PERIOD, limit, limit_or, noted, rows, shapes, word};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::list(&[shapes::FREQUENCY]);

pub(super) const GET_EMAIL_FREQUENCY_BY_SENDER: Tool = Tool {
    name: "db.get_email_frequency_by_sender",
    title: "Get frequency by sender",
    description: "Count emails per sender and day, month or year of arrival, the most first; equal counts by sender.",
    effect: Effect::Reads,
    arguments: &[Argument::text("sender", "Part of the sender; everybody if absent."), PERIOD, limit_or(50)],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let (period, limit) = (word(arguments, "period")?, limit(arguments, 50));
    let reply = rows(&context.db()?.frequency(arguments.text("sender"), period, limit)?)?;
    noted(context, arguments, reply)
}
