//! What the words of a search must be so that the index can have them. Pure: cuts text as the index does.

use super::error::LanguageError;
use super::lexer::Value;
use super::tree::{Nearness, Scope};
use crate::index::Words;

/// Fewer letters before a star would stand for half of all words.
const LEAST_BEFORE_STAR: usize = 2;
/// Words that are further apart have nothing to do with each other.
const FURTHEST: u32 = 10_000;

/// Refuses a text in which there is nothing to look for.
pub(super) fn check(value: &Value) -> Result<(), LanguageError> {
    let (position, typed) = (value.position, value.text.clone());
    match value.text.strip_suffix('*').filter(|_| !value.quoted) {
        Some("") => Err(LanguageError::TooShort { position, value: typed }),
        _ if !has_words(&value.text) => Err(LanguageError::NothingToFind { position, value: typed }),
        Some(begun) if is_too_short(begun) => Err(LanguageError::TooShort { position, value: typed }),
        _ => Ok(()),
    }
}

/// Whether the index can have anything of this text.
pub(super) fn has_words(text: &str) -> bool {
    Words::new(text).advance().is_some()
}

/// Whether a beginning stands for too many words, as the index spells them: `ü` is `u` there. A character of another
/// script says enough by itself.
fn is_too_short(begun: &str) -> bool {
    let last = begun.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
    let mut words = Words::new(last);
    let is_short = |word: &str| word.is_ascii() && word.len() < LEAST_BEFORE_STAR;
    words.advance().is_some() && is_short(words.text())
}

/// A star inside a word, where it is no wildcard.
pub(super) fn has_star_inside(text: &str) -> bool {
    let pieces: Vec<&str> = text.split('*').collect();
    pieces
        .windows(2)
        .any(|pair| pair[0].ends_with(char::is_alphanumeric) && pair[1].starts_with(char::is_alphanumeric))
}

/// `5` in `a AROUND 5 b`.
pub(super) fn distance(text: &str) -> Option<u32> {
    let all_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|within| all_digits && (1..=FURTHEST).contains(within))
}

/// Whether this is one word, so that a distance from it can be told.
pub(super) fn is_single(text: &str) -> bool {
    let mut words = Words::new(text);
    let mut positions = Vec::new();
    while let Some(word) = words.advance() {
        positions.push(word.position);
    }
    positions.first().is_some_and(|first| positions.iter().all(|position| position == first))
}

/// `"secret AROUND 25 birthday"`: in quotes, the first word must come first.
pub(super) fn ordered_nearness(scope: Scope, value: &Value) -> Option<Nearness> {
    let [first, "AROUND", within, second] = *value.text.split(' ').collect::<Vec<_>>() else { return None };
    let within = distance(within).filter(|_| value.quoted && is_single(first) && is_single(second))?;
    Some(Nearness { scope, first: first.to_owned(), second: second.to_owned(), within, ordered: true })
}
