//! Pseudo-classes: which browsers know, and what they ask of an element.

use super::selector::{Pseudo, list, one};
use super::tokens::{Tok, between_commas};

/// Pseudo-classes that browsers know and we leave to doubt.
pub(super) fn is_known(name: &str) -> bool {
    matches!(
        name.to_ascii_lowercase().as_str(),
        "lang"
            | "dir"
            | "defined"
            | "read-only"
            | "read-write"
            | "enabled"
            | "disabled"
            | "required"
            | "optional"
            | "valid"
            | "invalid"
            | "in-range"
            | "out-of-range"
            | "open"
            | "popover-open"
            | "modal"
            | "fullscreen"
            | "indeterminate"
            | "default"
            | "autofill"
            | "placeholder-shown"
            | "host"
            | "host-context"
            | "state"
            | "nth-child"
            | "active-view-transition"
            | "picture-in-picture"
            | "playing"
            | "paused"
            | "seeking"
            | "muted"
            | "stalled"
            | "buffering"
            | "volume-locked"
            | "has-slotted"
            | "target-current"
            | "target-before"
            | "target-after"
            | "current"
            | "past"
            | "future"
            | "xr-overlay"
            | "interest-source"
            | "interest-target"
            | "heading"
            | "blank"
            | "local-link"
            | "-webkit-autofill"
            | "-webkit-full-screen"
            | "-webkit-drag"
            | "-webkit-any-link"
            | "nth-last-child"
            | "nth-of-type"
            | "nth-last-of-type"
            | "user-valid"
            | "user-invalid"
            | "checked"
    )
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
        "empty" => Pseudo::Empty,
        "root" | "scope" => Pseudo::Root,
        "link" | "any-link" => Pseudo::Link,
        "checked" => Pseudo::Checked,
        "hover" | "active" | "focus" | "focus-within" | "focus-visible" | "visited" | "target"
        | "target-within" | "host" => Pseudo::Never,
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
