//! The page about the `db` tools, made from their definitions: docs/db-tools.md is what this gives.

use serde_json::Value;

use crate::tools::Tool;
use crate::tools::argument;
use crate::tools::db::SHAPES;
use crate::tools::db::shapes::{Field, MESSAGE, Shape};

const OPENING: &str = "\
# The `db` tools

`mailkeep db mcp` serves these tools over MCP on standard input and output; `mailkeep mcp --profile db` serves the same
ones as `db_*`. They only read. This page is made from their definitions: a test fails when it is out of date.

- A result is one text with JSON in it. In `mcp --profile db` the same data stands in `structuredContent`, lists under
  `items`.
- One row is one message in one mailbox: a message that is in two mailboxes has two rows.
- Dates are UTC. `date_from` and `date_to`, periods, orders and the heat map go by `internaldate_epoch`, when a message came
  into the mailbox; for mail from files that is the date mailkeep chose. Only `db.list_earliest_emails`,
  `db.get_response_time_stats` and the `date` of `db.get_email_full` go by the Date field, which is what a sender claims.
- Dates are written `2024-05-31`, `2024-05`, `2024` or `2024-05-31T12:00:00Z`; `date_to` includes its day, month or year.
- `limit` is cut to `--max-limit` (1000); 0 and less mean the default. Null is as good as left out.
- What the shield withholds is in no answer and no count. `_meta.withheld` of a result says how many such rows there are in
  the mailbox and time that was asked about, whatever its other filters.
- `_meta` of `db.search_emails` says what its rows have no field for: `mode` (`lexical`, `semantic`, `hybrid`), `indexed` (how many messages
  of how many can be found by meaning), `matches` (by `id`: `matched`, by words or meaning, and `missing`, the words that a partial match
  lacks) and `notes`.
- Errors are JSON-RPC errors: -32602 for an argument, -32001 for what is not there.

## Fields of a message

Every list of messages has these, in this order.
";

/// The whole page.
#[must_use]
pub fn page() -> String {
    let mut page = format!("{OPENING}\n{}", fields(MESSAGE.iter()));
    for (tool, shape) in SHAPES {
        page.push_str(&section(tool, shape));
    }
    page
}

fn section(tool: &Tool, shape: &Shape) -> String {
    let (name, description) = (tool.name, tool.description);
    format!("\n## `{name}`\n\n{description}\n\n{}\n{}", parameters(tool), returns(shape))
}

fn parameters(tool: &Tool) -> String {
    if tool.arguments.is_empty() {
        return "No parameters.\n".to_owned();
    }
    let mut lines =
        vec!["| parameter | type | default | meaning |".to_owned(), "|---|---|---|---|".to_owned()];
    for argument in tool.arguments {
        let schema = argument::schema(std::slice::from_ref(argument));
        let required = schema.get("required").is_some();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let default = if required { "required".to_owned() } else { default(property) };
            let about = property["description"].as_str().unwrap_or_default();
            lines.push(format!("| `{name}` | {} | {default} | {about} |", kind(property)));
        }
    }
    lines.join("\n") + "\n"
}

fn default(property: &Value) -> String {
    match property.get("default") {
        None => String::new(),
        Some(Value::String(text)) => format!("`{text}`"),
        Some(other) => format!("`{other}`"),
    }
}

/// The type of a parameter, or the words it may be.
fn kind(property: &Value) -> String {
    let words = |list: &Value| {
        let words = list.as_array().into_iter().flatten().filter_map(Value::as_str);
        words.map(|word| format!("`{word}`")).collect::<Vec<_>>()
    };
    match (&property["enum"], &property["items"]["enum"], &property["type"]) {
        (Value::Array(_), ..) => words(&property["enum"]).join(", "),
        (_, Value::Array(_), _) => format!("array of {}", words(&property["items"]["enum"]).join(", ")),
        (_, _, Value::Array(types)) => {
            types.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")
        }
        (_, _, Value::String(kind)) if kind == "array" => "array of strings".to_owned(),
        (_, _, kind) => kind.as_str().unwrap_or_default().to_owned(),
    }
}

fn returns(shape: &Shape) -> String {
    let has_message = shape.parts.first().is_some_and(|part| part[0].name == MESSAGE[0].name);
    let mut own = shape.parts.iter().skip(usize::from(has_message)).copied().flatten().peekable();
    let what = if shape.is_list { "an array of objects" } else { "an object" };
    match (has_message, own.peek().is_some()) {
        (true, false) => format!("Returns {what} with the fields of a message.\n"),
        (true, true) => format!("Returns {what} with the fields of a message, and:\n\n{}", fields(own)),
        (false, _) => format!("Returns {what} with:\n\n{}", fields(own)),
    }
}

fn fields<'a>(fields: impl Iterator<Item = &'a Field>) -> String {
    let line = |field: &Field| {
        let optional = if field.is_optional() { ", or left out" } else { "" };
        format!("| `{}` | {}{optional} | {} |\n", field.name, field.kind.name(), field.about)
    };
    "| field | type | meaning |\n|---|---|---|\n".to_owned() + &fields.map(line).collect::<String>()
}
