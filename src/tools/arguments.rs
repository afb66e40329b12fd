//! What a tool takes: the schema that the model reads and the check that a call must pass, from one list.
//! A call that does not pass is told the field, what it may be, and a call that would have passed.

use serde_json::{Map, Value, json};

use crate::text_safety::{brief, one_line};
use crate::tools::ToolError;

/// The texts of one argument may have so many bytes together.
const LONGEST: usize = 1 << 20;

/// One argument of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    name: &'static str,
    kind: Kind,
    description: &'static str,
    required: bool,
    default: Preset,
    clamps: bool,
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
    Number { least: i64, most: i64 },
    Flag,
    Texts,
    Id,
    SomeOf(&'static [&'static str]),
}

#[derive(Debug, Clone, Copy)]
enum Preset {
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

    /// A value to show in a corrected call.
    #[must_use]
    pub const fn like(mut self, example: &'static str) -> Self {
        self.example = example;
        self
    }

    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text | Kind::Id => json!({ "type": "string" }),
            Kind::SomeOf(words) => json!({ "type": "array", "items": { "type": "string", "enum": words } }),
            Kind::Number { least: i64::MIN, most: i64::MAX } => json!({ "type": "integer" }),
            Kind::OneOf(words) => json!({ "type": "string", "enum": words }),
            Kind::Number { most: i64::MAX, .. } => json!({ "type": "integer" }),
            Kind::Number { most, .. } => json!({ "type": "integer", "maximum": most }),
            Kind::Flag => json!({ "type": "boolean" }),
            Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        };
        schema["description"] = json!(self.description);
        match self.default {
            Preset::None => {}
            Preset::Number(number) => schema["default"] = json!(number),
            Preset::Text(text) => schema["default"] = json!(text),
        }
        schema
    }

    /// What it may be, in words.
    fn allowed(&self) -> String {
        match self.kind {
            Kind::Text | Kind::Id => "a string".to_owned(),
            Kind::SomeOf(words) => format!("an array of {}", words.join(", ")),
            Kind::Number { least: i64::MIN, most: i64::MAX } => "an integer".to_owned(),
            Kind::OneOf(words) => format!("one of {}", words.join(", ")),
            Kind::Number { least, most: i64::MAX } => format!("an integer of at least {least}"),
            Kind::Number { least, most } => format!("an integer from {least} to {most}"),
            Kind::Flag => "true or false".to_owned(),
            Kind::Texts => "an array of strings".to_owned(),
        }
    }

    fn accepts(&self, value: &Value) -> bool {
        match self.kind {
            Kind::Text => value.is_string(),
            Kind::Id => value.is_string() || value.is_u64(),
            Kind::SomeOf(words) => value.as_array().is_some_and(|list| {
                list.iter().all(|item| item.as_str().is_some_and(|word| words.contains(&word)))
            }),
            Kind::OneOf(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            Kind::Number { least, most } => {
                whole(value).is_some_and(|number| number >= least && (number <= most || self.clamps))
            }
            Kind::Flag => value.is_boolean(),
            Kind::Texts => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
        }
    }

    /// The number it is when left out, or the least that means something.
    fn usual_number(&self) -> i64 {
        match (self.default, self.kind) {
            (Preset::Number(number), _) => number,
            (_, Kind::Number { least: i64::MIN, .. }) => 1,
            (_, Kind::Number { least, .. }) => least,
            _ => 1,
        }
    }

    /// The value as the tool gets it.
    fn settled(&self, value: Value) -> Value {
        match (self.kind, whole(&value)) {
            (Kind::Number { most, .. }, Some(number)) if number > most => json!(most),
            _ => value,
        }
    }

    /// A value that would pass: near the one that was given, where that can be.
    fn corrected(&self, given: Option<&Value>) -> Value {
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
            (Kind::Text | Kind::Id, _) => json!(self.example),
        }
    }
}

/// Numbers such as `20.0` are whole to JSON Schema, and some clients write them so.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_f64().filter(|n| n.fract() == 0.0 && n.abs() < 1e15).map(|n| n as i64))
}

