//! Rich Text Format: the words that a person sees, without fonts, styles, pictures and fields. Hidden, deleted, tiny and
//! pale text is left out.

use crate::model::Reason;

use super::charset::windows_1252;
use super::docx_styles::is_pictures;
use super::sight::{Ink, Letters};
use super::text::Text;

/// Groups inside each other; what stands deeper is not read.
const DEEPEST: usize = 2_000;

/// Adds the text of a file. Groups are kept on a list of their own, so nesting costs nothing.
pub(super) fn read(bytes: &[u8], out: &mut Text) {
    let mut scanner = Scanner { rest: bytes, ..Scanner::default() };
    while let Some((&byte, rest)) = scanner.rest.split_first() {
        scanner.rest = rest;
        match byte {
            b'{' => scanner.open_group(),
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

/// What holds inside one group.
#[derive(Clone, Copy)]
struct Group {
    kind: Kind,
    letters: Letters,
    /// Characters that repeat each Unicode character for old readers.
    fallback: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    /// Not shown at all.
    Skipped,
    Colors,
    Fonts,
}

impl Default for Group {
    fn default() -> Self {
        Self { kind: Kind::Text, letters: Letters::default(), fallback: 1 }
    }
}

#[derive(Default)]
struct Scanner<'a> {
    rest: &'a [u8],
    now: Group,
    around: Vec<Group>,
    /// Groups past the deepest.
    too_deep: usize,
    /// Characters still to skip.
    skip: usize,
    colors: Vec<Ink>,
    color: [Option<u8>; 3],
    /// Numbers of fonts whose letters are little pictures.
    pictures: Vec<i32>,
    font: (i32, String),
}

impl<'a> Scanner<'a> {
    fn open_group(&mut self) {
        self.skip = 0;
        if self.around.len() < DEEPEST {
            self.around.push(self.now);
        } else {
            self.too_deep += 1;
        }
    }

    fn close_group(&mut self) {
        self.skip = 0;
        if self.now.kind == Kind::Fonts {
            self.end_font();
        }
        if self.too_deep > 0 {
            self.too_deep -= 1;
        } else if let Some(before) = self.around.pop() {
            self.now = before;
        }
    }

    fn show(&mut self, c: char, out: &mut Text) {
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        match self.now.kind {
            Kind::Text if self.too_deep == 0 => {
                out.put(c.encode_utf8(&mut [0; 4]), self.now.letters.verdict())
            }
            Kind::Text | Kind::Skipped => {}
            Kind::Colors if c == ';' => self.end_color(),
            Kind::Fonts if c == ';' => self.end_font(),
            Kind::Fonts => self.font.1.push(c),
            Kind::Colors => {}
        }
    }

    fn end_color(&mut self) {
        let color = match std::mem::take(&mut self.color) {
            [Some(r), Some(g), Some(b)] => Ink::rgb([r, g, b].map(|part| f32::from(part) / 255.0)),
            _ => Ink::Automatic,
        };
        self.colors.push(color);
    }

    fn end_font(&mut self) {
        let (number, name) = std::mem::take(&mut self.font);
        if is_pictures(&name) {
            self.pictures.push(number);
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
                self.now.kind = Kind::Skipped;
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
        let number = std::str::from_utf8(number).ok().and_then(|text| text.parse::<i32>().ok());
        if let [b' ', rest @ ..] = self.rest {
            self.rest = rest;
        }
        match name {
            b"par" | b"line" | b"row" | b"sect" | b"page" => self.gap("\n", out),
            b"tab" | b"cell" => self.gap("\t", out),
            b"u" => self.unicode(number.unwrap_or(0), out),
            b"uc" => self.now.fallback = usize::try_from(number.unwrap_or(1)).unwrap_or(1).min(8),
            b"bin" => {
                let length = usize::try_from(number.unwrap_or(0)).unwrap_or(0).min(self.rest.len());
                self.rest = &self.rest[length..];
            }
            b"colortbl" => self.now.kind = Kind::Colors,
            b"fonttbl" => self.now.kind = Kind::Fonts,
            b"red" | b"green" | b"blue" => {
                let part = usize::from(name == b"green") + 2 * usize::from(name == b"blue");
                self.color[part] = number.and_then(|number| u8::try_from(number).ok());
            }
            b"stylesheet" | b"info" | b"pict" | b"fldinst" | b"themedata" | b"object" | b"objdata"
            | b"filetbl" | b"listtable" | b"revtbl" | b"rsidtbl" | b"generator" | b"xe" | b"tc"
            | b"template" | b"datafield" | b"nonshppict" | b"private" | b"bkmkstart" | b"bkmkend"
            | b"rxe" | b"txe" => {
                self.now.kind = Kind::Skipped;
            }
            _ => self.look(name, number),
        }
    }

    /// What a word does to the letters behind it.
    fn look(&mut self, name: &[u8], number: Option<i32>) {
        let is_on = number != Some(0);
        let color = |number: Option<i32>| {
            let known = usize::try_from(number.unwrap_or(0)).ok().and_then(|number| self.colors.get(number));
            known.copied().unwrap_or(Ink::Unknown)
        };
        let beyond = |low: i32, high: i32| number.is_some_and(|number| !(low..=high).contains(&number));
        let is_picture = number.is_some_and(|number| self.pictures.contains(&number));
        match name {
            b"f" if self.now.kind == Kind::Fonts => self.font.0 = number.unwrap_or(0),
            b"plain" => self.now.letters = Letters { ground: self.now.letters.ground, ..Letters::default() },
            b"v" | b"deleted" if is_on => {
                let reason = if name == b"v" { Reason::Display } else { Reason::Deleted };
                self.now.letters.hidden = Some(reason);
            }
            b"v" | b"deleted" => self.now.letters.hidden = None,
            b"cf" => self.now.letters.ink = color(number),
            b"cb" | b"chcbpat" | b"highlight" | b"cbpat" | b"clcbpat" => {
                self.now.letters.ground = if is_on { color(number) } else { Ink::Automatic };
            }
            b"pard" => self.now.letters.ground = Ink::Automatic,
            b"fs" => self.now.letters.size = number.unwrap_or(24) as f32 / 2.0,
            b"charscalex" if beyond(40, 600) => self.now.letters.doubt("width of letters"),
            b"expnd" if beyond(-6, 120) => self.now.letters.doubt("spacing of letters"),
            b"expndtw" if beyond(-30, 600) => self.now.letters.doubt("spacing of letters"),
            b"up" | b"dn" if beyond(-60, 60) => self.now.letters.doubt("position"),
            b"li" | b"ri" | b"fi" | b"posx" | b"posy" if beyond(-3_000, 9_000) => {
                self.now.letters.doubt("indent")
            }
            b"posnegx" | b"posnegy" | b"shpleft" | b"shptop" if beyond(-1_000, 17_000) => {
                self.now.letters.doubt("position");
            }
            b"sl" if number.is_some_and(|line| (-79..0).contains(&line)) => {
                self.now.letters.doubt("line-height")
            }
            b"f" if is_picture => self.now.letters.doubt("fonts"),
            _ => {}
        }
    }

    fn gap(&mut self, gap: &str, out: &mut Text) {
        self.skip = 0;
        if self.now.kind == Kind::Text {
            out.push(gap);
        }
    }

    /// The number is a signed 16-bit unit; pairs beyond the basic plane are not joined.
    fn unicode(&mut self, unit: i32, out: &mut Text) {
        let code = u32::try_from(if unit < 0 { unit.saturating_add(0x1_0000) } else { unit }).unwrap_or(0);
        self.skip = 0;
        self.show(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), out);
        self.skip = self.now.fallback;
    }

    fn take_while(&mut self, wanted: impl Fn(&u8) -> bool) -> &'a [u8] {
        let end = self.rest.iter().position(|byte| !wanted(byte)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }
}
