//! Fonts of TrueType that a document brings: whether their letters have outlines, and such as fit to what they are said to
//! be. An outline is not drawn; what is looked at is its box, and how many lines it is made of.

use std::collections::HashMap;

/// Letters of a font whose names are looked at.
const MOST_NAMES: usize = 70_000;

/// The tables of a font.
pub(super) struct TrueType<'a> {
    outlines: &'a [u8],
    places: &'a [u8],
    has_long_places: bool,
    widths: &'a [u8],
    width_count: usize,
    /// Parts that its letters are measured in.
    parts: f32,
    names: Names,
}

/// What a font paints for a letter.
pub(super) struct Glyph {
    /// In parts of its size, as all of it.
    pub(super) width: f32,
    low: f32,
    high: f32,
    left: f32,
    right: f32,
    /// How many closed lines it is made of, where it is not put together of others.
    lines: Option<usize>,
    /// What the font itself calls it.
    names: Vec<char>,
}

/// The lists in which a font says which letters it has, by what their numbers are.
#[derive(Default)]
struct Names {
    unicode: HashMap<usize, usize>,
    symbols: HashMap<usize, usize>,
    old: HashMap<usize, usize>,
    /// What letters are called, by their numbers in the font.
    back: HashMap<usize, Vec<char>>,
}

fn half(bytes: &[u8], at: usize) -> Option<usize> {
    let pair = bytes.get(at..at.checked_add(2)?)?;
    Some(usize::from(pair[0]) << 8 | usize::from(pair[1]))
}

fn signed(bytes: &[u8], at: usize) -> Option<f32> {
    let pair = bytes.get(at..at.checked_add(2)?)?;
    Some(f32::from(i16::from_be_bytes([pair[0], pair[1]])))
}

fn word(bytes: &[u8], at: usize) -> Option<usize> {
    Some(half(bytes, at)? << 16 | half(bytes, at.checked_add(2)?)?)
}

impl<'a> TrueType<'a> {
    /// The font, where it has all that is needed to look at its letters.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let count = half(bytes, 4)?;
        let table = |name: &[u8]| {
            let at =
                (0..count).map(|number| 12 + 16 * number).find(|at| bytes.get(*at..at + 4) == Some(name))?;
            let (from, size) = (word(bytes, at + 8)?, word(bytes, at + 12)?);
            bytes.get(from..from.checked_add(size)?.min(bytes.len()))
        };
        let head = table(b"head")?;
        let parts = half(head, 18).filter(|parts| *parts >= 16)? as f32;
        Some(Self {
            outlines: table(b"glyf")?,
            places: table(b"loca")?,
            has_long_places: half(head, 50)? != 0,
            widths: table(b"hmtx")?,
            width_count: half(table(b"hhea")?, 34)?,
            parts,
            names: table(b"cmap").map(Names::read).unwrap_or_default(),
        })
    }

    /// What it paints by a number; none where it paints nothing.
    pub(super) fn glyph(&self, number: usize) -> Option<Glyph> {
        let place = |number: usize| match self.has_long_places {
            true => word(self.places, 4 * number),
            false => Some(2 * half(self.places, 2 * number)?),
        };
        let (from, to) = (place(number)?, place(number + 1)?);
        let outline = self.outlines.get(from..to)?;
        let side = |at: usize| Some(signed(outline, at)? / self.parts);
        let lines = signed(outline, 0)?;
        let last = self.width_count.checked_sub(1)?;
        Some(Glyph {
            width: half(self.widths, 4 * number.min(last))? as f32 / self.parts,
            left: side(2)?,
            low: side(4)?,
            right: side(6)?,
            high: side(8)?,
            lines: (lines >= 0.0).then_some(lines as usize),
            names: self.names.back.get(&number).cloned().unwrap_or_default(),
        })
    }

    /// What it paints for a letter of one byte: by each of the lists that a program may look into.
    pub(super) fn of_simple(&self, code: usize, letter: char) -> Vec<Option<Glyph>> {
        let names = &self.names;
        let found = [
            names.symbols.get(&code).or_else(|| names.symbols.get(&(0xf000 + code))),
            names.old.get(&code),
            names.unicode.get(&(letter as usize)),
        ];
        found.into_iter().flatten().map(|number| self.glyph(*number)).collect()
    }
}

