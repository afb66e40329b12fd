//! OpenDocument texts, presentations and sheets: what a person sees of the body. Hidden sections, paragraphs, slides,
//! sheets, rows and columns, deleted text, and letters too small or too pale to read are left out.

use std::collections::HashMap;

use crate::model::Reason;

use super::DocumentError;
use super::archive::Archive;
use super::docx_styles::is_pictures;
use super::sight::{Ink, Letters};
use super::text::Text;
use super::xml::{self, Listener, Tag};

/// Styles that are based on each other, at most.
const DEEPEST: usize = 20;

/// Adds what can be seen of a document.
pub(super) fn read(bytes: &[u8], out: &mut Text) -> Result<(), DocumentError> {
    let mut archive = Archive::open(bytes)?;
    let mut styles = Styles::default();
    if let Some(text) = archive.part_if_any("styles.xml")? {
        xml::walk(&text, &mut styles);
    }
    let text = archive.part("content.xml")?;
    xml::walk(&text, &mut styles);
    xml::walk(&text, &mut Body::new(&styles, out));
    Ok(())
}

/// What a style says itself.
#[derive(Debug, Clone, Copy, Default)]
struct Said {
    ink: Option<Ink>,
    ground: Option<Ink>,
    size: Option<Size>,
    hidden: Option<bool>,
    doubt: Option<&'static str>,
}

#[derive(Debug, Clone, Copy)]
enum Size {
    Points(f32),
    Share(f32),
}

impl Said {
    fn apply(&self, letters: &mut Letters) {
        letters.ink = self.ink.unwrap_or(letters.ink);
        letters.ground = self.ground.unwrap_or(letters.ground);
        letters.size = match self.size {
            Some(Size::Points(points)) => points,
            Some(Size::Share(share)) => letters.size * share,
            None => letters.size,
        };
        if self.hidden == Some(true) {
            letters.hide(Reason::Display);
        }
        letters.doubt = letters.doubt.or(self.doubt);
    }

    fn hear(&mut self, tag: &Tag<'_>) {
        let has = |name: &str, values: &[&str]| {
            tag.attribute(name).is_some_and(|value| values.contains(&value.as_str()))
        };
        if let Some(color) = tag.attribute("color") {
            self.ink = Some(Ink::hex(&color));
        }
        if tag.says("use-window-font-color") {
            self.ink = Some(Ink::Automatic);
        }
        if let Some(color) = tag.attribute("background-color") {
            self.ground = if color == "transparent" { None } else { Some(Ink::hex(&color)) };
        }
        if let Some(size) = tag.attribute("font-size") {
            self.size = size_of(&size);
        }
        if let Some(display) = tag.attribute("display") {
            self.hidden = Some(matches!(display.as_str(), "none" | "false" | "condition"));
        }
        if has("visibility", &["hidden", "collapse", "filter"]) {
            self.hidden = Some(true);
        }
        let is_odd = |name: &str, low: f32, high: f32| {
            tag.attribute(name)
                .and_then(|value| length(&value))
                .is_some_and(|points| !(low..=high).contains(&points))
        };
        let scale =
            tag.attribute("text-scale").and_then(|value| value.trim_end_matches('%').parse::<f32>().ok());
        let font = ["font-name", "font-family"]
            .iter()
            .filter_map(|name| tag.attribute(name))
            .any(|font| is_pictures(&font));
        let doubt = match () {
            () if is_odd("letter-spacing", -1.5, 40.0) => Some("spacing of letters"),
            () if scale.is_some_and(|scale| scale < 40.0) => Some("width of letters"),
            () if is_odd("line-height", 4.0, 1e4) => Some("line-height"),
            () if ["margin-left", "margin-right", "text-indent"]
                .iter()
                .any(|name| is_odd(name, -60.0, 400.0)) =>
            {
                Some("indent")
            }
            () if is_odd("row-height", 3.0, 1e5) || is_odd("column-width", 3.0, 1e5) => Some("size"),
            () if font => Some("fonts"),
            () if tag.attribute("fill").is_some_and(|fill| !matches!(fill.as_str(), "none" | "solid")) => {
                Some("background")
            }
            () => None,
        };
        self.doubt = self.doubt.or(doubt);
        if let (Some(color), false) = (tag.attribute("fill-color"), has("fill", &["none"])) {
            self.ground = Some(Ink::hex(&color));
        }
    }
}

