//! Finds people by a part of their name or address.

use serde_json::{Value, json};

use crate::query::{Page, Person};
use crate::tools::core::object_schema;
use crate::tools::text::{fitting, name, sender, shortened};
use crate::tools::{Argument, Arguments, Effect, Reply, Tool, ToolContext, ToolError};

const QUERY: Argument = Argument::text("query", "Part of a name or address.").required().like("sam");
const LIMIT: Argument = Argument::number("limit", 1, 50, "").or(10).clamped();

pub(super) const FIND_PEOPLE: Tool = Tool {
    name: "find_people",
    title: "Find people",
    description: "Find who mail came from or went to: addresses, names, mails each way, last date.",
    effect: Effect::Reads,
    arguments: &[QUERY, LIMIT],
    output,
    run,
};

fn output() -> Value {
    let (text, number) = (json!({ "type": "string" }), json!({ "type": "integer" }));
    let person = object_schema(json!({
        "address": text, "name": text, "other_names": { "type": "array", "items": text },
        "from_them": number, "to_them": number, "last": text,
    }));
    json!({
        "type": "object",
        "properties": { "items": { "type": "array", "items": person }, "more": number },
        "required": ["items"],
    })
}

fn run(context: &mut ToolContext, arguments: &Arguments) -> Result<Reply, ToolError> {
    let page = Page { limit: arguments.count(&LIMIT), offset: 0 };
    let (people, more) = context.archive()?.people(arguments.required(&QUERY)?, page)?;
    let people: Vec<_> = people.into_iter().map(bounded).collect();
    let found = people.len();
    let (texts, items) = fitting(people.iter().map(|person| (entry(person), json!(person))));
    let more = more + found - texts.len();
    let rest = if more > 0 { format!("\n\n{more} more fit; give more of the name.") } else { String::new() };
    let text = format!("Found {} people:\n\n{}{rest}", texts.len(), texts.join("\n"));
    Ok(Reply::new(text, json!({ "items": items, "more": more })))
}

/// The same with names that are no longer than names are.
fn bounded(person: Person) -> Person {
    let other_names = person.other_names.iter().map(|other| name(other)).collect();
    Person { name: name(&person.name), address: shortened(&person.address, 320), other_names, ..person }
}

fn entry(person: &Person) -> String {
    let others = match person.other_names.as_slice() {
        [] => String::new(),
        names => format!("Also: {}\n", names.join(", ")),
    };
    format!(
        "{}\n{others}Mails: {} from them, {} to them\nLast: {}\n---",
        sender(&person.name, &person.address),
        person.from_them,
        person.to_them,
        person.last.as_deref().unwrap_or("never")
    )
}
