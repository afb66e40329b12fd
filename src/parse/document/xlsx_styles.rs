//! Styles of cells, and texts that several cells share: which letters can be read.

use crate::model::Reason;
use crate::parse::visible_text::{BLACK, Verdict, WHITE};

use super::docx_styles::is_pictures;
use super::package::Theme;
use super::sight::{Ink, Letters};
use super::xml::{self, Listener, Tag};

/// Formats of numbers that a program knows by itself end here.
const OWN_FORMATS: usize = 164;

/// The styles of cells, by number.
#[derive(Default)]
pub(super) struct CellStyles {
    verdicts: Vec<Verdict>,
    /// Formats under a condition, by number: whether they leave letters readable.
    harmless: Vec<bool>,
}

impl CellStyles {
    pub(super) fn read(text: Option<&str>, theme: &Theme) -> Self {
        let mut reader = StyleReader { theme, ..StyleReader::new(theme) };
        xml::walk(text.unwrap_or_default(), &mut reader);
        reader.settled()
    }

    /// Whether cells of a style can be read.
    pub(super) fn verdict(&self, style: usize) -> Verdict {
        match self.verdicts.get(style) {
            Some(verdict) => *verdict,
            None if style == 0 => Verdict::Shown,
            None => Verdict::Doubtful("styles"),
        }
    }

    /// Whether a format under a condition leaves letters readable.
    pub(super) fn is_harmless(&self, style: usize) -> bool {
        self.harmless.get(style).copied().unwrap_or(false)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Section {
    #[default]
    None,
    Fonts,
    Fills,
    Cells,
    Conditional,
}

struct StyleReader<'t> {
    theme: &'t Theme,
    section: Section,
    fonts: Vec<Letters>,
    fills: Vec<Ink>,
    /// Formats of numbers that show nothing, or not what was typed.
    blank: Vec<usize>,
    cells: Vec<(usize, usize, usize, bool)>,
    conditional: Vec<bool>,
    open: Letters,
    is_pattern: bool,
    in_fill: bool,
}

impl<'t> StyleReader<'t> {
    fn new(theme: &'t Theme) -> Self {
        Self {
            theme,
            section: Section::None,
            fonts: Vec::new(),
            fills: Vec::new(),
            blank: Vec::new(),
            cells: Vec::new(),
            conditional: Vec::new(),
            open: Letters::default(),
            is_pattern: false,
            in_fill: false,
        }
    }

    fn settled(self) -> CellStyles {
        let verdicts = self.cells.iter().map(|(font, fill, format, is_odd)| {
            let mut letters = self.fonts.get(*font).copied().unwrap_or_default();
            letters.ground = self.fills.get(*fill).copied().unwrap_or(Ink::Automatic);
            if *is_odd {
                letters.doubt("alignment");
            }
            if self.blank.contains(format) {
                letters.hide(Reason::Display);
            }
            letters.verdict()
        });
        CellStyles { verdicts: verdicts.collect(), harmless: self.conditional }
    }

    fn cell(&mut self, tag: &Tag<'_>) {
        let number = |name: &str| tag.number(name).map_or(0, |value| value as usize);
        self.cells.push((number("fontId"), number("fillId"), number("numFmtId"), false));
    }