/// The schema of a tool's arguments.
#[must_use]
pub fn schema(arguments: &[Argument]) -> Value {
    let properties: Map<String, Value> =
        arguments.iter().map(|argument| (argument.name.to_owned(), argument.schema())).collect();
    let required: Vec<_> =
        arguments.iter().filter(|argument| argument.required).map(|argument| argument.name).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// Arguments that have passed the check.
#[derive(Debug, Clone)]
pub struct Arguments {
    values: Map<String, Value>,
}

impl Arguments {
    /// Checks what a call brought for a tool against what the tool takes.
    pub fn check(tool: &str, expected: &[Argument], given: Option<Value>) -> Result<Self, ToolError> {
        let mut values = match given {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(values)) => values,
            Some(_) => return Err(ToolError::invalid("arguments", "`arguments` must be an object")),
        };
        values.retain(|_, value| !value.is_null());
        refuse_long(&values)?;
        for argument in expected {
            check_one(tool, expected, argument, &values)?;
        }
        refuse_unknown(tool, expected, &values)?;
        for argument in expected {
            let value = match (values.remove(argument.name), argument.default) {
                (Some(given), _) => argument.settled(given),
                (None, Preset::Number(number)) => json!(number),
                (None, Preset::Text(text)) => json!(text),
                (None, Preset::None) => continue,
            };
            values.insert(argument.name.to_owned(), value);
        }
        Ok(Self { values })
    }

    fn get(&self, argument: &impl Named) -> Option<&Value> {
        self.values.get(argument.name())
    }

    /// A text that may be left out; an empty one counts as left out.
    #[must_use]
    pub fn text(&self, argument: impl Named) -> Option<&str> {
        self.get(&argument)?.as_str().map(str::trim).filter(|text| !text.is_empty())
    }

    /// An id that may be left out, given as a text or as a number.
    #[must_use]
    pub fn id(&self, argument: impl Named) -> Option<String> {
        match self.get(&argument)? {
            Value::Number(number) => Some(number.to_string()),
            _ => self.text(argument).map(str::to_owned),
        }
    }

    /// A text exactly as given, empty when left out.
    #[must_use]
    pub fn verbatim(&self, argument: impl Named) -> &str {
        self.get(&argument).and_then(Value::as_str).unwrap_or_default()
    }

    /// A text that the schema requires; an empty one is an error that names the field.
    pub fn required(&self, argument: impl Named) -> Result<&str, ToolError> {
        let name = argument.name().to_owned();
        self.text(argument).ok_or_else(|| ToolError::invalid(&name, format!("`{name}` must not be empty")))
    }

    /// A number that the schema requires or gives a default.
    #[must_use]
    pub fn number(&self, argument: impl Named) -> Option<i64> {
        self.get(&argument).and_then(whole)
    }

    /// A number that cannot be negative; 0 when left out.
    #[must_use]
    pub fn count(&self, argument: impl Named) -> usize {
        self.number(argument).and_then(|number| usize::try_from(number).ok()).unwrap_or_default()
    }

    /// Whether it is set.
    #[must_use]
    pub fn flag(&self, argument: impl Named) -> bool {
        self.get(&argument).and_then(Value::as_bool).unwrap_or_default()
    }

    /// Whether it was given at all.
    #[must_use]
    pub fn has(&self, argument: impl Named) -> bool {
        self.get(&argument).is_some()
    }

    /// The texts of a list, without empty ones.
    #[must_use]
    pub fn texts(&self, argument: impl Named) -> Vec<String> {
        let list = self.get(&argument).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str)
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
            .collect()
    }
}

/// Whatever is said about an argument later repeats it, so its length is judged first.
fn refuse_long(values: &Map<String, Value>) -> Result<(), ToolError> {
    let Some((name, length)) = values
        .iter()
        .map(|(name, value)| (name, name.len() + text_length(value)))
        .find(|(_, length)| *length > LONGEST)
    else {
        return Ok(());
    };
    let name = one_line(&brief(name, 80));
    let problem = format!("`{name}` has {length} bytes of text; at most {LONGEST} are allowed");
    Err(ToolError::invalid(&name, problem))
}

/// About how many bytes a value has as JSON.
pub(crate) fn text_length(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(text_length).sum(),
        Value::Object(members) => members.iter().map(|(name, value)| name.len() + text_length(value)).sum(),
        _ => 4,
    }
}

fn check_one(
    tool: &str,
    expected: &[Argument],
    argument: &Argument,
    values: &Map<String, Value>,
) -> Result<(), ToolError> {
    let name = argument.name;
    let problem = match values.get(name) {
        None if argument.required && name == "account" => return Err(ToolError::account_required()),
        None if argument.required => format!("`{name}` is missing; it must be {}", argument.allowed()),
        Some(value) if !argument.accepts(value) => {
            format!("`{name}` must be {}, not {}", argument.allowed(), shown(value))
        }
        _ => return Ok(()),
    };
    let error = ToolError::invalid(name, problem);
    Err(error.with_details(json!({
        "field": name,
        "allowed": argument.allowed(),
        "example": corrected_call(tool, expected, values),
    })))
}

