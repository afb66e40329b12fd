//! One argument of a tool: what the model reads about it, what it may be, and what a wrong value should have been.

use serde_json::{Map, Value, json};

/// One argument of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    pub(super) name: &'static str,
    kind: Kind,
    description: &'static str,
    pub(super) required: bool,
    pub(super) default: Preset,
    clamps: bool,
    is_listed: bool,
    example: &'static str,
}

/// What an argument is read by: its definition, so that the schema and the reader cannot part; or its name.
pub trait Named: Copy {
    /// The name in a call.
    fn name(&self) -> &str;
}

impl Named for &Argument {
    fn name(&self) -> &str {
        self.name
    }
}

impl Named for &str {
    fn name(&self) -> &str {
        self
    }
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    OneOf(&'static [&'static str]),
    Number {
        least: i64,
        most: i64,
    },
    Flag,
    Texts,
    Id,
    SomeOf(&'static [&'static str]),
    /// One text or several.
    TextOrTexts,
    /// An object with whatever members.
    Object,
    /// A list of objects with these texts; the first so many must be there.
    Objects {
        fields: &'static [&'static str],
        required: usize,
    },
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Preset {
    None,
    Number(i64),
    Text(&'static str),
}

impl Argument {
    const fn new(name: &'static str, kind: Kind, description: &'static str) -> Self {
        Self {
            name,
            kind,
            description,
            required: false,
            default: Preset::None,
            clamps: false,
            is_listed: true,
            example: "...",
        }
    }

    /// A text.
    #[must_use]
    pub const fn text(name: &'static str, description: &'static str) -> Self {
        Self::new(name, Kind::Text, description)
    }

    /// One of these words.
    #[must_use]
    pub const fn one_of(
        name: &'static str,
        words: &'static [&'static str],
        description: &'static str,
    ) -> Self {
        Self::new(name, Kind::OneOf(words), description)
    }

    /// A whole number from `least` to `most`.
    #[must_use]
    pub const fn number(name: &'static str, least: i64, most: i64, description: &'static str) -> Self {
        Self::new(name, Kind::Number { least, most }, description)
    }

    /// True or false; false when left out.
    #[must_use]
    pub const fn flag(name: &'static str, description: &'static str) -> Self {
        Self::new(name, Kind::Flag, description)
    }

    /// A list of texts.
    #[must_use]
    pub const fn texts(name: &'static str, description: &'static str) -> Self {
        Self::new(name, Kind::Texts, description)
    }

    /// One text, or a list of texts.
    #[must_use]
    pub const fn text_or_texts(name: &'static str, description: &'static str) -> Self {
        Self::new(name, Kind::TextOrTexts, description)
    }

    /// A list of objects with these texts, of which the first `required` must be there.
    #[must_use]
    pub const fn objects(
        name: &'static str,
        fields: &'static [&'static str],
        required: usize,
        description: &'static str,
    ) -> Self {
        Self::new(name, Kind::Objects { fields, required }, description)
    }

    /// An object, whatever its members are.
    #[must_use]
    pub const fn object(name: &'static str, description: &'static str) -> Self {
        Self::new(name, Kind::Object, description)
    }

    /// An id: a text, for which a number may be given.
    #[must_use]
    pub const fn id(name: &'static str, description: &'static str) -> Self {
        Self::new(name, Kind::Id, description)
    }

    /// A list of some of these words.
    #[must_use]
    pub const fn some_of(
        name: &'static str,
        words: &'static [&'static str],
        description: &'static str,
    ) -> Self {
        Self::new(name, Kind::SomeOf(words), description)
    }

    /// The same in other words.
    #[must_use]
    pub const fn described(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// It must be given.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// The number it is when left out.
    #[must_use]
    pub const fn or(mut self, number: i64) -> Self {
        self.default = Preset::Number(number);
        self
    }

    /// The word it is when left out.
    #[must_use]
    pub const fn or_text(mut self, text: &'static str) -> Self {
        self.default = Preset::Text(text);
        self
    }

    /// A larger number than there may be stands for the largest.
    #[must_use]
    pub const fn clamped(mut self) -> Self {
        self.clamps = true;
        self
    }

    /// It is taken and not shown in the schema, which is a document's: answers tell when there is a use for it.
    #[must_use]
    pub const fn unlisted(mut self) -> Self {
        self.is_listed = false;
        self
    }

    /// A value to show in a corrected call.
    #[must_use]
    pub const fn like(mut self, example: &'static str) -> Self {
        self.example = example;
        self
    }

    /// The name in a call.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({ "type": "string" }),
            Kind::Id => json!({ "type": ["integer", "string"] }),
            Kind::SomeOf(words) => json!({ "type": "array", "items": { "type": "string", "enum": words } }),
            Kind::Number { least: i64::MIN, most: i64::MAX } => json!({ "type": "integer" }),
            Kind::OneOf(words) => json!({ "type": "string", "enum": words }),
            Kind::Number { most: i64::MAX, .. } => json!({ "type": "integer" }),
            Kind::Number { most, .. } => json!({ "type": "integer", "maximum": most }),
            Kind::Flag => json!({ "type": "boolean" }),
            Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Kind::TextOrTexts => json!({ "type": ["string", "array"], "items": { "type": "string" } }),
            Kind::Objects { fields, required } => objects_schema(fields, required),
            Kind::Object => json!({ "type": "object" }),
        };
        if !self.description.is_empty() {
            schema["description"] = json!(self.description);
        }
        match self.default {
            Preset::None => {}
            Preset::Number(number) => schema["default"] = json!(number),
            Preset::Text(text) => schema["default"] = json!(text),
        }
        schema
    }

    /// What it may be, in words.
    pub(super) fn allowed(&self) -> String {
        match self.kind {
            Kind::Text => "a string".to_owned(),
            Kind::Id => "an integer or a string".to_owned(),
            Kind::SomeOf(words) => format!("an array of {}", words.join(", ")),
            Kind::Number { least: i64::MIN, most: i64::MAX } => "an integer".to_owned(),
            Kind::OneOf(words) => format!("one of {}", words.join(", ")),
            Kind::Number { least, most: i64::MAX } => format!("an integer of at least {least}"),
            Kind::Number { least, most } => format!("an integer from {least} to {most}"),
            Kind::Flag => "true or false".to_owned(),
            Kind::Texts => "an array of strings".to_owned(),
            Kind::TextOrTexts => "a string or an array of strings".to_owned(),
            Kind::Objects { fields, .. } => format!("an array of objects with {}", fields.join(", ")),
            Kind::Object => "an object".to_owned(),
        }
    }

    /// Whether it may hold files, which are long.
    pub(super) fn holds_files(&self) -> bool {
        matches!(self.kind, Kind::Objects { .. })
    }

    pub(super) fn accepts(&self, value: &Value) -> bool {
        match self.kind {
            Kind::Text => value.is_string(),
            Kind::Id => value.is_string() || whole(value).is_some() || value.is_u64(),
            Kind::SomeOf(words) => match value {
                Value::String(text) => pieces(text).all(|word| words.contains(&word)),
                _ => value.as_array().is_some_and(|list| {
                    list.iter().all(|item| item.as_str().is_some_and(|word| words.contains(&word)))
                }),
            },
            Kind::OneOf(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            Kind::Number { least, most } => {
                whole(value).is_some_and(|number| number >= least && (number <= most || self.clamps))
            }
            Kind::Flag => value.is_boolean(),
            Kind::Texts => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
            Kind::TextOrTexts => {
                value.is_string() || value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
            }
            Kind::Objects { fields, required } => {
                value.as_array().is_some_and(|list| list.iter().all(|it| is_object_of(it, fields, required)))
            }
            Kind::Object => value.is_object(),
        }
    }

    /// A number that makes sense: the one it is when left out, or the smallest that is no special case.
    fn usual_number(&self) -> i64 {
        match (self.default, self.kind) {
            (Preset::Number(number), _) => number,
            (_, Kind::Number { least, most }) => 1.clamp(least, most),
            _ => 1,
        }
    }

    /// The value as the tool gets it.
    pub(super) fn settled(&self, value: Value) -> Value {
        match (self.kind, whole(&value)) {
            (Kind::Number { most, .. }, Some(number)) if number > most => json!(most),
            _ => value,
        }
    }

    /// A value that would pass: near the one that was given, where that can be.
    pub(super) fn corrected(&self, given: Option<&Value>) -> Value {
        match (self.kind, given) {
            (Kind::Number { least, most }, Some(value)) if value.is_number() => {
                json!((value.as_f64().unwrap_or(0.0) as i64).clamp(least, most))
            }
            (Kind::Number { least, most }, Some(Value::String(text))) => {
                json!(text.trim().parse().unwrap_or_else(|_| self.usual_number()).clamp(least, most))
            }
            (Kind::Number { .. }, _) => json!(self.usual_number()),
            (Kind::Flag, _) => json!(true),
            (Kind::OneOf(words), _) => json!(words.first().copied().unwrap_or_default()),
            (Kind::Texts, Some(Value::String(text))) => json!([text]),
            (Kind::Texts, _) => json!([self.example]),
            (Kind::Text, Some(value @ (Value::Number(_) | Value::Bool(_)))) => json!(value.to_string()),
            (Kind::SomeOf(words), _) => json!(words),
            (Kind::TextOrTexts, _) => json!(self.example),
            (Kind::Objects { fields, required }, _) => {
                let shown = &fields[..required.max(1).min(fields.len())];
                json!([shown.iter().map(|name| (*name, "...")).collect::<std::collections::BTreeMap<_, _>>()])
            }
            (Kind::Object, _) => json!({}),
            (Kind::Text | Kind::Id, _) => json!(self.example),
        }
    }
}

