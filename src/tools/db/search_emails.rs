//! Search by words and meaning, best first: the lower the score, the better.

use serde_json::json;

use crate::query::analytics::ItemType;
use crate::tools::db::shapes::Shape;
use crate::tools::db::{limit, limit_or, noted, rows, shapes};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

pub(super) const SHAPE: Shape = Shape::list(&[shapes::MESSAGE, shapes::SCORE]);

pub(super) const SEARCH_EMAILS: Tool = Tool {
    name: "db.search_emails",
    title: "Search emails",
    description: "Search by words and meaning, best first, partial matches last: the lower the score, the better.",
    effect: Effect::Reads,
    arguments: &[
        Argument::text(
            "query",
            "Words, \"phrases\", OR, -word, from: subject: after: and so on; else plain text.",
        )
        .required()
        .like("invoice"),
        Argument::some_of("item_types", &["subject", "body"], "Where to look; everywhere if absent."),
        limit_or(100),
    ],
    output: || SHAPE.schema(),
    run,
};

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let places = arguments.texts("item_types");
    let places =
        places.iter().map(|place| if place == "subject" { ItemType::Subject } else { ItemType::Body });
    let places: Vec<_> = places.collect();
    let found = context.db()?.search(arguments.required("query")?, &places, limit(arguments, 100))?;
    let mut reply = rows(&found.rows)?
        .with_meta("mode", json!(found.mode))
        .with_meta("matches", json!(found.reasons))
        .with_meta("indexed", json!(found.indexed));
    if !found.notes.is_empty() {
        reply = reply.with_meta("notes", json!(found.notes));
    }
    noted(context, arguments, reply)
}
