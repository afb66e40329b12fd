//! The largest emails, the largest first.

use crate::query::analytics::Largest;
use crate::tools::db::shapes::Shape;
use crate::tools::db::{ATTACHMENTS, FROM_DOMAIN, MAILBOX, limit, limit_or, noted, rows, shapes, word};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::list(&[shapes::MESSAGE, shapes::RFC822_SIZE, shapes::SIZE_BYTES]);

pub(super) const GET_LARGEST_EMAILS: Tool = Tool {
    name: "db.get_largest_emails",
    title: "Get largest emails",
    description: "List the largest emails, the largest one first.",
    effect: Effect::Reads,
    arguments: &[limit_or(5), ATTACHMENTS, MAILBOX, FROM_DOMAIN],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let asked = Largest {
        limit: limit(arguments, 5),
        attachments: word(arguments, "attachments")?,
        mailbox: arguments.text("mailbox").map(str::to_owned),
        from_domain: arguments.text("from_domain").map(str::to_owned),
    };
    let reply = rows(&context.db()?.largest(&asked)?)?;
    noted(context, arguments, reply)
}
