//! Cuts an mbox into its messages while it streams by. Holds one message at a time and never one over the limit.
//!
//! Reads mboxrd and mboxo, LF and CRLF. Where a body line was left unquoted, [`from_line`] decides.

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
        self.scanned = self
            .scanned
            .max(self.filled.saturating_sub(SEPARATOR.needle().len() - 1));
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
            self.buffer
                .resize(self.buffer.len() + self.buffer.len().min(MAX_GROWTH), 0);
        }
    }
}

/// Takes one `>` from each `>From ` line, in place.
fn unquote(bytes: &mut Vec<u8>) {
    let (mut read, mut written, mut searched) = (0, 0, 0);
    while let Some(found) = QUOTED.find(&bytes[searched..]) {
        let at = searched + found;
        searched = at + 1;
        let line = bytes[..at]
            .iter()
            .rposition(|byte| *byte != b'>')
            .map_or(0, |last| last + 1);
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

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};

    use super::super::MboxWriter;
    use super::{MboxReader, Step};

    const FROM: &str = "From a@b Tue Jan  5 10:00:00 2016\n";

    /// Gives at most `step` bytes per call, and fails at the end when told to.
    struct Drip<'a> {
        rest: &'a [u8],
        step: usize,
        fails: bool,
    }

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.rest.is_empty() && self.fails {
                return Err(io::Error::other("torn"));
            }
            let count = self.step.min(buffer.len());
            self.rest.read(&mut buffer[..count])
        }
    }

    fn steps(mbox: &[u8], chunk: usize, limit: usize) -> Vec<String> {
        let input = Drip {
            rest: mbox,
            step: chunk,
            fails: false,
        };
        describe(MboxReader::with_chunk(input, limit, chunk))
    }

    fn describe<R: Read>(mut reader: MboxReader<R>) -> Vec<String> {
        std::iter::from_fn(|| reader.step())
            .map(|step| match step {
                Step::Message { bytes, .. } => bytes.escape_ascii().to_string(),
                Step::TooLarge { offset } => format!("too large at {offset}"),
                Step::Failed { offset, error } => format!("{error} at {offset}"),
            })
            .collect()
    }

    fn messages(mbox: &str) -> Vec<String> {
        steps(mbox.as_bytes(), 64, 1 << 20)
    }

    #[test]
    fn messages_lose_their_from_line_and_one_blank_line() {
        assert_eq!(
            messages(&format!("{FROM}A: b\n\nx\n\n{FROM}C: d\n\n\n\n")),
            ["A: b\\n\\nx\\n", "C: d\\n\\n\\n"]
        );
        assert_eq!(
            messages(&format!("{FROM}A: b\r\n\r\nx\r\n\r\n{FROM}y")),
            ["A: b\\r\\n\\r\\nx\\r\\n", "y"]
        );
    }

    #[test]
    fn a_cut_or_missing_end_still_gives_the_last_message() {
        assert_eq!(messages(&format!("{FROM}A: b\n\ncut he")), ["A: b\\n\\ncut he"]);
        assert_eq!(messages(FROM), [""]);
        assert_eq!(messages("From a@b"), [""]);
    }

    #[test]
    fn a_missing_blank_line_before_a_dated_separator_is_forgiven() {
        assert_eq!(
            messages(&format!("{FROM}A: b\n\nx\n{FROM}C: d\n\ny\n")),
            ["A: b\\n\\nx\\n", "C: d\\n\\ny\\n"]
        );
    }

    #[test]
    fn an_unquoted_sentence_stays_in_its_message() {
        let body = "A: b\n\nhello\n\nFrom here on we meet at 10:30\nat home\n";

        assert_eq!(messages(&format!("{FROM}{body}\n{FROM}C: d\n\n")).len(), 2);
    }

    #[test]
    fn blank_lines_and_a_byte_order_mark_before_the_first_line_are_passed_over() {
        let mbox = format!("\u{feff}\r\n\n\n{FROM}A: b\n");
        let mut reader = MboxReader::with_chunk(mbox.as_bytes(), 100, 1);

        let step = reader.step();

        assert!(matches!(step, Some(Step::Message { offset: 7, .. })), "{step:?}");
    }

    #[test]
    fn the_first_line_opens_a_message_whatever_it_says() {
        assert_eq!(messages("From nowhere\njust text\n"), ["just text\\n"]);
        assert_eq!(messages("\n\n"), Vec::<String>::new());
        assert_eq!(messages(""), Vec::<String>::new());
    }

    #[test]
    fn a_first_line_without_end_is_kept_as_text() {
        let line = format!("From {}", "x".repeat(5000));

        assert_eq!(messages(&format!("{line}\n")), [format!("{line}\\n")]);
    }

    #[test]
    fn quoted_lines_lose_one_mark() {
        let mbox = format!("{FROM}>From a\n>>From b\nx >From c\n> From d\n>From: e\n>>>>From f");

        assert_eq!(
            messages(&mbox),
            ["From a\\n>From b\\nx >From c\\n> From d\\n>From: e\\n>>>From f"]
        );
    }

    #[test]
    fn the_line_date_and_the_offset_come_with_the_message() {
        let mbox = format!("{FROM}A: b\n\n{FROM}C: d\n");
        let mut reader = MboxReader::new(mbox.as_bytes(), 100);

        let (first, second) = (reader.step(), reader.step());

        assert!(matches!(
            first,
            Some(Step::Message {
                offset: 0,
                date: Some(1_451_988_000),
                ..
            })
        ));
        assert!(
            matches!(second, Some(Step::Message { offset: 40, .. })),
            "{second:?}"
        );
    }

    #[test]
    fn a_message_over_the_limit_is_passed_by_and_the_next_one_is_read() {
        let mbox = format!(
            "{FROM}A: b\n\n{}\n\n{FROM}C: d\n\n{FROM}{}",
            "x".repeat(9000),
            "y".repeat(5000)
        );

        for chunk in [1, 7, 100, 4096, 100_000] {
            let found = steps(mbox.as_bytes(), chunk, 4000);
            assert_eq!(
                found,
                ["too large at 0", "C: d\\n", "too large at 9082"],
                "chunk {chunk}"
            );
        }
    }

    #[test]
    fn the_limit_is_exact() {
        let mbox = format!("{FROM}{}", "x".repeat(4000));

        assert_eq!(steps(mbox.as_bytes(), 50, 4000)[0].len(), 4000);
        assert_eq!(steps(mbox.as_bytes(), 50, 3999), ["too large at 0"]);
    }

    /// 300 MB that exist nowhere, then another message.
    #[test]
    fn a_message_of_300_mb_is_refused_without_being_held() {
        let tail = format!("\n\n{FROM}C: d\n");
        let input = FROM
            .as_bytes()
            .chain(io::repeat(b'x').take(300 << 20))
            .chain(tail.as_bytes());
        let mut reader = MboxReader::new(input, 8 << 20);

        let refused = reader.step();
        let largest = reader.buffer.capacity();

        assert!(matches!(refused, Some(Step::TooLarge { offset: 0 })));
        assert!(largest <= 32 << 20, "{largest}");
        assert_eq!(describe(reader), ["C: d\\n"]);
    }

    #[test]
    fn a_large_message_is_given_whole_and_reading_goes_on() {
        let large = format!("A: b\n\n{}\n>From me\n", "x".repeat(3 << 20));
        let mbox = format!("{FROM}C: d\n\n{FROM}{large}\n{FROM}E: f\n");

        let found = steps(mbox.as_bytes(), 1 << 16, 8 << 20);

        assert_eq!(found.len(), 3);
        assert_eq!(found[1].len(), large.escape_default().count() - 1);
        assert_eq!(found[2], "E: f\\n");
    }

    #[test]
    fn a_torn_input_gives_what_was_there_and_then_one_error() {
        let mbox = format!("{FROM}A: b\n\n{FROM}C: d\n\nhalf a li");
        let input = Drip {
            rest: mbox.as_bytes(),
            step: 10,
            fails: true,
        };

        let found = describe(MboxReader::new(input, 100));

        assert_eq!(
            found,
            [
                "A: b\\n".to_owned(),
                "C: d\\n\\nhalf a li".to_owned(),
                format!("torn at {}", mbox.len())
            ]
        );
    }

    fn any_message() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            Just("From ".to_owned()),
            Just(">From ".to_owned()),
            Just(">".to_owned()),
            Just("\n".to_owned()),
            Just("\r\n".to_owned()),
            Just("\r".to_owned()),
            Just(FROM.to_owned()),
            Just("Subject: x".to_owned()),
            Just("x".repeat(900)),
            "[ -~]{0,6}",
        ];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat().into_bytes())
    }

    proptest! {
        #[test]
        fn what_the_writer_wrote_is_read_back_the_same(
            mut messages in prop::collection::vec(any_message(), 0..6),
            epoch in any::<i64>(),
            chunk in 1..80_usize,
        ) {
            let mut writer = MboxWriter::new(Vec::new());
            for message in &messages {
                writer.append(message, "ada@example.org", epoch).unwrap();
            }
            let mbox = writer.finish().unwrap();
            let last = messages.len().saturating_sub(1);
            for message in messages.iter_mut().take(last) {
                if !message.is_empty() && !message.ends_with(b"\n") {
                    message.push(b'\n');
                }
            }

            let expected: Vec<String> = messages.iter().map(|message| message.escape_ascii().to_string()).collect();
            prop_assert_eq!(steps(&mbox, chunk, 1 << 20), expected);
        }

        #[test]
        fn chunks_do_not_change_what_is_found(
            mbox in any_message(),
            chunk in 1..80_usize,
            limit in 0..200_usize,
        ) {
            prop_assert_eq!(steps(&mbox, chunk, limit), steps(&mbox, 1 << 16, limit));
        }
    }
}
