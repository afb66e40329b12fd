//! A client's configuration as text: what it says, and the text with one entry put in, changed or taken out.
//! Every other byte stays. A change is read back, and refused if it says anything but what was asked for.

pub(super) mod lines;
mod jsonc;
mod toml_text;
mod yaml_text;

use serde_json::{Map, Value};

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The language a configuration is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// JSON, with or without comments.
    Json,
    Toml,
    Yaml,
}

/// A value to write; the members of objects stand in the order they are given.
#[derive(Debug, Clone)]
pub(super) enum Fresh {
    Object(Vec<(String, Self)>),
    Plain(Value),
}

impl Fresh {
    /// The same value without an order.
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Object(members) => {
                members.iter().map(|(key, fresh)| (key.clone(), fresh.value())).collect()
            }
            Self::Plain(value) => value.clone(),
        }
    }

    /// The value inside objects with one member each, one for each step of the path.
    fn below(&self, path: &[&str]) -> Self {
        path.iter().rev().fold(self.clone(), |inner, key| Self::Object(vec![((*key).to_owned(), inner)]))
    }
}

/// Why a configuration cannot be read or changed, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) message: String,
    /// Line and column, counted from 1; nothing when the whole document is meant.
    pub(super) place: Option<(usize, usize)>,
}

impl Refusal {
    /// An error at this byte of the text.
    fn at(text: &str, offset: usize, message: impl Into<String>) -> Self {
        let before = text[..offset].trim_start_matches(BYTE_ORDER_MARK);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        Self { message: message.into(), place: Some((line, column)) }
    }

    /// What stands under a name, or the whole document, is no mapping.
    fn no_mapping(name: Option<&&str>) -> Self {
        let what = name.map_or("the document".to_owned(), |name| format!("`{name}`"));
        Self { message: format!("{what} should hold names and values"), place: None }
    }
}

impl Format {
    /// The entries of a section; none when there is no such section.
    pub(super) fn entries(self, text: &str, section: &str) -> Result<Map<String, Value>, Refusal> {
        match self.value(text)?.get_mut(section).map(Value::take) {
            Some(Value::Object(entries)) => Ok(entries),
            _ => Ok(Map::new()),
        }
    }

    /// The text with this value at the end of the path.
    pub(super) fn set(self, text: &str, path: &[&str], fresh: &Fresh) -> Result<String, Refusal> {
        let mut wanted = self.value(text)?;
        place(&mut wanted, path, fresh.value());
        let changed = match self {
            Self::Json => jsonc::set(text, path, fresh),
            Self::Toml => toml_text::set(text, path, fresh),
            Self::Yaml => yaml_text::set(text, path, fresh),
        }?;
        self.checked(changed, &wanted)
    }

    /// The text without what is at the end of the path; nothing when nothing is there.
    pub(super) fn remove(self, text: &str, path: &[&str]) -> Result<Option<String>, Refusal> {
        let mut wanted = self.value(text)?;
        if !take(&mut wanted, path) {
            return Ok(None);
        }
        let changed = match self {
            Self::Json => jsonc::remove(text, path),
            Self::Toml => toml_text::remove(text, path),
            Self::Yaml => yaml_text::remove(text, path),
        }?;
        changed.map(|changed| self.checked(changed, &wanted)).transpose()
    }

    /// What the text says; an empty text says nothing, which is an empty object.
    fn value(self, text: &str) -> Result<Value, Refusal> {
        let value = match self {
            Self::Json => jsonc::value(text),
            Self::Toml => toml_text::value(text),
            Self::Yaml => yaml_text::value(text),
        }?;
        Ok(if value.is_null() { Value::Object(Map::new()) } else { value })
    }

    /// The changed text, if it says what it should.
    fn checked(self, changed: String, wanted: &Value) -> Result<String, Refusal> {
        match self.value(&changed) {
            Ok(value) if without_empty(&value) == without_empty(wanted) => Ok(changed),
            _ => {
                let message = "it is laid out in a way that cannot be changed safely".to_owned();
                Err(Refusal { message, place: None })
            }
        }
    }
}

/// The members that say something: in TOML a section without entries need not be there.
fn without_empty(root: &Value) -> Option<Map<String, Value>> {
    let says_something = |value: &Value| value.as_object().is_none_or(|object| !object.is_empty());
    let members = root.as_object()?.iter().filter(|(_, value)| says_something(value));
    Some(members.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// Puts a value at the end of a path, and objects on the way to it.
fn place(root: &mut Value, path: &[&str], value: Value) {
    let mut node = root;
    for key in path {
        if !node.is_object() {
            *node = Value::Object(Map::new());
        }
        node = &mut node[*key];
    }
    *node = value;
}

/// Takes what is at the end of a path out; whether there was something.
fn take(root: &mut Value, path: &[&str]) -> bool {
    let Some((last, way)) = path.split_last() else { return false };
    let parent = way.iter().try_fold(root, |node, key| node.get_mut(*key));
    parent.and_then(Value::as_object_mut).is_some_and(|object| object.remove(*last).is_some())
}
