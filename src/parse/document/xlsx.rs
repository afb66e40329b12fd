//! Which cells of a workbook a person sees: not those of hidden sheets, rows and columns, not those inside merged ones, and
//! not those whose letters cannot be read.

use std::collections::HashMap;

use crate::model::Reason;
use crate::parse::visible_text::Verdict;

use super::DocumentError;
use super::archive::Archive;
use super::docx_known::beyond;
use super::package::{self, Theme};
use super::sight::Letters;
use super::xlsx_drawings;
use super::xlsx_styles::{CellStyles, Pieces, strings};
use super::xml::{self, Listener, Tag};

/// Rows or columns that may be empty between two cells; what stands further away is not found by scrolling.
const FARTHEST: (u32, u32) = (400, 60);
/// Comparisons of cells with ranges; past this all of a sheet is in doubt.
const MOST_COMPARED: usize = 20_000_000;

/// Blanks in a row inside a text; what stands behind more of them is pushed out of sight.
const WIDEST_GAP: usize = 40;

/// What is known of a workbook's cells.
#[derive(Default)]
pub(super) struct Workbook {
    sheets: HashMap<String, Sheet>,
}

/// What is known of the cells of one sheet; all others are shown.
#[derive(Default)]
pub(super) struct Sheet {
    whole: Option<Verdict>,
    cells: HashMap<(u32, u32), Cell>,
}

/// What replaces the text of a cell.
pub(super) struct Cell {
    /// Pieces of its text and whether each is seen; the value of the cell where there are none.
    pub(super) pieces: Vec<(String, Verdict)>,
    pub(super) verdict: Verdict,
}

impl Workbook {
    /// Looks through a workbook.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, DocumentError> {
        let mut archive = Archive::open(bytes)?;
        let main = package::main_part(&mut archive, "xl/workbook.xml")?;
        let relations = package::relations(&mut archive, &main)?;
        let theme = Theme::read(package::related(&mut archive, &relations, "theme")?.as_deref());
        let styles = package::related(&mut archive, &relations, "styles")?;
        let styles = CellStyles::read(styles.as_deref(), &theme);
        let shared = package::related(&mut archive, &relations, "sharedStrings")?;
        let shared = strings(shared.as_deref().unwrap_or_default(), &theme);
        let mut list = SheetList::default();
        if let Some(text) = archive.part_if_any(&main)? {
            xml::walk(&text, &mut list);
        }
        let mut sheets = HashMap::new();
        for (name, id, is_hidden) in list.sheets {
            let part = relations.iter().find(|relation| relation.id == id);
            let text = match part {
                Some(part) => archive.part_if_any(&part.target)?.unwrap_or_default(),
                None => String::new(),
            };
            let mut grid = Grid { styles: Some(&styles), shared: Some(&shared), ..Grid::default() };
            if let Some(part) = part {
                grid.doubtful = xlsx_drawings::over(&mut archive, &part.target)?;
            }
            xml::walk(&text, &mut grid);
            let mut sheet = grid.settled();
            if is_hidden {
                sheet.whole = Some(Verdict::Hidden(Reason::Display));
            }
            sheets.insert(name, sheet);
        }
        Ok(Self { sheets })
    }

    /// What is known of a sheet.
    pub(super) fn sheet(&self, name: &str) -> Option<&Sheet> {
        self.sheets.get(name)
    }
}

impl Sheet {
    /// Whether the sheet itself is seen.
    pub(super) fn verdict(&self) -> Verdict {
        self.whole.unwrap_or(Verdict::Shown)
    }

    /// What is known of a cell, counted from 0, unless it is simply shown.
    pub(super) fn cell(&self, place: (u32, u32)) -> Option<&Cell> {
        self.cells.get(&place)
    }
}

#[derive(Default)]
struct SheetList {
    sheets: Vec<(String, String, bool)>,
}

impl Listener for SheetList {
    fn open(&mut self, tag: &Tag<'_>) {
        if tag.name() == "sheet" {
            let is_hidden = tag.attribute("state").is_some_and(|state| state != "visible");
            let name = tag.attribute("name").unwrap_or_default();
            self.sheets.push((
                name,
                tag.qualified("r:id").or_else(|| tag.attribute("id")).unwrap_or_default(),
                is_hidden,
            ));
        }
    }

    fn close(&mut self, _name: &str) {}

    fn text(&mut self, _text: &str) {}
}

/// A rectangle of cells, both corners included.
pub(super) type Range = ((u32, u32), (u32, u32));

