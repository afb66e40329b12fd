//! Search by words, best first: the lower the score, the better.

use crate::query::analytics::ItemType;
use crate::tools::db::{limit, limit_or, rows, rows_schema};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SEARCH_EMAILS: Tool = Tool {
    name: "db.search_emails",
    title: "Search emails",
    description: "Search by words, best first: the lower the score, the better.",
    effect: Effect::Reads,
    arguments: &[
        Argument::text("query", "Words, \"phrases\", OR, -word, from: subject: after: and so on.")
            .required()
            .like("invoice"),
        Argument::some_of("item_types", &["subject", "body"], "Where to look; everywhere if absent."),
        limit_or(100),
    ],
    output: rows_schema,
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let places = arguments.texts("item_types");
    let places =
        places.iter().map(|place| if place == "subject" { ItemType::Subject } else { ItemType::Body });
    let places: Vec<_> = places.collect();
    rows(&context.db()?.search(arguments.required("query")?, &places, limit(arguments, 100))?)
}
