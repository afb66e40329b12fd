//! What lies over text in OpenDocument, and paragraphs that something in them hides: known only when all was read.

use std::collections::HashSet;

use super::open_document_styles::{Styles, length};
use super::sight::Area;
use super::xml::{self, Listener, Tag};

/// Shapes of a page that are compared with each other; past this all of them are in doubt.
const MOST_SHAPES: usize = 300;
/// Ranges of cells that have something over them; past this all cells are in doubt.
const MOST_RANGES: usize = 200;

/// What was found. Paragraphs, shapes and sheets are told by their numbers in the order in which they begin.
#[derive(Default)]
pub(super) struct Survey<'s> {
    styles: Option<&'s Styles>,
    pub(super) doubt: Option<&'static str>,
    /// Paragraphs that hide themselves.
    pub(super) hidden: HashSet<usize>,
    /// Shapes that others lie over.
    covered: HashSet<usize>,
    /// Sheets, and rectangles of their cells that shapes lie over.
    ranges: Vec<(usize, [u32; 4])>,
    pub(super) is_text: bool,
    paragraphs: (usize, Vec<usize>),
    shapes: usize,
    page: Vec<(usize, Area, bool)>,
    sheets: usize,
    cell: (u32, u32),
    in_loose_shapes: bool,
    /// How many cells and rows the open ones stand for.
    next_cells: Vec<u32>,
    next_rows: Vec<u32>,
}

impl<'s> Survey<'s> {
    pub(super) fn of(text: &str, styles: &'s Styles) -> Self {
        let mut survey = Self { styles: Some(styles), ..Self::default() };
        xml::walk(text, &mut survey);
        survey.end_page();
        survey
    }

    /// Whether something lies over a shape.
    pub(super) fn is_covered(&self, shape: usize) -> bool {
        self.covered.contains(&shape)
    }

    /// Whether something lies over a cell of a sheet.
    pub(super) fn is_cell_covered(&self, sheet: usize, (row, column): (u32, u32)) -> bool {
        self.ranges.len() > MOST_RANGES
            || self.ranges.iter().any(|(at, [top, left, bottom, right])| {
                *at == sheet && (*top..=*bottom).contains(&row) && (*left..=*right).contains(&column)
            })
    }

    fn shape(&mut self, tag: &Tag<'_>, name: &str) {
        self.shapes += 1;
        let Some(styles) = self.styles else { return };
        let style = tag.attribute("style-name");
        let (is_filled, is_before) = styles.covers(style.as_deref(), name != "frame");
        if self.is_text && is_before {
            self.doubt = Some("something over it");
        }
        let at = |name: &str| tag.attribute(name).and_then(|value| length(&value)).unwrap_or(0.0);
        let area = Area::sized(at("x"), at("y"), at("width"), at("height"));
        self.page.push((self.shapes, area, is_filled));
        if self.sheets > 0 && self.ranges.len() <= MOST_RANGES {
            let (row, column) = self.cell;
            let end = tag.attribute("end-cell-address").and_then(|name| cell_of(&name));
            // Where it ends is guessed by low and narrow cells.
            let size = ((at("height") / 10.0).min(1e6), (at("width") / 30.0).min(1e6));
            let range = match (self.in_loose_shapes, end) {
                (false, Some((bottom, right))) => [row, column, bottom, right],
                (false, None) => [
                    row,
                    column,
                    row.saturating_add(size.0 as u32 + 1),
                    column.saturating_add(size.1 as u32 + 1),
                ],
                (true, _) => [0, 0, u32::MAX, u32::MAX],
            };
            self.ranges.push((self.sheets, range));
        }
    }

    fn end_page(&mut self) {
        let shapes = std::mem::take(&mut self.page);
        for (index, (number, area, _)) in shapes.iter().enumerate() {
            let above = shapes.iter().skip(index + 1).filter(|(_, _, is_filled)| *is_filled);
            if shapes.len() > MOST_SHAPES || covers(area, above.map(|(_, area, _)| area)) {
                self.covered.insert(*number);
            }
        }
    }
}

/// Whether areas cover too much of another, all taken together.
fn covers<'a>(area: &Area, above: impl Iterator<Item = &'a Area>) -> bool {
    above.map(|cover| area.share_in(cover)).sum::<f32>() > 0.3
}

/// The row and the column of `Sheet1.B7`, counted from 0.
fn cell_of(name: &str) -> Option<(u32, u32)> {
    super::xlsx::place(name.rsplit('.').next()?)
}

impl Listener for Survey<'_> {
    fn open(&mut self, tag: &Tag<'_>) {
        let name = tag.name();
        let repeated = |name: &str| tag.number(name).unwrap_or(1.0).clamp(1.0, 1e6) as u32;
        match name.as_ref() {
            "text" if tag.prefix() == "office" => self.is_text = true,
            "p" | "h" => {
                self.paragraphs.0 += 1;
                self.paragraphs.1.push(self.paragraphs.0);
            }
            "hidden-paragraph" => self.hidden.extend(self.paragraphs.1.last()),
            "page" if tag.prefix() == "draw" => self.end_page(),
            "table" => {
                self.sheets += usize::from(!self.is_text);
                self.cell = (0, 0);
            }
            "shapes" => self.in_loose_shapes = true,
            "table-row" => self.cell.1 = 0,
            "image" => {
                if let Some((_, _, is_filled)) = self.page.last_mut() {
                    *is_filled = true;
                }
            }
            name if is_shape(name) => self.shape(tag, name),
            _ => {}
        }
        match name.as_ref() {
            "table-cell" | "covered-table-cell" => self.next_cells.push(repeated("number-columns-repeated")),
            "table-row" => self.next_rows.push(repeated("number-rows-repeated")),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "p" | "h" => drop(self.paragraphs.1.pop()),
            "shapes" => self.in_loose_shapes = false,
            "table-cell" | "covered-table-cell" => {
                self.cell.1 = self.cell.1.saturating_add(self.next_cells.pop().unwrap_or(1))
            }
            "table-row" => self.cell.0 = self.cell.0.saturating_add(self.next_rows.pop().unwrap_or(1)),
            _ => {}
        }
    }

    fn text(&mut self, _text: &str) {}
}

/// Elements that lie somewhere by themselves.
pub(super) fn is_shape(name: &str) -> bool {
    matches!(
        name,
        "frame"
            | "custom-shape"
            | "rect"
            | "polygon"
            | "path"
            | "circle"
            | "ellipse"
            | "regular-polygon"
            | "caption"
            | "control"
    )
}
