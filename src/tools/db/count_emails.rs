//! Count emails by sender, subject, mailbox and date.

use serde_json::json;

use crate::tools::db::{
    DATE_FROM, DATE_TO, FROM_CONTAINS, FROM_DOMAIN, MAILBOX, SUBJECT_CONTAINS, count_schema, filter,
};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const COUNT_EMAILS: Tool = Tool {
    name: "db.count_emails",
    title: "Count emails",
    description: "Count emails by sender, subject, mailbox and date.",
    effect: Effect::Reads,
    arguments: &[FROM_CONTAINS, FROM_DOMAIN, SUBJECT_CONTAINS, MAILBOX, DATE_FROM, DATE_TO],
    output: count_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let count = context.db()?.count(&filter(arguments)?)?;
    Ok(Reply::object(json!({ "count": count })))
}
