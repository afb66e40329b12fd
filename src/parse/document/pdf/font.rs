//! Fonts of a page: how wide their letters are, and whether what they are said to mean can be believed.

use std::collections::HashMap;

use pdf_extract::{Dictionary, Document, Object};

use super::plain;

/// Letters of a font whose widths are looked at.
const MOST_WIDTHS: usize = 70_000;
/// Bytes of a list of meanings that are read; a longer one is not believed.
const LONGEST_MAP: usize = 1 << 20;
/// Letters that one letter may stand for: ligatures are of two or three.
const LONGEST_MEANING: usize = 4;

/// What is known of a font.
#[derive(Default)]
pub(super) struct Font {
    /// Bytes of a letter.
    pub(super) bytes: usize,
    pub(super) doubt: Option<&'static str>,
    widths: HashMap<usize, f32>,
    usual: f32,
    /// Whether the widths are guessed.
    pub(super) is_guessed: bool,
}

impl Font {
    /// A font that a page names but does not have.
    pub(super) fn missing() -> Self {
        Self { bytes: 1, doubt: Some("fonts"), usual: 0.5, is_guessed: true, ..Self::default() }
    }

    pub(super) fn read(document: &Document, font: &Dictionary) -> Self {
        let kind = font.get(b"Subtype").and_then(Object::as_name).unwrap_or_default();
        let mut read = Self {
            bytes: if kind == b"Type0" { 2 } else { 1 },
            usual: 0.5,
            is_guessed: true,
            ..Self::default()
        };
        match kind {
            b"Type0" => read.composite(document, font),
            _ => read.simple(document, font),
        }
        // The letters of such a font are little programs that may paint anything.
        let meanings = meanings(document, font);
        if kind == b"Type3"
            || has_long(&meanings)
            || (kind != b"Type0" && is_lying(document, font, &meanings))
        {
            read.doubt = Some("fonts");
        }
        read
    }

    /// How wide these letters are together, in parts of their size.
    pub(super) fn width(&self, text: &[u8]) -> f32 {
        let codes = text
            .chunks(self.bytes.max(1))
            .map(|code| code.iter().fold(0, |all, byte| all << 8 | usize::from(*byte)));
        codes.map(|code| self.widths.get(&code).copied().unwrap_or(self.usual)).sum()
    }

    fn simple(&mut self, document: &Document, font: &Dictionary) {
        let first = font.get_deref(b"FirstChar", document).and_then(Object::as_i64).unwrap_or(0);
        let Ok(widths) = font.get_deref(b"Widths", document).and_then(Object::as_array) else { return };
        let first = usize::try_from(first).unwrap_or(0);
        for (index, width) in widths.iter().take(256).enumerate() {
            self.put(document, first + index, width);
        }
        self.is_guessed = false;
    }

    fn composite(&mut self, document: &Document, font: &Dictionary) {
        let parts = font.get_deref(b"DescendantFonts", document).and_then(Object::as_array);
        let part = parts.ok().and_then(|parts| document.dereference(parts.first()?).ok()?.1.as_dict().ok());
        let Some(part) = part else { return };
        self.usual =
            part.get_deref(b"DW", document).and_then(Object::as_float).map_or(1.0, |width| width / 1000.0);
        let Ok(list) = part.get_deref(b"W", document).and_then(Object::as_array) else { return };
        self.is_guessed = false;
        let mut rest =
            list.iter().filter_map(|object| document.dereference(object).ok()).map(|(_, object)| object);
        while let (Some(first), Some(next)) = (rest.next(), rest.next()) {
            let first = first.as_i64().ok().and_then(|first| usize::try_from(first).ok()).unwrap_or(0);
            if let Ok(widths) = next.as_array() {
                widths.iter().enumerate().for_each(|(index, width)| self.put(document, first + index, width));
                continue;
            }
            let last = next.as_i64().ok().and_then(|last| usize::try_from(last).ok()).unwrap_or(0);
            if let Some(width) = rest.next() {
                (first..=last.min(0xffff)).for_each(|code| self.put(document, code, width));
            }
        }
    }

    fn put(&mut self, document: &Document, code: usize, width: &Object) {
        let width = document.dereference(width).ok().and_then(|(_, width)| width.as_float().ok());
        if let (true, Some(width)) = (self.widths.len() < MOST_WIDTHS, width) {
            self.widths.insert(code, width / 1000.0);
        }
    }
}

/// The code of a letter and what it is said to mean.
type Meaning = (usize, Vec<u16>);

