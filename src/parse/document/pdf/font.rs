//! Fonts of a page: how wide their letters are, and whether what they are said to mean can be believed.

use std::collections::{HashMap, HashSet};

use pdf_extract::{Dictionary, Document, Object};

use super::meaning::{Meaning, Names, has_long, is_lying, meanings};
use super::plain;
use super::truetype::{Glyph, TrueType};
use super::usual_letters::{has_usual_letters, room_of};

/// Letters of a font whose widths are looked at.
const MOST_WIDTHS: usize = 70_000;

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
    /// How wide letters are by what they are.
    rooms: HashMap<usize, f32>,
    /// Letters that are none, or look like others than they are said to be.
    odd: HashSet<usize>,
}

impl Font {
    /// A font that a page names but does not have.
    pub(super) fn missing() -> Self {
        Self { bytes: 1, doubt: Some("fonts"), usual: 0.5, is_guessed: true, ..Self::default() }
    }

    pub(super) fn read(document: &Document, font: &Dictionary) -> Self {
        let kind = font.get(b"Subtype").and_then(Object::as_name).unwrap_or_default();
        let bytes = if kind == b"Type0" { 2 } else { 1 };
        let mut read = Self { bytes, usual: 0.5, is_guessed: true, ..Self::default() };
        let meanings = meanings(document, font);
        match kind {
            b"Type0" => read.composite(document, font, &meanings),
            b"Type1" | b"MMType1" | b"TrueType" => read.simple(document, font, &meanings),
            // The letters of other fonts are little programs that may paint anything.
            _ => read.doubt = Some("fonts"),
        }
        if has_long(&meanings) {
            read.doubt = Some("fonts");
        }
        read
    }

    /// The numbers of letters in a string.
    pub(super) fn codes(&self, text: &[u8]) -> impl Iterator<Item = usize> {
        text.chunks(self.bytes.max(1))
            .map(|code| code.iter().fold(0, |all, byte| all << 8 | usize::from(*byte)))
    }

    /// How wide a letter is said to be, in parts of its size.
    pub(super) fn width(&self, code: usize) -> f32 {
        self.widths.get(&code).copied().unwrap_or(self.usual)
    }

    /// The room that a letter usually needs.
    pub(super) fn room(&self, code: usize) -> f32 {
        self.rooms.get(&code).copied().unwrap_or(0.35)
    }

    /// Whether a letter may be seen as another, or not at all.
    pub(super) fn is_odd(&self, code: usize) -> bool {
        self.odd.contains(&code)
    }

    fn simple(&mut self, document: &Document, font: &Dictionary, meanings: &[Meaning]) {
        let names = Names::of(document, font);
        let descriptor = document.get_dict_in_dict(font, b"FontDescriptor").ok();
        let is_brought = descriptor.is_some_and(brings_letters);
        let family = font.get(b"BaseFont").and_then(Object::as_name).unwrap_or_default();
        if is_lying(&names, meanings) || !is_brought && !has_usual_letters(family) {
            self.doubt = Some("fonts");
        }
        self.simple_widths(document, font);
        let mut letters: HashMap<usize, char> = (0..256)
            .filter_map(|code| Some((code, char::from_u32(u32::from(names.letter(code)?))?)))
            .collect();
        letters.extend(meant(meanings));
        let program = descriptor.and_then(|descriptor| program(document, descriptor));
        let glyphs = |code: usize, letter: char, program: &TrueType| program.of_simple(code, letter);
        self.look_at(&letters, program.as_deref(), glyphs);
    }

    fn simple_widths(&mut self, document: &Document, font: &Dictionary) {
        let first = font.get_deref(b"FirstChar", document).and_then(Object::as_i64).unwrap_or(0);
        let Ok(widths) = font.get_deref(b"Widths", document).and_then(Object::as_array) else { return };
        let first = usize::try_from(first).unwrap_or(0);
        for (index, width) in widths.iter().take(256).enumerate() {
            self.put(document, first + index, width);
        }
        self.is_guessed = false;
    }

    fn composite(&mut self, document: &Document, font: &Dictionary, meanings: &[Meaning]) {
        let parts = font.get_deref(b"DescendantFonts", document).and_then(Object::as_array);
        let part = parts.ok().and_then(|parts| document.dereference(parts.first()?).ok()?.1.as_dict().ok());
        let Some(part) = part else { return };
        self.composite_widths(document, part);
        let descriptor = document.get_dict_in_dict(part, b"FontDescriptor").ok();
        let is_plain = font
            .get_deref(b"Encoding", document)
            .and_then(Object::as_name)
            .is_ok_and(|name| name == b"Identity-H");
        // Which letters numbers mean is known of none but the font itself.
        if !is_plain || !descriptor.is_some_and(brings_letters) {
            self.doubt = Some("fonts");
        }
        let glyphs_of = match part.get_deref(b"CIDToGIDMap", document) {
            Ok(Object::Stream(map)) => Some(plain(map)),
            _ => None,
        };
        let program = descriptor.and_then(|descriptor| program(document, descriptor));
        let glyphs = |code: usize, _: char, program: &TrueType| {
            let number = match &glyphs_of {
                None => code,
                Some(map) => {
                    let at = map.get(2 * code..2 * code + 2).unwrap_or(&[0, 0]);
                    usize::from(at[0]) << 8 | usize::from(at[1])
                }
            };
            vec![program.glyph(number)]
        };
        self.look_at(&meant(meanings).collect(), program.as_deref(), glyphs);
    }

    fn composite_widths(&mut self, document: &Document, part: &Dictionary) {
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

    /// Compares letters with what the font paints for them.
    fn look_at(
        &mut self,
        letters: &HashMap<usize, char>,
        program: Option<&[u8]>,
        glyphs: impl Fn(usize, char, &TrueType) -> Vec<Option<Glyph>>,
    ) {
        let program = program.map(TrueType::read);
        if matches!(program, Some(None)) {
            self.doubt = Some("fonts");
        }
        for (code, letter) in letters {
            self.rooms.insert(*code, room_of(*letter));
            if letter.is_whitespace() || letter.is_control() {
                continue;
            }
            let Some(Some(program)) = &program else { continue };
            let found = glyphs(*code, *letter, program);
            if found.is_empty()
                || found.iter().any(|glyph| !glyph.as_ref().is_some_and(|glyph| glyph.may_be(*letter)))
            {
                self.odd.insert(*code);
            }
            if let Some(glyph) = found.into_iter().flatten().next() {
                self.rooms.insert(*code, glyph.width.max(0.6 * room_of(*letter)));
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

/// The letters that numbers are said to mean; of several letters for one number, the first.
fn meant(meanings: &[Meaning]) -> impl Iterator<Item = (usize, char)> {
    meanings.iter().filter_map(|(code, meaning)| {
        Some((*code, char::decode_utf16(meaning.iter().copied()).next()?.ok()?))
    })
}

fn brings_letters(descriptor: &Dictionary) -> bool {
    [b"FontFile".as_slice(), b"FontFile2", b"FontFile3"].iter().any(|key| descriptor.has(key))
}

/// The program of a font in the form of which the outlines are looked at.
fn program(document: &Document, descriptor: &Dictionary) -> Option<Vec<u8>> {
    descriptor.get_deref(b"FontFile2", document).ok()?.as_stream().ok().map(plain)
}
