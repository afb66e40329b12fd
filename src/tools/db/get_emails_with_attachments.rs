//! List emails that have attachments, newest first.

use crate::tools::db::{DATE_FROM, DATE_TO, MAILBOX, limit, limit_or, rows, rows_schema, span};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const GET_EMAILS_WITH_ATTACHMENTS: Tool = Tool {
    name: "db.get_emails_with_attachments",
    title: "Get emails with attachments",
    description: "List emails that have attachments, newest first.",
    effect: Effect::Reads,
    arguments: &[MAILBOX, DATE_FROM, DATE_TO, limit_or(100)],
    output: rows_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let mailbox = arguments.text("mailbox").map(str::to_owned);
    rows(&context.db()?.with_attachments(mailbox, span(arguments)?, limit(arguments, 100))?)
}
