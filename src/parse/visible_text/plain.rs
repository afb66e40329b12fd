//! Tidies plain text. It runs on every message, so text that is in order costs two looks and one copy.

use memchr::memchr_iter;

/// More blank lines in a row than this say nothing.
const MAX_BLANK_LINES: usize = 2;

/// The text with `\n` line ends, without blanks at line ends, control characters, and runs of more than two
/// blank lines.
#[must_use]
pub fn from_plain(text: &str) -> String {
    let mut out = Lines { text: String::with_capacity(text.len() + 1), blank: 0 };
    if is_in_order(text.as_bytes()) {
        out.add(text);
    } else {
        out.add(&in_order(text));
    }
    out.text.truncate(out.text.trim_end().len());
    out.text
}

struct Lines {
    text: String,
    /// Blank lines since the last line with text.
    blank: usize,
}

impl Lines {
    fn add(&mut self, text: &str) {
        let mut start = 0;
        for end in memchr_iter(b'\n', text.as_bytes()) {
            self.push(&text[start..end]);
            start = end + 1;
        }
        self.push(&text[start..]);
    }

    fn push(&mut self, line: &str) {
        let line = trim_blanks(line);
        if line.is_empty() {
            self.blank += 1;
        } else {
            self.blank = 0;
        }
        if self.blank <= MAX_BLANK_LINES {
            self.text.push_str(line);
            self.text.push('\n');
        }
    }
}

fn trim_blanks(line: &str) -> &str {
    match line.as_bytes().last() {
        Some(b' ' | b'\t' | b'\r') => line.trim_end_matches([' ', '\t', '\r']),
        _ => line,
    }
}

/// Whether no control character stands in the text but tabs and line ends. Without a branch per byte, so that
/// it compiles to vector instructions; 0xC2 may begin U+0080 to U+009F.
fn is_in_order(text: &[u8]) -> bool {
    let odd = |byte: u8| {
        u8::from(byte < 0x20) & u8::from(byte != b'\t') & u8::from(byte != b'\n') & u8::from(byte != b'\r')
            | u8::from(byte == 0x7f)
            | u8::from(byte == 0xc2)
    };
    let lone = |(byte, next): (&u8, &u8)| u8::from(*byte == b'\r') & u8::from(*next != b'\n');
    text.iter().fold(0, |any, byte| any | odd(*byte)) == 0
        && text.iter().zip(text.iter().skip(1)).fold(0, |any, pair| any | lone(pair)) == 0
}

/// Drops control characters. A carriage return ended a line on old systems, so it still does.
fn in_order(text: &str) -> String {
    let mut chars = text.chars().peekable();
    let mut out = String::with_capacity(text.len());
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => out.push('\n'),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}
