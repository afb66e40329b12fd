//! The search language: text -> tree. Pure: no database, no index; what a tree finds is decided elsewhere.
//! An operator that does not exist is an error, never silently text. [`read_leniently`] is for questions as people write them.
//!
//! # Grammar
//!
//! ```text
//! search       = [ all ]
//! all          = alternatives { [ "AND" ] alternatives }
//! alternatives = term { "OR" term }
//! term         = { "-" | "NOT" } ( "*" | text [ "AROUND" number text ] | operator | group )
//! text         = word | "+" word | phrase
//! operator     = name ":" ( word | phrase | group )
//! group        = "(" all ")" | "{" alternatives { alternatives } "}"
//! ```
//!
//! * Terms side by side must all match. `OR` binds tighter than that, as in Gmail: `a b OR c` is
//!   `a (b OR c)`, and so is `a AND b OR c`. `OR`, `AND`, `NOT` and `AROUND` are keywords in upper case
//!   only.
//! * Of the terms between braces one must match: `{a b}` is `(a OR b)`.
//! * An operator before a group applies to each value in it: `from:(ada OR bob)`. It cannot hold another operator.
//! * A value follows its colon without a space, and is taken as it stands up to a space or parenthesis:
//!   `from:OR` and `label:-x` mean what they say. Only dates go on behind a space: `after:last week`.
//! * Parentheses right behind a word belong to it when no space is in them: `fork()`, `f(x)`.
//! * `-` negates at the beginning of a term: `-word`, `-from:ada`, `-(a b)`, `-"a b"`. Inside a word
//!   (`e-mail`), alone (`a - b`), doubled (`--force`) and in an arrow it is text.
//! * A quote opens a phrase at the beginning of a term or value; inside a word it is text. `\"` and `\\`
//!   stand for themselves in a phrase. Typographic quotes work as well. `+word` is `"word"`.
//! * A star right behind a word stands for any letters more: `invoic*`, `from:ada.lov*`. Alone it means all messages.
//! * Signs without a word in them are passed over beside words (`Ada & Bob`). Where they stand for something by
//!   themselves they are an error: no search means all messages but the empty one, `*` and `in:anywhere`.
//! * `a AROUND 5 b` finds two words that are at most 5 apart; in quotes, in this order.
//! * A name is a letter and then letters, digits, `_` or `-`; case does not matter. A word that begins with
//!   a name and a colon is an operator, except before another colon (`std::fmt`) or `//`
//!   (`https://example.org`). A name that is no operator may moreover end the word (`Re:`), stand before a
//!   slash or backslash (`C:\mail`), or be a scheme that is written without slashes (`mailto:ada`).
//!   `12:30` begins with no letter, so it is text.
//! * Dates are days, weeks, months or years in the person's time zone, as numbers (`2024-03-09`, `2024-03`, `2024`,
//!   `9.3.2024`, `3/9/2024` in the order of the locale, which is said in a note), in words (`yesterday`, `monday`,
//!   `last week`, `march 2024`, `3 days ago`), or moments (`2024-03-09T10:00:00Z`, seconds since 1970).
//!   `after:` includes its period, `before:` excludes it, `on:` is the period, or all periods from one to another
//!   (`on:2023-01..2023-06`).
//! * `newer_than:7d` includes the moment 7 days ago, `older_than:7d` is everything before it.
//! * `larger:` and `smaller:` exclude the size they name.

mod calendar;
mod date_numbers;
mod date_words;
mod dates;
mod error;
mod lenient;
mod lexer;
mod operators;
mod parser;
mod print;
#[cfg(test)]
mod properties;
mod sizes;
#[cfg(test)]
mod tests;
mod tree;
mod values;
mod words;

use crate::clock::Clock;

pub use error::LanguageError;
pub use lenient::read_leniently;
pub use operators::{OPERATORS, Operator};
pub use tree::{Leaf, Nearness, Query, Scope, State};

/// The most characters a search may have.
pub const MAX_LENGTH: usize = 10_000;
/// The most parentheses that may stand inside one another.
pub const MAX_DEPTH: usize = 50;
/// The most words, phrases and operators a search may have.
pub const MAX_TERMS: usize = 500;

/// A search that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Understood {
    /// What it asks for.
    pub query: Query,
    /// What could have been read in another way, and how it was read.
    pub notes: Vec<String>,
}

/// Reads a search. An empty one means all messages. The clock says what `today` and `7d` are.
pub fn parse(text: &str, clock: &Clock) -> Result<Query, LanguageError> {
    Ok(read(text, clock)?.query)
}

/// Reads a search, and says what could have been read in another way.
pub fn read(text: &str, clock: &Clock) -> Result<Understood, LanguageError> {
    if text.chars().nth(MAX_LENGTH).is_some() {
        return Err(LanguageError::TooLong);
    }
    parser::understood(lexer::lexemes(text)?, &calendar::Calendar::of(clock))
}
