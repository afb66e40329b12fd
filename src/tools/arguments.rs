//! What a call brought, checked against the definitions that made the schema, and read by them.
//! A call that does not pass is told the field, what it may be, and a call that would have passed.

use serde_json::{Map, Value, json};

use crate::text_safety::{brief, one_line};
use crate::tools::ToolError;
use crate::tools::argument::{Argument, Named, Preset, pieces, whole};

/// The texts of one argument may have so many bytes together.
const LONGEST: usize = 1 << 20;

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
        refuse_long(expected, &values)?;
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
            Value::Number(number) if number.is_u64() => Some(number.to_string()),
            value @ Value::Number(_) => whole(value).map(|number| number.to_string()),
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

    /// The members of an object; none when it was left out.
    pub fn members(&self, argument: impl Named) -> impl Iterator<Item = (&String, &Value)> {
        self.get(&argument).and_then(Value::as_object).into_iter().flatten()
    }

    /// The objects of a list.
    pub fn objects(&self, argument: impl Named) -> impl Iterator<Item = &Map<String, Value>> {
        self.get(&argument).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
    }

    /// One text or several, as they were given.
    #[must_use]
    pub fn text_or_texts(&self, argument: impl Named) -> Vec<String> {
        match self.get(&argument) {
            Some(Value::String(text)) => vec![text.trim().to_owned()],
            _ => self.texts(argument),
        }
    }

    /// The texts of a list, without empty ones; a list of known words may be written as one text.
    #[must_use]
    pub fn texts(&self, argument: impl Named) -> Vec<String> {
        if let Some(text) = self.get(&argument).and_then(Value::as_str) {
            return pieces(text).map(str::to_owned).collect();
        }
        let list = self.get(&argument).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str)
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
            .collect()
    }
}

/// Whatever is said about an argument later repeats it, so its length is judged first.
fn refuse_long(expected: &[Argument], values: &Map<String, Value>) -> Result<(), ToolError> {
    let may_be_long = |name: &str| expected.iter().any(|it| it.name == name && it.holds_files());
    let Some((name, length)) = values
        .iter()
        .filter(|(name, _)| !may_be_long(name))
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

    use super::{Argument, Arguments};
    use crate::tools::argument::schema;

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
    fn a_number_that_clamps_takes_more_for_the_most_and_less_for_nothing() {
        let expected = &[Argument::number("limit", 1, 50, "How many.").or(20).clamped()];
        let read = |value: i64| Arguments::check("t", expected, Some(json!({ "limit": value })));

        assert_eq!(read(1_000_000).unwrap().count(&expected[0]), 50);
        assert!(read(0).is_err() && read(-7).is_err());
    }

    #[test]
    fn a_corrected_call_shows_a_number_that_somebody_could_mean() {
        let unbounded = &[Argument::number("limit", i64::MIN, i64::MAX, "How many.").or(100)];
        let error = Arguments::check("t", unbounded, Some(json!({ "limit": "abc" }))).unwrap_err();

        assert_eq!(error.details.unwrap()["example"]["arguments"]["limit"], 100);
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
