//! How messages are told apart in a stream of bytes: one JSON a line, or a `Content-Length` header before each. The
//! first byte that is not blank decides, and answers come the same way.

use std::io::{self, BufRead, Write};

/// A message longer than this is not read.
const LONGEST: usize = 16 << 20;
/// A header longer than this is none.
const LONGEST_HEADER: usize = 8 << 10;
/// The first header of a stream that has headers begins like this.
const HEADER: &[u8] = b"content-";

/// How a stream is cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Framing {
    /// Not decided yet; answers go out as lines.
    #[default]
    Open,
    /// One JSON a line.
    Lines,
    /// A header that tells the length, a blank line, the JSON.
    Headers,
}

/// What was found next in the stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// The bytes of a message.
    Message(Vec<u8>),
    /// Bytes that are no message.
    Garbage,
    /// A message that is longer than we read.
    TooLong,
    /// There is no more.
    End,
}

/// Reads frames.
pub(super) struct FrameReader<R> {
    input: R,
    framing: Framing,
    /// A body that is too long is still in the stream.
    lost: bool,
}

impl<R: BufRead> FrameReader<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, framing: Framing::Open, lost: false }
    }

    /// How the stream is cut, as far as it is known.
    pub(super) fn framing(&self) -> Framing {
        self.framing
    }

    /// The next frame. A last line without its end counts.
    pub(super) fn next(&mut self) -> io::Result<Frame> {
        let Some(first) = self.first_byte()? else { return Ok(Frame::End) };
        match self.framing {
            Framing::Lines => self.line(),
            Framing::Headers if self.lost => self.found_again(),
            Framing::Headers => self.headers(None),
            Framing::Open if matches!(first, b'{' | b'[') => {
                self.framing = Framing::Lines;
                self.line()
            }
            Framing::Open => self.first_header(),
        }
    }

    /// Skips blanks and looks at the first byte behind them.
    fn first_byte(&mut self) -> io::Result<Option<u8>> {
        loop {
            let buffer = fill(&mut self.input)?;
            if buffer.is_empty() {
                return Ok(None);
            }
            let blank = buffer.iter().take_while(|byte| is_blank(**byte)).count();
            let first = buffer.get(blank).copied();
            self.input.consume(blank);
            if first.is_some() {
                return Ok(first);
            }
        }
    }

    fn line(&mut self) -> io::Result<Frame> {
        Ok(match read_line(&mut self.input, LONGEST)? {
            Some(line) => Frame::Message(line),
            None => Frame::TooLong,
        })
    }

    /// A line that decides for headers if it is one; everything else is garbage for itself, so that a line of somebody
    /// else's in the stream does not take the messages behind it along.
    fn first_header(&mut self) -> io::Result<Frame> {
        let Some(line) = read_line(&mut self.input, LONGEST_HEADER)? else { return Ok(Frame::Garbage) };
        let is_header = line.get(..HEADER.len()).is_some_and(|start| start.eq_ignore_ascii_case(HEADER));
        if is_header { self.headers(Some(line)) } else { Ok(Frame::Garbage) }
    }

    /// Header lines up to a blank one, then as many bytes as they say.
    fn headers(&mut self, mut first: Option<Vec<u8>>) -> io::Result<Frame> {
        let mut length = None;
        loop {
            let line = match first.take() {
                Some(line) => Some(line),
                None => read_line(&mut self.input, LONGEST_HEADER)?,
            };
            let Some(line) = line else { return Ok(Frame::Garbage) };
            let line = line.trim_ascii();
            if line.is_empty() {
                break;
            }
            let colon = line.iter().position(|byte| *byte == b':');
            let Some((name, value)) = colon.map(|at| (&line[..at], &line[at + 1..])) else {
                return Ok(Frame::Garbage);
            };
            if name.eq_ignore_ascii_case(b"content-length") {
                length =
                    std::str::from_utf8(value.trim_ascii()).ok().and_then(|text| text.parse::<u64>().ok());
                if length.is_none() {
                    return Ok(Frame::Garbage);
                }
            }
            if fill(&mut self.input)?.is_empty() {
                return Ok(Frame::Garbage);
            }
        }
        let Some(length) = length else { return Ok(Frame::Garbage) };
        self.framing = Framing::Headers;
        self.body(length)
    }

    /// The next frame behind a body that was not read. How long the body really is does not matter: a line that ends
    /// like a header can stand in no JSON, neither in a text, where line ends are escaped, nor outside of one.
    fn found_again(&mut self) -> io::Result<Frame> {
        loop {
            let Some(tail) = skip_line(&mut self.input)? else { return Ok(Frame::End) };
            if let Some(at) = header_at(&tail) {
                self.lost = false;
                return self.headers(Some(tail[at..].to_vec()));
            }
        }
    }

    /// A message that is too long is told at once: what was promised need never come.
    fn body(&mut self, length: u64) -> io::Result<Frame> {
        if length > LONGEST as u64 {
            self.lost = true;
            return Ok(Frame::TooLong);
        }
        let mut body = Vec::new();
        let mut left = length;
        while left > 0 {
            let buffer = fill(&mut self.input)?;
            if buffer.is_empty() {
                return Ok(Frame::Garbage);
            }
            let taken = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            body.extend_from_slice(&buffer[..taken]);
            self.input.consume(taken);
            left -= taken as u64;
        }
        Ok(Frame::Message(body))
    }
}

/// A header with its number is not longer than this.
const LONGEST_TAIL: usize = 64;

