//! Word: what a person sees of the text, its notes, comments, headers and footers. Hidden, deleted, tiny and pale text is
//! left out, and so are parts that nothing in the text leads to.

use std::collections::HashSet;

use crate::model::Reason;

use super::DocumentError;
use super::archive::Archive;
use super::docx_styles::{Said, Styles, shading};
use super::package::{self, Relation, Theme};
use super::sight::{Ink, Letters};
use super::text::Text;
use super::xml::{self, Listener, Tag};

/// Names of what Word understands, so that it takes the first of two alternatives.
const KNOWN: [&str; 12] =
    ["wps", "wpg", "wpc", "wpi", "w14", "w15", "w16", "w16se", "w16cid", "wp14", "a14", "cx1"];

/// Adds what can be seen of a document.
pub(super) fn read(bytes: &[u8], out: &mut Text) -> Result<(), DocumentError> {
    let mut archive = Archive::open(bytes)?;
    let main = package::main_part(&mut archive, "word/document.xml")?;
    let relations = package::relations(&mut archive, &main)?;
    let theme = Theme::read(package::related(&mut archive, &relations, "theme")?.as_deref());
    let styles = package::related(&mut archive, &relations, "styles")?;
    let styles = Styles::read(styles.as_deref(), &theme);
    let fonts = package::related(&mut archive, &relations, "fontTable")?.unwrap_or_default();
    let settings = package::related(&mut archive, &relations, "settings")?.unwrap_or_default();
    let text = archive.part(&main)?;
    let mut page = Page::new(&styles, &theme, out);
    page.everywhere = doubt_everywhere(&fonts, &settings, &text);
    xml::walk(&text, &mut page);
    page.out.push("\n");
    let Page { references, everywhere, .. } = page;
    for relation in shown_parts(&relations, &references, &settings) {
        let Some(text) = archive.part_if_any(&relation.target)? else { continue };
        let mut page = Page::new(&styles, &theme, out);
        (page.everywhere, page.wanted) = (everywhere, Some(&references));
        xml::walk(&text, &mut page);
        out.push("\n");
    }
    Ok(())
}

/// What may hide any of the text: letters that the document brings along, colours under other names, and shapes that
/// stand before the text.
fn doubt_everywhere(fonts: &str, settings: &str, text: &str) -> Option<&'static str> {
    let remaps = settings.contains("clrSchemeMapping")
        && !(settings.contains("bg1=\"light1\"") && settings.contains("t1=\"dark1\""));
    let in_front = text.contains("behindDoc=\"0\"") || text.contains("behindDoc='0'");
    match () {
        () if fonts.contains("embedRegular") || fonts.contains("embedBold") => Some("fonts"),
        () if remaps => Some("color"),
        () if text.contains("<w:background") => Some("background"),
        () if text.contains("wrapNone") && in_front => Some("something over it"),
        () => None,
    }
}

/// Notes and comments that the text leads to, and headers and footers that its pages have.
fn shown_parts<'r>(relations: &'r [Relation], references: &References, settings: &str) -> Vec<&'r Relation> {
    let is_shown = |relation: &&Relation| match relation.kind.as_str() {
        "footnotes" | "endnotes" | "comments" => true,
        "header" | "footer" => references.headers.iter().any(|(id, kind)| {
            *id == relation.id
                && match kind.as_str() {
                    "first" => references.has_title_page,
                    "even" => settings.contains("evenAndOddHeaders"),
                    _ => true,
                }
        }),
        _ => false,
    };
    relations.iter().filter(is_shown).collect()
}

/// What the text leads to.
#[derive(Default)]
struct References {
    notes: HashSet<(String, String)>,
    headers: Vec<(String, String)>,
    has_title_page: bool,
}

/// What is put back at the end of an element.
struct Before {
    depth: usize,
    letters: Letters,
}

struct Page<'a, 't> {
    styles: &'a Styles<'t>,
    theme: &'a Theme,
    out: &'a mut Text,
    depth: usize,
    letters: Letters,
    paragraph: Said,
    run: Said,
    before: Vec<Before>,
    /// The depth of an element that is not looked into.
    skipped: Option<usize>,
    in_text: bool,
    in_paragraph_properties: bool,
    in_run_properties: bool,
    /// Whether the letters of the table around have colours of its style.
    table_style: Option<bool>,
    everywhere: Option<&'static str>,
    references: References,
    /// In a part of notes: those that the text leads to.
    wanted: Option<&'a References>,
    /// Letters of something that stands somewhere on the page by itself.
    reads_offset: bool,
}

