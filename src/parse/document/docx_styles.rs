//! Styles of Word documents: what a named style says about letters, with what it is based on.

use std::collections::HashMap;

use crate::model::Reason;
use crate::parse::visible_text::{BLACK, WHITE};

use super::docx_known::{beyond, is_of_blocks, is_of_letters, odd_block};
use super::package::Theme;
use super::sight::{Ink, Letters};
use super::xml::{Listener, Tag};

/// Styles that are based on each other, at most.
const DEEPEST: usize = 20;
/// Parts of a table that its styles tell apart, at most: there are thirteen.
const MOST_PARTS: usize = 30;

/// What a run or a style says itself; `None` for what it leaves as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Said {
    ink: Option<Ink>,
    /// By shading and by marking; automatic takes back what a style says, and leaves what is behind both.
    ground: Option<Ink>,
    mark: Option<Ink>,
    size: Option<f32>,
    vanished: Option<bool>,
    /// How high its lines are at any rate, how far letters are raised, and how far paragraphs are from each other, in points.
    line: Option<f32>,
    raise: Option<f32>,
    gap: Option<f32>,
    doubt: Option<&'static str>,
}

impl Said {
    /// Reads one property.
    pub(super) fn hear(&mut self, tag: &Tag<'_>, theme: &Theme) {
        let number = |name: &str| tag.number(name);
        match tag.name().as_ref() {
            "vanish" => self.vanished = Some(tag.is_on()),
            "color" => self.ink = Some(color(tag, theme, "val")),
            "shd" => self.ground = Some(shading(tag, theme)),
            "highlight" => self.mark = highlight(tag).or(self.mark),
            "sz" => self.size = number("val").map(|half_points| half_points / 2.0),
            "w" if number("val").is_some_and(|percent| !(40.0..=600.0).contains(&percent)) => {
                self.doubt = Some("width of letters");
            }
            "position" if number("val").is_none_or(|half_points| half_points.abs() > 60.0) => {
                self.doubt = Some("position");
            }
            "position" => self.raise = number("val").map(|half_points| half_points / 2.0),
            "fitText" if number("val").is_some_and(|width| width < 200.0) => {
                self.doubt = Some("width of letters");
            }
            // Letters of some scripts have this size, and all where `cs` is on.
            "szCs" if beyond(tag, "val", 10.0, 400.0) => self.doubt = Some("font-size"),
            "vertAlign"
                if !matches!(
                    tag.attribute("val").as_deref(),
                    Some("baseline" | "superscript" | "subscript")
                ) =>
            {
                self.doubt = Some("position");
            }
            "rFonts" if has_pictures_for_letters(tag) => self.doubt = Some("fonts"),
            "spacing" if beyond(tag, "val", -30.0, 600.0) => self.doubt = Some("spacing of letters"),
            name if !is_of_letters(name) => self.doubt = Some("not understood"),
            _ => {}
        }
    }

    /// Reads one property of a paragraph, a table, a row or a cell.
    fn hear_block(&mut self, tag: &Tag<'_>, name: &str, theme: &Theme) {
        self.hear_place(tag, name, theme);
        let unknown = (!is_of_blocks(name)).then_some("not understood");
        self.doubt = self.doubt.or(odd_block(tag, name)).or(unknown);
    }

    /// The same of what stands on the element itself: its ground and its lines.
    pub(super) fn hear_place(&mut self, tag: &Tag<'_>, name: &str, theme: &Theme) {
        match name {
            "shd" => {
                let was_named = self.ground.is_some_and(|ground| ground != Ink::Automatic);
                let ground = shading(tag, theme);
                // Whether the letters or the paragraph had the ground is not kept apart.
                let is_lost = was_named && ground == Ink::Automatic;
                self.ground = Some(if is_lost { Ink::Unknown } else { ground });
            }
            "spacing" => {
                let points = |name: &str| tag.number(name).map(|twentieths| twentieths / 20.0);
                if points("before").or(points("after")).is_some() {
                    self.gap = Some(points("before").unwrap_or(0.0) + points("after").unwrap_or(0.0));
                }
                if let Some(line) = points("line") {
                    let is_exact = tag.attribute("lineRule").as_deref() == Some("exact");
                    self.line = Some(if is_exact { line } else { f32::MAX });
                }
            }
            _ => {}
        }
    }

