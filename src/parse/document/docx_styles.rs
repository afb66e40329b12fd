//! Styles of Word documents: what a named style says about letters, with what it is based on.

use std::collections::HashMap;

use crate::model::Reason;
use crate::parse::visible_text::{BLACK, WHITE};

use super::package::Theme;
use super::sight::{Ink, Letters};
use super::xml::{Listener, Tag};

/// Styles that are based on each other, at most.
const DEEPEST: usize = 20;

/// What a run or a style says itself; `None` for what it leaves as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Said {
    ink: Option<Ink>,
    ground: Option<Ink>,
    size: Option<f32>,
    vanished: Option<bool>,
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
            "highlight" => self.ground = highlight(tag).or(self.ground),
            "sz" => self.size = number("val").map(|half_points| half_points / 2.0),
            "w" if number("val").is_some_and(|percent| !(40.0..=600.0).contains(&percent)) => {
                self.doubt = Some("width of letters");
            }
            "position" if number("val").is_some_and(|half_points| half_points.abs() > 60.0) => {
                self.doubt = Some("position");
            }
            "fitText" if number("val").is_some_and(|width| width < 200.0) => {
                self.doubt = Some("width of letters");
            }
            "textFill" | "textOutline" | "eastAsianLayout" => self.doubt = Some("effects"),
            "rFonts" if has_pictures_for_letters(tag) => self.doubt = Some("fonts"),
            _ => {}
        }
    }

    /// The spacing of letters, which has one name with that of lines.
    pub(super) fn hear_spacing(&mut self, tag: &Tag<'_>) {
        // Twentieths of a point.
        if tag.number("val").is_some_and(|spacing| !(-30.0..=600.0).contains(&spacing)) {
            self.doubt = Some("spacing of letters");
        }
    }

    /// Changes what stands above it.
    pub(super) fn apply(&self, letters: &mut Letters) {
        letters.ink = self.ink.unwrap_or(letters.ink);
        letters.ground = self.ground.unwrap_or(letters.ground);
        letters.size = self.size.unwrap_or(letters.size);
        match self.vanished {
            Some(true) => letters.hide(Reason::Display),
            Some(false) if letters.hidden == Some(Reason::Display) => letters.hidden = None,
            _ => {}
        }
        letters.doubt = letters.doubt.or(self.doubt);
    }

    fn over(self, below: Self) -> Self {
        Self {
            ink: self.ink.or(below.ink),
            ground: self.ground.or(below.ground),
            size: self.size.or(below.size),
            vanished: self.vanished.or(below.vanished),
            doubt: self.doubt.or(below.doubt),
        }
    }

    fn is_readable(&self) -> bool {
        let mut letters = Letters::default();
        self.apply(&mut letters);
        letters.verdict() == crate::parse::visible_text::Verdict::Shown
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
    ["wingdings", "webdings", "symbol", "dingbats", "marlett", "blank", "barcode"]
        .iter()
        .any(|known| font.contains(known) && !font.contains("segoe ui"))
}

/// The styles of a document.
#[derive(Default)]
pub(super) struct Styles<'t> {
    theme: Option<&'t Theme>,
    styles: HashMap<String, (Option<String>, Said)>,
    /// Table styles that colour letters, and whether each of their parts can be read as it stands.
    tables: HashMap<String, bool>,
    pub(super) default: Said,
    default_paragraph: Option<String>,
    open: Option<(String, Option<String>, Said)>,
    /// A part of a table style, such as its first row.
    part: Option<Said>,
    is_table: bool,
    in_letters: bool,
    /// How something looked before it was changed.
    in_change: bool,
}

impl<'t> Styles<'t> {
    pub(super) fn read(text: Option<&str>, theme: &'t Theme) -> Self {
        let mut styles = Self { theme: Some(theme), ..Self::default() };
        if let Some(text) = text {
            super::xml::walk(text, &mut styles);
        }
        styles
    }

    /// What a style says, or the usual one of paragraphs.
    pub(super) fn said(&self, name: Option<&str>) -> Said {
        let mut said = Said::default();
        let mut next = name.map(str::to_owned);
        for _ in 0..DEEPEST {
            let Some((based_on, own)) = next.as_ref().and_then(|name| self.styles.get(name)) else { break };
            said = said.over(*own);
            next.clone_from(based_on);
        }
        if next.is_some_and(|name| self.styles.contains_key(&name)) {
            said.doubt = Some("styles");
        }
        said
    }

    /// The usual style of paragraphs.
    pub(super) fn paragraph(&self, name: Option<&str>) -> Said {
        self.said(name.or(self.default_paragraph.as_deref())).over(self.default)
    }

    /// Whether a table style colours letters, and if so whether they can be read everywhere.
    pub(super) fn table(&self, name: &str) -> Option<bool> {
        self.tables.get(name).copied()
    }

    fn settle_part(&mut self) {
        let Some((name, _, _)) = &self.open else { return };
        let Some(said) = self.part.take() else { return };
        if said.ink.is_some() || said.vanished.is_some() || said.size.is_some() || said.doubt.is_some() {
            let readable = self.tables.entry(name.clone()).or_insert(true);
            *readable &= said.is_readable();
        }
    }
}

impl Listener for Styles<'_> {
    fn open(&mut self, tag: &Tag<'_>) {
        match tag.name().as_ref() {
            name if name.ends_with("Change") => self.in_change = true,
            _ if self.in_change => {}
            "rPrDefault" => self.open = Some((String::new(), None, Said::default())),
            "style" => {
                let id = tag.attribute("styleId").unwrap_or_default();
                let kind = tag.attribute("type").unwrap_or_default();
                self.is_table = kind == "table";
                if kind == "paragraph" && tag.says("default") {
                    self.default_paragraph = Some(id.clone());
                }
                self.part = self.is_table.then(Said::default);
                self.open = Some((id, None, Said::default()));
            }
            "tblStylePr" => {
                self.settle_part();
                self.part = Some(Said::default());
            }
            "basedOn" => {
                if let Some((_, based_on, _)) = &mut self.open {
                    *based_on = tag.attribute("val");
                }
            }
            "rPr" => self.in_letters = true,
            "spacing" if self.in_letters => {
                if let Some((_, _, said)) = &mut self.open {
                    said.hear_spacing(tag);
                }
            }
            name => {
                let (Some(theme), Some((_, _, said))) = (self.theme, &mut self.open) else { return };
                let said = self.part.as_mut().unwrap_or(said);
                if self.in_letters || name == "shd" {
                    said.hear(tag, theme);
                }
            }
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            name if name.ends_with("Change") => self.in_change = false,
            _ if self.in_change => {}
            "rPr" => self.in_letters = false,
            "rPrDefault" => {
                self.default = self.open.take().map(|(_, _, said)| said).unwrap_or_default();
            }
            "tblStylePr" => self.settle_part(),
            "style" => {
                self.settle_part();
                if let Some((name, based_on, said)) = self.open.take()
                    && !self.is_table
                {
                    self.styles.insert(name, (based_on, said));
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, _text: &str) {}
}
