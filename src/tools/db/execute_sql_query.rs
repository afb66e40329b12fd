//! Run one read-only SELECT in SQLite over the views emails, threads, attachments, labels, daily_counts; resource mailkeep://sql lists their columns.

use crate::tools::db::shapes::Shape;
use crate::tools::db::{limit, limit_or, noted, object, shapes};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::object(&[shapes::SQL]);

pub(super) const EXECUTE_SQL_QUERY: Tool = Tool {
    name: "db.execute_sql_query",
    title: "Run SQL",
    description: "Run one read-only SELECT in SQLite over the views emails, threads, attachments, labels, daily_counts; resource mailkeep://sql lists their columns.",
    effect: Effect::Reads,
    arguments: &[
        Argument::text("sql_query", "SELECT or WITH.").required().like("SELECT count(*) FROM emails"),
        limit_or(1000),
    ],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let reply = object(&context.db()?.execute_sql(arguments.verbatim("sql_query"), limit(arguments, 1000))?)?;
    noted(context, arguments, reply)
}
