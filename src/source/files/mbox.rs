//! Cuts an mbox into its messages while it streams by. Holds one message at a time and never one over the limit.
//!
//! Reads mboxrd and mboxo, LF and CRLF. Where a body line was left unquoted, [`from_line`] decides.

#[cfg(test)]
mod tests;

use std::io::{self, Read};
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::detect::leading_blank;
use super::from_line::{self, WINDOW};

const CHUNK: usize = 256 * 1024;
/// From this size on a message keeps the buffer it was read into, so that it is never in memory twice.
const LARGE: usize = 1 << 20;
/// A buffer doubles up to here and then grows by this much, so that a large message does not cost twice its size.
const MAX_GROWTH: usize = 16 << 20;
/// What must stay of text that is thrown away: enough to see a blank line before a separator.
const LOOK_BACK: usize = 8;

static SEPARATOR: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\nFrom "));
static QUOTED: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b">From "));

/// One step through an mbox.
#[derive(Debug)]
pub(super) enum Step {
    /// A message, without its `From ` line, its quoting and the blank line that belongs to the format.
    Message {
        /// The message.
        bytes: Vec<u8>,
        /// Where its `From ` line stands.
        offset: u64,
        /// What its `From ` line says.
        date: Option<i64>,
    },
    /// A message over the limit was passed by.
    TooLarge {
        /// Where its `From ` line stands.
        offset: u64,
    },
    /// The input broke off.
    Failed {
        /// How far it could be read.
        offset: u64,
        /// Why it broke off.
        error: io::Error,
    },
}

/// Reads messages from `input`.
pub(super) struct MboxReader<R> {
    input: R,
    limit: usize,
    buffer: Vec<u8>,
    /// Where the data in the buffer ends.
    filled: usize,
    /// Where the current message's `From ` line stands in the buffer.
    start: usize,
    /// No separator starts before this place.
    scanned: usize,
    /// Offset in the input of the buffer's first byte.
    base: u64,
    begun: bool,
    ended: bool,
    failure: Option<io::Error>,
}

impl<R: Read> MboxReader<R> {
    /// A reader that passes by messages longer than `limit`.
    pub(super) fn new(input: R, limit: usize) -> Self {
        Self::with_chunk(input, limit, CHUNK)
    }

    fn with_chunk(input: R, limit: usize, chunk: usize) -> Self {
        Self {
            input,
            limit,
            buffer: vec![0; chunk],
            filled: 0,
            start: 0,
            scanned: 0,
            base: 0,
            begun: false,
            ended: false,
            failure: None,
        }
    }

    /// The input, to ask how far it is.
    pub(super) const fn input(&self) -> &R {
        &self.input
    }

    /// The next message, or what is wrong with it. After `None` there is no more.
    pub(super) fn step(&mut self) -> Option<Step> {
        if !self.begun {
            self.skip_leading_blank();
        }
        self.need(WINDOW);
        if self.start == self.filled {
            return self.take_failure();
        }
        let offset = self.base + self.start as u64;
        let (date, body) = self.opening();
        self.scanned = body.saturating_sub(1).max(self.start);
        let Some((body, end)) = self.find_end(body) else {
            return Some(Step::TooLarge { offset });
        };
        if self.failure.is_some() && body == end {
            self.start = end;
            return self.take_failure();
        }
        let bytes = self.take(body..end);
        Some(Step::Message { bytes, offset, date })
    }

    fn skip_leading_blank(&mut self) {
        self.begun = true;
        loop {
            self.need(WINDOW);
            let blank = leading_blank(&self.buffer[self.start..self.filled]);
            self.start += blank;
            if blank == 0 || self.start < self.filled {
                return;
            }
        }
    }

    fn take_failure(&mut self) -> Option<Step> {
        let error = self.failure.take()?;
        let offset = self.base + self.filled as u64;
        Some(Step::Failed { offset, error })
    }

    /// The date of the current message's `From ` line, and where the message itself starts.
    /// What is longer than the window is no such line, and stays part of the message.
    fn opening(&self) -> (Option<i64>, usize) {
        let window = &self.buffer[self.start..self.filled.min(self.start + WINDOW)];
        match memchr::memchr(b'\n', window) {
            Some(end) => (from_line::date(&window[..end]), self.start + end + 1),
            None if window.len() < WINDOW => (from_line::date(window), self.filled),
            None => (None, self.start),
        }
    }

