//! What a person would read in a body, as plain text with light Markdown, and what was found on the way.
//! Owns the way from HTML or plain text to that text; fetches nothing. A text is shown when everything that acts on it is
//! understood and leaves it readable, hidden when something understood hides it, and doubtful else. HTML that is too deep, too large or styled with
//! too much to work out is refused as a whole: half of it might show what the other half hides.

mod bounded_tree;
mod cases;
mod computed;
mod css;
mod doubtful;
mod embedded;
mod flow;
mod grid;
pub(in crate::parse) mod links;
mod loose;
mod never_shown;
mod plain;
mod render;
mod rooms;
mod sheets;
mod tables;

pub(in crate::parse) use computed::{Verdict, of_letters};
pub(in crate::parse) use css::color::{BLACK, Color, WHITE};
pub use plain::from_plain;

use crate::model::{Findings, Flag, Reason};
use crate::text_safety::{self, Removed, Trick};
use computed::Styler;
use css::media::Scheme;

/// What can be read, and what was found while reading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visible {
    /// The text.
    pub text: String,
    /// Text that may be hidden: for a person's eyes only.
    pub doubtful: String,
    /// What was left out and what to be careful about.
    pub findings: Findings,
}

/// The visible text of an HTML body; `None` when it cannot be shown safely. Output past 2 MB is cut off.
#[must_use]
pub fn from_html(html: &str) -> Option<Visible> {
    let tree = bounded_tree::parse(html)?;
    let mut styler = Styler::new(&tree, html, Scheme::Light).ok()?;
    let mut conditions = Vec::new();
    // Where a sheet has other colours for dark screens, both kinds of persons must be able to read a text.
    if styler.asks_scheme() {
        let mut dark = Styler::new(&tree, html, Scheme::Dark).ok()?;
        conditions.push(("color-scheme", cases::readable(&tree, &mut dark)?));
    }
    let render::Rendered { text, doubtful, mut findings } = cases::render(&tree, &mut styler, conditions)?;
    let text = defused(text, &mut findings);
    Some(Visible { text, doubtful, findings })
}

/// Takes imitations out of a text and raises their flags.
fn defused(text: String, findings: &mut Findings) -> String {
    let defused = text_safety::defused(&text);
    for trick in &defused.tricks {
        findings.flag(match trick {
            Trick::RoleToken => Flag::RoleTokens,
            Trick::FakeDelimiter => Flag::FakeDelimiterClose,
            Trick::Image => Flag::MdImageBeacon,
            Trick::FakeToolAnswer => Flag::FakeToolJson,
        });
    }
    match defused.text {
        std::borrow::Cow::Owned(changed) => changed,
        std::borrow::Cow::Borrowed(_) => text,
    }
}

/// Counts characters that nobody sees.
fn note_removed(removed: Removed, findings: &mut Findings) {
    findings.drop_characters(Reason::InvisibleCharacters, removed.invisible);
    findings.drop_characters(Reason::ControlCharacters, removed.control);
    for (found, flag) in [
        (removed.smuggled, Flag::InvisibleCharacters),
        (removed.bidi, Flag::BidiControls),
        (removed.escape, Flag::AnsiEscape),
    ] {
        if found {
            findings.flag(flag);
        }
    }
}

/// The longest beginning of `text` that has at most `limit` bytes and ends between two characters.
pub(in crate::parse) fn prefix(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

#[cfg(test)]
mod loose_tests;
#[cfg(test)]
mod tests;