    /// Changes what stands above it.
    pub(super) fn apply(&self, letters: &mut Letters) {
        letters.ink = self.ink.unwrap_or(letters.ink);
        for ground in
            [self.ground, self.mark].into_iter().flatten().filter(|ground| *ground != Ink::Automatic)
        {
            letters.ground = ground;
        }
        letters.size = self.size.unwrap_or(letters.size);
        match self.vanished {
            Some(true) => letters.hide(Reason::Display),
            Some(false) if letters.hidden == Some(Reason::Display) => letters.hidden = None,
            _ => {}
        }
        letters.doubt = letters.doubt.or(self.doubt);
    }

    /// What letters of a paragraph suffer from both: lines too low for them, and grounds that one names and the other takes
    /// back.
    pub(super) fn act_together(paragraph: &Self, run: &Self, letters: &mut Letters) {
        let line = paragraph.line.unwrap_or(f32::MAX);
        let raise = run.raise.or(paragraph.raise).unwrap_or(0.0);
        if line < 0.7 * letters.size || line < f32::MAX && raise.abs() > 0.35 * line {
            letters.doubt("line-height");
        }
        let takes_back = |run: Option<Ink>, paragraph: Option<Ink>| {
            run == Some(Ink::Automatic) && paragraph.is_some_and(|ground| ground != Ink::Automatic)
        };
        if takes_back(run.ground, paragraph.ground) || takes_back(run.mark, paragraph.mark) {
            letters.ground = Ink::Unknown;
        }
    }

    /// How far a paragraph is from others, in points.
    pub(super) fn gap(&self) -> f32 {
        self.gap.unwrap_or(0.0)
    }

    fn over(self, below: Self) -> Self {
        Self {
            ink: self.ink.or(below.ink),
            ground: self.ground.or(below.ground),
            size: self.size.or(below.size),
            vanished: self.vanished.or(below.vanished),
            mark: self.mark.or(below.mark),
            line: self.line.or(below.line),
            raise: self.raise.or(below.raise),
            gap: self.gap.or(below.gap),
            doubt: self.doubt.or(below.doubt),
        }
    }

    /// The same on a ground that something nearer has said.
    pub(super) fn without_ground(self) -> Self {
        Self { ground: None, mark: None, ..self }
    }
}

/// A colour with its theme, which wins over the value beside it.
pub(super) fn color(tag: &Tag<'_>, theme: &Theme, value: &str) -> Ink {
    let (themed, tint, shade) = match value {
        "fill" => ("themeFill", "themeFillTint", "themeFillShade"),
        _ => ("themeColor", "themeTint", "themeShade"),
    };
    let Some(name) = tag.attribute(themed) else {
        return tag.attribute(value).map_or(Ink::Automatic, |value| Ink::hex(&value));
    };
    let share = |name: &str| {
        tag.attribute(name)
            .and_then(|hex| u8::from_str_radix(&hex, 16).ok())
            .map(|part| f32::from(part) / 255.0)
    };
    let color = theme.color(&name);
    let color = share(tint).map_or(color, |share| color.mixed(WHITE, share));
    share(shade).map_or(color, |share| color.mixed(BLACK, share))
}

/// What shading puts behind letters.
pub(super) fn shading(tag: &Tag<'_>, theme: &Theme) -> Ink {
    match tag.attribute("val").as_deref() {
        Some("clear" | "nil") | None => color(tag, theme, "fill"),
        Some("solid") => color(tag, theme, "color"),
        Some(_) => Ink::Unknown,
    }
}

fn highlight(tag: &Tag<'_>) -> Option<Ink> {
    let hex = match tag.attribute("val")?.as_str() {
        "none" => return Some(Ink::Automatic),
        "black" => "000000",
        "blue" => "0000FF",
        "cyan" => "00FFFF",
        "darkBlue" => "00008B",
        "darkCyan" => "008B8B",
        "darkGray" => "A9A9A9",
        "darkGreen" => "006400",
        "darkMagenta" => "800080",
        "darkRed" => "8B0000",
        "darkYellow" => "808000",
        "green" => "00FF00",
        "lightGray" => "D3D3D3",
        "magenta" => "FF00FF",
        "red" => "FF0000",
        "white" => "FFFFFF",
        "yellow" => "FFFF00",
        _ => return Some(Ink::Unknown),
    };
    Some(Ink::hex(hex))
}

/// Fonts whose letters are little pictures: what is typed in them is not what is seen.
fn has_pictures_for_letters(tag: &Tag<'_>) -> bool {
    ["ascii", "hAnsi", "cs", "eastAsia"]
        .iter()
        .filter_map(|name| tag.attribute(name))
        .any(|font| is_pictures(&font))
}

