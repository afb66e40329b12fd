//! Rich Text Format: the words that a person sees, without fonts, styles, pictures and fields. Hidden, deleted, tiny and
//! pale text is left out.

use crate::model::Reason;
use crate::parse::visible_text::Verdict;

use super::charset::windows_1252;
use super::docx_fields::Gift;
use super::docx_known::Given;
use super::docx_room::Room;
use super::docx_styles::is_pictures;
use super::rtf_group::{Cell, Group, Kind, PLAIN_CELL};
use super::rtf_words::{is_harmless, is_never_text};
use super::sight::{Ink, Letters};
use super::text::Text;

/// Groups inside each other; what stands deeper is not read.
const DEEPEST: usize = 2_000;
/// Letters of the number or bullet that old programs show before a paragraph.
const LONGEST_LABEL: usize = 8;
/// Of a field's instruction as much as tells what it does.
const LONGEST_INSTRUCTION: usize = 64;

/// Adds the text of a file. Groups are kept on a list of their own, so nesting costs nothing.
pub(super) fn read(bytes: &[u8], out: &mut Text) {
    // What lies over all of the text, or behind it, may be told at its end.
    let mut survey = Scanner { rest: bytes, ..Scanner::default() };
    survey.scan(&mut Text::default());
    let mut scanner =
        Scanner { rest: bytes, everywhere: survey.everywhere, stops: true, ..Scanner::default() };
    scanner.scan(out);
}

#[derive(Default)]
struct Scanner<'a> {
    rest: &'a [u8],
    stops: bool,
    now: Group,
    around: Vec<Group>,
    /// Groups past the deepest.
    too_deep: usize,
    /// Characters still to skip.
    skip: usize,
    colors: Vec<Ink>,
    color: [Option<u8>; 3],
    /// Numbers of fonts whose letters are little pictures.
    pictures: Vec<i32>,
    font: (i32, String),
    /// The font of letters that name none.
    usual_font: i32,
    /// Numbers of styles whose letters cannot be read.
    odd_styles: Vec<i32>,
    style: i32,
    /// The cells of the row, the one that is being defined, its left side, and which one the text is in.
    cells: Vec<Cell>,
    next_cell: Option<Cell>,
    left: i32,
    cell: usize,
    /// How high the rows are at any rate, and what is left of the cell that the text is in.
    row_height: Option<f32>,
    room: Room,
    instruction: String,
    gift: Gift,
    dates: usize,
    label: usize,
    has_title_page: bool,
    has_facing_pages: bool,
    /// How text runs around the shape that is read.
    wrap: i32,
    /// What may hide any of the text.
    everywhere: Option<&'static str>,
}

impl<'a> Scanner<'a> {
    fn scan(&mut self, out: &mut Text) {
        while let Some((&byte, rest)) = self.rest.split_first() {
            self.rest = rest;
            match byte {
                b'{' => self.open_group(),
                b'}' => self.close_group(),
                b'\\' => self.control(out),
                b'\r' | b'\n' => {}
                _ => self.show(windows_1252(byte), out),
            }
            if self.stops && out.is_full() {
                break;
            }
        }
    }

    fn open_group(&mut self) {
        self.skip = 0;
        if self.around.len() < DEEPEST {
            self.around.push(self.now);
        } else {
            self.too_deep += 1;
        }
    }

    fn close_group(&mut self) {
        self.skip = 0;
        if self.now.kind == Kind::Fonts {
            self.end_font();
        }
        if self.too_deep > 0 {
            self.too_deep -= 1;
        } else if let Some(before) = self.around.pop() {
            self.now = before;
        }
    }

    fn show(&mut self, c: char, out: &mut Text) {
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        match self.now.kind {
            // Programs read from the first bracket to its last.
            Kind::Text if self.around.is_empty() => {
                let count = usize::from(!c.is_whitespace() && !c.is_control());
                out.leave_out(count, Verdict::Hidden(Reason::NotRendered));
            }
            Kind::Text if self.too_deep == 0 => {
                let verdict = self.taken(c);
                out.put(c.encode_utf8(&mut [0; 4]), verdict);
            }
            Kind::Label => {
                self.label += 1;
                let is_long = self.label > LONGEST_LABEL;
                let verdict = if is_long { Verdict::Hidden(Reason::NotRendered) } else { self.verdict() };
                out.put(c.encode_utf8(&mut [0; 4]), verdict);
            }
            Kind::Text | Kind::Skipped => {}
            Kind::Colors if c == ';' => self.end_color(),
            Kind::Fonts if c == ';' => self.end_font(),
            Kind::Styles if c == ';' => self.end_style(),
            Kind::Fonts => self.font.1.push(c),
            Kind::Instruction if self.instruction.len() < LONGEST_INSTRUCTION => self.instruction.push(c),
            Kind::Colors | Kind::Styles | Kind::Instruction => {}
        }
    }

