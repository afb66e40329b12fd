//! Emails per mailbox.

use crate::tools::db::{rows, rows_schema};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const GET_MAILBOX_STATS: Tool = Tool {
    name: "db.get_mailbox_stats",
    title: "Get mailbox statistics",
    description: "Count the emails that each mailbox holds.",
    effect: Effect::Reads,
    arguments: &[],
    output: rows_schema,
    run,
};

fn run(context: &mut ToolContext, _: &Arguments) -> Result<Reply, ToolError> {
    rows(&context.db()?.mailbox_stats()?)
}