fn objects_schema(fields: &[&str], required: usize) -> Value {
    let properties: Map<String, Value> =
        fields.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
    // Where none of them must be there, the description says which go together, and the list says no more.
    if required == 0 {
        return json!({ "type": "array", "items": { "type": "object" } });
    }
    let items = json!({ "type": "object", "properties": properties, "required": fields[..required] });
    json!({ "type": "array", "items": items })
}

fn is_object_of(value: &Value, fields: &[&str], required: usize) -> bool {
    let Some(members) = value.as_object() else { return false };
    members
        .iter()
        .all(|(name, value)| fields.contains(&name.as_str()) && (value.is_string() || value.is_null()))
        && fields[..required].iter().all(|name| members.get(*name).is_some_and(Value::is_string))
}

/// The words of a list that was written as one text.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', '|', ' ']).filter(|piece| !piece.is_empty())
}

/// Numbers such as `20.0` are whole to JSON Schema, and some clients write them so.
pub(super) fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_f64().filter(|n| n.fract() == 0.0 && n.abs() < 1e15).map(|n| n as i64))
}

/// The schema of a tool's arguments.
#[must_use]
pub fn schema(arguments: &[Argument]) -> Value {
    let listed = arguments.iter().filter(|argument| argument.is_listed);
    let properties: Map<String, Value> =
        listed.map(|argument| (argument.name.to_owned(), argument.schema())).collect();
    let required: Vec<_> =
        arguments.iter().filter(|argument| argument.required).map(|argument| argument.name).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Argument, schema};

    #[test]
    fn what_an_argument_is_when_left_out_stands_in_its_schema_with_and_without_words() {
        let arguments =
            [Argument::number("limit", 1, 50, "").or(20), Argument::text("by", "Who.").or_text("me")];

        let shown = schema(&arguments);

        assert_eq!(shown["properties"]["limit"], json!({ "type": "integer", "maximum": 50, "default": 20 }));
        assert_eq!(shown["properties"]["by"]["default"], "me");
    }
}