    /// Whether letters can be read here.
    fn verdict(&self) -> Verdict {
        let Group { mut letters, paragraph, paragraph_ground, row, unknown, hidden, .. } = self.now;
        let cell = self.cells.get(self.cell).copied().unwrap_or(PLAIN_CELL);
        letters.ground = [letters.ground, paragraph_ground, cell.ground]
            .into_iter()
            .find(|ground| *ground != Ink::Automatic)
            .unwrap_or(Ink::Automatic);
        letters.hidden = letters.hidden.or(hidden).or(cell.is_merged.then_some(Reason::Covered));
        if self.now.is_deleted {
            letters.hide(Reason::Deleted);
        }
        if self.now.is_vanished {
            letters.hide(Reason::Display);
        }
        letters.doubt = letters.doubt.or(paragraph).or(row).or(unknown).or(self.everywhere);
        let Group { line, raise, font, old_ground, .. } = self.now;
        match () {
            () if self.pictures.contains(&font.unwrap_or(self.usual_font)) => letters.doubt("fonts"),
            () if line < 0.7 * letters.size => letters.doubt("line-height"),
            () if line < f32::MAX && raise.abs() > 0.35 * line => letters.doubt("line-height"),
            () if self.now.is_given && !self.gift.is_as_written() => letters.doubt("fields"),
            () => {}
        }
        match letters.verdict() {
            Verdict::Shown if old_ground == Ink::Automatic => Verdict::Shown,
            Verdict::Shown => match (Letters { ground: old_ground, ..letters }).verdict() {
                Verdict::Shown => Verdict::Shown,
                _ => Verdict::Doubtful("background"),
            },
            verdict => verdict,
        }
    }

    /// Whether a letter can be read that takes its place in its cell and its field.
    fn taken(&mut self, c: char) -> Verdict {
        let mut bytes = [0; 4];
        let text: &str = c.encode_utf8(&mut bytes);
        if self.now.is_given {
            self.gift.give(text);
        }
        let mut letters = Letters { doubt: None, hidden: None, ..self.now.letters };
        if self.now.in_table {
            self.room.take(text, &mut letters);
        }
        match (self.verdict(), letters.doubt) {
            (Verdict::Shown, Some(reason)) => Verdict::Doubtful(reason),
            (verdict, _) => verdict,
        }
    }

    /// The room of the cell that the text comes to.
    fn begin_cell(&mut self) {
        let width = self.cells.get(self.cell).copied().unwrap_or(PLAIN_CELL).width;
        self.room = self.row_height.map_or(Room::default(), |height| Room::of(width - 10.0, height));
    }

    fn end_color(&mut self) {
        let color = match std::mem::take(&mut self.color) {
            [Some(r), Some(g), Some(b)] => Ink::rgb([r, g, b].map(|part| f32::from(part) / 255.0)),
            _ => Ink::Automatic,
        };
        self.colors.push(color);
    }

    fn end_font(&mut self) {
        let (number, name) = std::mem::take(&mut self.font);
        if is_pictures(&name) {
            self.pictures.push(number);
        }
    }

    fn end_style(&mut self) {
        let number = std::mem::take(&mut self.style);
        if self.verdict() != Verdict::Shown {
            self.odd_styles.push(number);
        }
    }