impl<'a, 't> Page<'a, 't> {
    fn new(styles: &'a Styles<'t>, theme: &'a Theme, out: &'a mut Text) -> Self {
        Self {
            styles,
            theme,
            out,
            depth: 0,
            letters: Letters::default(),
            paragraph: styles.paragraph(None),
            run: Said::default(),
            before: Vec::new(),
            skipped: None,
            in_text: false,
            in_paragraph_properties: false,
            in_run_properties: false,
            table_style: None,
            everywhere: None,
            references: References::default(),
            wanted: None,
            reads_offset: false,
        }
    }

    /// Remembers what to go back to when the element that begins here ends.
    fn remember(&mut self) {
        self.before.push(Before { depth: self.depth, letters: self.letters });
    }

    fn letters(&self) -> Letters {
        let mut letters = self.letters;
        self.paragraph.apply(&mut letters);
        self.run.apply(&mut letters);
        // A style of the table may have coloured them; what colours the cell beside it may be the same.
        match self.table_style {
            Some(false) => letters.doubt("styles"),
            Some(true) if self.letters.ground != Ink::Automatic => letters.doubt("styles"),
            _ => {}
        }
        if let Some(doubt) = self.everywhere {
            letters.doubt(doubt);
        }
        letters
    }

    /// Elements around text that hide all of it.
    fn around(&mut self, tag: &Tag<'_>, name: &str) {
        match name {
            "del" | "moveFrom" if !self.in_run_properties && !self.in_paragraph_properties => {
                self.remember();
                self.letters.hide(Reason::Deleted);
            }
            "anchor" | "inline" | "tbl" | "tc" | "tr" | "txbxContent" | "pict" => {
                self.remember();
                self.placed(tag, name);
            }
            "footnote" | "endnote" | "comment" => {
                let id = tag.attribute("id").unwrap_or_default();
                let is_wanted =
                    self.wanted.is_none_or(|wanted| wanted.notes.contains(&(name.to_owned(), id)));
                if !is_wanted {
                    self.remember();
                    self.letters.hide(Reason::NotRendered);
                }
            }
            _ => {}
        }
    }

    fn placed(&mut self, tag: &Tag<'_>, name: &str) {
        match name {
            "anchor" if tag.says("hidden") => self.letters.hide(Reason::Display),
            "anchor" if tag.says("simplePos") => self.letters.doubt("position"),
            "pict" if tag.attribute("style").is_none() => self.letters.doubt("drawings"),
            "tbl" => {
                self.table_style = None;
                self.letters.ground = Ink::Automatic;
            }
            _ => {}
        }
    }

    /// Sizes and places of things that stand in the text or beside it.
    fn measure(&mut self, tag: &Tag<'_>, name: &str) {
        let beyond = |name: &str, low: f32, high: f32| {
            tag.number(name).is_some_and(|value| !(low..=high).contains(&value))
        };
        match name {
            // English metric units, 360,000 in a centimetre.
            "extent" if beyond("cx", 100_000.0, 2e7) || beyond("cy", 60_000.0, 3e7) => {
                self.letters.doubt("size");
            }
            // Twentieths of a point.
            "trHeight" if tag.attribute("hRule").as_deref() == Some("exact") && beyond("val", 100.0, 1e6) => {
                self.letters.hide(Reason::Clipped);
            }
            "framePr" if beyond("x", -1_000.0, 12_000.0) || beyond("y", -1_000.0, 17_000.0) => {
                self.paragraph_doubt("position");
            }
            "framePr" if beyond("w", 100.0, 1e6) || beyond("h", 100.0, 1e6) => self.paragraph_doubt("size"),
            "ind"
                if ["left", "start", "right", "end", "firstLine"]
                    .iter()
                    .any(|name| beyond(name, -3_000.0, 9_000.0)) =>
            {
                self.paragraph_doubt("indent");
            }
            "spacing"
                if tag.attribute("lineRule").as_deref() == Some("exact") && beyond("line", 80.0, 1e5) =>
            {
                self.paragraph_doubt("line-height");
            }
            "collapsed" if tag.is_on() => self.everywhere = Some("collapsed"),
            _ => {}
        }
    }

