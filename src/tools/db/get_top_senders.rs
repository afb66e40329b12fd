//! The most frequent senders.

use crate::tools::db::shapes::Shape;
use crate::tools::db::{MAILBOX, limit, limit_or, noted, rows, shapes};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::list(&[shapes::SENDERS]);

pub(super) const GET_TOP_SENDERS: Tool = Tool {
    name: "db.get_top_senders",
    title: "Get top senders",
    description: "List the most frequent senders, with counts.",
    effect: Effect::Reads,
    arguments: &[limit_or(20), MAILBOX],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let reply = rows(&context.db()?.top_senders(limit(arguments, 20), arguments.text("mailbox"))?)?;
    noted(context, arguments, reply)
}
