//! How long answers took between different people of a thread, the slowest first.

use crate::tools::db::shapes::Shape;
use crate::tools::db::{limit, limit_or, noted, rows, shapes, word};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::list(&[shapes::RESPONSES]);

pub(super) const GET_RESPONSE_TIME_STATS: Tool = Tool {
    name: "db.get_response_time_stats",
    title: "Get response times",
    description: "How long answers took between different people of a thread, the slowest first.",
    effect: Effect::Reads,
    arguments: &[
        Argument::one_of("answered_by", &["any", "me", "others"], "Whose answers.").or_text("any"),
        limit_or(50),
    ],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let reply = rows(&context.db()?.response_times(word(arguments, "answered_by")?, limit(arguments, 50))?)?;
    noted(context, arguments, reply)
}
