//! What the letters of a font are said to mean: by the list that a font brings for readers of text, and by its encoding.

use std::collections::HashMap;

use pdf_extract::{Dictionary, Document, Object};

use super::plain;

/// Bytes of a list of meanings that are read; a longer one is not believed.
const LONGEST_MAP: usize = 1 << 20;
/// Letters that one letter may stand for: ligatures are of two or three.
const LONGEST_MEANING: usize = 4;

/// The code of a letter and what it is said to mean.
pub(super) type Meaning = (usize, Vec<u16>);

/// What letters are said to mean.
pub(super) fn meanings(document: &Document, font: &Dictionary) -> Vec<Meaning> {
    let map = font.get_deref(b"ToUnicode", document).and_then(Object::as_stream);
    let Ok(map) = map else { return Vec::new() };
    let bytes = plain(map);
    let text = String::from_utf8_lossy(bytes.get(..LONGEST_MAP).unwrap_or(&bytes));
    let text: String = text
        .split(['\r', '\n'])
        .map(|line| line.split('%').next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n");
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
pub(super) fn has_long(meanings: &[Meaning]) -> bool {
    meanings.iter().any(|(_, meaning)| meaning.len() > LONGEST_MEANING)
}

/// Whether letters are said to mean others than those that their encoding names.
pub(super) fn is_lying(names: &Names, meanings: &[Meaning]) -> bool {
    meanings
        .iter()
        .any(|(code, meaning)| names.letter(*code).is_some_and(|letter| meaning.as_slice() != [letter]))
}

/// What the encoding of a simple font calls its letters.
pub(super) struct Names {
    /// Whether all codes without a name of their own are those of a usual encoding.
    is_usual: bool,
    own: HashMap<usize, Option<u16>>,
}

impl Names {
    pub(super) fn of(document: &Document, font: &Dictionary) -> Self {
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
    pub(super) fn letter(&self, code: usize) -> Option<u16> {
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