    fn control(&mut self, out: &mut Text) {
        match self.rest {
            [b'\'', high, low, rest @ ..] => {
                self.rest = rest;
                let digits = [*high, *low];
                let code = std::str::from_utf8(&digits).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok());
                self.show(code.map_or(' ', windows_1252), out);
            }
            [b'*', rest @ ..] => {
                self.rest = rest;
                self.now.kind = Kind::Skipped;
            }
            [byte, rest @ ..] if !byte.is_ascii_alphabetic() => {
                self.rest = rest;
                self.show(if *byte == b'~' { ' ' } else { char::from(*byte) }, out);
            }
            _ => self.word(out),
        }
    }

    fn word(&mut self, out: &mut Text) {
        let name = self.take_while(u8::is_ascii_alphabetic);
        let number = self.take_while(|byte| byte.is_ascii_digit() || *byte == b'-');
        let number = std::str::from_utf8(number).ok().and_then(|text| text.parse::<i32>().ok());
        if let [b' ', rest @ ..] = self.rest {
            self.rest = rest;
        }
        let name = std::str::from_utf8(name).unwrap_or_default();
        match name {
            "row" | "nestrow" => {
                self.gap("\n", out);
                self.cell = 0;
                self.begin_cell();
            }
            "cell" => {
                self.gap("\t", out);
                self.cell += 1;
                self.begin_cell();
            }
            "par" | "line" | "sect" | "page" => {
                if self.now.in_table {
                    self.room.end_line(self.now.letters.size);
                }
                self.gap("\n", out);
            }
            "tab" | "nestcell" => self.gap("\t", out),
            "u" => self.unicode(number.unwrap_or(0), out),
            "uc" => self.now.fallback = usize::try_from(number.unwrap_or(1)).unwrap_or(1).min(8),
            "bin" => {
                let length = usize::try_from(number.unwrap_or(0)).unwrap_or(0).min(self.rest.len());
                self.rest = &self.rest[length..];
            }
            "red" | "green" | "blue" => {
                let part = usize::from(name == "green") + 2 * usize::from(name == "blue");
                self.color[part] = number.and_then(|number| u8::try_from(number).ok());
            }
            _ if self.destination(name) => {}
            "deff" => self.usual_font = number.unwrap_or(0),
            _ if self.now.kind == Kind::Fonts && name == "f" => self.font.0 = number.unwrap_or(0),
            // A font of signs, whatever it is called.
            "fcharset" if self.now.kind == Kind::Fonts && number == Some(2) => {
                self.font.1.push_str(" symbol ")
            }
            _ if self.of_letters(name, number) || self.of_paragraph(name, number) => {}
            _ if self.of_row(name, number) || self.of_page(name, number) || is_harmless(name) => {}
            _ => self.now.unknown = Some("not understood"),
        }
    }

    /// Words that say what a group holds.
    fn destination(&mut self, name: &str) -> bool {
        match name {
            "colortbl" => self.now.kind = Kind::Colors,
            "fonttbl" => self.now.kind = Kind::Fonts,
            "stylesheet" => self.now.kind = Kind::Styles,
            "fldinst" => {
                self.now.kind = Kind::Instruction;
                self.instruction.clear();
            }
            "field" => self.instruction.clear(),
            // The font that programs take where they do not have the first.
            "falt" => self.now.kind = Kind::Fonts,
            "fldrslt" if self.now.is_given && self.gift.given != Given::Text => {
                self.now.unknown = Some("fields")
            }
            "fldrslt" => {
                self.gift = Gift::of(&self.instruction, &mut self.dates);
                self.now.is_given = true;
                if self.gift.given == Given::Unknown {
                    self.now.unknown = Some("fields");
                }
            }
            "listtext" | "pntext" => {
                self.now.kind = Kind::Label;
                self.label = 0;
            }
            // What programs show that know nothing better.
            "shprslt" | "nonesttables" => self.now.hidden = Some(Reason::NotRendered),
            "headerf" | "footerf" if !self.has_title_page => self.now.hidden = Some(Reason::NotRendered),
            "headerl" | "footerl" if !self.has_facing_pages => self.now.hidden = Some(Reason::NotRendered),
            "headerf" | "footerf" | "headerl" | "footerl" => {}
            name if is_never_text(name) => self.now.kind = Kind::Skipped,
            _ => return false,
        }
        true
    }

    /// What a word does to the letters behind it.
    fn of_letters(&mut self, name: &str, number: Option<i32>) -> bool {
        let is_on = number != Some(0);
        let color = |number: Option<i32>| {
            let known = usize::try_from(number.unwrap_or(0)).ok().and_then(|number| self.colors.get(number));
            known.copied().unwrap_or(Ink::Unknown)
        };
        let is_picture = number.is_some_and(|number| self.pictures.contains(&number));
        let letters = &mut self.now.letters;
        match name {
            "plain" => {
                *letters = Letters::default();
                (self.now.is_vanished, self.now.font, self.now.raise) = (false, None, 0.0);
                self.now.old_ground = Ink::Automatic;
            }
            "v" => self.now.is_vanished = is_on,
            "deleted" => self.now.is_deleted = is_on,
            "cf" => letters.ink = color(number),
            "cb" => self.now.old_ground = if is_on { color(number) } else { Ink::Automatic },
            "chcbpat" | "highlight" => letters.ground = if is_on { color(number) } else { Ink::Automatic },
            "chshdng" | "chcfpat" if is_on => letters.ground = Ink::Unknown,
            "fs" => letters.size = number.unwrap_or(24) as f32 / 2.0,
            "afs" if beyond(number, 10, 400) => letters.doubt("font-size"),
            "charscalex" if beyond(number, 40, 600) => letters.doubt("width of letters"),
            "expnd" if beyond(number, -6, 120) => letters.doubt("spacing of letters"),
            "expndtw" if beyond(number, -30, 600) => letters.doubt("spacing of letters"),
            "up" | "dn" if beyond(number, -60, 60) => letters.doubt("position"),
            "up" | "dn" => self.now.raise = number.unwrap_or(6) as f32 / 2.0,
            "f" => self.now.font = number,
            "af" if is_picture => letters.doubt("fonts"),
            "animtext" | "embo" | "impr" if is_on => letters.doubt("effects"),
            "s" | "cs" | "ds" | "ts" => self.named(number.unwrap_or(0)),
            "chshdng" | "chcfpat" | "afs" | "charscalex" | "expnd" | "expndtw" | "af" | "animtext"
            | "embo" | "impr" => {}
            _ => return false,
        }
        true
    }

    /// The number of a style: of the one that is being defined, or that holds from here on.
    fn named(&mut self, number: i32) {
        if self.now.kind == Kind::Styles {
            self.style = number;
        } else if self.odd_styles.contains(&number) {
            self.now.paragraph = Some("styles");
        }
    }

    /// What a word does to the paragraph that it stands in.
    fn of_paragraph(&mut self, name: &str, number: Option<i32>) -> bool {
        let doubt = match name {
            "pard" => {
                (self.now.paragraph, self.now.paragraph_ground) = (None, Ink::Automatic);
                (self.now.in_table, self.now.line) = (false, f32::MAX);
                return true;
            }
            "intbl" => {
                self.now.in_table = true;
                return true;
            }
            "sb" | "sa" if !(0..=8_000).contains(&number.unwrap_or(0)) => "line-height",
            "sb" | "sa" => {
                if self.now.in_table {
                    self.room.begin(number.unwrap_or(0) as f32 / 20.0);
                }
                return true;
            }
            "cbpat" => {
                let known =
                    usize::try_from(number.unwrap_or(0)).ok().and_then(|number| self.colors.get(number));
                self.now.paragraph_ground = known.copied().unwrap_or(Ink::Unknown);
                return true;
            }
            "cfpat" | "shading" if number != Some(0) => {
                self.now.paragraph_ground = Ink::Unknown;
                return true;
            }
            "li" | "ri" | "fi" | "lin" | "rin" if beyond(number, -3_000, 9_000) => "indent",
            "tx" | "tb" if beyond(number, -1_500, 16_000) => "indent",
            "posx" | "posy" | "posnegx" | "posnegy" if beyond(number, -1_000, 17_000) => "position",
            "tposx" | "tposy" | "tposnegx" | "tposnegy" if beyond(number, -1_000, 17_000) => "position",
            "absw" if beyond(number, 100, 40_000) && number != Some(0) => "size",
            // Below nothing it is exact; single lines are 240.
            "absh" if number.is_some_and(|height| height < 0) => "clipping",
            "sl" if number.is_some_and(|line| (-79..0).contains(&line)) => "line-height",
            "sl" => {
                let line = number.filter(|line| *line < 0).map(|line| line as f32 / -20.0);
                self.now.line = line.unwrap_or(f32::MAX);
                return true;
            }
            // The properties of a table inside a table stand behind its text.
            "itap" if number.unwrap_or(1) > 1 => "tables",
            "li" | "ri" | "fi" | "lin" | "rin" | "tx" | "tb" | "posx" | "posy" | "posnegx" | "posnegy"
            | "tposx" | "tposy" | "tposnegx" | "tposnegy" | "absw" | "absh" | "itap" | "cfpat"
            | "shading" => return true,
            _ => return false,
        };
        self.now.paragraph = Some(doubt);
        true
    }

    /// What a word says of the row and its cells.
    fn of_row(&mut self, name: &str, number: Option<i32>) -> bool {
        let mut cell = self.next_cell.unwrap_or(PLAIN_CELL);
        match name {
            "trowd" => {
                self.cells.clear();
                (self.next_cell, self.left, self.now.row) = (None, i32::MIN, None);
                self.row_height = None;
                self.begin_cell();
                return true;
            }
            "clmrg" | "clvmrg" => cell.is_merged = true,
            "clmgf" | "clvmgf" => {}
            "clcbpat" => {
                let known =
                    usize::try_from(number.unwrap_or(0)).ok().and_then(|number| self.colors.get(number));
                cell.ground = known.copied().unwrap_or(Ink::Unknown);
            }
            "clcfpat" | "clshdng" if number != Some(0) => cell.ground = Ink::Unknown,
            "clcfpat" | "clshdng" | "clcbpatraw" | "clcfpatraw" | "clshdngraw" | "clshdrawnil" => {}
            "trcbpat" | "trcfpat" | "trshdng" if number != Some(0) => self.now.row = Some("background"),
            "trrh" if number.is_some_and(|height| (-100..0).contains(&height)) => {
                self.now.row = Some("line-height")
            }
            "trrh" => {
                self.row_height = number.filter(|height| *height < 0).map(|height| height as f32 / -20.0);
                self.begin_cell();
                return true;
            }
            "trleft" if beyond(number, -1_500, 9_000) => self.now.row = Some("indent"),
            "cellx" => {
                let right = number.unwrap_or(0);
                let is_narrow = right < self.left.saturating_add(100) || self.left > 14_000;
                if is_narrow || beyond(number, 50, 40_000) {
                    self.now.row = Some("size");
                }
                cell.width = right.saturating_sub(self.left.max(0)) as f32 / 20.0;
                if self.cells.len() < DEEPEST {
                    self.cells.push(cell);
                }
                (self.next_cell, self.left) = (None, right);
                self.begin_cell();
                return true;
            }
            "trleft" | "trcbpat" | "trcfpat" | "trshdng" => return true,
            _ => return false,
        }
        self.next_cell = Some(cell);
        true
    }

    /// What a word says of pages, and of what lies over the text or behind it.
    fn of_page(&mut self, name: &str, number: Option<i32>) -> bool {
        let doubt = match name {
            "titlepg" => {
                self.has_title_page = true;
                return true;
            }
            "facingp" => {
                self.has_facing_pages = true;
                return true;
            }
            "shpwr" => {
                self.wrap = number.unwrap_or(0);
                return true;
            }
            "shpfblwtxt" if number != Some(1) && !matches!(self.wrap, 1 | 2) => "something over it",
            // Shapes of older programs; beside a newer shape they only stand for it.
            "dobxcolumn" | "dobxmargin" | "dobxpage" if self.now.hidden.is_none() => "something over it",
            "background" => "background",
            "paperw" | "paperh" | "pgwsxn" | "pghsxn" if beyond(number, 2_500, 32_000) => "page",
            "margl" | "margr" | "margt" | "margb" | "marglsxn" | "margrsxn" | "margtsxn" | "margbsxn"
                if beyond(number, -8_000, 8_000) =>
            {
                "page"
            }
            "paperw" | "paperh" | "pgwsxn" | "pghsxn" | "margl" | "margr" | "margt" | "margb"
            | "marglsxn" | "margrsxn" | "margtsxn" | "margbsxn" | "shpfblwtxt" => return true,
            name => return name.starts_with("shp") || name.starts_with("dobx") || name.starts_with("doby"),
        };
        self.everywhere.get_or_insert(doubt);
        true
    }

    fn gap(&mut self, gap: &str, out: &mut Text) {
        self.skip = 0;
        if self.now.kind == Kind::Text {
            out.push(gap);
        }
    }

    /// The number is a signed 16-bit unit; pairs beyond the basic plane are not joined.
    fn unicode(&mut self, unit: i32, out: &mut Text) {
        let code = u32::try_from(if unit < 0 { unit.saturating_add(0x1_0000) } else { unit }).unwrap_or(0);
        self.skip = 0;
        self.show(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), out);
        self.skip = self.now.fallback;
    }

    fn take_while(&mut self, wanted: impl Fn(&u8) -> bool) -> &'a [u8] {
        let end = self.rest.iter().position(|byte| !wanted(byte)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }
}

/// Whether a number is none of the usual ones.
fn beyond(number: Option<i32>, low: i32, high: i32) -> bool {
    number.is_some_and(|number| !(low..=high).contains(&number))
}