    fn paragraph_doubt(&mut self, reason: &'static str) {
        self.letters.doubt(reason);
    }

    fn properties(&mut self, tag: &Tag<'_>, name: &str) {
        let style = || tag.attribute("val");
        match name {
            "pStyle" => self.paragraph = self.styles.paragraph(style().as_deref()),
            "rStyle" if self.in_run_properties && !self.in_paragraph_properties => {
                self.run = self.styles.said(style().as_deref());
            }
            "tblStyle" => self.table_style = style().and_then(|name| self.styles.table(&name)),
            "shd" if !self.in_run_properties => self.letters.ground = shading(tag, self.theme),
            "spacing" if self.in_run_properties && !self.in_paragraph_properties => {
                self.run.hear_spacing(tag)
            }
            _ if self.in_run_properties && !self.in_paragraph_properties => self.run.hear(tag, self.theme),
            _ => {}
        }
    }

    fn refer(&mut self, tag: &Tag<'_>, name: &str) {
        let id = || tag.attribute("id").unwrap_or_default();
        match name {
            "footnoteReference" | "endnoteReference" | "commentReference" => {
                let kind = name.trim_end_matches("Reference").to_owned();
                self.references.notes.insert((kind, id()));
            }
            "headerReference" | "footerReference" => {
                self.references.headers.push((id(), tag.attribute("type").unwrap_or_default()));
            }
            "titlePg" => self.references.has_title_page |= tag.is_on(),
            _ => {}
        }
    }
}

impl Listener for Page<'_, '_> {
    fn open(&mut self, tag: &Tag<'_>) {
        self.depth += 1;
        if self.skipped.is_some() {
            return;
        }
        let name = tag.name();
        match name.as_ref() {
            // Word shows the first alternative, whose needs it knows, and this one only where it does not.
            "Fallback" => self.skipped = Some(self.depth),
            // How something looked before it was changed.
            name if name.ends_with("Change") => self.skipped = Some(self.depth),
            "Choice"
                if tag
                    .attribute("Requires")
                    .is_none_or(|needs| needs.split_whitespace().any(|need| !KNOWN.contains(&need))) =>
            {
                self.remember();
                self.letters.doubt("alternatives");
            }
            "t" => self.in_text = true,
            "tab" if !self.in_paragraph_properties => self.out.push("\t"),
            "br" | "cr" => self.out.push("\n"),
            "p" => {
                self.remember();
                self.paragraph = self.styles.paragraph(None);
                self.run = Said::default();
            }
            "r" => self.run = Said::default(),
            "pPr" => self.in_paragraph_properties = true,
            "rPr" => self.in_run_properties = true,
            "posOffset" => self.reads_offset = true,
            "wrapNone" => self.reads_offset = false,
            other => {
                self.around(tag, other);
                self.measure(tag, other);
                self.properties(tag, other);
                self.refer(tag, other);
            }
        }
    }

    fn close(&mut self, name: &str) {
        if self.skipped == Some(self.depth) {
            self.skipped = None;
        }
        let is_skipped = self.skipped.is_some();
        if self.before.last().is_some_and(|before| before.depth == self.depth)
            && let Some(before) = self.before.pop()
        {
            self.letters = before.letters;
        }
        self.depth = self.depth.saturating_sub(1);
        match name {
            _ if is_skipped => {}
            "t" => self.in_text = false,
            "p" | "tr" => self.out.push("\n"),
            "tbl" => self.table_style = None,
            "pPr" => self.in_paragraph_properties = false,
            "rPr" => self.in_run_properties = false,
            "posOffset" => self.reads_offset = false,
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.skipped.is_some() {
            return;
        }
        if self.reads_offset {
            let offset: f32 = text.trim().parse().unwrap_or(f32::NAN);
            match offset {
                offset if (-1_000_000.0..=11_000_000.0).contains(&offset) => {}
                offset if offset.is_nan() => self.letters.doubt("position"),
                _ => self.letters.hide(Reason::OffScreen),
            }
        } else if self.in_text {
            let verdict = self.letters().verdict();
            self.out.put(text, verdict);
        }
    }

    fn is_done(&self) -> bool {
        self.out.is_full()
    }
}