    /// Where the message that starts at `body` really starts and ends in the buffer, which may move
    /// underneath. `None` when it was over the limit: then it is gone, and the next one is current.
    fn find_end(&mut self, body: usize) -> Option<(usize, usize)> {
        let lead = body - self.start;
        let mut dropped = false;
        let end = loop {
            if let Some(at) = self.search() {
                break at;
            }
            if self.ended {
                break self.filled;
            }
            if dropped || (self.scanned - self.start).saturating_sub(lead) > self.limit {
                dropped = true;
                self.start = self.scanned.saturating_sub(LOOK_BACK).max(self.start);
            }
            self.fill();
        };
        let body = self.start + lead;
        if dropped || end - body > self.limit {
            self.start = end;
            self.release_buffer();
            return None;
        }
        Some((body, end))
    }

    /// Looks for the next separator in what has been read.
    fn search(&mut self) -> Option<usize> {
        let text = &self.buffer[..self.filled];
        while let Some(found) = SEPARATOR.find(&text[self.scanned..]) {
            let line = self.scanned + found + 1;
            if !self.ended && self.filled - line < WINDOW {
                self.scanned = line - 1;
                return None;
            }
            if from_line::is_separator(text, line) {
                return Some(line);
            }
            self.scanned = line;
        }
        self.scanned = self.scanned.max(self.filled.saturating_sub(SEPARATOR.needle().len() - 1));
        None
    }

    /// Takes the message out of the buffer and makes the one behind it current.
    fn take(&mut self, mut range: Range<usize>) -> Vec<u8> {
        self.start = range.end;
        range.end -= from_line::blank_line_at_end(&self.buffer[range.clone()]).unwrap_or(0);
        let mut bytes = if range.len() < LARGE {
            self.buffer[range].to_vec()
        } else {
            let mut bytes = self.release_buffer();
            bytes.truncate(range.end);
            bytes.drain(..range.start);
            bytes
        };
        unquote(&mut bytes);
        bytes
    }

    /// Gives the buffer away and goes on with a small one that holds what has not been looked at.
    fn release_buffer(&mut self) -> Vec<u8> {
        let mut rest = self.buffer[self.start..self.filled].to_vec();
        rest.resize(rest.len().max(CHUNK), 0);
        self.base += self.start as u64;
        self.filled -= self.start;
        self.start = 0;
        std::mem::replace(&mut self.buffer, rest)
    }

    /// Reads until this many bytes of the current message are there, or all there are.
    fn need(&mut self, count: usize) {
        while !self.ended && self.filled - self.start < count {
            self.fill();
        }
    }

    /// Reads once, after making room: by moving the current message to the front, or else by growing.
    fn fill(&mut self) {
        if self.filled == self.buffer.len() {
            self.make_room();
        }
        match self.input.read(&mut self.buffer[self.filled..]) {
            Ok(0) => self.ended = true,
            Ok(count) => self.filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                self.ended = true;
                self.failure = Some(error);
            }
        }
    }

    fn make_room(&mut self) {
        self.buffer.copy_within(self.start..self.filled, 0);
        self.base += self.start as u64;
        self.filled -= self.start;
        self.scanned = self.scanned.saturating_sub(self.start);
        self.start = 0;
        if self.filled > self.buffer.len() / 2 {
            self.buffer.resize(self.buffer.len() + self.buffer.len().min(MAX_GROWTH), 0);
        }
    }
}

/// Takes one `>` from each `>From ` line, in place.
fn unquote(bytes: &mut Vec<u8>) {
    let (mut read, mut written, mut searched) = (0, 0, 0);
    while let Some(found) = QUOTED.find(&bytes[searched..]) {
        let at = searched + found;
        searched = at + 1;
        let line = bytes[..at].iter().rposition(|byte| *byte != b'>').map_or(0, |last| last + 1);
        if line > 0 && bytes[line - 1] != b'\n' {
            continue;
        }
        bytes.copy_within(read..line, written);
        written += line - read;
        read = line + 1;
    }
    if read > 0 {
        bytes.copy_within(read.., written);
        bytes.truncate(written + bytes.len() - read);
    }
}