fn size_of(value: &str) -> Option<Size> {
    match value.strip_suffix('%') {
        Some(share) => share.parse::<f32>().ok().map(|share| Size::Share(share / 100.0)),
        None => length(value).map(Size::Points),
    }
}

/// A length in points.
fn length(value: &str) -> Option<f32> {
    let value = value.trim();
    let digits = value.find(|c: char| c.is_ascii_alphabetic() || c == '%')?;
    let number: f32 = value[..digits].parse().ok()?;
    Some(
        number
            * match &value[digits..] {
                "pt" => 1.0,
                "cm" => 28.35,
                "mm" => 2.835,
                "in" => 72.0,
                "pc" => 12.0,
                "px" => 0.75,
                _ => return None,
            },
    )
}

/// All styles of a document, by family and name.
#[derive(Default)]
struct Styles {
    styles: HashMap<String, (Option<String>, Said)>,
    open: Option<(String, Option<String>, Said)>,
    /// Layers of a drawing that are not shown.
    layers: Vec<String>,
    brings_fonts: bool,
}

impl Styles {
    fn apply(&self, name: &str, letters: &mut Letters) {
        let mut chain = Vec::new();
        let mut next = Some(name.to_owned());
        for _ in 0..DEEPEST {
            let Some((parent, said)) = next.as_ref().and_then(|name| self.styles.get(name)) else { break };
            chain.push(*said);
            next.clone_from(parent);
        }
        chain.iter().rev().for_each(|said| said.apply(letters));
        if chain.len() == DEEPEST {
            letters.doubt("styles");
        }
    }
}

