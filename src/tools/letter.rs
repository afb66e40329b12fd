//! A message or a draft as `read_email` shows it: a text with fields above it and files below.

use serde_json::{Value, json};

use crate::tools::Reply;
use crate::tools::text::{WINDOW, Window, fenced, length, window};

/// What is read.
pub(super) struct Letter {
    /// The fields above the text, a line each.
    pub(super) head: String,
    /// The text.
    pub(super) text: String,
    /// The list of files below it.
    pub(super) files: String,
    /// The fields as data.
    pub(super) data: Value,
}

impl Letter {
    /// So many characters of the text fit an answer that also says `beside` more; they stand in it twice.
    pub(super) fn room(&self, beside: usize) -> usize {
        let used = length(&self.head, &self.data) + self.files.chars().count() + beside;
        WINDOW.saturating_sub(used) / 2
    }

    /// The answer with this below the fields.
    pub(super) fn around(self, shown: &str) -> Reply {
        Reply::new(format!("{}\n--- Body ---\n{shown}{}", self.head, self.files), self.data)
    }

    /// The answer with the beginning of the text, and a note behind it.
    pub(super) fn beginning(mut self, most: usize, note: &str) -> Reply {
        let Window { text, .. } = window(&self.text, 0, most);
        self.data["body"] = json!(text);
        self.around(&format!("{}{note}", fenced(&text)))
    }
}
