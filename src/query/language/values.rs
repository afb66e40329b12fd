//! An operator and its value -> a condition. Each operator's rules about its value live here.

use super::calendar::Calendar;
use super::dates;
use super::error::LanguageError;
use super::lexer::Value;
use super::operators::Field;
use super::sizes;
use super::tree::{Leaf, Query, Scope, State};
use super::words;

const STATES: &[&str] = &["unread", "read", "starred", "important", "replied", "draft", "gone"];
const CATEGORIES: &[&str] =
    &["primary", "social", "promotions", "updates", "forums", "reservations", "purchases"];
const POSSESSIONS: &[&str] = &[
    "attachment",
    "pdf",
    "image",
    "audio",
    "video",
    "document",
    "spreadsheet",
    "presentation",
    "userlabels",
    "nouserlabels",
];

/// Kinds of attachments, and the types that are of a kind.
const KINDS: &[(&str, &[&str])] = &[
    ("pdf", &["pdf"]),
    ("image", &["image"]),
    ("audio", &["audio"]),
    ("video", &["video"]),
    ("document", &["doc", "docx", "odt", "rtf", "pages", "gdoc"]),
    ("spreadsheet", &["xls", "xlsx", "xlsm", "ods", "csv", "numbers", "gsheet"]),
    ("presentation", &["ppt", "pptx", "odp", "key", "gslides"]),
];

/// What this operator asks for with this value.
pub(super) fn condition(field: Field, value: Value, calendar: &Calendar) -> Result<Query, LanguageError> {
    let leaf = match field {
        Field::In if !value.quoted && value.text.eq_ignore_ascii_case("anywhere") => return Ok(Query::All),
        Field::Text(scope) => return text(scope, value),
        Field::DeliveredTo => return delivered(value),
        Field::Has => return possession(field, value),
        Field::Label => Leaf::Label(value.text),
        Field::Category => Leaf::Category(category(field, value)?),
        Field::In => Leaf::In(value.text),
        Field::Thread => Leaf::Thread(value.text),
        Field::Account => Leaf::Account(value.text),
        Field::Type => Leaf::Type(value.text.to_ascii_lowercase()),
        Field::MessageId => Leaf::MessageId(without_brackets(field, &value)?),
        Field::List => Leaf::List(list(field, &value)?),
        Field::Is => Leaf::Is(state(field, value)?),
        Field::Before | Field::After | Field::On => dated(field, value, calendar)?,
        Field::OlderThan | Field::NewerThan => aged(field, value, calendar)?,
        Field::Older | Field::Newer => dated_or_aged(field, value, calendar)?,
        Field::Larger => Leaf::Larger(size(field, value)?),
        Field::Smaller => Leaf::Smaller(size(field, value)?),
    };
    Ok(Query::Leaf(leaf))
}

fn text(scope: Scope, value: Value) -> Result<Query, LanguageError> {
    let people = matches!(scope, Scope::From | Scope::To | Scope::Cc | Scope::Bcc);
    if people && !value.quoted && value.text.eq_ignore_ascii_case("me") {
        return Ok(Query::Leaf(Leaf::Me(scope)));
    }
    words::check(&value)?;
    if let Some(nearness) = words::ordered_nearness(scope, &value) {
        return Ok(Query::Leaf(Leaf::Near(nearness)));
    }
    Ok(Query::Leaf(Leaf::Text { scope, text: value.text, exact: value.quoted }))
}

/// The header itself is not kept apart, but who gets something is a recipient of it or has the account.
fn delivered(value: Value) -> Result<Query, LanguageError> {
    words::check(&value)?;
    let account = Query::Leaf(Leaf::Account(value.text.clone()));
    match text(Scope::To, value)? {
        me @ Query::Leaf(Leaf::Me(_)) => Ok(me),
        recipient => Ok(Query::or(vec![recipient, account])),
    }
}

fn without_brackets(field: Field, value: &Value) -> Result<String, LanguageError> {
    let bare = value.text.trim_matches(|c: char| matches!(c, '<' | '>') || c.is_whitespace());
    if bare.is_empty() {
        return Err(LanguageError::MissingValue { position: value.position, operator: name(field) });
    }
    Ok(bare.to_owned())
}

fn list(field: Field, value: &Value) -> Result<String, LanguageError> {
    let bare = without_brackets(field, value)?;
    words::check(value)?;
    Ok(bare)
}

fn state(field: Field, value: Value) -> Result<State, LanguageError> {
    match value.text.to_ascii_lowercase().as_str() {
        "unread" | "unseen" => Ok(State::Unread),
        "read" | "seen" => Ok(State::Read),
        "starred" | "flagged" => Ok(State::Starred),
        "replied" | "answered" => Ok(State::Replied),
        "draft" => Ok(State::Draft),
        "important" => Ok(State::Important),
        "gone" => Ok(State::Gone),
        _ => Err(unknown_value(field, value, STATES)),
    }
}

fn category(field: Field, value: Value) -> Result<String, LanguageError> {
    let typed = value.text.to_ascii_lowercase();
    match CATEGORIES.iter().find(|known| **known == typed) {
        Some(known) => Ok((*known).to_owned()),
        None if typed == "personal" => Ok("primary".to_owned()),
        None => Err(unknown_value(field, value, CATEGORIES)),
    }
}

fn possession(field: Field, value: Value) -> Result<Query, LanguageError> {
    let typed = value.text.to_ascii_lowercase();
    let singular = typed.strip_suffix('s').filter(|_| !typed.ends_with("labels")).unwrap_or(&typed);
    let kind = KINDS.iter().find(|(kind, _)| *kind == singular).map(|(_, types)| *types);
    match (singular, kind) {
        ("attachment", _) => Ok(Query::Leaf(Leaf::HasAttachment)),
        ("userlabels", _) => Ok(Query::Leaf(Leaf::HasUserLabels)),
        ("nouserlabels", _) => Ok(Query::Leaf(Leaf::HasUserLabels).negated()),
        (_, Some(types)) => {
            let each = types.iter().map(|kind| Query::Leaf(Leaf::Type((*kind).to_owned())));
            Ok(Query::or(each.collect()))
        }
        _ => Err(unknown_value(field, value, POSSESSIONS)),
    }
}

fn dated(field: Field, value: Value, calendar: &Calendar) -> Result<Leaf, LanguageError> {
    let span = match field {
        Field::Before | Field::Older => dates::start(&value.text, calendar).map(|until| (None, Some(until))),
        Field::After | Field::Newer => dates::start(&value.text, calendar).map(|from| (Some(from), None)),
        _ => dates::bounds(&value.text, calendar).map(|(from, until)| (Some(from), Some(until))),
    };
    let (from, until) = span.ok_or_else(|| LanguageError::BadDate {
        position: value.position,
        operator: name(field),
        value: value.text,
    })?;
    Ok(Leaf::Dated { from, until })
}

fn aged(field: Field, value: Value, calendar: &Calendar) -> Result<Leaf, LanguageError> {
    let then = dates::ago(&value.text, calendar).ok_or_else(|| LanguageError::BadAge {
        position: value.position,
        operator: name(field),
        value: value.text,
    })?;
    Ok(match field {
        Field::OlderThan | Field::Older => Leaf::Dated { from: None, until: Some(then) },
        _ => Leaf::Dated { from: Some(then), until: None },
    })
}

fn dated_or_aged(field: Field, value: Value, calendar: &Calendar) -> Result<Leaf, LanguageError> {
    match dates::ago(&value.text, calendar) {
        Some(_) => aged(field, value, calendar),
        None => dated(field, value, calendar),
    }
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