fn refuse_unknown(tool: &str, expected: &[Argument], values: &Map<String, Value>) -> Result<(), ToolError> {
    let Some(name) = values.keys().find(|name| expected.iter().all(|argument| argument.name != *name)) else {
        return Ok(());
    };
    let names: Vec<_> = expected.iter().map(|argument| argument.name).collect();
    let nearest = names.iter().min_by_key(|known| strsim::levenshtein(known, name));
    let guess = nearest.filter(|known| strsim::normalized_levenshtein(known, name) > 0.5);
    let guess = guess.map(|known| format!("; did you mean `{known}`?")).unwrap_or_default();
    let allowed = if names.is_empty() { "no arguments".to_owned() } else { names.join(", ") };
    let name = shown(&json!(name));
    let error = ToolError::invalid("arguments", format!("{name} is not an argument of `{tool}`{guess}"));
    Err(error.with_details(json!({
        "allowed": allowed,
        "example": corrected_call(tool, expected, values),
    })))
}

/// The call as it would have passed.
fn corrected_call(tool: &str, expected: &[Argument], values: &Map<String, Value>) -> Value {
    let mut arguments = Map::new();
    for argument in expected {
        match values.get(argument.name) {
            Some(value) if argument.accepts(value) => {
                arguments.insert(argument.name.to_owned(), value.clone());
            }
            given if given.is_some() || argument.required => {
                arguments.insert(argument.name.to_owned(), argument.corrected(given));
            }
            _ => {}
        }
    }
    json!({ "name": tool, "arguments": arguments })
}

/// A wrong value, short enough for an error.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("{}...", &text[..cut]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Argument, Arguments, schema};

    const EXPECTED: &[Argument] = &[
        Argument::text("query", "Words.").required().like("invoice"),
        Argument::number("limit", 1, 50, "How many.").or(20),
        Argument::one_of("format", &["concise", "detailed"], "How much."),
        Argument::flag("full", "All."),
        Argument::texts("to", "Recipients.").like("bob@example.org"),
    ];

    fn refusal(given: serde_json::Value) -> (String, serde_json::Value) {
        let error = Arguments::check("search_emails", EXPECTED, Some(given)).unwrap_err();
        (error.message.clone(), error.details.clone().unwrap_or_default())
    }

    #[test]
    fn what_is_left_out_takes_its_default() {
        let arguments =
            Arguments::check("t", EXPECTED, Some(json!({ "query": " a ", "full": null }))).unwrap();

        assert_eq!(arguments.text("query"), Some("a"));
        assert_eq!(arguments.count("limit"), 20);
        assert!(!arguments.flag("full"));
        assert_eq!(arguments.text("format"), None);
    }

    #[test]
    fn an_error_names_the_field_and_shows_a_call_that_passes() {
        let (missing, details) = refusal(json!({ "limit": 5 }));
        assert_eq!(missing, "`query` is missing; it must be a string");
        assert_eq!(details["example"]["arguments"], json!({ "query": "invoice", "limit": 5 }));

        let (range, details) = refusal(json!({ "query": "a", "limit": 500 }));
        assert_eq!(range, "`limit` must be an integer from 1 to 50, not 500");
        assert_eq!(details["example"]["arguments"]["limit"], 50);

        let (kind, details) = refusal(json!({ "query": "a", "to": "bob@example.org" }));
        assert_eq!(kind, "`to` must be an array of strings, not \"bob@example.org\"");
        assert_eq!(details["example"]["arguments"]["to"], json!(["bob@example.org"]));

        let (word, _) = refusal(json!({ "query": "a", "format": "long" }));
        assert_eq!(word, "`format` must be one of concise, detailed, not \"long\"");
    }

    #[test]
    fn an_unknown_argument_is_refused_with_the_nearest_one() {
        let (message, _) = refusal(json!({ "query": "a", "limt": 5 }));

        assert_eq!(message, "\"limt\" is not an argument of `search_emails`; did you mean `limit`?");
    }

    #[test]
    fn whole_numbers_may_be_written_with_a_point() {
        let arguments = Arguments::check("t", EXPECTED, Some(json!({ "query": "a", "limit": 7.0 }))).unwrap();

        assert_eq!(arguments.count("limit"), 7);
    }

    #[test]
    fn the_schema_is_flat_and_says_what_is_required() {
        let schema = schema(EXPECTED);

        assert_eq!(schema["required"], json!(["query"]));
        assert_eq!(schema["properties"]["limit"]["maximum"], 50);
        assert_eq!(schema["properties"]["to"]["items"], json!({ "type": "string" }));
    }
}
