//! How the letters of one line stand to each other: letters that are painted upon each other cannot be read.

use pdf_extract::Object;

use super::font::Font;
use super::state::State;

/// The part of their usual room that letters need.
const LEAST_ROOM: f32 = 0.65;
/// How far, in parts of their size, a line may go back over its letters: accents are painted so.
const FARTHEST_BACK: f32 = 0.7;

/// The letters that one operation paints.
#[derive(Default)]
pub(super) struct Line {
    /// How far they go, and where they stand now, in parts of their size.
    pub(super) along: f32,
    pub(super) count: usize,
    pub(super) doubt: Option<&'static str>,
    /// A mark by which the same letters are known again.
    pub(super) mark: u64,
    farthest: f32,
    /// Where the last letter began, and the room that it usually needs.
    last: Option<(f32, f32)>,
    needed: f32,
    taken: f32,
}

impl Line {
    pub(super) fn of(operands: &[Object], font: &Font, state: &State) -> Self {
        let mut line = Self::default();
        let parts: &[Object] = match operands.last() {
            Some(Object::Array(parts)) => parts,
            Some(other) => std::slice::from_ref(other),
            None => return line,
        };
        for part in parts {
            match part {
                Object::String(bytes, _) => font.codes(bytes).for_each(|code| line.letter(code, font, state)),
                part => line.step(-part.as_float().unwrap_or(0.0) / 1000.0),
            }
        }
        line.end_letter();
        if line.taken < LEAST_ROOM * line.needed {
            line.doubt = line.doubt.or(Some("spacing of letters"));
        }
        line
    }

    fn letter(&mut self, code: usize, font: &Font, state: &State) {
        self.end_letter();
        let size = match state.font_size {
            0.0 => 1.0,
            size => size,
        };
        // Only blanks of one byte are made wider (ISO 32000-1, 9.3.3).
        let is_blank = code == usize::from(b' ') && font.bytes == 1;
        let more = state.letter_spacing + if is_blank { state.word_spacing } else { 0.0 };
        self.last = Some((self.along, font.room(code)));
        self.step(font.width(code) + more / size);
        self.count += 1;
        self.mark = self.mark.wrapping_mul(0x0100_0000_01b3).wrapping_add(code as u64 + 1);
        if font.is_odd(code) {
            self.doubt = self.doubt.or(Some("fonts"));
        }
    }

    fn step(&mut self, by: f32) {
        self.along += by;
        self.farthest = self.farthest.max(self.along);
        if self.along < self.farthest - FARTHEST_BACK {
            self.doubt = self.doubt.or(Some("spacing of letters"));
        }
    }

    fn end_letter(&mut self) {
        if let Some((from, room)) = self.last.take() {
            self.needed += room;
            self.taken += (self.along - from).clamp(0.0, room);
        }
    }
}
