//! Styles of cells, and texts that several cells share: which letters can be read.

use std::collections::HashMap;

use crate::model::Reason;
use crate::parse::visible_text::{BLACK, Verdict, WHITE};

use super::docx_known::{beyond, is_in};
use super::docx_styles::is_pictures;
use super::package::Theme;
use super::sight::{Ink, Letters};
use super::xml::{self, Listener, Tag};

/// Properties of a font that leave letters readable, or whose values are looked at.
const OF_FONTS: &str = "\
    b charset color condense extend family i name outline rFont scheme shadow strike sz u vertAlign";

/// The styles of cells, by number.
#[derive(Default)]
pub(super) struct CellStyles {
    letters: Vec<Letters>,
    /// Formats under a condition, by number: whether they leave letters readable.
    harmless: Vec<bool>,
    wraps: Vec<bool>,
}

impl CellStyles {
    pub(super) fn read(text: Option<&str>, theme: &Theme) -> Self {
        let mut reader = StyleReader { theme, ..StyleReader::new(theme) };
        xml::walk(text.unwrap_or_default(), &mut reader);
        reader.settled()
    }

    /// What the letters of a style look like.
    pub(super) fn letters(&self, style: usize) -> Letters {
        match self.letters.get(style) {
            Some(letters) => *letters,
            None if style == 0 => Letters { size: 11.0, ..Letters::default() },
            None => Letters { doubt: Some("styles"), ..Letters::default() },
        }
    }

    /// Whether cells of a style break their lines.
    pub(super) fn wraps(&self, style: usize) -> bool {
        self.wraps.get(style).copied().unwrap_or(false)
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
    /// Formats of numbers, by number.
    formats: HashMap<usize, Format>,
    cells: Vec<(usize, usize, usize, Option<&'static str>)>,
    /// Whether cells break their lines, by number.
    wraps: Vec<bool>,
    /// Whether the workbook has numbered colours of its own.
    has_own_colors: bool,
    colors: usize,
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
            formats: HashMap::new(),
            cells: Vec::new(),
            wraps: Vec::new(),
            has_own_colors: false,
            colors: 0,
            conditional: Vec::new(),
            open: Letters::default(),
            is_pattern: false,
            in_fill: false,
        }
    }

    fn settled(self) -> CellStyles {
        let letters = self.cells.iter().map(|(font, fill, format, odd)| {
            let mut letters = self.fonts.get(*font).copied().unwrap_or_default();
            letters.ground = self.fills.get(*fill).copied().unwrap_or(Ink::Automatic);
            letters.doubt = letters.doubt.or(*odd).or(self.has_own_colors.then_some("color"));
            let Some(format) = self.formats.get(format) else { return letters };
            if !format.shows {
                letters.hide(Reason::Display);
            }
            if format.inks.iter().any(|ink| Letters { ink: *ink, ..letters }.verdict() != Verdict::Shown) {
                letters.doubt("color");
            }
            letters
        });
        CellStyles { letters: letters.collect(), harmless: self.conditional, wraps: self.wraps }
    }

    fn cell(&mut self, tag: &Tag<'_>) {
        let number = |name: &str| tag.number(name).map_or(0, |value| value as usize);
        self.cells.push((number("fontId"), number("fillId"), number("numFmtId"), None));
        self.wraps.push(false);
    }

    fn align(&mut self, tag: &Tag<'_>) {
        let odd = match () {
            () if beyond(tag, "indent", 0.0, 15.0) || beyond(tag, "relativeIndent", -15.0, 15.0) => {
                Some("alignment")
            }
            () if tag.attribute("horizontal").as_deref() == Some("fill") => Some("alignment"),
            () if tag.says("shrinkToFit") => Some("font-size"),
            () => None,
        };
        if let Some(wraps) = self.wraps.last_mut() {
            *wraps = tag.says("wrapText");
        }
        if let Some(cell) = self.cells.last_mut() {
            cell.3 = odd;
        }
    }

    /// One property of a font.
    fn font(&mut self, tag: &Tag<'_>, name: &str) {
        hear_font(&mut self.open, tag, name, self.theme);
    }
}

/// What a format does to values.
struct Format {
    shows: bool,
    /// Colours that it gives to some values.
    inks: Vec<Ink>,
}

impl Format {
    fn of(code: &str) -> Self {
        let (bare, brackets) = bare(code);
        let shows = bare.contains(['0', '#', '@', '?']) || bare.contains(|c: char| "ymdhsg".contains(c));
        let hides = bare.split(';').count() >= 4
            && bare.split(';').next_back().is_some_and(|text| !text.contains('@'));
        Self { shows: shows && !hides, inks: brackets.iter().filter_map(|name| painted(name)).collect() }
    }
}

/// A format in small letters without what it says word by word, and what stands in its brackets.
fn bare(code: &str) -> (String, Vec<String>) {
    let (mut bare, mut brackets) = (String::new(), Vec::new());
    let mut rest = code.chars();
    while let Some(c) = rest.next() {
        match c {
            '"' => drop(rest.by_ref().find(|c| *c == '"')),
            '\\' | '_' | '*' => drop(rest.next()),
            '[' => brackets.push(rest.by_ref().take_while(|c| *c != ']').collect::<String>().to_lowercase()),
            c => bare.extend(c.to_lowercase()),
        }
    }
    // Hours, minutes and seconds that run on stand in brackets, too.
    if brackets.iter().any(|name| name.chars().all(|c| "hms".contains(c))) {
        bare.push('h');
    }
    (bare, brackets)
}

