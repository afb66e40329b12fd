//! Count emails by sender, subject, mailbox and date.

use serde_json::json;

use crate::tools::db::shapes::Shape;
use crate::tools::db::{
    DATE_FROM, DATE_TO, FROM_CONTAINS, FROM_DOMAIN, MAILBOX, SUBJECT_CONTAINS, filter, noted, shapes,
};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::object(&[shapes::ONLY_COUNT]);

pub(super) const COUNT_EMAILS: Tool = Tool {
    name: "db.count_emails",
    title: "Count emails",
    description: "Count emails by sender, subject, mailbox and date.",
    effect: Effect::Reads,
    arguments: &[
        FROM_CONTAINS,
        FROM_DOMAIN,
        SUBJECT_CONTAINS,
        MAILBOX,
        DATE_FROM,
        DATE_TO,
        Argument::one_of("order", &["date_asc", "date_desc"], "Taken and ignored."),
        Argument::number("limit", i64::MIN, i64::MAX, "Taken and ignored."),
    ],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let count = context.db()?.count(&filter(arguments)?)?;
    noted(context, arguments, Reply::object(json!({ "count": count })))
}
