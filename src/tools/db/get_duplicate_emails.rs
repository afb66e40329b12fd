//! Emails that share a subject or a Message-ID, the largest groups first.

use crate::tools::db::shapes::Shape;
use crate::tools::db::{limit, limit_or, noted, rows, shapes, word};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::list(&[shapes::DUPLICATES]);

pub(super) const GET_DUPLICATE_EMAILS: Tool = Tool {
    name: "db.get_duplicate_emails",
    title: "Get duplicate emails",
    description: "Emails that share a subject or a Message-ID, the largest groups first.",
    effect: Effect::Reads,
    arguments: &[
        Argument::one_of("similarity_field", &["subject", "message_id"], "What they share.")
            .or_text("subject"),
        limit_or(100),
    ],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let reply =
        rows(&context.db()?.duplicates(word(arguments, "similarity_field")?, limit(arguments, 100))?)?;
    noted(context, arguments, reply)
}