impl Names {
    fn read(table: &[u8]) -> Self {
        let mut names = Self::default();
        for list in (0..half(table, 2).unwrap_or(0).min(20)).map(|number| 4 + 8 * number) {
            let Some(found) = word(table, list + 4).and_then(|from| pairs(table.get(from..)?)) else {
                continue;
            };
            match (half(table, list), half(table, list + 2)) {
                (Some(3), Some(0)) => names.symbols.extend(found),
                (Some(1), _) => names.old.extend(found),
                _ => names.unicode.extend(found),
            }
        }
        for (letter, number) in &names.unicode {
            let letter = u32::try_from(*letter).ok().and_then(char::from_u32);
            names.back.entry(*number).or_default().extend(letter);
        }
        names
    }
}

/// The letters of a list and their numbers in the font.
fn pairs(list: &[u8]) -> Option<Vec<(usize, usize)>> {
    let found = match half(list, 0)? {
        0 => {
            list.get(6..262)?.iter().enumerate().map(|(code, number)| (code, usize::from(*number))).collect()
        }
        4 => ranges(list)?,
        6 => {
            let first = half(list, 6)?;
            (0..half(list, 8)?).filter_map(|at| Some((first + at, half(list, 10 + 2 * at)?))).collect()
        }
        12 => {
            let groups = (0..word(list, 12)?.min(MOST_NAMES)).map(|number| 16 + 12 * number);
            groups
                .map_while(|at| Some((word(list, at)?, word(list, at + 4)?, word(list, at + 8)?)))
                .flat_map(|(first, last, number)| (first..=last).zip(number..))
                .take(MOST_NAMES)
                .collect()
        }
        _ => return None,
    };
    Some(found.into_iter().filter(|(_, number)| *number != 0).collect())
}

/// A list of ranges, each with a step to its numbers or a place where they stand.
fn ranges(list: &[u8]) -> Option<Vec<(usize, usize)>> {
    let twice = half(list, 6)?;
    let mut found = Vec::new();
    for at in (0..twice).step_by(2) {
        let last = half(list, 14 + at)?;
        let first = half(list, 16 + twice + at)?;
        let step = half(list, 16 + 2 * twice + at)?;
        let place = 16 + 3 * twice + at;
        let offset = half(list, place)?;
        for code in first..=last {
            let number = match offset {
                0 => (code + step) & 0xffff,
                offset => match half(list, place + offset + 2 * (code - first)) {
                    Some(0) | None => 0,
                    Some(number) => (number + step) & 0xffff,
                },
            };
            found.push((code, number));
        }
        if found.len() > MOST_NAMES {
            return None;
        }
    }
    Some(found)
}

impl Glyph {
    /// Whether it can be that letter, as far as its box and its lines tell.
    pub(super) fn may_be(&self, letter: char) -> bool {
        let is_called_so =
            self.names.is_empty() || !letter.is_ascii_alphanumeric() || self.names.contains(&letter);
        let has_body = self.right > self.left && self.high > self.low && self.lines != Some(0);
        let is_sized = self.low > -1.0 && self.high < 1.6 && self.right - self.left < 2.5;
        is_called_so && has_body && is_sized && self.has_lines_of(letter) && self.stands_as(letter)
    }

    fn has_lines_of(&self, letter: char) -> bool {
        let least = match letter {
            'B' | '8' => 3,
            'a' | 'b' | 'd' | 'e' | 'g' | 'i' | 'j' | 'o' | 'p' | 'q' | 'A' | 'D' | 'O' | 'P' | 'Q' | 'R' => {
                2
            }
            _ => 1,
        };
        self.lines.is_none_or(|lines| lines >= least)
    }

    /// Whether it reaches up and down as that letter does.
    fn stands_as(&self, letter: char) -> bool {
        match letter {
            'a' | 'c' | 'e' | 'm' | 'n' | 'o' | 'r' | 's' | 'u' | 'v' | 'w' | 'x' => {
                self.high < 0.68 && self.high > 0.25 && self.low > -0.15
            }
            'b' | 'd' | 'h' | 'k' | 'l' => self.high > 0.5 && self.low > -0.15,
            'g' | 'p' | 'q' | 'y' => self.low < -0.08 && self.high < 0.75,
            'A'..='Z' => self.high > 0.45,
            _ => true,
        }
    }
}
