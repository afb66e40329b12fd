//! List the oldest emails, oldest first; those without a date come last.

use crate::tools::db::shapes::Shape;
use crate::tools::db::{limit, limit_or, noted, rows, shapes};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::list(&[shapes::MESSAGE, shapes::RFC822_SIZE]);

pub(super) const LIST_EARLIEST_EMAILS: Tool = Tool {
    name: "db.list_earliest_emails",
    title: "List earliest emails",
    description: "List the oldest emails by their Date field, oldest first; those without one come last, by internaldate.",
    effect: Effect::Reads,
    arguments: &[limit_or(100)],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let reply = rows(&context.db()?.list_earliest(limit(arguments, 100))?)?;
    noted(context, arguments, reply)
}