impl Listener for Styles {
    fn open(&mut self, tag: &Tag<'_>) {
        match tag.name().as_ref() {
            "style" | "default-style" => {
                let name = tag
                    .attribute("name")
                    .unwrap_or_else(|| format!("default {}", tag.attribute("family").unwrap_or_default()));
                let parent = tag.attribute("parent-style-name").or_else(|| {
                    let family = tag.attribute("family").unwrap_or_default();
                    (!name.starts_with("default ")).then(|| format!("default {family}"))
                });
                self.open = Some((name, parent, Said::default()));
            }
            "layer" if tag.attribute("display").is_some_and(|display| display != "always") => {
                self.layers.extend(tag.attribute("name"));
            }
            "font-face-src" | "font-face-uri" => self.brings_fonts = true,
            // A style that changes with what a cell holds, or where a paragraph stands.
            "map" => {
                if let Some((_, _, said)) = &mut self.open {
                    said.doubt = Some("conditions");
                }
            }
            name if name.ends_with("-properties") => {
                if let Some((_, _, said)) = &mut self.open {
                    said.hear(tag);
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if matches!(name, "style" | "default-style")
            && let Some((name, parent, said)) = self.open.take()
        {
            self.styles.insert(name, (parent, said));
        }
    }

    fn text(&mut self, _text: &str) {}
}

struct Body<'a> {
    styles: &'a Styles,
    out: &'a mut Text,
    depth: usize,
    letters: Letters,
    before: Vec<(usize, Letters)>,
    in_body: bool,
    /// What the columns of the table hide, and the column of the next cell.
    columns: Vec<(u32, Letters)>,
    column: u32,
}

/// How often one element may stand for several: sheets end in a million empty cells.
const MOST_REPEATED: f32 = 20_000.0;

impl<'a> Body<'a> {
    fn new(styles: &'a Styles, out: &'a mut Text) -> Self {
        let mut letters = Letters::default();
        if styles.brings_fonts {
            letters.doubt("fonts");
        }
        Self {
            styles,
            out,
            depth: 0,
            letters,
            before: Vec::new(),
            in_body: false,
            columns: Vec::new(),
            column: 0,
        }
    }

    /// What an element does to the letters in it.
    fn enter(&mut self, tag: &Tag<'_>, name: &str) {
        if let Some(style) = tag.qualified("text:style-name").or_else(|| tag.attribute("style-name")) {
            self.styles.apply(&style, &mut self.letters);
        }
        match name {
            "section" | "hidden-paragraph" | "hidden-text" | "conditional-text"
                if name != "section" || tag.attribute("display").is_some_and(|display| display != "true") =>
            {
                self.letters.hide(Reason::Display);
            }
            "tracked-changes" | "deletion" => self.letters.hide(Reason::Deleted),
            "table-row" | "table-column"
                if tag.attribute("visibility").is_some_and(|seen| seen != "visible") =>
            {
                self.letters.hide(Reason::Display);
            }
            "forms"
            | "scripts"
            | "variable-decls"
            | "sequence-decls"
            | "shapes"
            | "settings"
            | "dde-connection-decls"
            | "covered-table-cell"
            | "content-validations"
            | "named-expressions"
            | "title"
            | "desc"
            | "event-listeners"
            | "index-title-template"
            | "table-source"
            | "calculation-settings"
            | "meta-field"
            | "database-ranges"
                if name != "meta-field" =>
            {
                self.letters.hide(Reason::NotRendered);
            }
            "frame" | "custom-shape" | "rect" | "line" | "text-box" | "g" => self.place(tag),
            _ => {}
        }
    }

    fn place(&mut self, tag: &Tag<'_>) {
        let at = |name: &str| tag.attribute(name).and_then(|value| length(&value));
        let is_beyond = |from: Option<f32>, size: Option<f32>, most: f32| {
            from.is_some_and(|from| from > most || from + size.unwrap_or(0.0) < 0.0)
        };
        if is_beyond(at("x"), at("width"), 1_400.0) || is_beyond(at("y"), at("height"), 1_400.0) {
            self.letters.hide(Reason::OffScreen);
        }
        if [at("width"), at("height")].into_iter().flatten().any(|size| size < 4.0) {
            self.letters.doubt("size");
        }
        if tag.attribute("transform").is_some() {
            self.letters.doubt("transform");
        }
        if tag.attribute("layer").is_some_and(|layer| self.styles.layers.contains(&layer)) {
            self.letters.hide(Reason::Display);
        }
    }

    fn column(&mut self, tag: &Tag<'_>, name: &str) {
        let repeated = tag.number("number-columns-repeated").unwrap_or(1.0).clamp(1.0, MOST_REPEATED) as u32;
        match name {
            "table" => self.columns.clear(),
            "table-row" => self.column = 0,
            "table-column" => {
                let from = self.columns.last().map_or(0, |(to, _)| *to);
                let mut letters = self.letters;
                letters.ground = Ink::Automatic;
                self.columns.push((from + repeated, letters));
            }
            "table-cell" | "covered-table-cell" => {
                let column = self.columns.iter().find(|(to, _)| self.column < *to);
                if let Some((_, column)) = column {
                    self.letters.hidden = self.letters.hidden.or(column.hidden);
                    self.letters.doubt = self.letters.doubt.or(column.doubt);
                }
                self.column += repeated;
            }
            _ => {}
        }
    }
}

impl Listener for Body<'_> {
    fn open(&mut self, tag: &Tag<'_>) {
        self.depth += 1;
        let name = tag.name();
        if name == "body" {
            self.in_body = true;
            return;
        }
        if !self.in_body {
            return;
        }
        let before = self.letters;
        self.enter(tag, &name);
        self.column(tag, &name);
        if self.letters != before {
            self.before.push((self.depth, before));
        }
        match name.as_ref() {
            "tab" => self.out.push("\t"),
            "s" => self.out.push(" "),
            "line-break" => self.out.push("\n"),
            "table" => {
                if let Some(title) = tag.qualified("table:name") {
                    let verdict = self.letters.verdict();
                    self.out.put(&format!("{title}\n"), verdict);
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if self.before.last().is_some_and(|(depth, _)| *depth == self.depth)
            && let Some((_, letters)) = self.before.pop()
        {
            self.letters = letters;
        }
        self.depth = self.depth.saturating_sub(1);
        match name {
            "body" => self.in_body = false,
            "table-cell" if self.in_body => self.out.push("\t"),
            "p" | "h" | "table-row" if self.in_body && !self.out.is_at_line_start() => self.out.push("\n"),
            "p" | "h" if self.in_body => self.out.push("\n"),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_body {
            let verdict = self.letters.verdict();
            self.out.put(text, verdict);
        }
    }

    fn is_done(&self) -> bool {
        self.out.is_full()
    }
}
