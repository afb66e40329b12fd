//! Text that stops growing at its limit, whoever writes to it.

use std::fmt;

use crate::parse::visible_text::prefix;

/// The text of a document past this many bytes is cut off.
pub const MAX_TEXT: usize = 1 << 20;

/// Text under construction.
#[derive(Default)]
pub(super) struct Text(String);

impl Text {
    /// Adds as much as fits.
    pub(super) fn push(&mut self, text: &str) {
        self.0.push_str(prefix(text, MAX_TEXT.saturating_sub(self.0.len())));
    }

    pub(super) fn is_full(&self) -> bool {
        // A last character may be too wide to fit.
        self.0.len() + 4 > MAX_TEXT
    }

    pub(super) fn is_at_line_start(&self) -> bool {
        self.0.is_empty() || self.0.ends_with('\n')
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text);
        if self.is_full() { Err(fmt::Error) } else { Ok(()) }
    }
}
