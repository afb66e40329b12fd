//! Writes an mbox in the mboxrd form, which gives every message back as it was.

use std::io::{self, Write};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use memchr::memmem;

/// Longest sender written: an address cannot be longer (RFC 5321, 4.5.3.1).
const SENDER_LENGTH: usize = 254;

/// Writes messages one after the other.
///
/// A message that does not end in a newline gets one when another message follows it; the last one stays as it is.
pub struct MboxWriter<W: Write> {
    output: W,
    /// What the message before still lacks when another one follows.
    pending: Pending,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pending {
    Nothing,
    BlankLine,
    LineEndAndBlankLine,
}

impl<W: Write> MboxWriter<W> {
    /// A writer onto `output`, which should be buffered.
    pub const fn new(output: W) -> Self {
        Self { output, pending: Pending::Nothing }
    }

    /// Writes one message behind a line that names the sender and the time in seconds since 1970.
    ///
    /// # Errors
    /// When the output fails.
    pub fn append(&mut self, bytes: &[u8], sender: &str, epoch: i64) -> io::Result<()> {
        self.separate()?;
        writeln!(self.output, "From {} {}", safe_sender(sender), asctime(epoch))?;
        self.write_quoted(bytes)?;
        self.pending = match bytes.last() {
            None | Some(b'\n') => Pending::BlankLine,
            Some(_) => Pending::LineEndAndBlankLine,
        };
        Ok(())
    }

    /// Completes the last message, flushes, and gives the output back.
    ///
    /// # Errors
    /// When the output fails.
    pub fn finish(mut self) -> io::Result<W> {
        if self.pending == Pending::BlankLine {
            self.output.write_all(b"\n")?;
        }
        self.output.flush()?;
        Ok(self.output)
    }

    fn separate(&mut self) -> io::Result<()> {
        self.output.write_all(match self.pending {
            Pending::Nothing => b"",
            Pending::BlankLine => b"\n",
            Pending::LineEndAndBlankLine => b"\n\n",
        })
    }

    fn write_quoted(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut written = 0;
        for found in memmem::find_iter(bytes, b"From ") {
            let line = bytes[..found].iter().rposition(|byte| *byte != b'>').map_or(0, |last| last + 1);
            if line == 0 || bytes[line - 1] == b'\n' {
                self.output.write_all(&bytes[written..line])?;
                self.output.write_all(b">")?;
                written = line;
            }
        }
        self.output.write_all(&bytes[written..])
    }
}

/// The sender as one word that cannot be taken for anything else.
fn safe_sender(sender: &str) -> String {
    let word: String = sender.chars().filter(char::is_ascii_graphic).take(SENDER_LENGTH).collect();
    if word.is_empty() { "MAILER-DAEMON".to_owned() } else { word }
}

/// `Thu Jan  1 00:00:00 1970`, in UTC; times that four digits of a year cannot tell are moved to the nearest end.
fn asctime(epoch: i64) -> String {
    Timestamp::from_second(epoch.clamp(0, Timestamp::MAX.as_second()))
        .unwrap_or(Timestamp::UNIX_EPOCH)
        .to_zoned(TimeZone::UTC)
        .strftime("%a %b %e %H:%M:%S %Y")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::{MboxWriter, asctime};

    fn written(messages: &[&str]) -> String {
        let mut writer = MboxWriter::new(Vec::new());
        for message in messages {
            writer.append(message.as_bytes(), "a@b", 0).unwrap();
        }
        String::from_utf8(writer.finish().unwrap()).unwrap()
    }

    const FROM: &str = "From a@b Thu Jan  1 00:00:00 1970\n";

    #[test]
    fn lines_that_look_like_separators_are_quoted_once_more() {
        let mbox = written(&["From x\n>From y\nnot From z\n>>From \n> From \n"]);

        assert_eq!(mbox, format!("{FROM}>From x\n>>From y\nnot From z\n>>>From \n> From \n\n"));
    }

    #[test]
    fn a_missing_line_end_is_added_only_when_another_message_follows() {
        assert_eq!(written(&["a", "b"]), format!("{FROM}a\n\n{FROM}b"));
        assert_eq!(written(&["", "b\n"]), format!("{FROM}\n{FROM}b\n\n"));
        assert_eq!(written(&[]), "");
    }

    #[test]
    fn the_separator_is_one_well_formed_line_whatever_the_sender_and_time() {
        let mut writer = MboxWriter::new(Vec::new());
        writer.append(b"", "Ada\r\nFrom <ada@b>\u{e9}", 1_451_988_000).unwrap();
        writer.append(b"", " ", i64::MAX).unwrap();

        let text = String::from_utf8(writer.finish().unwrap()).unwrap();

        assert_eq!(
            text,
            "From AdaFrom<ada@b> Tue Jan  5 10:00:00 2016\n\nFrom MAILER-DAEMON Thu Dec 30 22:00:00 9999\n\n"
        );
        assert_eq!(asctime(-1), "Thu Jan  1 00:00:00 1970");
    }
}
