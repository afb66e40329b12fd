//! Find emails that hold keywords in subject or text, those that hold them most often first.

use crate::tools::db::shapes::Shape;
use crate::tools::db::{limit, limit_or, noted, rows, shapes, word};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::list(&[shapes::MESSAGE, shapes::KEYWORDS]);

pub(super) const GET_EMAILS_BY_KEYWORDS: Tool = Tool {
    name: "db.get_emails_by_keywords",
    title: "Get emails by keywords",
    description: "Find emails that hold keywords in subject or text, as whole words in any case, those that hold them most often first.",
    effect: Effect::Reads,
    arguments: &[
        Argument::texts("keywords", "The keywords.").required().like("invoice"),
        Argument::one_of("match_mode", &["any", "all"], "How many must be there.").or_text("any"),
        limit_or(100),
    ],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let keywords = arguments.texts("keywords");
    let reply = rows(&context.db()?.by_keywords(
        &keywords,
        word(arguments, "match_mode")?,
        limit(arguments, 100),
    )?)?;
    noted(context, arguments, reply)
}
