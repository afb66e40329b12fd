//! Rich Text Format: the words, without fonts, styles, pictures and fields.

use super::charset::windows_1252;
use super::text::Text;

/// Adds the text of a file. Groups are counted, never descended into, so nesting costs nothing.
pub(super) fn read(bytes: &[u8], out: &mut Text) {
    let mut scanner = Scanner { rest: bytes, depth: 0, hidden_at: None, fallback: 0 };
    while let Some((&byte, rest)) = scanner.rest.split_first() {
        scanner.rest = rest;
        match byte {
            b'{' => scanner.depth += 1,
            b'}' => scanner.close_group(),
            b'\\' => scanner.control(out),
            b'\r' | b'\n' => {}
            _ => scanner.show(windows_1252(byte), out),
        }
        if out.is_full() {
            break;
        }
    }
}

struct Scanner<'a> {
    rest: &'a [u8],
    depth: usize,
    /// The depth of the outermost group that is not shown.
    hidden_at: Option<usize>,
    /// Characters still to skip: they repeat a Unicode character for old readers.
    fallback: usize,
}

impl<'a> Scanner<'a> {
    fn close_group(&mut self) {
        if self.hidden_at == Some(self.depth) {
            self.hidden_at = None;
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn show(&mut self, c: char, out: &mut Text) {
        if self.fallback > 0 {
            self.fallback -= 1;
        } else if self.hidden_at.is_none() {
            out.push(c.encode_utf8(&mut [0; 4]));
        }
    }

    fn control(&mut self, out: &mut Text) {
        match self.rest {
            [b'\'', high, low, rest @ ..] => {
                self.rest = rest;
                let digits = [*high, *low];
                let code = std::str::from_utf8(&digits).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok());
                self.show(code.map_or(' ', windows_1252), out);
            }
            [b'*', rest @ ..] => {
                self.rest = rest;
                self.hide();
            }
            [byte, rest @ ..] if !byte.is_ascii_alphabetic() => {
                self.rest = rest;
                self.show(if *byte == b'~' { ' ' } else { char::from(*byte) }, out);
            }
            _ => self.word(out),
        }
    }

    fn word(&mut self, out: &mut Text) {
        let name = self.take_while(u8::is_ascii_alphabetic);
        let number = self.take_while(|byte| byte.is_ascii_digit() || *byte == b'-');
        if let [b' ', rest @ ..] = self.rest {
            self.rest = rest;
        }
        match name {
            b"par" | b"line" | b"row" | b"sect" | b"page" => self.show('\n', out),
            b"tab" | b"cell" => self.show('\t', out),
            b"u" => self.unicode(number, out),
            b"fonttbl" | b"colortbl" | b"stylesheet" | b"info" | b"pict" | b"fldinst" | b"themedata"
            | b"object" => {
                self.hide();
            }
            _ => {}
        }
    }

    /// The number is a signed 16-bit unit; pairs beyond the basic plane are not joined.
    fn unicode(&mut self, number: &[u8], out: &mut Text) {
        let unit = std::str::from_utf8(number).ok().and_then(|text| text.parse::<i32>().ok()).unwrap_or(0);
        let code = u32::try_from(if unit < 0 { unit.saturating_add(0x1_0000) } else { unit }).unwrap_or(0);
        self.fallback = 0;
        self.show(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), out);
        self.fallback = 1;
    }

    fn hide(&mut self) {
        self.hidden_at.get_or_insert(self.depth);
    }

    fn take_while(&mut self, wanted: impl Fn(&u8) -> bool) -> &'a [u8] {
        let end = self.rest.iter().position(|byte| !wanted(byte)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }
}
