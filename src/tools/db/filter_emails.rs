//! List emails by sender, subject, mailbox and date.

use crate::tools::db::shapes::Shape;
use crate::tools::db::{
    DATE_FROM, DATE_TO, FROM_CONTAINS, FROM_DOMAIN, MAILBOX, ORDER, SUBJECT_CONTAINS, filter, limit,
    limit_or, noted, rows, shapes, word,
};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::list(&[shapes::MESSAGE, shapes::RFC822_SIZE]);

pub(super) const FILTER_EMAILS: Tool = Tool {
    name: "db.filter_emails",
    title: "Filter emails",
    description: "List emails by sender, subject, mailbox and internaldate. Texts match anywhere, in any case.",
    effect: Effect::Reads,
    arguments: &[
        FROM_CONTAINS,
        FROM_DOMAIN,
        SUBJECT_CONTAINS,
        MAILBOX,
        DATE_FROM,
        DATE_TO,
        ORDER,
        limit_or(100),
    ],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let reply = rows(&context.db()?.filter(
        &filter(arguments)?,
        word(arguments, "order")?,
        limit(arguments, 100),
    )?)?;
    noted(context, arguments, reply)
}
