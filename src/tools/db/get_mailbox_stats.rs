//! Emails per mailbox.

use crate::tools::db::shapes::Shape;
use crate::tools::db::{noted, rows, shapes};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::list(&[shapes::MAILBOXES]);

pub(super) const GET_MAILBOX_STATS: Tool = Tool {
    name: "db.get_mailbox_stats",
    title: "Get mailbox statistics",
    description: "Count the emails that each mailbox holds.",
    effect: Effect::Reads,
    arguments: &[],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let reply = rows(&context.db()?.mailbox_stats()?)?;
    noted(context, arguments, reply)
}
