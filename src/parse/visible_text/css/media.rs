//! Whether a condition around rules holds: media queries as on a desk's screen, in a window of any usual size.

use super::length::{Sized, Units, length};
use super::matching::Match;
use super::tokens::{Tok, between_commas, solid, trimmed};

/// Windows that a message may be shown in, in pixels across and down.
const ACROSS: (f32, f32) = (800.0, 2000.0);
const DOWN: (f32, f32) = (500.0, 1500.0);

/// Media features that browsers know, and words that a list of queries is made of.
const FEATURES: &str = "any-hover any-pointer aspect-ratio color color-gamut color-index device-aspect-ratio \
    device-height device-posture device-width display-mode display-state dynamic-range environment-blending \
    forced-colors grid height horizontal-viewport-segments hover immersive inverted-colors monochrome \
    nav-controls navigation-controls not orientation origin-trial-test overflow-block overflow-inline pointer \
    resizable resolution scan scripting shape stuck transform-3d update vertical-viewport-segments \
    video-color-gamut video-dynamic-range width";

/// Which colours the person likes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Scheme {
    #[default]
    Light,
    Dark,
}

/// Whether queries are of the forms that all readers know: a medium, and limits of size or a liking joined to it.
pub(crate) fn is_plain(tokens: &[Tok]) -> bool {
    trimmed(tokens).is_empty()
        || between_commas(tokens).all(|one| {
            let words: Vec<&Tok> = solid(one).collect();
            let is_only = words.first().is_some_and(|first| first.is_ident("only"));
            let words =
                if is_only && matches!(words.get(1), Some(Tok::Ident(_))) { &words[1..] } else { &words };
            words.iter().enumerate().all(|(place, word)| match word {
                Tok::Ident(word) if place % 2 == 1 => word.eq_ignore_ascii_case("and"),
                Tok::Ident(word) => {
                    place == 0 && ["all", "print", "screen"].iter().any(|one| word.eq_ignore_ascii_case(one))
                }
                Tok::Parens(inner) => place % 2 == 0 && is_plain_feature(inner),
                _ => false,
            })
        })
}

/// `not print` and the like.
fn is_negated_medium(tokens: &[Tok]) -> bool {
    let words: Vec<&Tok> = solid(tokens).collect();
    matches!(words.as_slice(), [_, Tok::Ident(medium)] if ["all", "print", "screen"].iter().any(|one| medium.eq_ignore_ascii_case(one)))
}

fn is_plain_feature(inner: &[Tok]) -> bool {
    let words: Vec<&Tok> = solid(inner).collect();
    let [Tok::Ident(name), Tok::Colon, value] = words.as_slice() else { return false };
    let limits = ["min-width", "max-width", "min-device-width", "max-device-width"];
    let is_limit = limits.iter().any(|limit| name.eq_ignore_ascii_case(limit));
    let is_liking = name.eq_ignore_ascii_case("prefers-color-scheme")
        && (value.is_ident("dark") || value.is_ident("light"));
    is_liking
        || (is_limit
            && matches!(value, Tok::Dimension(size, unit) if *size > 0.0 && (unit == "px" || unit == "em")))
}

/// Whether any query of a list holds on a screen of a desk.
pub(crate) fn media(tokens: &[Tok], scheme: Scheme) -> Match {
    if trimmed(tokens).is_empty() {
        return Match::Yes;
    }
    let holds = between_commas(tokens).map(|one| query(one, scheme)).max().unwrap_or(Match::No);
    // Where readers may take a query in another way, `not` can turn a small difference round.
    let turns = |token: &Tok| {
        token.is_ident("not")
            || matches!(token, Tok::Parens(inner) if inner.iter().any(|token| token.is_ident("not")))
    };
    if tokens.iter().any(turns) && !is_negated_medium(tokens) { Match::Maybe } else { holds }
}

fn sure(holds: bool) -> Match {
    if holds { Match::Yes } else { Match::No }
}

fn negated(holds: Match) -> Match {
    match holds {
        Match::Yes => Match::No,
        Match::No => Match::Yes,
        Match::Maybe => Match::Maybe,
    }
}

/// One query: `[not|only] medium [and condition]*` or conditions; what is neither never holds.
fn query(tokens: &[Tok], scheme: Scheme) -> Match {
    let words: Vec<&Tok> = solid(tokens).collect();
    // What browsers do not know holds nowhere, and so does its opposite.
    if let [Tok::Parens(inner)] = words.as_slice()
        && let [Tok::Ident(name)] = trimmed(inner)
        && !is_known(name)
    {
        return Match::No;
    }
    let (is_negated, rest) = match words.as_slice() {
        [first, rest @ ..] if first.is_ident("not") => (true, rest),
        // It stands before a medium only.
        [first, rest @ ..] if first.is_ident("only") => match rest.first() {
            Some(Tok::Ident(_)) => (false, rest),
            _ => return Match::No,
        },
        words => (false, words),
    };
    let holds = match rest {
        [Tok::Ident(medium), rest @ ..] => {
            let is_screen = ["screen", "all"].iter().any(|name| medium.eq_ignore_ascii_case(name));
            match chain(rest, "and", scheme) {
                Some(conditions) => sure(is_screen).min(conditions),
                None => return Match::No,
            }
        }
        [first, rest @ ..] => {
            let first = condition(first, scheme);
            match (chain(rest, "and", scheme), chain(rest, "or", scheme)) {
                _ if rest.is_empty() => first,
                (Some(others), _) => first.min(others),
                (_, Some(others)) => first.max(others),
                _ => return Match::No,
            }
        }
        [] => return Match::No,
    };
    if is_negated { negated(holds) } else { holds }
}

