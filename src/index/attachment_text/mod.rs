//! Text of attachments, for the index. Harmless formats are read here; formats whose readers may hang or eat
//! memory are read in a child process that limits itself and is ended when it takes too long.
//! An attachment without text is not an error: it is simply not found by its content.

mod child;
pub mod limited_process;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub use child::{ChildError, run_child};

use crate::parse::document::{self, DocumentKind};

/// The hidden subcommand that calls [`run_child`] with standard input and output.
pub const SUBCOMMAND: &str = "extract-text";

/// Attachments larger than this are not read.
const MAX_INPUT: usize = 32 << 20;
/// How long a child may take, by the clock on the wall.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Reads attachments, with the help of child processes.
#[derive(Debug, Clone)]
pub struct Extractor {
    program: PathBuf,
}

impl Extractor {
    /// An extractor whose children run `program extract-text KIND`.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self { program }
    }

    /// The program whose children read what is risky.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The text of an attachment, or nothing when it has none we can read within the limits.
    #[must_use]
    pub fn text(&self, content_type: &str, name: Option<&str>, bytes: &[u8]) -> Option<String> {
        let kind = document::kind(content_type, name)?;
        if bytes.is_empty() || bytes.len() > MAX_INPUT {
            return None;
        }
        let text = if kind.needs_child() {
            self.text_from_child(kind, bytes)
        } else {
            document::text(kind, bytes).ok()
        };
        text.filter(|text| !text.is_empty())
    }

    fn text_from_child(&self, kind: DocumentKind, bytes: &[u8]) -> Option<String> {
        let mut command = Command::new(&self.program);
        command.arg(SUBCOMMAND).arg(kind.name());
        let output = limited_process::output(&mut command, bytes, document::MAX_TEXT, TIME_LIMIT)?;
        String::from_utf8(output).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::Extractor;

    #[test]
    fn harmless_formats_are_read_without_a_child() {
        let extractor = Extractor::new(PathBuf::from("/nonexistent/mailkeep"));

        assert_eq!(extractor.text("text/plain", None, b"hello\r\n").as_deref(), Some("hello"));
        assert_eq!(extractor.text("application/octet-stream", Some("a.CSV"), b"x,y").as_deref(), Some("x,y"));
    }

    #[test]
    fn what_cannot_be_read_has_no_text() {
        let extractor = Extractor::new(PathBuf::from("/nonexistent/mailkeep"));

        assert_eq!(extractor.text("application/pdf", None, b"%PDF-1.4"), None);
        assert_eq!(extractor.text("image/png", Some("a.png"), b"x"), None);
        assert_eq!(extractor.text("text/plain", None, b" \n"), None);
    }
}