/// A sheet while it is read.
#[derive(Default)]
struct Grid<'a> {
    styles: Option<&'a CellStyles>,
    shared: Option<&'a [Pieces]>,
    sheet: Sheet,
    /// Columns that are hidden or too narrow.
    narrow: Vec<(u32, u32)>,
    row: u32,
    row_verdict: Option<Verdict>,
    next: (u32, u32),
    seen: Vec<(u32, u32)>,
    place: (u32, u32),
    is_shared: bool,
    in_value: bool,
    in_own_text: bool,
    number: String,
    hides_rows: bool,
    merged: Vec<Range>,
    /// What something lies over or a condition may change.
    doubtful: Vec<(Range, &'static str)>,
    /// Of a format under a condition that is being read.
    pending: Vec<Range>,
    last: Option<(u32, u32)>,
    /// The first row and column that a frozen view shows: nobody can scroll to what is before them.
    first: (u32, u32),
    view: Option<(u32, u32)>,
    letters: Letters,
    /// How high the row is where that is said, and all others.
    height: Option<f32>,
    usual_height: Option<f32>,
    /// Of a text that no other cell has: its lines, and how many blanks stand at its end.
    lines: usize,
    blanks: usize,
    has_gap: bool,
}

impl Grid<'_> {
    fn begin_row(&mut self, tag: &Tag<'_>) {
        self.row = tag.number("r").map_or(self.next.0, |row| (row as u32).saturating_sub(1));
        self.next = (self.row + 1, 0);
        self.height = tag.number("ht").or(self.usual_height);
        let is_low = self.height.is_some_and(|points| points < 3.0);
        let is_hidden = match tag.attribute("hidden") {
            Some(_) => tag.says("hidden"),
            None => self.hides_rows && tag.attribute("ht").is_none(),
        };
        self.row_verdict = (is_hidden || is_low).then_some(Verdict::Hidden(Reason::Display));
    }

    fn begin_cell(&mut self, tag: &Tag<'_>) {
        let named = tag.attribute("r").and_then(|name| place(&name));
        self.place = named.unwrap_or((self.row, self.next.1));
        self.next.1 = self.place.1 + 1;
        self.is_shared = tag.attribute("t").as_deref() == Some("s");
        self.number.clear();
        let is_narrow = self.narrow.iter().any(|(low, high)| (*low..=*high).contains(&self.place.1));
        let style = tag.number("s").map_or(0, |style| style as usize);
        self.letters = self.styles.map_or(Letters::default(), |styles| styles.letters(style));
        (self.lines, self.blanks, self.has_gap) = (1, 0, false);
        let own = self.letters.verdict();
        let is_before = self.place.0 < self.first.0 || self.place.1 < self.first.1;
        let far = self.last.is_some_and(|(row, column)| {
            self.place.0 > row.saturating_add(FARTHEST.0) || self.place.1 > column.saturating_add(FARTHEST.1)
        });
        let verdict = match self.row_verdict {
            Some(verdict) => verdict,
            None if is_narrow => Verdict::Hidden(Reason::Display),
            None if is_before => Verdict::Hidden(Reason::OffScreen),
            None if far && own == Verdict::Shown => Verdict::Doubtful("far away"),
            None => own,
        };
        if !far {
            let (row, column) = self.last.unwrap_or((0, 0));
            self.last = Some((row.max(self.place.0), column.max(self.place.1)));
        }
        self.note(verdict);
        if self.seen.len() < 1_000_000 {
            self.seen.push(self.place);
        }
    }

    fn note(&mut self, verdict: Verdict) {
        if verdict != Verdict::Shown {
            self.sheet.cells.insert(self.place, Cell { pieces: Vec::new(), verdict });
        }
    }

    /// Lines and wide gaps of a text: what stands behind them may not be seen.
    fn measure(&mut self, text: &str) {
        for c in text.chars() {
            self.lines += usize::from(c == '\n');
            self.blanks = if c.is_whitespace() { self.blanks + 1 } else { 0 };
            self.has_gap |= self.blanks > WIDEST_GAP;
        }
    }

    /// A text that several cells may have: some of its letters may not be seen.
    fn end_cell(&mut self) {
        let pieces = self.number.trim().parse::<usize>().ok().filter(|_| self.is_shared);
        let pieces = pieces.zip(self.shared).and_then(|(number, shared)| shared.get(number));
        pieces.into_iter().flatten().for_each(|(text, _)| self.measure(text));
        let needed = self.lines as f32 * self.letters.size;
        let is_cut = self.lines > 1 && self.height.is_some_and(|height| height < needed);
        if is_cut || self.has_gap {
            self.sheet
                .cells
                .entry(self.place)
                .or_insert(Cell { pieces: Vec::new(), verdict: Verdict::Doubtful("overflow") });
        }
        let ground = self.letters.ground;
        let seen =
            |look: &Option<Letters>| look.map_or(Verdict::Shown, |look| Letters { ground, ..look }.verdict());
        let Some(pieces) =
            pieces.filter(|pieces| pieces.iter().any(|(_, look)| seen(look) != Verdict::Shown))
        else {
            return;
        };
        let pieces = pieces.iter().map(|(text, look)| (text.clone(), seen(look))).collect();
        self.sheet.cells.entry(self.place).or_insert(Cell { pieces, verdict: Verdict::Shown });
    }

    /// Ranges say at the end of a sheet what holds for cells before them.
    fn settled(mut self) -> Sheet {
        let ranges = self.merged.len() + self.doubtful.len();
        if ranges.saturating_mul(self.seen.len()) > MOST_COMPARED {
            self.sheet.whole = Some(Verdict::Doubtful("ranges"));
            return self.sheet;
        }
        let is_in = |((top, left), (bottom, right)): &Range, (row, column): (u32, u32)| {
            (*top..=*bottom).contains(&row) && (*left..=*right).contains(&column)
        };
        for place in &self.seen {
            let is_corner = self.merged.iter().any(|(corner, _)| corner == place);
            let doubt = self.doubtful.iter().find(|(range, _)| is_in(range, *place));
            let is_merged = !is_corner && self.merged.iter().any(|range| is_in(range, *place));
            let verdict = match doubt {
                _ if is_merged => Verdict::Hidden(Reason::Covered),
                Some((_, reason)) => Verdict::Doubtful(reason),
                None => continue,
            };
            let cell = self.sheet.cells.entry(*place).or_insert(Cell { pieces: Vec::new(), verdict });
            if cell.verdict == Verdict::Shown {
                cell.verdict = verdict;
            }
        }
        self.sheet
    }
}