    fn format(&mut self, tag: &Tag<'_>) {
        let code = tag.attribute("formatCode").unwrap_or_default();
        let shows = code.contains(['0', '#', '@', '?']) || code.contains(|c: char| "ymdhsYMDHSG".contains(c));
        let hides = code.split(';').count() >= 4
            && code.split(';').next_back().is_some_and(|text| !text.contains('@'));
        let paints = ["[White]", "[Color2]", "[Color"].iter().any(|name| code.contains(name));
        if let (true, Some(id)) = (!shows || hides || paints, tag.number("numFmtId")) {
            self.blank.push((id as usize).max(OWN_FORMATS));
        }
    }
}

/// A colour of a workbook.
fn color(tag: &Tag<'_>, theme: &Theme) -> Ink {
    let color = if let Some(hex) = tag.attribute("rgb") {
        Ink::hex(&hex)
    } else if let Some(number) = tag.number("theme") {
        theme.numbered(number as usize)
    } else {
        match tag.number("indexed").map(|number| number as usize) {
            Some(64) | None => return Ink::Automatic,
            Some(0 | 8) => Ink::Is(BLACK),
            Some(1 | 9 | 65) => Ink::Is(WHITE),
            Some(number) => indexed(number),
        }
    };
    match tag.number("tint") {
        Some(tint) if tint > 0.0 => color.mixed(WHITE, 1.0 - tint),
        Some(tint) if tint < 0.0 => color.mixed(BLACK, 1.0 + tint),
        _ => color,
    }
}

/// The colours of old workbooks that are used still.
fn indexed(number: usize) -> Ink {
    const OLD: [&str; 8] = ["000000", "FFFFFF", "FF0000", "00FF00", "0000FF", "FFFF00", "FF00FF", "00FFFF"];
    match number {
        0..=7 => Ink::hex(OLD[number]),
        8..=15 => Ink::hex(OLD[number - 8]),
        16 | 37 => Ink::hex("800000"),
        17 | 58 => Ink::hex("008000"),
        18 | 32 => Ink::hex("000080"),
        22 => Ink::hex("C0C0C0"),
        23 => Ink::hex("808080"),
        _ => Ink::Unknown,
    }
}

impl Listener for StyleReader<'_> {
    fn open(&mut self, tag: &Tag<'_>) {
        let name = tag.name();
        match (self.section, name.as_ref()) {
            (_, "fonts") => self.section = Section::Fonts,
            (_, "fills") => self.section = Section::Fills,
            (_, "cellXfs") => self.section = Section::Cells,
            (_, "dxfs") => self.section = Section::Conditional,
            (_, "numFmt") => self.format(tag),
            (_, "indexedColors") => self.open.doubt("color"),
            (Section::Fonts, "font") => self.open = Letters { size: 11.0, ..Letters::default() },
            (Section::Fonts, "sz") => self.open.size = tag.number("val").unwrap_or(11.0),
            (Section::Fonts, "name") if tag.attribute("val").is_some_and(|font| is_pictures(&font)) => {
                self.open.doubt("fonts");
            }
            (Section::Fonts, "color") => self.open.ink = color(tag, self.theme),
            (Section::Fills, "fill") => {
                self.fills.push(Ink::Automatic);
                self.is_pattern = false;
            }
            (Section::Fills, "patternFill") => {
                let kind = tag.attribute("patternType").unwrap_or_default();
                self.is_pattern = kind == "solid";
                if !matches!(kind.as_str(), "solid" | "none" | "gray125" | "") {
                    self.fills.pop();
                    self.fills.push(Ink::Unknown);
                }
            }
            (Section::Fills, "gradientFill") => {
                self.fills.pop();
                self.fills.push(Ink::Unknown);
            }
            (Section::Fills, "fgColor") if self.is_pattern => {
                self.fills.pop();
                self.fills.push(color(tag, self.theme));
            }
            (Section::Cells, "xf") => self.cell(tag),
            (Section::Cells, "alignment") => {
                let odd = tag.number("indent").is_some_and(|indent| indent > 40.0)
                    || tag.attribute("horizontal").as_deref() == Some("fill");
                if let Some(cell) = self.cells.last_mut() {
                    cell.3 = odd;
                }
            }
            (Section::Conditional, "dxf") => {
                self.open = Letters::default();
                self.in_fill = false;
            }
            (Section::Conditional, "color") if !self.in_fill => self.open.ink = color(tag, self.theme),
            (Section::Conditional, "fill") => self.in_fill = true,
            (Section::Conditional, "bgColor") => self.open.ground = color(tag, self.theme),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match (self.section, name) {
            (Section::Fonts, "font") => self.fonts.push(self.open),
            (Section::Conditional, "dxf") => {
                // One that names only one of the two is laid over whatever the cell has.
                let says_both = self.open.ink != Ink::Automatic && self.open.ground != Ink::Automatic;
                let is_plain = self.open.ink == Ink::Automatic && self.open.ground == Ink::Automatic;
                self.conditional.push(is_plain || (says_both && self.open.verdict() == Verdict::Shown));
            }
            (Section::Conditional, "fill") => self.in_fill = false,
            (_, "fonts" | "fills" | "cellXfs" | "dxfs") => self.section = Section::None,
            _ => {}
        }
    }

    fn text(&mut self, _text: &str) {}
}

/// Texts that cells share, each in pieces of one look.
pub(super) fn strings(text: &str, theme: &Theme) -> Vec<Vec<(String, Verdict)>> {
    let mut reader = Strings { theme, found: Vec::new(), letters: None, in_text: false };
    xml::walk(text, &mut reader);
    reader.found
}

struct Strings<'t> {
    theme: &'t Theme,
    found: Vec<Vec<(String, Verdict)>>,
    /// Set inside a piece that has a look of its own.
    letters: Option<Letters>,
    in_text: bool,
}

impl Listener for Strings<'_> {
    fn open(&mut self, tag: &Tag<'_>) {
        match (tag.name().as_ref(), &mut self.letters) {
            ("si", _) => self.found.push(Vec::new()),
            ("rPr", letters) => *letters = Some(Letters { size: 11.0, ..Letters::default() }),
            ("sz", Some(letters)) => letters.size = tag.number("val").unwrap_or(11.0),
            ("color", Some(letters)) => letters.ink = color(tag, self.theme),
            ("t", _) => self.in_text = true,
            ("rPh", _) => self.in_text = false,
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "r" => self.letters = None,
            "t" => self.in_text = false,
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let verdict = self.letters.map_or(Verdict::Shown, |letters| letters.verdict());
        if let (true, Some(pieces)) = (self.in_text, self.found.last_mut()) {
            pieces.push((text.to_owned(), verdict));
        }
    }
}
