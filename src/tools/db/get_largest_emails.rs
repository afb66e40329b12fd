//! The largest emails, the largest first.

use crate::query::db::Largest;
use crate::tools::db::{ATTACHMENTS, FROM_DOMAIN, MAILBOX, limit, limit_or, rows, rows_schema, word};
use crate::tools::{Arguments, Desk, Effect, Reply, Tool, ToolError};

pub(super) const GET_LARGEST_EMAILS: Tool = Tool {
    name: "db.get_largest_emails",
    title: "Get largest emails",
    description: "List the largest emails, the largest one first.",
    effect: Effect::Reads,
    arguments: &[limit_or(5), ATTACHMENTS, MAILBOX, FROM_DOMAIN],
    output: rows_schema,
    run,
};

fn run(desk: &mut Desk, arguments: &Arguments) -> Result<Reply, ToolError> {
    let asked = Largest {
        limit: limit(arguments, 5),
        attachments: word(arguments, "attachments")?,
        mailbox: arguments.text("mailbox").map(str::to_owned),
        from_domain: arguments.text("from_domain").map(str::to_owned),
    };
    rows(&desk.db()?.largest(&asked)?)
}
