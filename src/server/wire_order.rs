//! A message from its bytes. Objects of JSON have no order, but the frontmatter of a note has: the order in which a call
//! wrote its keys goes along as an argument of its own.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value, json};

/// The argument that holds the order.
const ORDER: &str = "frontmatter_order";

/// Reads a message.
pub(super) fn read(bytes: &[u8]) -> serde_json::Result<Value> {
    let mut message = serde_json::from_slice(bytes)?;
    if let Some(arguments) = arguments_of_a_note(&mut message)
        && let Ok(written) = serde_json::from_slice::<Message>(bytes)
    {
        arguments.entry(ORDER).or_insert_with(|| json!(written.params.arguments.frontmatter.0));
    }
    Ok(message)
}

/// The arguments of a call that writes a note with a frontmatter.
fn arguments_of_a_note(message: &mut Value) -> Option<&mut Map<String, Value>> {
    let params = message.get_mut("params")?;
    let name = params.get("name")?.as_str()?.replace(['-', '.'], "_");
    let arguments = params.get_mut("arguments")?.as_object_mut()?;
    (name == "write_note" && arguments.get("frontmatter").is_some_and(Value::is_object)).then_some(arguments)
}

#[derive(serde::Deserialize)]
struct Message {
    params: Params,
}

#[derive(serde::Deserialize)]
struct Params {
    arguments: Arguments,
}

#[derive(serde::Deserialize)]
struct Arguments {
    frontmatter: Keys,
}

/// The names of an object's members, as they came.
struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(KeyVisitor)
    }
}

struct KeyVisitor;

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = Keys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Keys, A::Error> {
        let mut names = Vec::new();
        while let Some((name, IgnoredAny)) = members.next_entry()? {
            names.push(name);
        }
        Ok(Keys(names))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read;

    #[test]
    fn the_order_of_a_frontmatter_comes_along() {
        let call = br#"{"params":{"arguments":{"body":"","frontmatter":{"z":{"b":1},"a":2},"path":"x.md"},"name":"write_note"}}"#;

        let message = read(call).unwrap();

        assert_eq!(message["params"]["arguments"]["frontmatter_order"], json!(["z", "a"]));
    }

    #[test]
    fn other_messages_are_as_they_came() {
        for text in [
            r#"{"params":{"arguments":{"frontmatter":{"z":1}},"name":"read_note"}}"#,
            r#"{"params":{"arguments":{"frontmatter":"z"},"name":"write_note"}}"#,
            r#"[{"method":"ping"},7]"#,
            r#"{"params":{"arguments":{"frontmatter":{"z":1},"frontmatter_order":["y"]},"name":"write_note"}}"#,
        ] {
            assert_eq!(read(text.as_bytes()).unwrap().to_string(), text);
        }
        assert!(read(b"{").is_err());
    }
}
