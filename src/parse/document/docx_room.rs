//! Room that ends: rows, frames and boxes of a fixed height cut off what does not fit.

use super::sight::Letters;

/// How wide a letter and how high a line are, in parts of their size.
const LETTER: f32 = 0.5;
const LINE: f32 = 1.2;

/// What is left of a place of fixed height, in points.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Room {
    /// None where the place grows with its text.
    left: Option<f32>,
    width: f32,
    /// How far the letters of the line that is open go.
    along: f32,
}

impl Room {
    pub(super) fn of(width: f32, height: f32) -> Self {
        Self { left: Some(height), width: width.max(20.0), along: 0.0 }
    }

    /// Whether it cuts off what does not fit.
    pub(super) fn ends(&self) -> bool {
        self.left.is_some()
    }

    pub(super) fn widen(&mut self, width: f32) {
        self.width = width.max(20.0);
    }

    /// A paragraph begins, with this distance to others.
    pub(super) fn begin(&mut self, gap: f32) {
        self.along = 0.0;
        self.left = self.left.map(|left| left - gap.max(0.0));
    }

    /// A line ends that has letters of this size.
    pub(super) fn end_line(&mut self, size: f32) {
        self.along = 0.0;
        self.left = self.left.map(|left| left - LINE * size);
    }

    /// Letters take room; whether they are within it is in doubt past its end.
    pub(super) fn take(&mut self, text: &str, letters: &mut Letters) {
        let Some(left) = &mut self.left else { return };
        self.along += text.chars().count() as f32 * LETTER * letters.size;
        let full = (self.along / self.width).floor();
        self.along -= full * self.width;
        *left -= full * LINE * letters.size;
        // The line that is open needs its height, too.
        if *left < 0.9 * letters.size {
            letters.doubt("clipping");
        }
    }
}
