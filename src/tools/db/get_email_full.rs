//! Get one email whole, raw source included.

use crate::query::analytics::{FullQuery, Span};
use crate::tools::db::{FROM_CONTAINS, MAILBOX, ORDER, SUBJECT_CONTAINS, object, object_schema, word};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const GET_EMAIL_FULL: Tool = Tool {
    name: "db.get_email_full",
    title: "Get full email",
    description: "Get one email whole, raw source included. Named by id, by mailbox and uid, by message_id, or by what it contains.",
    effect: Effect::Reads,
    arguments: &[
        Argument::id("id", "Its id."),
        MAILBOX,
        Argument::number("uid", 0, i64::MAX, "IMAP UID in the mailbox."),
        Argument::number("uidvalidity", 0, i64::MAX, "UIDVALIDITY of the mailbox."),
        Argument::text("message_id", "Message-ID."),
        FROM_CONTAINS,
        SUBJECT_CONTAINS,
        Argument::text("date", "YYYY-MM-DD, YYYY-MM or YYYY, UTC."),
        ORDER,
    ],
    output: object_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let owned = |name| arguments.text(name).map(str::to_owned);
    let asked = FullQuery {
        id: arguments.id("id"),
        mailbox: owned("mailbox"),
        uid: arguments.number("uid"),
        uidvalidity: arguments.number("uidvalidity"),
        message_id: owned("message_id"),
        from_contains: owned("from_contains"),
        subject_contains: owned("subject_contains"),
        span: arguments.text("date").map(Span::of).transpose()?,
        order: word(arguments, "order")?,
    };
    object(&context.db()?.full(&asked)?)
}
