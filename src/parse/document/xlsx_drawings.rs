//! What lies over cells of a sheet: pictures, charts, shapes, and tables whose style paints their cells.

use super::DocumentError;
use super::archive::Archive;
use super::package;
use super::xlsx::{Range, range};
use super::xml::{self, Listener, Tag};

/// All of a sheet.
const EVERYWHERE: Range = ((0, 0), (u32::MAX, u32::MAX));

/// Ranges of cells of a sheet that something may hide, and what.
pub(super) fn over(
    archive: &mut Archive<'_>,
    sheet: &str,
) -> Result<Vec<(Range, &'static str)>, DocumentError> {
    let mut found = Anchors::default();
    for relation in package::relations(archive, sheet)? {
        if matches!(relation.kind.as_str(), "drawing" | "vmlDrawing" | "table")
            && let Some(text) = archive.part_if_any(&relation.target)?
        {
            xml::walk(&text, &mut found);
        }
    }
    Ok(found.ranges)
}

#[derive(Default)]
struct Anchors {
    ranges: Vec<(Range, &'static str)>,
    /// The corner that is being read, and the numbers that stand in it.
    is_end: bool,
    reads: Option<usize>,
    /// Column, its offset, row, its offset: of the first corner and the last.
    corners: [[f32; 4]; 2],
    size: Option<(f32, f32)>,
    in_old_anchor: bool,
    /// Whether an older shape is not shown: the comments that come up under the pointer.
    is_hidden: bool,
    table: Option<Range>,
}

impl Anchors {
    fn end(&mut self, name: &str) {
        let [[left, _, top, _], [right, beside, bottom, below]] = self.corners;
        let cell = |value: f32| value.clamp(0.0, 2e6) as u32;
        // What ends where a cell begins does not lie over it.
        let last = |at: f32, over: f32| cell(if over > 0.0 { at } else { at - 1.0 });
        let range = match (name, self.size) {
            ("twoCellAnchor", _) => ((cell(top), cell(left)), (last(bottom, below), last(right, beside))),
            // English metric units; where it ends is guessed by low and narrow cells.
            ("oneCellAnchor", Some((width, height))) => {
                ((cell(top), cell(left)), (cell(top + height / 127_000.0), cell(left + width / 381_000.0)))
            }
            _ => EVERYWHERE,
        };
        self.ranges.push((range, "something over it"));
        (self.corners, self.size) = ([[0.0; 4]; 2], None);
    }

    fn old_anchor(&mut self, text: &str) {
        let numbers: Vec<f32> = text.split(',').filter_map(|number| number.trim().parse().ok()).collect();
        let [left, dx, top, dy, right, beside, bottom, below] = numbers[..] else { return };
        if !self.is_hidden {
            self.corners = [[left, dx, top, dy], [right, beside, bottom, below]];
            self.end("twoCellAnchor");
        }
    }
}

impl Listener for Anchors {
    fn open(&mut self, tag: &Tag<'_>) {
        match tag.name().as_ref() {
            "from" => self.is_end = false,
            "to" => self.is_end = true,
            "col" => self.reads = Some(0),
            "colOff" => self.reads = Some(1),
            "row" => self.reads = Some(2),
            "rowOff" => self.reads = Some(3),
            "ext" if self.size.is_none() => self.size = tag.number("cx").zip(tag.number("cy")),
            "shape" => {
                let style = tag.attribute("style").unwrap_or_default().to_ascii_lowercase().replace(' ', "");
                self.is_hidden = style.contains("visibility:hidden");
            }
            "Anchor" => self.in_old_anchor = true,
            "table" => self.table = tag.attribute("ref").and_then(|name| range(&name)),
            // Dark styles, and those of the workbook itself.
            "tableStyleInfo" => {
                let name = tag.attribute("name").unwrap_or_default();
                let is_light =
                    ["TableStyleLight", "TableStyleMedium"].iter().any(|known| name.starts_with(known));
                let range = self.table.take().filter(|_| !is_light && !name.is_empty());
                self.ranges.extend(range.map(|range| (range, "styles")));
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        self.reads = None;
        match name {
            "twoCellAnchor" | "oneCellAnchor" | "absoluteAnchor" => self.end(name),
            "Anchor" => self.in_old_anchor = false,
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(place) = self.reads {
            self.corners[usize::from(self.is_end)][place] = text.trim().parse().unwrap_or(0.0);
        } else if self.in_old_anchor {
            self.old_anchor(text);
        }
    }
}
