//! A value of the frontmatter. Mappings keep the order in which their author wrote them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Number, Value};
use serde_saphyr::options::NonFiniteFloatPolicy;

/// A value in YAML.
#[derive(Debug, Clone, PartialEq)]
pub enum Yaml {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`; `yes` and `on` are texts.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text; dates are texts.
    Text(String),
    /// A list.
    List(Vec<Self>),
    /// A mapping, in its order.
    Map(Vec<(String, Self)>),
}

/// What is wrong with a YAML text, and in which of its lines, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Flaw {
    pub(super) problem: String,
    pub(super) line: Option<usize>,
}

impl Yaml {
    /// Reads a YAML mapping; nothing at all is an empty one.
    pub(super) fn mapping(text: &str) -> Result<Vec<(String, Self)>, Flaw> {
        let options = serde_saphyr::options! {
            strict_booleans: true,
            non_finite_float_policy: NonFiniteFloatPolicy::AsString,
            ignore_binary_tag_for_string: true,
            with_snippet: false,
            alias_limits: serde_saphyr::alias_limits! {
                max_total_replayed_events: 100_000,
            },
        };
        match serde_saphyr::from_str_with_options::<Option<Self>>(text, options) {
            Ok(Some(Self::Map(entries))) => Ok(entries),
            Ok(None | Some(Self::Null)) => Ok(Vec::new()),
            Ok(Some(_)) => Err(Flaw { problem: "the frontmatter has no keys".to_owned(), line: Some(1) }),
            Err(error) => Err(Flaw {
                problem: error.to_string().lines().next().unwrap_or_default().to_owned(),
                line: error.location().and_then(|place| usize::try_from(place.line()).ok()),
            }),
        }
    }

    /// A scalar as its author would say it; `None` for nothing, lists and mappings.
    #[must_use]
    pub fn as_text(&self) -> Option<String> {
        match self {
            Self::Bool(value) => Some(value.to_string()),
            Self::Number(number) => Some(number.to_string()),
            Self::Text(text) => Some(text.clone()),
            Self::Null | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The texts of a text or of a list of scalars; empty for everything else.
    #[must_use]
    pub fn as_texts(&self) -> Vec<String> {
        match self {
            Self::List(items) => items.iter().filter_map(Self::as_text).collect(),
            other => other.as_text().into_iter().collect(),
        }
    }

    /// Every scalar in it, however deep.
    pub(super) fn scalars<'a>(&'a self, found: &mut dyn FnMut(&'a Self)) {
        match self {
            Self::List(items) => items.iter().for_each(|item| item.scalars(found)),
            Self::Map(entries) => entries.iter().for_each(|(_, value)| value.scalars(found)),
            scalar => found(scalar),
        }
    }
}

impl From<&str> for Yaml {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Yaml {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Yaml {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i32> for Yaml {
    fn from(number: i32) -> Self {
        Self::Number(number.into())
    }
}

impl From<i64> for Yaml {
    fn from(number: i64) -> Self {
        Self::Number(number.into())
    }
}

impl From<&Value> for Yaml {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(number.clone()),
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Value::Object(members) => {
                Self::Map(members.iter().map(|(name, value)| (name.clone(), Self::from(value))).collect())
            }
        }
    }
}

impl From<&Yaml> for Value {
    fn from(value: &Yaml) -> Self {
        match value {
            Yaml::Null => Self::Null,
            Yaml::Bool(value) => Self::Bool(*value),
            Yaml::Number(number) => Self::Number(number.clone()),
            Yaml::Text(text) => Self::String(text.clone()),
            Yaml::List(items) => Self::Array(items.iter().map(Self::from).collect()),
            Yaml::Map(entries) => {
                Self::Object(entries.iter().map(|(key, value)| (key.clone(), Self::from(value))).collect())
            }
        }
    }
}

impl Serialize for Yaml {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Yaml {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Yaml;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Yaml, E> {
        Ok(Yaml::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Yaml, E> {
        Ok(Yaml::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Yaml, D::Error> {
        Yaml::deserialize(deserializer)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Yaml, E> {
        Ok(Yaml::Bool(value))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Yaml, E> {
        Ok(Yaml::Number(number.into()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Yaml, E> {
        Ok(Yaml::Number(number.into()))
    }

    fn visit_i128<E: Error>(self, number: i128) -> Result<Yaml, E> {
        Ok(Number::from_i128(number).map_or_else(|| Yaml::Text(number.to_string()), Yaml::Number))
    }

    fn visit_u128<E: Error>(self, number: u128) -> Result<Yaml, E> {
        Ok(Number::from_u128(number).map_or_else(|| Yaml::Text(number.to_string()), Yaml::Number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Yaml, E> {
        Ok(Number::from_f64(number).map_or_else(|| Yaml::Text(number.to_string()), Yaml::Number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Yaml, E> {
        Ok(Yaml::Text(text.to_owned()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Yaml, E> {
        Ok(Yaml::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Yaml, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Yaml::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Yaml, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry::<String, Yaml>()? {
            map.push(entry);
        }
        Ok(Yaml::Map(map))
    }
}
