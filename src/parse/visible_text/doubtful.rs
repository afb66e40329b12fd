//! Text that may be hidden: kept for the person, counted by what may hide it, and never given to an assistant.

use crate::model::{Findings, Flag};
use crate::text_safety;

use super::prefix;

/// As much of it is kept.
const MOST: usize = 64 << 10;

/// What is not shown for sure.
#[derive(Debug, Default)]
pub(super) struct Doubtful {
    text: String,
}

impl Doubtful {
    /// Adds a text that this may hide.
    pub(super) fn add(&mut self, reason: &'static str, text: &str, findings: &mut Findings) {
        let count = text.chars().filter(|c| !c.is_whitespace()).count();
        if count == 0 {
            return;
        }
        findings.doubt_characters(reason, count);
        findings.flag(Flag::DoubtfulText);
        if self.text.len() < MOST {
            let (seen, _) = text_safety::visible(text);
            let words: Vec<&str> = seen.split_whitespace().collect();
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            self.text.push_str(&words.join(" "));
        }
    }

    /// All of it.
    pub(super) fn finish(mut self) -> String {
        self.text.truncate(prefix(&self.text, MOST).len());
        self.text
    }
}
