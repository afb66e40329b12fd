//! Things that stand on a page of Word by themselves, and whether text in them can be seen where they are.

use super::xml::Tag;

/// English metric units, in which drawings are measured, of a twentieth of a point, in which text is.
pub(super) const TWENTIETH: f32 = 635.0;

/// The page that things stand on, in English metric units.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sheet {
    pub(super) width: f32,
    pub(super) height: f32,
    pub(super) left: f32,
    pub(super) right: f32,
    pub(super) top: f32,
}

impl Default for Sheet {
    fn default() -> Self {
        Self { width: 7.6e6, height: 1.07e7, left: 900_000.0, right: 900_000.0, top: 900_000.0 }
    }
}

/// One thing while it is read, and after.
#[derive(Debug, Clone, Default)]
pub(super) struct Anchor {
    is_behind: bool,
    pushes_text: bool,
    outline: Vec<(f32, f32)>,
    /// From where its place is reckoned, along and down, and how far it is.
    from: [String; 2],
    offset: [Option<f32>; 2],
    size: Option<(f32, f32)>,
    is_read: bool,
    is_down: bool,
    reads_offset: bool,
}

impl Anchor {
    pub(super) fn of(tag: &Tag<'_>) -> Self {
        Self { is_behind: tag.says("behindDoc"), is_read: true, ..Self::default() }
    }

    /// Whether it has been read to its end.
    pub(super) fn is_read(&self) -> bool {
        self.is_read
    }

    pub(super) fn hear(&mut self, tag: &Tag<'_>, name: &str) {
        match name {
            "wrapSquare" | "wrapTopAndBottom" => self.pushes_text = true,
            "start" | "lineTo" => {
                let point = tag.number("x").zip(tag.number("y"));
                self.outline.push(point.unwrap_or((f32::NAN, f32::NAN)));
            }
            "positionH" | "positionV" => {
                self.is_down = name == "positionV";
                self.from[usize::from(self.is_down)] = tag.attribute("relativeFrom").unwrap_or_default();
            }
            "posOffset" => self.reads_offset = true,
            "extent" if self.size.is_none() => self.size = tag.number("cx").zip(tag.number("cy")),
            _ => {}
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        if std::mem::take(&mut self.reads_offset) {
            self.offset[usize::from(self.is_down)] = Some(text.trim().parse().unwrap_or(f32::NAN));
        }
    }

    /// Whether it lies over the text of the page.
    pub(super) fn covers_text(&self) -> bool {
        !self.is_behind && !self.pushes_text && !is_around_all(&self.outline)
    }

    /// What may hide the text in it, with all that stands on the same pages.
    pub(super) fn doubt(&self, all: &[Self], sheet: &Sheet) -> Option<&'static str> {
        let others = all.iter().filter(|other| !std::ptr::eq(*other, self));
        match () {
            // Grounds of paragraphs are painted over what is behind the text.
            () if self.is_behind => Some("something over it"),
            () if !self.is_on(sheet) => Some("position"),
            () if others.clone().any(|other| !self.is_apart_from(other)) => Some("something over it"),
            () => None,
        }
    }

    fn is_on(&self, sheet: &Sheet) -> bool {
        let Some((wide, high)) = self.size else { return true };
        let along = self.offset[0].is_none_or(|offset| {
            let from = match self.from[0].as_str() {
                "page" | "leftMargin" | "insideMargin" => 0.0,
                "" | "margin" | "column" | "character" => sheet.left,
                "rightMargin" => sheet.width - sheet.right,
                _ => return false,
            };
            is_inside(from + offset, wide, sheet.width)
        });
        let down = self.offset[1].is_none_or(|offset| match self.from[1].as_str() {
            "page" | "topMargin" => is_inside(offset, high, sheet.height),
            "margin" => is_inside(sheet.top + offset, high, sheet.height),
            // Word keeps what hangs on a paragraph or a line on its page, but only below its top.
            "" | "paragraph" | "line" => offset > -sheet.top / 2.0 && offset + high <= sheet.height,
            _ => false,
        });
        along && down
    }

    /// Whether two things stand beside each other or below each other for certain.
    fn is_apart_from(&self, other: &Self) -> bool {
        let (Some(size), Some(other_size)) = (self.size, other.size) else { return false };
        let sizes = [(size.0, other_size.0), (size.1, other_size.1)];
        (0..2).any(|side| {
            let is_fixed = matches!(self.from[side].as_str(), "page" | "margin" | "leftMargin" | "topMargin");
            let offsets = self.offset[side].zip(other.offset[side]);
            let is_apart = |(one, two): (f32, f32)| {
                let (long, other_long) = sizes[side];
                one + long <= two || two + other_long <= one
            };
            is_fixed && self.from[side] == other.from[side] && offsets.is_some_and(is_apart)
        })
    }
}

/// Whether most of what begins there lies on a side of this length.
fn is_inside(from: f32, length: f32, side: f32) -> bool {
    from >= -0.1 * length && from + length <= side + 0.1 * length
}

/// Whether a line around a thing, in 21,600th of its size, leaves no room for text on it.
fn is_around_all(outline: &[(f32, f32)]) -> bool {
    let at = |value: f32, side: f32| (value - side).abs() <= 1_500.0;
    let is_corner =
        |(x, y): &(f32, f32)| (at(*x, 0.0) || at(*x, 21_600.0)) && (at(*y, 0.0) || at(*y, 21_600.0));
    let corners: std::collections::HashSet<(bool, bool)> =
        outline.iter().map(|(x, y)| (*x > 10_000.0, *y > 10_000.0)).collect();
    corners.len() == 4 && outline.len() <= 6 && outline.iter().all(is_corner)
}