/// What letters are said to mean.
fn meanings(document: &Document, font: &Dictionary) -> Vec<Meaning> {
    let map = font.get_deref(b"ToUnicode", document).and_then(Object::as_stream);
    let Ok(map) = map else { return Vec::new() };
    let bytes = plain(map);
    let text = String::from_utf8_lossy(bytes.get(..LONGEST_MAP).unwrap_or(&bytes)).into_owned();
    let mut found = Vec::new();
    for block in text.split("begin").skip(1) {
        let numbers: Vec<&str> = block.split('<').skip(1).filter_map(|rest| rest.split('>').next()).collect();
        let units = |hex: &str| -> Vec<u16> {
            let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
            digits
                .chunks(4)
                .filter_map(|unit| u16::from_str_radix(std::str::from_utf8(unit).ok()?, 16).ok())
                .collect()
        };
        let code = |hex: &str| usize::from_str_radix(hex.trim(), 16).unwrap_or(usize::MAX);
        if block.starts_with("bfchar") {
            let pairs = numbers.chunks_exact(2);
            found.extend(pairs.map(|pair| (code(pair[0]), units(pair[1]))));
        } else if block.starts_with("bfrange") && !block.contains('[') {
            for range in numbers.chunks_exact(3) {
                let (first, last) = (code(range[0]), code(range[1]));
                let meaning = units(range[2]);
                found.extend((first..=last.min(first.saturating_add(255))).zip(0_u16..).map(
                    |(code, step)| {
                        let mut meaning = meaning.clone();
                        meaning
                            .iter_mut()
                            .last()
                            .into_iter()
                            .for_each(|unit| *unit = unit.wrapping_add(step));
                        (code, meaning)
                    },
                ));
            }
        } else if block.starts_with("bfrange") {
            found.extend(numbers.iter().map(|hex| (usize::MAX, units(hex))));
        }
    }
    found
}

/// Whether one letter is said to mean a whole word.
fn has_long(meanings: &[Meaning]) -> bool {
    meanings.iter().any(|(_, meaning)| meaning.len() > LONGEST_MEANING)
}

/// Whether letters are said to mean others than those that their encoding names.
fn is_lying(document: &Document, font: &Dictionary, meanings: &[Meaning]) -> bool {
    let names = Names::of(document, font);
    meanings
        .iter()
        .any(|(code, meaning)| names.letter(*code).is_some_and(|letter| meaning.as_slice() != [letter]))
}

/// What the encoding of a simple font calls its letters.
struct Names {
    /// Whether all codes without a name of their own are those of a usual encoding.
    is_usual: bool,
    own: HashMap<usize, Option<u16>>,
}

impl Names {
    fn of(document: &Document, font: &Dictionary) -> Self {
        let is_named = |object: &Object| {
            matches!(object.as_name(), Ok(b"WinAnsiEncoding" | b"MacRomanEncoding" | b"StandardEncoding"))
        };
        let descriptor = document.get_dict_in_dict(font, b"FontDescriptor");
        let brings_letters = descriptor.is_ok_and(|descriptor| {
            [b"FontFile".as_slice(), b"FontFile2", b"FontFile3"].iter().any(|key| descriptor.has(key))
        });
        let family = font.get(b"BaseFont").and_then(Object::as_name).unwrap_or_default();
        let is_symbols = [b"Symbol".as_slice(), b"Dingbats", b"Wingdings"]
            .iter()
            .any(|known| family.windows(known.len()).any(|part| part == *known));
        let usual = !brings_letters && !is_symbols;
        let mut names = Self { is_usual: usual, own: HashMap::new() };
        match font.get_deref(b"Encoding", document) {
            Ok(Object::Dictionary(encoding)) => {
                names.is_usual = encoding.get_deref(b"BaseEncoding", document).map_or(usual, is_named);
                names.differences(
                    encoding.get_deref(b"Differences", document).and_then(Object::as_array).ok(),
                );
            }
            Ok(encoding) => names.is_usual = is_named(encoding),
            Err(_) => {}
        }
        names
    }

    fn differences(&mut self, list: Option<&Vec<Object>>) {
        let mut code = 0;
        for object in list.into_iter().flatten() {
            match object {
                Object::Name(name) => {
                    self.own.insert(code, named(name));
                    code += 1;
                }
                other => {
                    code = other.as_i64().ok().and_then(|code| usize::try_from(code).ok()).unwrap_or(code)
                }
            }
        }
    }

    /// The letter or digit of a code, where that is certain.
    fn letter(&self, code: usize) -> Option<u16> {
        match self.own.get(&code) {
            Some(own) => *own,
            None => u8::try_from(code)
                .ok()
                .filter(|code| self.is_usual && code.is_ascii_alphanumeric())
                .map(u16::from),
        }
    }
}

fn named(name: &[u8]) -> Option<u16> {
    const DIGITS: [&[u8]; 10] =
        [b"zero", b"one", b"two", b"three", b"four", b"five", b"six", b"seven", b"eight", b"nine"];
    match name {
        [letter] if letter.is_ascii_alphabetic() => Some(u16::from(*letter)),
        _ => DIGITS.iter().zip(u16::from(b'0')..).find(|(digit, _)| **digit == name).map(|(_, digit)| digit),
    }
}