fn painted(name: &str) -> Option<Ink> {
    let hex = match name {
        "black" => "000000",
        "blue" => "0000FF",
        "cyan" => "00FFFF",
        "green" => "00FF00",
        "magenta" => "FF00FF",
        "red" => "FF0000",
        "white" => "FFFFFF",
        "yellow" => "FFFF00",
        // Conditions, currencies and languages.
        name if name.starts_with(['<', '>', '=', '$']) || name.chars().all(|c| "hms".contains(c)) => {
            return None;
        }
        _ => return Some(Ink::Unknown),
    };
    Some(Ink::hex(hex))
}

/// Reads one property of a font, of a cell or of a piece of its text.
fn hear_font(letters: &mut Letters, tag: &Tag<'_>, name: &str, theme: &Theme) {
    match name {
        "sz" => letters.size = tag.number("val").unwrap_or(11.0),
        "color" => letters.ink = color(tag, theme),
        "name" | "rFont" if tag.attribute("val").is_some_and(|font| is_pictures(&font)) => {
            letters.doubt("fonts")
        }
        name if !is_in(OF_FONTS, name) => letters.doubt("not understood"),
        _ => {}
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
            Some(65) => Ink::Is(WHITE),
            Some(number) => indexed(number),
        }
    };
    match tag.number("tint") {
        Some(tint) if tint > 0.0 => color.mixed(WHITE, 1.0 - tint),
        Some(tint) if tint < 0.0 => color.mixed(BLACK, 1.0 + tint),
        _ => color,
    }
}

/// The numbered colours that a workbook has unless it names its own, from the seventeenth on; the first eight come twice.
const NUMBERED: &str = "\
    800000 008000 000080 808000 800080 008080 C0C0C0 808080 9999FF 993366 FFFFCC CCFFFF 660066 FF8080 0066CC CCCCFF \
    000080 FF00FF FFFF00 00FFFF 800080 800000 008080 0000FF 00CCFF CCFFFF CCFFCC FFFF99 99CCFF FF99CC CC99FF FFCC99 \
    3366FF 33CCCC 99CC00 FFCC00 FF9900 FF6600 666699 969696 003366 339966 003300 333300 993300 993366 333399 333333";

fn indexed(number: usize) -> Ink {
    const FIRST: [&str; 8] = ["000000", "FFFFFF", "FF0000", "00FF00", "0000FF", "FFFF00", "FF00FF", "00FFFF"];
    let hex = match number {
        0..=15 => Some(FIRST[number % 8]),
        number => NUMBERED.split_ascii_whitespace().nth(number - 16),
    };
    hex.map_or(Ink::Unknown, Ink::hex)
}

impl Listener for StyleReader<'_> {
    fn open(&mut self, tag: &Tag<'_>) {
        let name = tag.name();
        match (self.section, name.as_ref()) {
            (_, "fonts") => self.section = Section::Fonts,
            (_, "fills") => self.section = Section::Fills,
            (_, "cellXfs") => self.section = Section::Cells,
            (_, "dxfs") => self.section = Section::Conditional,
            // Those in formats under a condition have numbers of their own.
            (Section::None, "numFmt") => {
                let number = tag.number("numFmtId").map_or(0, |number| number as usize);
                self.formats.insert(number, Format::of(&tag.attribute("formatCode").unwrap_or_default()));
            }
            // Some programs write the usual colours once more.
            (_, "rgbColor") => {
                let own = Ink::hex(&tag.attribute("rgb").unwrap_or_default());
                let usual = indexed(self.colors);
                self.has_own_colors |= usual != Ink::Unknown && usual != own;
                self.colors += 1;
            }
            (Section::Fonts, "font") => self.open = Letters { size: 11.0, ..Letters::default() },
            (Section::Fonts, name) => self.font(tag, name),
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
            (Section::Cells, "alignment") => self.align(tag),
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

/// A text in pieces, each with its look where it has one of its own.
pub(super) type Pieces = Vec<(String, Option<Letters>)>;

/// Texts that cells share.
pub(super) fn strings(text: &str, theme: &Theme) -> Vec<Pieces> {
    let mut reader = Strings {
        theme,
        found: Vec::new(),
        letters: None,
        in_properties: false,
        in_text: false,
        in_speech: false,
    };
    xml::walk(text, &mut reader);
    reader.found
}

struct Strings<'t> {
    theme: &'t Theme,
    found: Vec<Pieces>,
    /// Set inside a piece that has a look of its own.
    letters: Option<Letters>,
    in_properties: bool,
    in_text: bool,
    /// In what says how a text is spoken.
    in_speech: bool,
}

impl Listener for Strings<'_> {
    fn open(&mut self, tag: &Tag<'_>) {
        let name = tag.name();
        match (name.as_ref(), &mut self.letters) {
            ("si", _) => self.found.push(Vec::new()),
            ("rPr", letters) => {
                *letters = Some(Letters { size: 11.0, ..Letters::default() });
                self.in_properties = true;
            }
            (name, Some(letters)) if self.in_properties => hear_font(letters, tag, name, self.theme),
            ("t", _) => self.in_text = !self.in_speech,
            ("rPh", _) => self.in_speech = true,
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "rPr" => self.in_properties = false,
            "r" => self.letters = None,
            "rPh" => self.in_speech = false,
            "t" => self.in_text = false,
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let (true, Some(pieces)) = (self.in_text, self.found.last_mut()) {
            pieces.push((text.to_owned(), self.letters));
        }
    }
}