/// What follows: the same word and a condition, again and again.
fn chain(words: &[&Tok], joined: &str, scheme: Scheme) -> Option<Match> {
    if !words.len().is_multiple_of(2) || !words.iter().step_by(2).all(|word| word.is_ident(joined)) {
        return None;
    }
    let conditions = words.iter().skip(1).step_by(2).map(|word| condition(word, scheme));
    match joined {
        "and" => Some(conditions.min().unwrap_or(Match::Yes)),
        _ => Some(conditions.max().unwrap_or(Match::No)),
    }
}

fn condition(token: &Tok, scheme: Scheme) -> Match {
    let Tok::Parens(inner) = token else { return Match::Maybe };
    match trimmed(inner) {
        [first, ..] if first.is_ident("not") => query(inner, scheme),
        [Tok::Ident(name), rest @ ..] => feature(&name.to_ascii_lowercase(), trimmed(rest), scheme),
        [Tok::Parens(_), ..] => query(inner, scheme),
        [Tok::Dimension(..) | Tok::Number(_), ..] => range(inner),
        _ => Match::Maybe,
    }
}

fn feature(name: &str, rest: &[Tok], scheme: Scheme) -> Match {
    let value = match rest {
        [] => return alone(name),
        [Tok::Colon, rest @ ..] => trimmed(rest),
        _ => return compared(name, rest),
    };
    let [value] = value else { return Match::Maybe };
    let is = |word: &str| sure(value.is_ident(word));
    match name {
        "min-width" | "min-device-width" => at_least(ACROSS, pixels(value)),
        "max-width" | "max-device-width" => at_most(ACROSS, pixels(value)),
        "min-height" | "min-device-height" => at_least(DOWN, pixels(value)),
        "max-height" | "max-device-height" => at_most(DOWN, pixels(value)),
        "prefers-color-scheme" => is(if scheme == Scheme::Dark { "dark" } else { "light" }),
        "orientation" => is("landscape"),
        "prefers-reduced-motion" | "prefers-contrast" | "prefers-reduced-transparency" => is("no-preference"),
        "-webkit-min-device-pixel-ratio" if matches!(value, Tok::Number(ratio) if *ratio <= 1.0) => {
            Match::Yes
        }
        _ => Match::Maybe,
    }
}

fn pixels(token: &Tok) -> Option<f32> {
    match (token, length(token, Units::USUAL)) {
        (Tok::Number(value), _) if *value != 0.0 => None,
        (_, Sized::Is(length)) if length.share == 0.0 => Some(length.px),
        _ => None,
    }
}

fn at_least((low, high): (f32, f32), limit: Option<f32>) -> Match {
    match limit {
        Some(limit) if limit <= low => Match::Yes,
        Some(limit) if limit > high => Match::No,
        _ => Match::Maybe,
    }
}

fn at_most((low, high): (f32, f32), limit: Option<f32>) -> Match {
    match limit {
        Some(limit) if limit >= high => Match::Yes,
        Some(limit) if limit < low => Match::No,
        _ => Match::Maybe,
    }
}

/// `width >= 600px`.
fn compared(name: &str, rest: &[Tok]) -> Match {
    let window = match name {
        "width" => ACROSS,
        "height" => DOWN,
        _ => return Match::Maybe,
    };
    let signs: String = rest.iter().filter_map(sign).collect();
    let value = solid(rest).last().and_then(pixels);
    match signs.as_str() {
        ">" | ">=" => at_least(window, value),
        "<" | "<=" => at_most(window, value),
        _ => Match::Maybe,
    }
}

/// `400px < width < 900px`.
fn range(inner: &[Tok]) -> Match {
    let words: Vec<&Tok> = solid(inner).filter(|token| sign(token).is_none()).collect();
    let signs: String = inner.iter().filter_map(sign).collect();
    let [low, name, rest @ ..] = words.as_slice() else { return Match::Maybe };
    let window = match name.ident().map(str::to_ascii_lowercase).as_deref() {
        Some("width") => ACROSS,
        Some("height") => DOWN,
        _ => return Match::Maybe,
    };
    let upper = |high: Option<&&Tok>| high.map_or(Match::Yes, |high| at_most(window, pixels(high)));
    match signs.as_str() {
        "<" | "<=" | "<<" | "<=<" | "<<=" | "<=<=" if rest.len() <= 1 => {
            at_least(window, pixels(low)).min(upper(rest.first()))
        }
        ">" | ">=" if rest.is_empty() => at_most(window, pixels(low)),
        _ => Match::Maybe,
    }
}

fn sign(token: &Tok) -> Option<char> {
    match token {
        Tok::Delim(sign @ ('<' | '>' | '=')) => Some(*sign),
        _ => None,
    }
}

/// Whether browsers know a feature, or some of them may.
fn is_known(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let bare = ["min-", "max-"].iter().find_map(|limit| name.strip_prefix(limit)).unwrap_or(&name);
    name.starts_with('-')
        || name.contains("prefers")
        || FEATURES.split_ascii_whitespace().any(|known| known == bare)
}

/// A feature without a value is true unless it is none or zero.
fn alone(name: &str) -> Match {
    match name {
        "color" | "width" | "height" => Match::Yes,
        "monochrome" | "grid" | "prefers-reduced-motion" | "forced-colors" => Match::No,
        _ => Match::Maybe,
    }
}