impl Listener for Grid<'_> {
    fn open(&mut self, tag: &Tag<'_>) {
        match tag.name().as_ref() {
            "sheetFormatPr" => {
                self.hides_rows = tag.says("zeroHeight");
                self.usual_height = tag.number("defaultRowHeight").filter(|_| tag.says("customHeight"));
                if beyond(tag, "defaultColWidth", 0.6, 300.0) {
                    self.sheet.whole = Some(Verdict::Doubtful("size"));
                }
            }
            "sheetView" => {
                self.view = tag.attribute("topLeftCell").and_then(|name| place(&name));
                if beyond(tag, "zoomScale", 40.0, 400.0) || beyond(tag, "zoomScaleNormal", 0.0, 400.0) {
                    self.sheet.whole = Some(Verdict::Doubtful("size"));
                }
            }
            "pane" if tag.attribute("state").is_some_and(|state| state.starts_with("frozen")) => {
                self.first = self.view.unwrap_or_default();
            }
            "col" => {
                let is_narrow = tag.says("hidden") || tag.number("width").is_some_and(|width| width < 0.6);
                if let (true, Some(low), Some(high)) = (is_narrow, tag.number("min"), tag.number("max")) {
                    self.narrow.push(((low as u32).saturating_sub(1), (high as u32).saturating_sub(1)));
                }
            }
            "row" => self.begin_row(tag),
            "c" => self.begin_cell(tag),
            "v" => self.in_value = true,
            "t" => self.in_own_text = true,
            "rPr" => self.note(Verdict::Doubtful("styles")),
            "mergeCell" => self.merged.extend(tag.attribute("ref").and_then(|name| range(&name))),
            "conditionalFormatting" => {
                let names = tag.attribute("sqref").unwrap_or_default();
                self.pending = names.split_whitespace().filter_map(range).collect();
            }
            // Colours by scale, bars and icons leave the letters as they are.
            "cfRule" => {
                let style = tag.number("dxfId").map(|style| style as usize);
                let is_harmless = |style| self.styles.is_some_and(|styles| styles.is_harmless(style));
                if style.is_some_and(|style| !is_harmless(style)) {
                    let ranges = std::mem::take(&mut self.pending);
                    self.doubtful.extend(ranges.into_iter().map(|range| (range, "conditions")));
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "v" => self.in_value = false,
            "t" => self.in_own_text = false,
            "c" => self.end_cell(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_value && self.is_shared && self.number.len() < 12 {
            self.number.push_str(text);
        } else if self.in_own_text || self.in_value {
            self.measure(text);
        }
    }
}

/// `B7` as row and column, counted from 0.
pub(super) fn place(name: &str) -> Option<(u32, u32)> {
    let name = name.replace('$', "");
    let digits = name.find(|c: char| c.is_ascii_digit())?;
    let (letters, row) = name.split_at(digits);
    let column = letters.bytes().take(4).try_fold(0_u32, |column, letter| {
        letter.is_ascii_alphabetic().then(|| column * 26 + u32::from(letter.to_ascii_uppercase() - b'A') + 1)
    })?;
    Some((row.parse::<u32>().ok()?.checked_sub(1)?, column.checked_sub(1)?))
}

pub(super) fn range(name: &str) -> Option<Range> {
    let (first, last) = name.split_once(':').unwrap_or((name, name));
    Some((place(first)?, place(last)?))
}
