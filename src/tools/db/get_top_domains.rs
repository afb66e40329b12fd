//! The most frequent sender domains.

use crate::tools::db::{limit, limit_or, rows, rows_schema};
use crate::tools::{Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const GET_TOP_DOMAINS: Tool = Tool {
    name: "db.get_top_domains",
    title: "Get top domains",
    description: "List the most frequent sender domains, with counts.",
    effect: Effect::Reads,
    arguments: &[limit_or(20)],
    output: rows_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    rows(&context.db()?.top_domains(limit(arguments, 20))?)
}
