//! Puts variables, attributes and fallbacks into values, as far as they can be known.

use std::borrow::Cow;
use std::rc::Rc;

use scraper::node::Element;

use super::super::css::declaration::{self, has_variables};
use super::super::css::tokens::{Tok, solid, trimmed};
use super::Custom;

/// How often variables may refer to variables.
const MAX_VARIABLE_DEPTH: usize = 8;
const MAX_VALUE: usize = 64;

/// What may be put into a value.
#[derive(Clone, Copy)]
pub(super) struct Known<'k> {
    pub(super) custom: Option<&'k Rc<Custom>>,
    pub(super) element: &'k Element,
}

impl Known<'_> {
    /// Whether the element has an attribute; HTML takes names in any case.
    fn has_attribute(self, name: &str) -> bool {
        self.element.attrs().any(|(own, _)| own.eq_ignore_ascii_case(name))
    }
}

/// The value with its variables put in; `None` for what cannot be known. What is not there leaves nothing, which is no
/// value at all.
pub(super) fn substitute(value: &[Tok], known: Known<'_>, depth: usize) -> Option<Vec<Tok>> {
    let mut out = Vec::new();
    for token in value {
        if out.len() > MAX_VALUE || depth > MAX_VARIABLE_DEPTH {
            return None;
        }
        match token {
            Tok::Function(name, arguments) if declaration::is_substitution(name) => {
                let fallback = arguments
                    .iter()
                    .position(|token| *token == Tok::Comma)
                    .map(|comma| &arguments[comma + 1..]);
                let found = match name.as_str() {
                    "var" => variable(arguments, known)?,
                    "env" if !arguments.iter().find_map(Tok::ident)?.contains('-') => None,
                    "attr" if !known.has_attribute(arguments.iter().find_map(Tok::ident)?) => None,
                    "if" => Some(only_else(arguments)?),
                    _ => return None,
                };
                match (found, fallback) {
                    (Some(value), _) => out.extend(value),
                    (None, Some(fallback)) => out.extend(substitute(fallback, known, depth + 1)?),
                    (None, None) => return Some(vec![Tok::Bad]),
                }
            }
            Tok::Function(name, arguments) => {
                out.push(Tok::Function(name.clone(), substitute(arguments, known, depth + 1)?));
            }
            Tok::Parens(inner) => out.push(Tok::Parens(substitute(inner, known, depth + 1)?)),
            other => out.push(other.clone()),
        }
    }
    Some(out)
}

/// A value in which chance between two lengths of nearly the same pixels is the longer one: browsers that know it take it
/// where they take a length, and a pixel more or less hides nothing.
pub(super) fn steadied(value: &[Tok]) -> Cow<'_, [Tok]> {
    let steady = |token: &Tok| match token {
        Tok::Function(name, arguments) if name == "random" => {
            match solid(arguments).collect::<Vec<_>>().as_slice() {
                [Tok::Dimension(low, one), Tok::Comma, high @ Tok::Dimension(most, other)]
                    if one == "px" && other == "px" && *low > 0.0 && (0.0..=1.0).contains(&(most - low)) =>
                {
                    Some(Tok::clone(high))
                }
                _ => None,
            }
        }
        _ => None,
    };
    if value.iter().all(|token| steady(token).is_none()) {
        return Cow::Borrowed(value);
    }
    Cow::Owned(value.iter().map(|token| steady(token).unwrap_or_else(|| token.clone())).collect())
}

/// `if(else: value)`, which has nothing to decide.
fn only_else(arguments: &[Tok]) -> Option<Vec<Tok>> {
    match trimmed(arguments) {
        [first, Tok::Colon, value @ ..] if first.is_ident("else") && !value.contains(&Tok::Semicolon) => {
            (!has_variables(value)).then(|| trimmed(value).to_vec())
        }
        _ => None,
    }
}

/// The value of a variable, if it has one; one that itself holds variables was resolved elsewhere and is not known here.
fn variable(arguments: &[Tok], known: Known<'_>) -> Option<Option<Vec<Tok>>> {
    let name = arguments.iter().find_map(Tok::ident).unwrap_or_default();
    let mut next = known.custom;
    while let Some(custom) = next {
        if custom.name == name {
            let is_plain =
                !has_variables(&custom.value) && super::setters::wide(trimmed(&custom.value)).is_none();
            return is_plain.then(|| Some(custom.value.clone()));
        }
        next = custom.outer.as_ref();
    }
    Some(None)
}
