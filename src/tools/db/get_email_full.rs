//! Get one email whole, raw source included.

use crate::query::analytics::{EmailFull, FullQuery, Span};
use crate::tools::db::shapes::Shape;
use crate::tools::db::{FROM_CONTAINS, MAILBOX, ORDER, SUBJECT_CONTAINS, date, object, shapes, word};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::object(&[shapes::MESSAGE, shapes::RFC822_SIZE, shapes::CONTENT]);

pub(super) const GET_EMAIL_FULL: Tool = Tool {
    name: "db.get_email_full",
    title: "Get full email",
    description: "Get one email whole, raw source included. Named by id, by mailbox and uid, by message_id, or by what it contains.",
    effect: Effect::Reads,
    arguments: &[
        Argument::id("id", "Its id, Gmail id or short id."),
        MAILBOX,
        Argument::number("uid", 0, i64::MAX, "IMAP UID in the mailbox."),
        Argument::number("uidvalidity", 0, i64::MAX, "UIDVALIDITY of the mailbox."),
        Argument::text("message_id", "Message-ID."),
        FROM_CONTAINS,
        SUBJECT_CONTAINS,
        Argument::text("date", "Its Date field: YYYY-MM-DD, YYYY-MM or YYYY, UTC.").like("2024-01-31"),
        ORDER,
    ],
    output: || SHAPE.schema(),
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
        span: date(arguments, "date").map(Span::of).transpose()?,
        order: word(arguments, "order")?,
    };
    let mut full = context.db()?.full(&asked)?;
    if full.encoded_truncated {
        let name = format!("message-{}.eml", full.row.id);
        full.encoded_file = Some(context.save_raw_for_an_hour(&name, full.key)?);
    }
    let reply = object(&full)?;
    Ok(if full.others.is_empty() { reply } else { reply.with_meta("warning", ambiguous(&full)) })
}

/// What is said when mailbox and uid name a message in several accounts.
fn ambiguous(full: &EmailFull) -> String {
    let others: Vec<String> = full.others.iter().map(i64::to_string).collect();
    format!(
        "several accounts have a message at this mailbox and uid: this is the one of {}; the others have the ids {}",
        full.row.address,
        others.join(", ")
    )
}
