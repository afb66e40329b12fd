//! Emails per sender and day, month or year.

use crate::tools::db::{PERIOD, limit, limit_or, rows, rows_schema, word};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const GET_EMAIL_FREQUENCY_BY_SENDER: Tool = Tool {
    name: "db.get_email_frequency_by_sender",
    title: "Get frequency by sender",
    description: "Emails per sender and day, month or year.",
    effect: Effect::Reads,
    arguments: &[Argument::text("sender", "Part of the sender; everybody if absent."), PERIOD, limit_or(50)],
    output: rows_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    rows(&context.db()?.frequency(
        arguments.text("sender"),
        word(arguments, "period")?,
        limit(arguments, 50),
    )?)
}
