//! The most frequent sender domains.

use crate::tools::db::shapes::Shape;
use crate::tools::db::{limit, limit_or, noted, rows, shapes};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::list(&[shapes::DOMAINS]);

pub(super) const GET_TOP_DOMAINS: Tool = Tool {
    name: "db.get_top_domains",
    title: "Get top domains",
    description: "List the most frequent sender domains, with counts.",
    effect: Effect::Reads,
    arguments: &[limit_or(20)],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let reply = rows(&context.db()?.top_domains(limit(arguments, 20))?)?;
    noted(context, arguments, reply)
}
