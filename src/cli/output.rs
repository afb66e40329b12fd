//! Standard output, for people or for scripts.

use std::io::{self, Write};

use serde::Serialize;

use crate::text_safety::one_line;

/// Where results go.
pub(super) struct Output {
    json: bool,
    out: anstream::AutoStream<io::Stdout>,
}

impl Output {
    pub(super) fn new(json: bool) -> Self {
        Self { json, out: anstream::stdout() }
    }

    /// Whether the caller wants JSON.
    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints a line of text.
    pub(super) fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.out, "{}", text.as_ref())
    }

    /// Prints bytes as they are.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.flush()?;
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()
    }

    /// Prints a value as one line of JSON.
    pub(super) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        writeln!(self.out, "{}", serde_json::to_string(value)?)?;
        self.flush()
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Tells a person something beside the result.
    #[expect(clippy::unused_self, reason = "notes belong to the output even while they need nothing of it")]
    pub(super) fn note(&self, text: &str) {
        let _ = writeln!(anstream::stderr(), "note: {}", one_line(text));
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        let _ = self.out.flush();
    }
}
