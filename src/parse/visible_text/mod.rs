//! What a person would read in a body, as plain text with light Markdown.
//! Owns the way from HTML or plain text to that text; fetches nothing, and never fails: a body too deep or
//! too large to read is cut off where the limit was met.

mod bounded_tree;
mod flow;
mod hidden;
mod plain;
mod render;
mod tables;

pub use plain::from_plain;

/// The visible text of an HTML body. Input past 5 MB and output past 2 MB is cut off.
#[must_use]
pub fn from_html(html: &str) -> String {
    render::render(&bounded_tree::parse(html))
}

/// The longest beginning of `text` that has at most `limit` bytes and ends between two characters.
pub(in crate::parse) fn prefix(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

#[cfg(test)]
mod tests;
