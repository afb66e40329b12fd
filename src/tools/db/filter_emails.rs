//! List emails by sender, subject, mailbox and date.

use crate::tools::db::{
    DATE_FROM, DATE_TO, FROM_CONTAINS, FROM_DOMAIN, MAILBOX, ORDER, SUBJECT_CONTAINS, filter, limit,
    limit_or, rows, rows_schema, word,
};
use crate::tools::{Arguments, Desk, Effect, Reply, Tool, ToolError};

pub(super) const FILTER_EMAILS: Tool = Tool {
    name: "db.filter_emails",
    title: "Filter emails",
    description: "List emails by sender, subject, mailbox and date. Texts match anywhere, in any case.",
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
    output: rows_schema,
    run,
};

fn run(desk: &mut Desk, arguments: &Arguments) -> Result<Reply, ToolError> {
    rows(&desk.db()?.filter(&filter(arguments)?, word(arguments, "order")?, limit(arguments, 100))?)
}