/// Whether letters of a font are little pictures.
pub(super) fn is_pictures(font: &str) -> bool {
    let font = font.to_lowercase();
    let signs = [
        "wingdings",
        "webdings",
        "symbol",
        "dingbat",
        "marlett",
        "blank",
        "barcode",
        "mt extra",
        "bookshelf",
        "ms outlook",
        "specialty",
        "mdl2",
        "fluent icons",
        "ornament",
        "starsymbol",
        "monotype sorts",
        "signs mt",
        "braille",
        "icons",
    ];
    signs.iter().any(|known| font.contains(known)) && !font.starts_with("segoe ui symbol")
}

/// The styles of a document.
#[derive(Default)]
pub(super) struct Styles<'t> {
    theme: Option<&'t Theme>,
    styles: HashMap<String, Style>,
    default: Said,
    default_paragraph: Option<String>,
    open: Option<(String, Style)>,
    is_part: bool,
    in_letters: bool,
    in_block: bool,
    /// How something looked before it was changed.
    in_change: bool,
}

#[derive(Default)]
struct Style {
    based_on: Option<String>,
    said: Said,
    /// What a table style says of its parts, such as its first row.
    parts: Vec<Said>,
}

impl<'t> Styles<'t> {
    pub(super) fn read(text: Option<&str>, theme: &'t Theme) -> Self {
        let mut styles = Self { theme: Some(theme), ..Self::default() };
        if let Some(text) = text {
            super::xml::walk(text, &mut styles);
        }
        styles
    }

    /// A style and what it is based on, and whether that has no end.
    fn chain(&self, name: Option<&str>) -> (Vec<&Style>, bool) {
        let mut chain = Vec::new();
        let mut next = name;
        while let Some(style) = next.and_then(|name| self.styles.get(name)) {
            if chain.len() == DEEPEST {
                return (chain, true);
            }
            chain.push(style);
            next = style.based_on.as_deref();
        }
        (chain, false)
    }

    /// What a style says.
    pub(super) fn said(&self, name: Option<&str>) -> Said {
        let (chain, is_endless) = self.chain(name);
        let mut said = chain.iter().fold(Said::default(), |said, style| said.over(style.said));
        // Styles of letters and of paragraphs turn each other round, so that none of them alone makes anything seen.
        said.vanished = said.vanished.filter(|is_vanished| *is_vanished);
        if is_endless {
            said.doubt = Some("styles");
        }
        said
    }

    /// The usual style of paragraphs.
    pub(super) fn paragraph(&self, name: Option<&str>) -> Said {
        self.said(name.or(self.default_paragraph.as_deref())).over(self.default)
    }

    /// What a table style says of the whole table and of each of its parts.
    pub(super) fn table(&self, name: &str) -> Vec<Said> {
        let whole = self.said(Some(name));
        let (chain, _) = self.chain(Some(name));
        let parts = chain.iter().flat_map(|style| &style.parts).take(MOST_PARTS).map(|part| part.over(whole));
        std::iter::once(whole).chain(parts).collect()
    }
}

impl Listener for Styles<'_> {
    fn open(&mut self, tag: &Tag<'_>) {
        let name = tag.name();
        match name.as_ref() {
            name if name.ends_with("Change") => self.in_change = true,
            _ if self.in_change => {}
            "docDefaults" => self.open = Some((String::new(), Style::default())),
            "style" => {
                let id = tag.attribute("styleId").unwrap_or_default();
                if tag.attribute("type").as_deref() == Some("paragraph") && tag.says("default") {
                    self.default_paragraph = Some(id.clone());
                }
                self.open = Some((id, Style::default()));
            }
            name => {
                let (Some(theme), Some((_, style))) = (self.theme, &mut self.open) else { return };
                let said = if self.is_part {
                    style.parts.last_mut().unwrap_or(&mut style.said)
                } else {
                    &mut style.said
                };
                match name {
                    "basedOn" => style.based_on = tag.attribute("val"),
                    "tblStylePr" => {
                        style.parts.push(Said::default());
                        self.is_part = true;
                    }
                    "rPr" => self.in_letters = true,
                    _ if self.in_letters => said.hear(tag, theme),
                    "pPr" | "tblPr" | "trPr" | "tcPr" => self.in_block = true,
                    name if self.in_block => said.hear_block(tag, name, theme),
                    _ => {}
                }
            }
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            name if name.ends_with("Change") => self.in_change = false,
            _ if self.in_change => {}
            "rPr" => self.in_letters = false,
            "pPr" | "tblPr" | "trPr" | "tcPr" => self.in_block = false,
            "tblStylePr" => self.is_part = false,
            "docDefaults" => self.default = self.open.take().map(|(_, style)| style.said).unwrap_or_default(),
            "style" => self.styles.extend(self.open.take()),
            _ => {}
        }
    }

    fn text(&mut self, _text: &str) {}
}
