//! Which cells of a workbook a person sees: not those of hidden sheets, rows and columns, not those inside merged ones, and
//! not those whose letters cannot be read.

use std::collections::{HashMap, HashSet};

use crate::model::Reason;
use crate::parse::visible_text::Verdict;

use super::DocumentError;
use super::archive::Archive;
use super::docx_known::beyond;
use super::package::{self, Theme};
use super::sight::Letters;
use super::xlsx_drawings;
use super::xlsx_formulas::{Formulas, Own};
use super::xlsx_styles::{CellStyles, Pieces, strings};
use super::xml::{self, Listener, Tag};

/// Rows or columns that may be empty between two cells; what stands further away is not found by scrolling.
const FARTHEST: (u32, u32) = (400, 60);
/// Comparisons of cells with ranges; past this all of a sheet is in doubt.
const MOST_COMPARED: usize = 20_000_000;

/// Blanks in a row inside a text; what stands behind more of them is pushed out of sight.
const WIDEST_GAP: usize = 40;

/// How wide columns are that do not say it, and which are so narrow that a neighbour may hide their text, in letters.
const USUAL_WIDTH: f32 = 8.43;
const NARROW: f32 = 3.0;
/// Rows and columns that every window shows.
const WINDOW: (u8, u8) = (25, 10);

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
        let mut sheets: HashMap<String, Sheet> = HashMap::new();
        let mut formulas = Formulas::default();
        for (number, (name, id, is_hidden)) in list.sheets.into_iter().enumerate() {
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
            let own = std::mem::take(&mut grid.formulas);
            let mut sheet = grid.settled();
            if is_hidden {
                sheet.whole = Some(Verdict::Hidden(Reason::Display));
            } else if list.has_window && (list.hides_tabs && number != list.active || list.is_closed) {
                sheet.whole = Some(Verdict::Doubtful("sheets"));
            }
            let is_shown = |place| {
                sheet.whole.is_none()
                    && sheet.cells.get(&place).is_none_or(|cell| cell.verdict == Verdict::Shown)
            };
            formulas.add(&name, own, is_shown);
            sheets.insert(name, sheet);
        }
        for (name, place) in formulas.unproven() {
            if let Some(sheet) = sheets.get_mut(&name) {
                let verdict = Verdict::Doubtful("formulas");
                sheet.cells.entry(place).or_insert(Cell { pieces: Vec::new(), verdict });
            }
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
    /// What the window shows: which sheet, and whether others can be gone to.
    has_window: bool,
    active: usize,
    hides_tabs: bool,
    is_closed: bool,
}

