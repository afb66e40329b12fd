//! Text of attachments, for the index. Harmless formats are read here; formats whose readers may hang or eat
//! memory are read in a child process that limits itself and is ended when it takes too long. Who reads many keeps the
//! process for the next document.
//! An attachment without text is not an error: it is simply not found by its content.

mod child;
pub mod limited_process;
mod reading_process;
mod wire;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use child::{ChildError, run_child, serve_child};

use reading_process::ReadingProcess;

use crate::parse::document::{self, DocumentKind, Seen};

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
    /// Children that wait for the next document; they end with the last of those who share them.
    waiting: Option<Arc<Mutex<Vec<ReadingProcess>>>>,
}

impl Extractor {
    /// An extractor whose children run `program extract-text KIND`.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self { program, waiting: None }
    }

    /// The same for who reads many documents: its children go on to the next one, and end when it is dropped.
    #[must_use]
    pub fn for_many(&self) -> Self {
        Self { program: self.program.clone(), waiting: Some(Arc::default()) }
    }

    /// The program whose children read what is risky.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The text of an attachment, or nothing when it has none we can read within the limits.
    #[must_use]
    pub fn text(&self, content_type: &str, name: Option<&str>, bytes: &[u8]) -> Option<String> {
        let seen = self.read(content_type, name, bytes)?;
        Some(seen.text).filter(|text| !text.is_empty())
    }

    /// What a person sees of an attachment, or nothing when we cannot read it within the limits.
    #[must_use]
    pub fn read(&self, content_type: &str, name: Option<&str>, bytes: &[u8]) -> Option<Seen> {
        let kind = document::kind(content_type, name)?;
        if bytes.is_empty() || bytes.len() > MAX_INPUT {
            return None;
        }
        if !kind.needs_child() {
            return document::read(kind, bytes).ok();
        }
        // A process for each of them is the most expensive thing a message can ask for.
        if !kind.may_be(bytes) {
            return None;
        }
        self.read_by_child(kind, bytes)
    }

    fn read_by_child(&self, kind: DocumentKind, bytes: &[u8]) -> Option<Seen> {
        let output = match &self.waiting {
            None => self.text_from_own_child(kind, bytes)?,
            Some(waiting) => self.text_from_any_child(waiting, kind, bytes)?,
        };
        wire::unpacked(&output)
    }

    /// A child that has read others before may fail for their sake: a fresh one is asked then, unless time is up.
    fn text_from_any_child(
        &self,
        waiting: &Mutex<Vec<ReadingProcess>>,
        kind: DocumentKind,
        bytes: &[u8],
    ) -> Option<Vec<u8>> {
        let deadline = Instant::now() + TIME_LIMIT;
        let locked = || waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let used = locked().pop();
            let start = || ReadingProcess::start(Command::new(&self.program).arg(SUBCOMMAND)).ok();
            let mut process = used.or_else(start)?;
            let was_fresh = process.is_fresh();
            let text = process.read(kind, bytes, deadline.saturating_duration_since(Instant::now()));
            if text.is_some() && process.may_go_on() {
                locked().push(process);
            }
            if text.is_some() || was_fresh || Instant::now() >= deadline {
                return text;
            }
        }
    }

    fn text_from_own_child(&self, kind: DocumentKind, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut command = Command::new(&self.program);
        command.arg(SUBCOMMAND).arg(kind.name());
        limited_process::output(&mut command, bytes, wire::MAX_ANSWER, TIME_LIMIT)
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
