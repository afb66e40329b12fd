//! Whether letters of a document can be seen: their colour on what is behind them, their size, and where they stand.
//! The bounds are those of HTML (`visible_text`).

use crate::model::Reason;
use crate::parse::visible_text::{self, BLACK, Color, Verdict, WHITE};

/// A colour that a document names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ink {
    /// One that the program picks so that it can be read.
    Automatic,
    Is(Color),
    /// One that we cannot work out.
    Unknown,
}

impl Ink {
    /// Six hexadecimal digits, with or without `#`, or eight of which the first two are opacity.
    pub(super) fn hex(digits: &str) -> Self {
        let digits = digits.trim().trim_start_matches('#');
        if digits.eq_ignore_ascii_case("auto") {
            return Self::Automatic;
        }
        let tail = digits.get(digits.len().saturating_sub(6)..).unwrap_or_default();
        match (matches!(digits.len(), 6 | 8), u32::from_str_radix(tail, 16)) {
            (true, Ok(value)) => {
                let [_, r, g, b] = value.to_be_bytes();
                Self::rgb([r, g, b].map(|part| f32::from(part) / 255.0))
            }
            _ => Self::Unknown,
        }
    }

    /// Parts from 0 to 1.
    pub(super) fn rgb(rgb: [f32; 3]) -> Self {
        Self::Is(Color { rgb: rgb.map(|part| part.clamp(0.0, 1.0)), alpha: 1.0 })
    }

    /// The colour with some of this one mixed in.
    pub(super) fn mixed(self, other: Color, share: f32) -> Self {
        match self {
            Self::Is(color) => Self::Is(Color { alpha: share.clamp(0.0, 1.0), ..color }.over(other)),
            other => other,
        }
    }

    /// As seen on white paper.
    pub(super) fn or(self, usual: Color) -> Option<Color> {
        match self {
            Self::Automatic => Some(usual),
            Self::Is(color) => Some(color),
            Self::Unknown => None,
        }
    }
}

/// What acts on letters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Letters {
    pub(super) ink: Ink,
    pub(super) ground: Ink,
    /// In points.
    pub(super) size: f32,
    pub(super) hidden: Option<Reason>,
    pub(super) doubt: Option<&'static str>,
}

impl Default for Letters {
    fn default() -> Self {
        Self { ink: Ink::Automatic, ground: Ink::Automatic, size: 12.0, hidden: None, doubt: None }
    }
}

impl Letters {
    /// Says that nobody sees them.
    pub(super) fn hide(&mut self, reason: Reason) {
        self.hidden.get_or_insert(reason);
    }

    /// Says that something acts on them that may hide them.
    pub(super) fn doubt(&mut self, reason: &'static str) {
        self.doubt.get_or_insert(reason);
    }

    /// Whether a person sees them.
    pub(super) fn verdict(&self) -> Verdict {
        if let Some(reason) = self.hidden {
            return Verdict::Hidden(reason);
        }
        let pixels = self.size * 4.0 / 3.0;
        let seen = match (self.ink, self.ground.or(WHITE)) {
            (Ink::Automatic, _) => visible_text::of_letters(BLACK, WHITE, pixels),
            (ink, Some(ground)) => match ink.or(BLACK) {
                Some(ink) => visible_text::of_letters(ink, ground, pixels),
                None => Verdict::Doubtful("color"),
            },
            (_, None) => Verdict::Doubtful("background"),
        };
        match (seen, self.doubt) {
            (Verdict::Hidden(_), _) | (_, None) => seen,
            (_, Some(reason)) => Verdict::Doubtful(reason),
        }
    }
}

/// A rectangle, by two corners.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) right: f32,
    pub(super) bottom: f32,
}

impl Area {
    pub(super) fn sized(left: f32, top: f32, width: f32, height: f32) -> Self {
        Self { left, top, right: left + width, bottom: top + height }
    }

    pub(super) fn center(&self) -> (f32, f32) {
        ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0)
    }

    pub(super) fn has(&self, (x, y): (f32, f32)) -> bool {
        x >= self.left && x <= self.right && y >= self.top && y <= self.bottom
    }

    /// How much of this lies in another, from 0 to 1; a line or a point lies in it or not.
    pub(super) fn share_in(&self, other: &Self) -> f32 {
        let along = |low: f32, high: f32, least: f32, most: f32| match high > low {
            true => (high.min(most) - low.max(least)).max(0.0) / (high - low),
            false => f32::from(low >= least && low <= most),
        };
        along(self.left, self.right, other.left, other.right)
            * along(self.top, self.bottom, other.top, other.bottom)
    }

    /// The same with more room on all sides.
    pub(super) fn grown(&self, room: f32) -> Self {
        Self {
            left: self.left - room,
            top: self.top - room,
            right: self.right + room,
            bottom: self.bottom + room,
        }
    }

    pub(super) fn is_within(&self, other: &Self) -> bool {
        other.has((self.left, self.top)) && other.has((self.right, self.bottom))
    }

    pub(super) fn overlap(&self, other: &Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }
}
