//! List emails that have attachments, newest first.

use crate::tools::db::shapes::Shape;
use crate::tools::db::{DATE_FROM, DATE_TO, MAILBOX, limit, limit_or, noted, rows, shapes, span};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::list(&[shapes::MESSAGE, shapes::RFC822_SIZE]);

pub(super) const GET_EMAILS_WITH_ATTACHMENTS: Tool = Tool {
    name: "db.get_emails_with_attachments",
    title: "Get emails with attachments",
    description: "List emails that have attachments, newest internaldate first.",
    effect: Effect::Reads,
    arguments: &[MAILBOX, DATE_FROM, DATE_TO, limit_or(100)],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let mailbox = arguments.text("mailbox").map(str::to_owned);
    let reply = rows(&context.db()?.with_attachments(mailbox, span(arguments)?, limit(arguments, 100))?)?;
    noted(context, arguments, reply)
}
