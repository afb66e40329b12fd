//! Mail in files: finds the messages in an mbox, a Maildir, `.eml` files and directories of them, and writes
//! mboxes and Maildirs. Streams: one message is in memory at a time, however large the file or the tree.
//!
//! Messages are handed on as they stand. Whether a message is sound is not asked here.

mod compressed;
mod detect;
mod error;
mod from_line;
mod maildir;
mod maildir_writer;
mod mbox;
mod mbox_writer;
mod opened;
mod status;
#[cfg(test)]
mod tests;
mod walk;

use std::fmt;
use std::path::{Path, PathBuf};

pub use error::FileError;
pub use maildir_writer::MaildirWriter;
pub use mbox_writer::MboxWriter;
use opened::Opened;
use walk::{Found, Location, Walk};

use crate::model::{DateHints, Flags};

/// The largest message taken, in bytes.
pub const MAX_MESSAGE: u64 = 256 << 20;

/// A message found in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMessage {
    /// Exactly the message; what belongs to the mbox format is gone.
    pub bytes: Vec<u8>,
    /// Where it was found.
    pub origin: Origin,
    /// The Maildir folder, such as `Work/Projects`; `None` for the Maildir itself and everything else.
    pub mailbox: Option<String>,
    /// Flags from the file name or from status fields of the header.
    pub flags: Flags,
    /// Labels that Google Takeout wrote into the header.
    pub labels: Vec<String>,
    /// Dates to fall back on.
    pub hints: DateHints,
}

/// The place a message was found at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The file.
    pub path: PathBuf,
    /// Where the message's `From ` line starts in the decompressed mbox; `None` when the file is the message.
    pub offset: Option<u64>,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        self.offset.map_or(Ok(()), |offset| write!(f, " at byte {offset}"))
    }
}

/// All messages of a path, one after the other.
///
/// An `Err` is about one message or one file; the iteration goes on behind it.
pub struct FileSource {
    current: Option<Opened>,
    walk: Walk,
    total: Option<u64>,
    closed: u64,
    not_mail: u64,
}

impl FileSource {
    /// Finds out what is at `path`.
    ///
    /// # Errors
    /// When there is nothing, nothing readable, or a file that is not mail.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let metadata = path.metadata().map_err(|error| FileError::reading(path, error))?;
        let mut source = Self { current: None, walk: Walk::default(), total: None, closed: 0, not_mail: 0 };
        if metadata.is_dir() {
            std::fs::read_dir(path).map_err(|error| FileError::reading(path, error))?;
            source.walk = Walk::through(path);
            return Ok(source);
        }
        source.total = metadata.is_file().then_some(metadata.len());
        let opened = Opened::open(found(path))?;
        source.current = Some(opened.ok_or_else(|| FileError::NotMail { path: path.to_path_buf() })?);
        Ok(source)
    }

    /// Size of the file on disk; `None` for a directory.
    #[must_use]
    pub const fn total_bytes(&self) -> Option<u64> {
        self.total
    }

    /// How many bytes have been read from disk so far.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.closed + self.current.as_ref().map_or(0, Opened::position)
    }

    /// How many files of a directory tree were not mail.
    #[must_use]
    pub const fn skipped(&self) -> u64 {
        self.not_mail + self.walk.passed_by()
    }

    fn close(&mut self) {
        self.closed = self.bytes_read();
        self.current = None;
    }

    fn open_next(&mut self, found: Result<Found, FileError>) -> Result<(), FileError> {
        match Opened::open(found?)? {
            Some(opened) => self.current = Some(opened),
            None => self.not_mail += 1,
        }
        Ok(())
    }
}

impl Iterator for FileSource {
    type Item = Result<FileMessage, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.current.as_mut().and_then(Opened::next) {
                return Some(item);
            }
            self.close();
            let found = self.walk.next()?;
            if let Err(error) = self.open_next(found) {
                return Some(Err(error));
            }
        }
    }
}

/// A path that was named directly: it may lie inside a Maildir all the same.
fn found(path: &Path) -> Found {
    let in_maildir = path.parent().is_some_and(maildir::holds_messages);
    let place = if in_maildir { Location::Maildir(None) } else { Location::Anywhere };
    Found { path: path.to_path_buf(), place }
}
