//! Text that stops growing at its limit, whoever writes to it, and what was kept out of it.

use std::fmt;

use crate::model::{Findings, Flag};
use crate::parse::visible_text::{Verdict, prefix};

/// The text of a document past this many bytes is cut off.
pub const MAX_TEXT: usize = 1 << 20;

/// Text under construction.
#[derive(Default)]
pub(super) struct Text {
    text: String,
    /// What nobody, or perhaps nobody, can see in the document.
    pub(super) findings: Findings,
}

impl Text {
    /// Adds as much as fits.
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(prefix(text, MAX_TEXT.saturating_sub(self.text.len())));
    }

    /// Adds text that a person can see, and counts any other.
    pub(super) fn put(&mut self, text: &str, verdict: Verdict) {
        match verdict {
            Verdict::Shown => self.push(text),
            other => self.leave_out(text.chars().filter(|c| !c.is_whitespace()).count(), other),
        }
    }

    /// Counts characters that are not in the text.
    pub(super) fn leave_out(&mut self, count: usize, verdict: Verdict) {
        if count == 0 {
            return;
        }
        match verdict {
            Verdict::Shown => {}
            Verdict::Hidden(reason) => {
                self.findings.flag(Flag::HiddenText);
                self.findings.drop_characters(reason, count);
            }
            Verdict::Doubtful(reason) => {
                self.findings.flag(Flag::DoubtfulText);
                self.findings.doubt_characters(reason, count);
            }
        }
    }

    pub(super) fn is_full(&self) -> bool {
        // A last character may be too wide to fit.
        self.text.len() + 4 > MAX_TEXT
    }

    pub(super) fn is_at_line_start(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('\n')
    }

    pub(super) fn into_parts(self) -> (String, Findings) {
        (self.text, self.findings)
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text);
        if self.is_full() { Err(fmt::Error) } else { Ok(()) }
    }
}
