//! What holds for a document as a whole.

use html5ever::tree_builder::QuirksMode;
use scraper::{Html, Node};

use super::super::super::rooms::is_rightwards;

/// How names begin of what letters of a drawing take over from what is around them, wherever it stands in the document.
const LOOKS_OF_DRAWINGS: [&str; 18] = [
    "align",
    "all",
    "baseline",
    "dir",
    "dominant",
    "fill",
    "font",
    "glyph",
    "letter",
    "line-height",
    "paint-order",
    "stroke",
    "text",
    "unicode",
    "white-space",
    "word",
    "writing",
    "zoom",
];

/// Whether anything in a source may say how letters of drawings look: a name before a colon or a sign of equality.
pub(super) fn dresses_drawings(lower: &str) -> bool {
    let is_sign = |c: char| !(c.is_ascii_alphanumeric() || c == '-');
    let name = |before: &str| {
        let name = before.trim_end().rsplit(is_sign).next().unwrap_or_default();
        let name = name.strip_prefix("-webkit-").unwrap_or(name);
        LOOKS_OF_DRAWINGS.iter().any(|look| name.starts_with(look))
    };
    lower.contains(['\\', '&']) || lower.match_indices([':', '=']).any(|(at, _)| name(&lower[..at]))
}

/// Whether a page says that it is an old one, and nothing about where that is written down: some browsers take an empty address
/// for none.
pub(super) fn is_old(html: &Html) -> bool {
    html.quirks_mode == QuirksMode::LimitedQuirks
        && html
            .tree
            .nodes()
            .any(|node| matches!(node.value(), Node::Doctype(kind) if kind.system_id().is_empty()))
}

/// Whether a document holds a letter or sign that may have a line run to the left.
pub(super) fn has_rightwards(html: &Html) -> bool {
    let is_one = |text: &str| !text.is_ascii() && text.chars().any(is_rightwards);
    html.tree.nodes().any(|node| match node.value() {
        Node::Text(text) => is_one(text),
        Node::Element(element) => element.attrs().any(|(_, value)| is_one(value)),
        _ => false,
    })
}
