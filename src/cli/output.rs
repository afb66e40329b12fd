//! Standard output, for people or for scripts: laid out for the terminal, whole when it goes elsewhere.

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;

use crate::cli::layout::{filled, width, wrapped};
use crate::cli::{pager, terminal};
use crate::text_safety::one_line;

/// Where results go.
pub(super) struct Output {
    json: bool,
    may_page: bool,
    columns: Option<usize>,
    out: AutoStream<io::Stdout>,
    /// What waits to be shown in a pager, with its colours.
    waiting: Option<String>,
}

impl Output {
    pub(super) fn new(json: bool) -> Self {
        let columns = terminal::columns(&io::stdout());
        Self { json, may_page: !json, columns, out: anstream::stdout(), waiting: None }
    }

    /// The same, with long text printed at once.
    pub(super) fn without_pager(mut self) -> Self {
        self.may_page = false;
        self
    }

    /// Whether the caller wants JSON.
    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    /// How many columns there are; nothing when nothing is to be cut.
    pub(super) fn columns(&self) -> Option<usize> {
        self.columns
    }

    /// From here on text is long: it is shown at the end of the command, in a pager if it does not fit the screen.
    pub(super) fn page(&mut self) {
        if self.may_page && terminal::rows(&io::stdout()).is_some() {
            self.waiting.get_or_insert_default();
        }
    }

    /// Prints lines of text; long ones go on below, as far in as they began.
    pub(super) fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        for line in text.as_ref().split('\n') {
            let indent = line.len() - line.trim_start_matches(' ').len();
            self.hanging(line, indent)?;
        }
        Ok(())
    }

    /// Prints a name and what it stands for; long text goes on below its beginning.
    pub(super) fn labelled(&mut self, name: &str, columns: usize, text: &str) -> io::Result<()> {
        let name = format!("{}  ", filled(name, columns));
        self.hanging(&format!("{name}{text}"), width(&name))
    }

    /// Prints a line; long text goes on below, so many columns in.
    pub(super) fn hanging(&mut self, line: &str, hang: usize) -> io::Result<()> {
        match self.columns {
            None => self.put(line),
            Some(columns) => wrapped(line, columns, hang).iter().try_for_each(|line| self.put(line)),
        }
    }

    /// Prints a line that has its layout already.
    pub(super) fn put(&mut self, line: &str) -> io::Result<()> {
        match &mut self.waiting {
            Some(waiting) => {
                waiting.extend([line, "\n"]);
                Ok(())
            }
            None => writeln!(self.out, "{line}"),
        }
    }

    /// Prints bytes as they are.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.flush()?;
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()
    }

    /// Prints a value as one line of JSON.
    pub(super) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        writeln!(self.out, "{}", serde_json::to_string(value)?)?;
        self.flush()
    }

    /// Shows what waits.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        if let Some(text) = self.waiting.take().filter(|text| !text.is_empty()) {
            self.show(&text)?;
        }
        self.out.flush()
    }

    fn show(&mut self, text: &str) -> io::Result<()> {
        let rows = terminal::rows(&io::stdout()).unwrap_or(usize::MAX);
        let is_long = text.lines().count() >= rows;
        if is_long && pager::show(&in_wanted_colours(text))? {
            return Ok(());
        }
        self.out.write_all(text.as_bytes())
    }

    /// Tells a person something beside the result.
    #[expect(clippy::unused_self, reason = "notes belong to the output even while they need nothing of it")]
    pub(super) fn note(&self, text: &str) {
        tell(&format!("note: {}", one_line(text)));
    }
}

/// Prints a line of ours to standard error.
pub(super) fn tell(line: &str) {
    let columns = terminal::columns(&io::stderr()).unwrap_or(usize::MAX);
    for line in wrapped(line, columns, 0) {
        let _ = writeln!(anstream::stderr(), "{line}");
    }
}

/// The text as it is, or without colours for who wants none (`NO_COLOR`).
fn in_wanted_colours(text: &str) -> String {
    match AutoStream::choice(&io::stdout()) {
        ColorChoice::Never => anstream::adapter::strip_str(text).to_string(),
        _ => text.to_owned(),
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}
