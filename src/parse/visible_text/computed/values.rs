//! Reads values as strictly as browsers do: a declaration with a value that is none does nothing, and a value that
//! cannot be told valid from invalid leaves doubt.

use super::super::css::length::{Length, Sized, Units, length};
use super::super::css::tokens::{Tok, solid};

/// What came of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is understood and set.
    Done,
    /// Browsers drop it.
    Invalid,
    /// It may hide.
    Doubt,
}

/// How lengths are read here.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    pub(super) units: Units,
    /// Numbers without a unit are pixels, as in quirks mode.
    pub(super) quirks: bool,
}

/// What a token is as a length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Read {
    Is(Length),
    Unknown,
    Not,
}

impl Reading {
    pub(super) fn length(self, token: &Tok) -> Read {
        match token {
            Tok::Number(value) if *value != 0.0 && !self.quirks => Read::Not,
            Tok::Function(name, _) if !is_math(name) || is_number(name) => Read::Not,
            token => match length(token, self.units) {
                Sized::Is(length) if length.px.is_finite() && length.share.is_finite() => Read::Is(length),
                Sized::Is(_) | Sized::Unknown => Read::Unknown,
                Sized::Not => Read::Not,
            },
        }
    }

    /// One length, or one of these words, which stand for none.
    pub(super) fn size(
        self,
        value: &[Tok],
        words: &[&str],
        may_be_negative: bool,
    ) -> Result<Option<Length>, Outcome> {
        let [token] = only(value)?;
        if words.iter().any(|word| token.is_ident(word)) {
            return Ok(None);
        }
        match self.length(token) {
            Read::Is(length) if !may_be_negative && (length.px < 0.0 || length.share < 0.0) => {
                match token {
                    // Sums are cut off at zero and not invalid.
                    Tok::Function(..) if length.px <= 2.0 && length.share <= 0.0 => {
                        Ok(Some(Length::default()))
                    }
                    Tok::Function(..) => Err(Outcome::Doubt),
                    _ => Err(Outcome::Invalid),
                }
            }
            Read::Is(length) => Ok(Some(length)),
            Read::Unknown => Err(Outcome::Doubt),
            Read::Not => Err(match token {
                Tok::Function(name, _) if name == "fit-content" || is_math(name) => Outcome::Doubt,
                _ => Outcome::Invalid,
            }),
        }
    }
}

/// Functions that come to a number or an angle, whatever they are given.
fn is_number(name: &str) -> bool {
    matches!(
        name,
        "sign" | "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "atan2" | "pow" | "sqrt" | "log" | "exp"
    )
}

pub(super) fn is_math(name: &str) -> bool {
    matches!(
        name,
        "calc"
            | "-webkit-calc"
            | "min"
            | "max"
            | "clamp"
            | "abs"
            | "sign"
            | "round"
            | "mod"
            | "rem"
            | "sin"
            | "cos"
            | "tan"
            | "asin"
            | "acos"
            | "atan"
            | "atan2"
            | "pow"
            | "sqrt"
            | "hypot"
            | "log"
            | "exp"
            | "anchor"
            | "anchor-size"
            | "progress"
            | "calc-size"
            | "sibling-index"
            | "sibling-count"
    )
}

/// The one token of a value.
pub(super) fn only(value: &[Tok]) -> Result<[&Tok; 1], Outcome> {
    let mut tokens = solid(value);
    match (tokens.next(), tokens.next()) {
        (Some(token), None) => Ok([token]),
        _ => Err(Outcome::Invalid),
    }
}

/// The one word of a value, in lower case.
pub(super) fn word(value: &[Tok]) -> Result<String, Outcome> {
    match only(value)? {
        [Tok::Ident(word)] => Ok(word.to_ascii_lowercase()),
        _ => Err(Outcome::Invalid),
    }
}

/// One of these words, else invalid.
pub(super) fn one_of(value: &[Tok], words: &[&'static str]) -> Result<&'static str, Outcome> {
    let own = word(value)?;
    words.iter().find(|word| **word == own).copied().ok_or(Outcome::Invalid)
}