/// Skips a line and gives its last bytes; `None` at the end of the input.
fn skip_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut tail = Vec::new();
    loop {
        let buffer = fill(input)?;
        if buffer.is_empty() {
            return Ok(None);
        }
        let end = memchr::memchr(b'\n', buffer).map(|at| at + 1);
        let taken = end.unwrap_or(buffer.len());
        tail.extend_from_slice(&buffer[taken.saturating_sub(LONGEST_TAIL)..taken]);
        tail.drain(..tail.len().saturating_sub(LONGEST_TAIL));
        input.consume(taken);
        if end.is_some() {
            return Ok(Some(tail));
        }
    }
}

/// Where a header that tells a length begins, if the line ends in one.
fn header_at(line: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"content-length:";
    let at = line.windows(NAME.len()).rposition(|window| window.eq_ignore_ascii_case(NAME))?;
    let value = line[at + NAME.len()..].trim_ascii();
    (!value.is_empty() && value.iter().all(u8::is_ascii_digit)).then_some(at)
}

/// Blank bytes, and the mark that some editors put before UTF-8.
fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, 0xef | 0xbb | 0xbf)
}

fn fill(input: &mut impl BufRead) -> io::Result<&[u8]> {
    loop {
        match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // The borrow checker does not let the first result go: the buffer is full now, so this reads nothing.
            Ok(_) => return input.fill_buf(),
            Err(error) => return Err(error),
        }
    }
}

/// A line without its end; `None` when it is longer than `most`, which is then skipped.
fn read_line(input: &mut impl BufRead, most: usize) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let mut too_long = false;
    loop {
        let buffer = fill(input)?;
        let (taken, done) = match memchr::memchr(b'\n', buffer) {
            Some(end) => (end + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        if line.len() + taken > most + 1 {
            too_long = true;
            line = Vec::new();
        } else if !too_long {
            line.extend_from_slice(&buffer[..taken]);
        }
        input.consume(taken);
        if done {
            return Ok((!too_long).then_some(line));
        }
    }
}

/// Writes a message the way the client writes its own.
pub(super) fn write(output: &mut impl Write, framing: Framing, body: &[u8]) -> io::Result<()> {
    match framing {
        Framing::Headers => {
            write!(output, "Content-Length: {}\r\n\r\n", body.len())?;
            output.write_all(body)?;
        }
        Framing::Open | Framing::Lines => {
            output.write_all(body)?;
            output.write_all(b"\n")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::{Frame, FrameReader, Framing};

    fn frames(bytes: &[u8]) -> (Vec<Frame>, Framing) {
        // A tiny buffer, so that every message is cut somewhere.
        let mut reader = FrameReader::new(BufReader::with_capacity(3, bytes));
        let mut found = Vec::new();
        loop {
            match reader.next().unwrap() {
                Frame::End => return (found, reader.framing()),
                frame => found.push(frame),
            }
        }
    }

    fn message(text: &str) -> Frame {
        Frame::Message(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_are_cut_at_their_ends_and_the_last_needs_none() {
        let (found, framing) = frames(b"\n  {\"a\":1}\r\n\n[2]\n{3}");

        assert_eq!(found, [message("{\"a\":1}\r\n"), message("[2]\n"), message("{3}")]);
        assert_eq!(framing, Framing::Lines);
    }

    #[test]
    fn headers_tell_how_long_a_message_is() {
        let (found, framing) =
            frames(b"Content-Length: 4\r\n\r\n{\"\n\"content-length:2\r\nContent-Type: x\r\n\r\n{}");

        assert_eq!(found, [message("{\"\n\""), message("{}")]);
        assert_eq!(framing, Framing::Headers);
    }

    #[test]
    fn garbage_is_told_and_decides_nothing() {
        let (found, framing) = frames(b"%%%\ngarbage\nnote: starting\n{1}\ngarbage\n");

        assert_eq!(found[..4], [Frame::Garbage, Frame::Garbage, Frame::Garbage, message("{1}\n")]);
        assert_eq!(framing, Framing::Lines);
    }

    #[test]
    fn a_message_that_is_too_long_is_skipped() {
        let mut bytes = vec![b'{'; (16 << 20) + 100];
        bytes.extend_from_slice(b"\n{1}\nContent-Length: 3\n");
        let mut reader = FrameReader::new(BufReader::new(&bytes[..]));

        assert_eq!(reader.next().unwrap(), Frame::TooLong);
        assert_eq!(reader.next().unwrap(), message("{1}\n"));
    }

    #[test]
    fn a_length_that_is_absurd_is_refused_at_once_and_the_next_frame_is_found() {
        let absurd = b"Content-Length: 99999999999\r\n\r\n{\"a\":\"\\nContent-Length: 5\"}";
        let mut bytes = absurd.to_vec();
        bytes
            .extend_from_slice(b"Content-Length: 2\r\nContent-Type: x\r\n\r\n{}Content-Length: 3\r\n\r\n[1]");

        assert_eq!(frames(&bytes).0, [Frame::TooLong, message("{}"), message("[1]")]);
        assert_eq!(frames(absurd).0, [Frame::TooLong]);
    }

    #[test]
    fn a_body_that_ends_early_is_garbage() {
        assert_eq!(frames(b"Content-Length: 10\r\n\r\n{}").0, [Frame::Garbage]);
        assert_eq!(frames(b"Content-Length: x\r\n\r\n").0[0], Frame::Garbage);
    }
}
