//! List emails of a size, the largest first: small under 10 KB, medium to 100 KB, large over, huge over 1 MB.

use crate::tools::db::shapes::Shape;
use crate::tools::db::{limit, limit_or, noted, rows, shapes, word};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::list(&[shapes::MESSAGE, shapes::SIZE_BYTES]);

pub(super) const GET_EMAILS_BY_SIZE_RANGE: Tool = Tool {
    name: "db.get_emails_by_size_range",
    title: "Get emails by size",
    description: "List emails of a size, the largest first: small under 10 KB, medium to 100 KB, large over, huge over 1 MB.",
    effect: Effect::Reads,
    arguments: &[
        Argument::one_of("size_category", &["small", "medium", "large", "huge"], "Size.").or_text("large"),
        limit_or(100),
    ],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let reply = rows(&context.db()?.of_size(word(arguments, "size_category")?, limit(arguments, 100))?)?;
    noted(context, arguments, reply)
}
