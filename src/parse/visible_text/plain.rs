//! Tidies plain text. It runs on every message, so text that is in order costs three looks and one copy.

use std::borrow::Cow;

use memchr::memchr_iter;

use crate::model::Findings;
use crate::text_safety;

use super::Visible;

/// More blank lines in a row than this say nothing.
const MAX_BLANK_LINES: usize = 2;

/// The text with `\n` line ends, without blanks at line ends, characters that nobody sees, imitations, and runs of
/// more than two blank lines.
#[must_use]
pub fn from_plain(text: &str) -> Visible {
    let mut findings = Findings::default();
    let text = with_line_feeds(text);
    let (text, removed) = text_safety::visible(&text);
    super::note_removed(removed, &mut findings);
    let mut out = Lines { text: String::with_capacity(text.len() + 1), blank: 0 };
    out.add(&text);
    out.text.truncate(out.text.trim_end().len());
    Visible { text: super::defused(out.text, &mut findings), doubtful: String::new(), findings }
}

struct Lines {
    text: String,
    /// Blank lines since the last line with text.
    blank: usize,
}

impl Lines {
    fn add(&mut self, text: &str) {
        let mut start = 0;
        for end in memchr_iter(b'\n', text.as_bytes()) {
            self.push(&text[start..end]);
            start = end + 1;
        }
        self.push(&text[start..]);
    }

    fn push(&mut self, line: &str) {
        let line = trim_blanks(line);
        if line.is_empty() {
            self.blank += 1;
        } else {
            self.blank = 0;
        }
        if self.blank <= MAX_BLANK_LINES {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }
}

fn trim_blanks(line: &str) -> &str {
    match line.as_bytes().last() {
        Some(b' ' | b'\t' | b'\r') => line.trim_end_matches([' ', '\t', '\r']),
        _ => line,
    }
}

/// A carriage return ended a line on old systems, so it still does.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    match memchr::memchr(b'\r', text.as_bytes()) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
    }
}
