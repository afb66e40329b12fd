//! One open file of mail: an mbox that gives messages until it ends, or a file that is one message.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::compressed::{Evidence, Stream};
use super::detect::{self, Kind, SNIFFED};
use super::error::FileError;
use super::mbox::{MboxReader, Step};
use super::status::Status;
use super::walk::{Found, Location};
use super::{FileMessage, MAX_MESSAGE, Origin, from_line, maildir};
use crate::model::DateHints;

/// A file that turned out to be mail.
pub(super) enum Opened {
    /// Many messages.
    Mbox {
        /// The file.
        path: PathBuf,
        /// When it was last changed.
        file_time: Option<i64>,
        /// Cuts it up.
        reader: Box<MboxReader<Stream>>,
    },
    /// One message.
    Message(Box<Single>),
}

/// A file that is one message.
pub(super) struct Single {
    found: Found,
    metadata: Metadata,
    stream: Stream,
    done: bool,
}

impl Opened {
    /// Opens the file, or tells by `None` that it is not mail.
    pub(super) fn open(found: Found) -> Result<Option<Self>, FileError> {
        let failed = |error| FileError::reading(&found.path, error);
        let (metadata, mut stream) = open_stream(&found).map_err(failed)?;
        let kind = match &found.place {
            Location::Maildir(_) => Kind::Message,
            Location::Anywhere if detect::has_extension(&found.path, "eml") => Kind::Message,
            Location::Anywhere => detect::kind(&found.path, stream.peek(SNIFFED).map_err(failed)?),
        };
        Ok(match kind {
            Kind::NotMail => None,
            Kind::Message => Some(Self::Message(Box::new(Single { found, metadata, stream, done: false }))),
            Kind::Mbox => {
                let reader = Box::new(MboxReader::new(stream, MAX_MESSAGE as usize));
                Some(Self::Mbox { path: found.path, file_time: modified(&metadata), reader })
            }
        })
    }

    /// How many bytes of the file on disk have been read.
    pub(super) fn position(&self) -> u64 {
        match self {
            Self::Mbox { reader, .. } => reader.input().position(),
            Self::Message(single) => single.stream.position(),
        }
    }

    /// The next message; `None` when there is no more.
    pub(super) fn next(&mut self) -> Option<Result<FileMessage, FileError>> {
        match self {
            Self::Mbox { path, file_time, reader } => {
                reader.step().map(|step| from_step(path, *file_time, step))
            }
            Self::Message(single) if single.done => None,
            Self::Message(single) => {
                single.done = true;
                Some(single.read())
            }
        }
    }
}

/// Bytes that are always a message are decompressed only when the name says so too.
fn open_stream(found: &Found) -> io::Result<(Metadata, Stream)> {
    let file = File::open(&found.path)?;
    let metadata = file.metadata()?;
    let is_a_message = found.place != Location::Anywhere || detect::has_extension(&found.path, "eml");
    let evidence = if is_a_message { Evidence::NameAndMagic } else { Evidence::Magic };
    Ok((metadata, Stream::new(file, &found.path, evidence)?))
}

fn from_step(path: &Path, file_time: Option<i64>, step: Step) -> Result<FileMessage, FileError> {
    let origin = |offset| Origin { path: path.to_path_buf(), offset: Some(offset) };
    match step {
        Step::TooLarge { offset } => Err(too_large(origin(offset))),
        Step::Failed { offset, error } => Err(damaged(path, offset, error)),
        Step::Message { bytes, offset, date } => {
            let Status { flags, labels } = Status::in_mbox(&bytes);
            let hints = DateHints { mbox_line: date, file_time };
            Ok(FileMessage { bytes, origin: origin(offset), mailbox: None, flags, labels, hints })
        }
    }
}

impl Single {
    fn read(&mut self) -> Result<FileMessage, FileError> {
        let origin = Origin { path: self.found.path.clone(), offset: None };
        let Some(bytes) = self.read_bytes()? else {
            return Err(too_large(origin));
        };
        let Status { flags, labels } = Status::of(&bytes);
        let (mailbox, flags) = match &self.found.place {
            Location::Maildir(mailbox) => (mailbox.clone(), maildir::flags(&self.found.path)),
            Location::Anywhere => (None, flags),
        };
        let first_line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let mbox_line = first_line.starts_with(b"From ").then(|| from_line::date(first_line)).flatten();
        let hints = DateHints { mbox_line, file_time: modified(&self.metadata) };
        Ok(FileMessage { bytes, origin, mailbox, flags, labels, hints })
    }

    /// The content, or `None` when there is more of it than we take.
    fn read_bytes(&mut self) -> Result<Option<Vec<u8>>, FileError> {
        let size = self.metadata.len();
        if self.stream.is_plain() && size > MAX_MESSAGE {
            return Ok(None);
        }
        let mut bytes = Vec::with_capacity(size.min(MAX_MESSAGE) as usize + 1);
        let mut limited = self.stream.by_ref().take(MAX_MESSAGE + 1);
        match limited.read_to_end(&mut bytes) {
            Ok(count) => Ok((count as u64 <= MAX_MESSAGE).then_some(bytes)),
            Err(error) => Err(damaged(&self.found.path, bytes.len() as u64, error)),
        }
    }
}

fn too_large(origin: Origin) -> FileError {
    FileError::TooLarge { origin, size_limit: MAX_MESSAGE }
}

fn damaged(path: &Path, offset: u64, source: io::Error) -> FileError {
    FileError::Damaged { path: path.to_path_buf(), offset, source }
}

/// Modification time in seconds since 1970.
fn modified(metadata: &Metadata) -> Option<i64> {
    let time = metadata.modified().ok()?;
    let seconds = |duration: std::time::Duration| i64::try_from(duration.as_secs()).ok();
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => seconds(after),
        Err(before) => seconds(before.duration()).map(|seconds| -seconds),
    }
}
