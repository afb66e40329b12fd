//! Pseudo-classes: which browsers know, and what they ask of an element.

use super::selector::{Pseudo, list, one};
use super::tokens::{Tok, between_commas};

/// Pseudo-classes that browsers know.
const KNOWN: &str = "-webkit-any-link -webkit-autofill -webkit-drag -webkit-full-screen active-view-transition \
    autofill blank buffering checked current default defined dir disabled enabled fullscreen future \
    has-slotted heading host host-context in-range indeterminate interest-source interest-target \
    invalid lang local-link modal muted nth-child nth-last-child nth-last-of-type nth-of-type open \
    optional out-of-range past paused picture-in-picture placeholder-shown playing popover-open \
    read-only read-write required scope seeking stalled state target-after target-before \
    target-current user-invalid user-valid valid volume-locked xr-overlay";

/// Whether browsers know a pseudo-class that we leave to doubt.
pub(super) fn is_known(name: &str) -> bool {
    KNOWN.split_ascii_whitespace().any(|known| name.eq_ignore_ascii_case(known))
}

pub(super) fn named(name: &str) -> Pseudo {
    let nth = |offset, from_end, of_type| Pseudo::Nth { step: 0, offset, from_end, of_type };
    match name {
        "first-child" => nth(1, false, false),
        "last-child" => nth(1, true, false),
        "first-of-type" => nth(1, false, true),
        "last-of-type" => nth(1, true, true),
        "only-child" => Pseudo::Only { of_type: false },
        "only-of-type" => Pseudo::Only { of_type: true },
        "modal" | "popover-open" | "fullscreen" | "picture-in-picture" | "playing" | "xr-overlay" => {
            Pseudo::Never
        }
        "enabled" | "disabled" | "required" | "optional" | "valid" | "invalid" | "in-range"
        | "out-of-range" | "indeterminate" | "default" | "autofill" | "placeholder-shown" | "user-valid"
        | "user-invalid" | "open" => Pseudo::Control,
        "defined" => Pseudo::Defined,
        "read-only" => Pseudo::ReadOnly,
        "empty" => Pseudo::Empty,
        "root" => Pseudo::Root,
        "link" | "any-link" => Pseudo::Link,
        "visited" => Pseudo::Visited,
        "checked" => Pseudo::Checked,
        "hover" | "active" | "focus" | "focus-within" | "focus-visible" | "target" | "target-within"
        | "host" => Pseudo::Never,
        _ => Pseudo::Maybe,
    }
}

pub(super) fn function(name: &str, arguments: &[Tok]) -> Option<Pseudo> {
    Some(match name {
        "not" => Pseudo::Not(list(arguments)?),
        // These forgive parts they do not know.
        "is" | "where" | "-webkit-any" => {
            Pseudo::Is(between_commas(arguments).filter_map(one).filter(|one| !one.unknown).collect())
        }
        "has" => Pseudo::Has(list(arguments)?),
        "nth-child" | "nth-last-child" | "nth-of-type" | "nth-last-of-type" => {
            let (from_end, of_type) = (name.contains("last"), name.ends_with("type"));
            if let Some(selectors) = of(arguments) {
                return Some(list(selectors).map_or(Pseudo::Maybe, Pseudo::NthOf));
            }
            nth(arguments).map_or(Pseudo::Maybe, |(step, offset)| Pseudo::Nth {
                step,
                offset,
                from_end,
                of_type,
            })
        }
        _ => Pseudo::Maybe,
    })
}

/// The selectors behind `of`.
fn of(arguments: &[Tok]) -> Option<&[Tok]> {
    let at = arguments.iter().position(|token| token.is_ident("of"))?;
    Some(&arguments[at + 1..])
}

/// `2n+1`, `odd`, `3`, `-n+2`; what else it could be is left to doubt.
fn nth(arguments: &[Tok]) -> Option<(i32, i32)> {
    let text: String = arguments
        .iter()
        .map(|token| match token {
            Tok::Ident(name) => name.to_ascii_lowercase(),
            Tok::Number(value) => format!("{value:+}"),
            Tok::Dimension(value, unit) => format!("{value:+}{unit}"),
            Tok::Delim(c) => c.to_string(),
            _ => String::new(),
        })
        .collect();
    Some(match text.as_str() {
        "odd" => (2, 1),
        "even" => (2, 0),
        text => match text.split_once('n') {
            None => (0, text.parse().ok()?),
            Some((step, offset)) => {
                let step = match step.trim_end_matches('+') {
                    "" => 1,
                    "-" => -1,
                    step => step.parse().ok()?,
                };
                let offset = offset.replace("++", "+").replace("-+", "-");
                (step, if offset.is_empty() { 0 } else { offset.parse().ok()? })
            }
        },
    })
}
