//! Whether a condition around rules holds: media queries as on a desk's screen, and what a browser supports.

use super::length::{SCREEN, Sized, Units, length};
use super::matching::Match;
use super::tokens::{Tok, between_commas, solid, trimmed};

/// Whether any query of a list holds on a screen of a desk.
pub(crate) fn media(tokens: &[Tok]) -> Match {
    if trimmed(tokens).is_empty() {
        return Match::Yes;
    }
    between_commas(tokens).map(query).max().unwrap_or(Match::No)
}

fn query(tokens: &[Tok]) -> Match {
    let mut words: Vec<&Tok> = solid(tokens).collect();
    let negated = words.first().is_some_and(|word| word.is_ident("not"));
    words.retain(|word| !word.is_ident("not") && !word.is_ident("only"));
    let holds = if words.iter().any(|word| word.is_ident("or")) {
        words.iter().filter(|word| !word.is_ident("or")).map(|word| condition(word)).max()
    } else {
        words.iter().filter(|word| !word.is_ident("and")).map(|word| condition(word)).min()
    };
    match (negated, holds.unwrap_or(Match::No)) {
        (true, Match::Yes) => Match::No,
        (true, Match::No) => Match::Yes,
        (_, holds) => holds,
    }
}

fn condition(token: &Tok) -> Match {
    let sure = |holds| if holds { Match::Yes } else { Match::No };
    match token {
        Tok::Ident(medium) => sure(["screen", "all"].iter().any(|name| medium.eq_ignore_ascii_case(name))),
        Tok::Parens(inner) => match trimmed(inner) {
            [Tok::Ident(name), rest @ ..] => feature(&name.to_ascii_lowercase(), rest),
            [Tok::Parens(_), ..] => query(inner),
            _ => Match::Maybe,
        },
        _ => Match::Maybe,
    }
}

fn feature(name: &str, rest: &[Tok]) -> Match {
    let sure = |holds| if holds { Match::Yes } else { Match::No };
    if name == "not" {
        return query(&[&[Tok::Ident("not".to_owned())], rest].concat());
    }
    let Some(value) = solid(rest).last() else { return alone(name) };
    let pixels = match length(value, Units { em: 16.0, rem: 16.0 }) {
        Sized::Is(length) => Some(length.px),
        _ => None,
    };
    let (width, height) = SCREEN;
    let is_range = rest.iter().any(|token| matches!(token, Tok::Delim(_)));
    match (name, pixels) {
        ("min-width" | "min-device-width", Some(limit)) => sure(width >= limit),
        ("max-width" | "max-device-width", Some(limit)) => sure(width <= limit),
        ("min-height" | "min-device-height", Some(limit)) => sure(height >= limit),
        ("max-height" | "max-device-height", Some(limit)) => sure(height <= limit),
        ("width", Some(limit)) if is_range => range(rest, width, limit),
        ("height", Some(limit)) if is_range => range(rest, height, limit),
        ("prefers-color-scheme", _) => sure(value.is_ident("light")),
        ("orientation", _) => sure(value.is_ident("landscape")),
        ("prefers-reduced-motion" | "prefers-contrast" | "prefers-reduced-transparency", _) => {
            sure(value.is_ident("no-preference"))
        }
        ("hover" | "any-hover", _) => sure(value.is_ident("hover")),
        ("pointer" | "any-pointer", _) => sure(value.is_ident("fine")),
        ("forced-colors" | "inverted-colors", _) => sure(value.is_ident("none")),
        ("scripting", _) => sure(value.is_ident("none")),
        ("min-resolution" | "-webkit-min-device-pixel-ratio" | "min--moz-device-pixel-ratio", _) => {
            Match::Maybe
        }
        _ => Match::Maybe,
    }
}

/// `(width > 600px)`.
fn range(rest: &[Tok], own: f32, limit: f32) -> Match {
    let signs: String =
        rest.iter().filter_map(|token| if let Tok::Delim(c) = token { Some(*c) } else { None }).collect();
    let holds = match signs.as_str() {
        ">" => own > limit,
        ">=" => own >= limit,
        "<" => own < limit,
        "<=" => own <= limit,
        "=" => (own - limit).abs() < 0.5,
        _ => return Match::Maybe,
    };
    if holds { Match::Yes } else { Match::No }
}

/// A feature without a value is true unless it is none or zero.
fn alone(name: &str) -> Match {
    match name {
        "color" | "width" | "height" | "hover" | "pointer" | "any-hover" | "any-pointer" => Match::Yes,
        "monochrome" | "grid" | "prefers-reduced-motion" | "forced-colors" => Match::No,
        _ => Match::Maybe,
    }
}
