//! An operator and its value -> a condition. Each operator's rules about its value live here.

use jiff::Zoned;

use super::dates;
use super::error::LanguageError;
use super::lexer::Value;
use super::operators::Field;
use super::sizes;
use super::tree::{Leaf, Query, State};

const STATES: &[&str] = &["unread", "read", "starred", "replied", "draft", "gone"];
const POSSESSIONS: &[&str] = &["attachment"];

/// What this operator asks for with this value.
pub(super) fn condition(field: Field, value: Value, now: &Zoned) -> Result<Query, LanguageError> {
    if field == Field::In && !value.quoted && value.text.eq_ignore_ascii_case("anywhere") {
        return Ok(Query::All);
    }
    let leaf = match field {
        Field::Text(scope) => Leaf::Text { scope, text: value.text, exact: value.quoted },
        Field::Label => Leaf::Label(value.text),
        Field::In => Leaf::In(value.text),
        Field::Thread => Leaf::Thread(value.text),
        Field::Account => Leaf::Account(value.text),
        Field::Type => Leaf::Type(value.text.to_ascii_lowercase()),
        Field::MessageId => Leaf::MessageId(without_brackets(field, &value)?),
        Field::List => Leaf::List(without_brackets(field, &value)?),
        Field::Is => Leaf::Is(state(field, value)?),
        Field::Has => possession(field, value)?,
        Field::Before | Field::After | Field::On => dated(field, value, now)?,
        Field::OlderThan | Field::NewerThan => aged(field, value, now)?,
        Field::Larger => Leaf::Larger(size(field, value)?),
        Field::Smaller => Leaf::Smaller(size(field, value)?),
    };
    Ok(Query::Leaf(leaf))
}

fn without_brackets(field: Field, value: &Value) -> Result<String, LanguageError> {
    let bare = value.text.trim_matches(|c: char| matches!(c, '<' | '>') || c.is_whitespace());
    if bare.is_empty() {
        return Err(LanguageError::MissingValue { position: value.position, operator: name(field) });
    }
    Ok(bare.to_owned())
}

fn state(field: Field, value: Value) -> Result<State, LanguageError> {
    match value.text.to_ascii_lowercase().as_str() {
        "unread" | "unseen" => Ok(State::Unread),
        "read" | "seen" => Ok(State::Read),
        "starred" | "flagged" => Ok(State::Starred),
        "replied" | "answered" => Ok(State::Replied),
        "draft" => Ok(State::Draft),
        "gone" => Ok(State::Gone),
        _ => Err(unknown_value(field, value, STATES)),
    }
}

fn possession(field: Field, value: Value) -> Result<Leaf, LanguageError> {
    match value.text.to_ascii_lowercase().as_str() {
        "attachment" | "attachments" => Ok(Leaf::HasAttachment),
        _ => Err(unknown_value(field, value, POSSESSIONS)),
    }
}

fn dated(field: Field, value: Value, now: &Zoned) -> Result<Leaf, LanguageError> {
    let span = match field {
        Field::Before => dates::start(&value.text, now).map(|until| (None, Some(until))),
        Field::After => dates::start(&value.text, now).map(|from| (Some(from), None)),
        _ => dates::bounds(&value.text, now).map(|(from, until)| (Some(from), Some(until))),
    };
    let (from, until) = span.ok_or_else(|| LanguageError::BadDate {
        position: value.position,
        operator: name(field),
        value: value.text,
    })?;
    Ok(Leaf::Dated { from, until })
}

fn aged(field: Field, value: Value, now: &Zoned) -> Result<Leaf, LanguageError> {
    let then = dates::ago(&value.text, now).ok_or_else(|| LanguageError::BadAge {
        position: value.position,
        operator: name(field),
        value: value.text,
    })?;
    Ok(match field {
        Field::OlderThan => Leaf::Dated { from: None, until: Some(then) },
        _ => Leaf::Dated { from: Some(then), until: None },
    })
}

fn size(field: Field, value: Value) -> Result<u64, LanguageError> {
    sizes::bytes(&value.text).ok_or_else(|| LanguageError::BadSize {
        position: value.position,
        operator: name(field),
        value: value.text,
    })
}

fn unknown_value(field: Field, value: Value, allowed: &'static [&'static str]) -> LanguageError {
    LanguageError::UnknownValue {
        position: value.position,
        operator: name(field),
        value: value.text,
        allowed,
    }
}

fn name(field: Field) -> &'static str {
    field.name().unwrap_or_default()
}