impl Listener for SheetList {
    fn open(&mut self, tag: &Tag<'_>) {
        if tag.name() == "workbookView" {
            self.has_window = true;
            self.active = tag.number("activeTab").map_or(0, |number| number as usize);
            self.hides_tabs = tag.attribute("showSheetTabs").is_some() && !tag.says("showSheetTabs");
            self.is_closed = tag.attribute("visibility").is_some_and(|seen| seen != "visible");
        }
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
    /// How wide columns are in letters, and the lines of cells whose room may end, with the size of their letters.
    widths: Vec<(u32, u32, f32)>,
    tight: Vec<Tight>,
    wraps: bool,
    filled: HashSet<(u32, u32)>,
    /// The last row and column of a frozen part that is larger than a window.
    window: Option<(u32, u32)>,
    /// Ranges of a format under a condition whose look stands beside them.
    has_own_look: bool,
    reads_ranges: bool,
    formulas: Own,
    in_formula: bool,
    shows_formulas: bool,
}

/// A cell whose text may be cut off.
struct Tight {
    place: (u32, u32),
    /// How long its lines are, in letters.
    lines: Vec<usize>,
    size: f32,
    height: Option<f32>,
    wraps: bool,
}

impl Grid<'_> {
    fn begin_column(&mut self, tag: &Tag<'_>) {
        if let (Some(low), Some(high), Some(width)) =
            (tag.number("min"), tag.number("max"), tag.number("width"))
        {
            self.widths.push(((low as u32).saturating_sub(1), (high as u32).saturating_sub(1), width));
        }
        let is_narrow = tag.says("hidden") || tag.number("width").is_some_and(|width| width < 0.6);
        if let (true, Some(low), Some(high)) = (is_narrow, tag.number("min"), tag.number("max")) {
            self.narrow.push(((low as u32).saturating_sub(1), (high as u32).saturating_sub(1)));
        }
    }

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
        self.wraps = self.styles.is_some_and(|styles| styles.wraps(style));
        self.formulas.begin(self.place);
        (self.lines, self.blanks, self.has_gap) = (1, 0, false);
        let own = self.letters.verdict();
        let is_behind = self.window.is_some_and(|(row, column)| self.place.0 > row || self.place.1 > column);
        let is_before = self.place.0 < self.first.0 || self.place.1 < self.first.1;
        let far = self.last.is_some_and(|(row, column)| {
            self.place.0 > row.saturating_add(FARTHEST.0) || self.place.1 > column.saturating_add(FARTHEST.1)
        });
        let verdict = match self.row_verdict {
            Some(verdict) => verdict,
            None if is_narrow => Verdict::Hidden(Reason::Display),
            None if is_before => Verdict::Hidden(Reason::OffScreen),
            None if is_behind => Verdict::Doubtful("position"),
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
        let whole: String = pieces.into_iter().flatten().map(|(text, _)| text.as_str()).collect();
        self.measure(&whole);
        self.formulas.text(&whole);
        let text = self.formulas.end(self.shows_formulas);
        if !text.is_empty() {
            self.filled.insert(self.place);
            self.tight.push(Tight {
                place: self.place,
                lines: text.lines().map(|line| line.chars().count()).collect(),
                size: self.letters.size,
                height: self.height,
                wraps: self.wraps,
            });
        }
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

    /// Whether a text does not fit: below in a row of a height that is said, or beside a cell that is filled.
    fn is_cut(&self, tight: &Tight) -> bool {
        let (row, column) = tight.place;
        let merged =
            self.merged.iter().take(1_000).find(|(corner, _)| *corner == tight.place).map(|(_, last)| *last);
        let (last_row, last_column) = merged.unwrap_or(tight.place);
        let width = |column: u32| {
            let known = self.widths.iter().rev().find(|(low, high, _)| (*low..=*high).contains(&column));
            known.map_or(USUAL_WIDTH, |(_, _, width)| *width)
        };
        let width: f32 = (column..=last_column.min(column.saturating_add(200))).map(width).sum();
        // Letters are narrower than digits, on the whole.
        let room = (1.2 * width * 11.0 / tight.size.max(1.0)).max(0.5);
        if !tight.wraps {
            let longest = tight.lines.iter().copied().max().unwrap_or(0) as f32;
            return width < NARROW && longest > 2.0 * room && self.filled.contains(&(row, last_column + 1));
        }
        let lines: f32 = tight.lines.iter().map(|line| (*line as f32 / room).ceil().max(1.0)).sum();
        let rows = (last_row.saturating_sub(row) + 1) as f32;
        tight.height.is_some_and(|height| lines > 1.0 && height * rows + 3.0 < lines * tight.size)
    }

    /// A frozen part that is larger than a window cannot be scrolled, nor what is behind it.
    fn freeze(&mut self, tag: &Tag<'_>) {
        let (row, column) = self.view.unwrap_or_default();
        self.first = (row, column);
        let is_large = tag.number("ySplit").unwrap_or(0.0) > f32::from(WINDOW.0)
            || tag.number("xSplit").unwrap_or(0.0) > f32::from(WINDOW.1);
        if is_large {
            self.window = Some((row + u32::from(WINDOW.0), column + u32::from(WINDOW.1)));
        }
    }

    /// Ranges say at the end of a sheet what holds for cells before them.
    fn settled(mut self) -> Sheet {
        for tight in std::mem::take(&mut self.tight) {
            if self.is_cut(&tight) {
                let verdict = Verdict::Doubtful("overflow");
                self.sheet.cells.entry(tight.place).or_insert(Cell { pieces: Vec::new(), verdict });
            }
        }
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
                self.shows_formulas |= tag.says("showFormulas");
                self.view = tag.attribute("topLeftCell").and_then(|name| place(&name));
                if beyond(tag, "zoomScale", 40.0, 400.0) || beyond(tag, "zoomScaleNormal", 0.0, 400.0) {
                    self.sheet.whole = Some(Verdict::Doubtful("size"));
                }
            }
            "pane" if tag.attribute("state").is_some_and(|state| state.starts_with("frozen")) => {
                self.freeze(tag);
            }
            "col" => self.begin_column(tag),
            "row" => self.begin_row(tag),
            "c" => self.begin_cell(tag),
            "v" => self.in_value = true,
            "f" => {
                self.in_formula = true;
                self.formulas.is_formula();
            }
            // A look that stands beside its condition, and bars and icons instead of values.
            "dxf" => self.has_own_look = true,
            "sqref" => self.reads_ranges = true,
            "dataBar" | "iconSet" if tag.attribute("showValue").is_some() && !tag.says("showValue") => {
                let ranges = self.pending.iter().map(|range| (*range, "conditions"));
                self.doubtful.extend(ranges);
            }
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
            "f" => self.in_formula = false,
            "sqref" => self.reads_ranges = false,
            "t" => self.in_own_text = false,
            "c" => self.end_cell(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_formula {
            self.formulas.literal(text);
        } else if self.reads_ranges {
            if std::mem::take(&mut self.has_own_look) {
                self.doubtful
                    .extend(text.split_whitespace().filter_map(range).map(|range| (range, "conditions")));
            }
        } else if self.in_value && self.is_shared && self.number.len() < 12 {
            self.number.push_str(text);
        } else if self.in_own_text || self.in_value {
            self.measure(text);
            self.formulas.text(text);
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
