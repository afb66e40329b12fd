//! Total, date range, top senders and domains, and emails per mailbox.

use crate::tools::db::shapes::Shape;
use crate::tools::db::{noted, object, shapes};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::object(&[shapes::STATS]);

pub(super) const GET_EMAIL_STATS: Tool = Tool {
    name: "db.get_email_stats",
    title: "Get email statistics",
    description: "Total, date range, top senders and domains, and emails per mailbox.",
    effect: Effect::Reads,
    arguments: &[Argument::number("top_limit", i64::MIN, i64::MAX, "How many senders and domains.").or(10)],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let top = arguments.number("top_limit").and_then(|top| usize::try_from(top).ok()).filter(|top| *top > 0);
    let reply = object(&context.db()?.stats(top.unwrap_or(10))?)?;
    noted(context, arguments, reply)
}
