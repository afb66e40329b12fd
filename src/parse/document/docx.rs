//! Word: what a person sees of the text, its notes, comments, headers and footers. Hidden, deleted, tiny and pale text is
//! left out, and so are parts that nothing in the text leads to.

use std::collections::HashSet;

use crate::model::Reason;
use crate::parse::visible_text::Verdict;

use super::DocumentError;
use super::archive::Archive;
use super::docx_fields::Fields;
use super::docx_known::{beyond, is_around, is_of_blocks, odd_block, shows_result};
use super::docx_shape::ShapeLook;
use super::docx_styles::{Said, Styles, shading};
use super::docx_survey::Survey;
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
    let mut parts = vec![archive.part(&main)?];
    for kind in ["settings", "fontTable", "numbering"] {
        parts.extend(package::related(&mut archive, &relations, kind)?);
    }
    let survey = Survey::of(parts.iter().map(String::as_str));
    let mut page = Page::new(&styles, &theme, (&survey, None), out);
    xml::walk(&parts[0], &mut page);
    page.out.push("\n");
    let references = page.references;
    for relation in shown_parts(&relations, &references, survey.has_even_headers) {
        let Some(text) = archive.part_if_any(&relation.target)? else { continue };
        let mut own = Survey::of([text.as_str()]);
        own.doubt = own.doubt.or(survey.doubt);
        let mut page = Page::new(&styles, &theme, (&own, Some(&references)), out);
        xml::walk(&text, &mut page);
        out.push("\n");
    }
    Ok(())
}

/// Notes and comments that the text leads to, and headers and footers that its pages have.
fn shown_parts<'r>(relations: &'r [Relation], references: &References, has_even: bool) -> Vec<&'r Relation> {
    let is_shown = |relation: &&Relation| match relation.kind.as_str() {
        "footnotes" | "endnotes" | "comments" => true,
        "header" | "footer" => references.headers.iter().any(|(id, kind)| {
            *id == relation.id
                && match kind.as_str() {
                    "first" => references.has_title_page,
                    "even" => has_even,
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
    survey: &'a Survey,
    out: &'a mut Text,
    depth: usize,
    letters: Letters,
    paragraph: Said,
    run: Said,
    before: Vec<Before>,
    /// The depth of an element that is not looked into.
    skipped: Option<usize>,
    /// The depth of an element around that is not understood.
    not_understood: Option<usize>,
    in_text: bool,
    in_paragraph_properties: bool,
    in_row_properties: bool,
    in_run_properties: bool,
    /// Elements with properties of blocks that are open.
    blocks: usize,
    /// What the styles of the tables around say of their parts.
    tables: Vec<Vec<Said>>,
    fields: Fields,
    shape: ShapeLook,
    references: References,
    /// In a part of notes: those that the text leads to.
    wanted: Option<&'a References>,
    /// Along which side of the page an offset is read, of something that stands on the page by itself.
    reads_offset: bool,
    is_across: bool,
}

/// Tables inside each other; what stands deeper is in doubt.
const DEEPEST_TABLE: usize = 8;

impl<'a, 't> Page<'a, 't> {
    fn new(
        styles: &'a Styles<'t>,
        theme: &'a Theme,
        (survey, wanted): (&'a Survey, Option<&'a References>),
        out: &'a mut Text,
    ) -> Self {
        let letters = Letters { doubt: survey.doubt, ..Letters::default() };
        Self {
            styles,
            theme,
            survey,
            out,
            depth: 0,
            letters,
            paragraph: styles.paragraph(None),
            run: Said::default(),
            before: Vec::new(),
            skipped: None,
            not_understood: None,
            in_text: false,
            in_paragraph_properties: false,
            in_row_properties: false,
            in_run_properties: false,
            blocks: 0,
            tables: Vec::new(),
            fields: Fields::default(),
            shape: ShapeLook::default(),
            references: References::default(),
            wanted,
            reads_offset: false,
            is_across: false,
        }
    }

    /// Remembers what to go back to when the element that begins here ends.
    fn remember(&mut self) {
        self.before.push(Before { depth: self.depth, letters: self.letters });
    }

    fn letters(&self) -> Letters {
        let look = |order: [Said; 3]| {
            let mut letters = self.letters;
            order.iter().for_each(|said| said.apply(&mut letters));
            letters
        };
        let mut letters = look([self.paragraph, self.run, Said::default()]);
        // A style of the table may have coloured them or the cell; which of its parts they are in is not worked out, nor
        // whether their paragraph wins.
        let is_readable = |part: &Said| {
            let is_filled = self.letters.ground != Ink::Automatic;
            let part = if is_filled { part.without_ground() } else { *part };
            [[part, self.paragraph, self.run], [self.paragraph, part, self.run]]
                .into_iter()
                .all(|order| look(order).verdict() == Verdict::Shown)
        };
        if letters.verdict() == Verdict::Shown && !self.tables.iter().flatten().all(is_readable) {
            letters.doubt("styles");
        }
        if self.not_understood.is_some() {
            letters.doubt("not understood");
        }
        self.fields.act_on(&mut letters);
        letters
    }

    /// Something that Word may know and we do not: text in it is in doubt. Properties are judged elsewhere.
    fn unknown(&mut self, name: &str) {
        if self.blocks == 0 && !self.in_run_properties && !name.ends_with("Pr") {
            self.not_understood.get_or_insert(self.depth);
        }
    }

    /// Elements around text that hide all of it, or may.
    fn around(&mut self, tag: &Tag<'_>, name: &str) {
        match name {
            "del" if self.in_row_properties => self.letters.hide(Reason::Deleted),
            "hidden" if self.in_row_properties && tag.is_on() => self.letters.hide(Reason::Display),
            "del" | "moveFrom" if !self.in_run_properties && !self.in_paragraph_properties => {
                self.remember();
                self.letters.hide(Reason::Deleted);
            }
            "anchor" | "inline" | "tbl" | "tc" | "tr" | "txbxContent" | "pict" | "sdt" | "wsp"
            | "fldSimple" => {
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
            "pict" => self.letters.doubt("drawings"),
            "wsp" => self.shape = ShapeLook::default(),
            "fldSimple" if !shows_result(&tag.attribute("instr").unwrap_or_default()) => {
                self.letters.doubt("fields");
            }
            "tbl" => {
                self.tables.push(Vec::new());
                if self.tables.len() > DEEPEST_TABLE {
                    self.letters.doubt("too complex");
                }
            }
            _ => {}
        }
    }

    /// Sizes and places of things that stand in the text or beside it.
    fn measure(&mut self, tag: &Tag<'_>, name: &str) {
        match name {
            // English metric units, 360,000 in a centimetre.
            "extent" if beyond(tag, "cx", 100_000.0, 2e7) || beyond(tag, "cy", 60_000.0, 3e7) => {
                self.letters.doubt("size");
            }
            // Twentieths of a point.
            "trHeight"
                if tag.attribute("hRule").as_deref() == Some("exact") && beyond(tag, "val", 100.0, 1e6) =>
            {
                self.letters.hide(Reason::Clipped);
            }
            // The cell above or before goes on here, and its text alone is seen.
            "vMerge" | "hMerge" if tag.attribute("val").is_none_or(|kind| kind != "restart") => {
                self.letters.hide(Reason::Covered);
            }
            // Word takes the text from another part of the file when it opens it.
            "dataBinding" => self.letters.doubt("bound data"),
            "positionH" | "positionV" => self.is_across = name == "positionV",
            "pctPosHOffset" | "pctPosVOffset" => self.letters.doubt("position"),
            _ => {}
        }
        let in_block = self.blocks > 0 && !self.in_run_properties;
        let unknown = (in_block && !is_of_blocks(name)).then_some("not understood");
        if let (true, Some(reason)) = (in_block, odd_block(tag, name).or(unknown)) {
            self.letters.doubt(reason);
        }
    }

    fn properties(&mut self, tag: &Tag<'_>, name: &str) {
        let style = || tag.attribute("val");
        let of_run = self.in_run_properties && !self.in_paragraph_properties;
        match name {
            "pStyle" => self.paragraph = self.styles.paragraph(style().as_deref()),
            "rStyle" if of_run => self.run = self.styles.said(style().as_deref()),
            "tblStyle" => {
                if let (Some(table), Some(name)) = (self.tables.last_mut(), style()) {
                    *table = self.styles.table(&name);
                }
            }
            "shd" if !self.in_run_properties => self.letters.ground = shading(tag, self.theme),
            _ if of_run => self.run.hear(tag, self.theme),
            _ => self.shape.hear(tag, self.theme, &mut self.letters),
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

    /// An offset from the side of the page, or of the text.
    fn offset(&mut self, text: &str) {
        let (width, height) = self.survey.page;
        let side = if self.is_across { height } else { width };
        match text.trim().parse::<f32>().unwrap_or(f32::NAN) {
            offset if (-1_000_000.0..=0.85 * side).contains(&offset) => {}
            offset if offset > side || offset < -side => self.letters.hide(Reason::OffScreen),
            _ => self.letters.doubt("position"),
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
        if !is_around(&name) || self.survey.foreign.iter().any(|prefix| prefix == tag.prefix()) {
            self.unknown(&name);
        }
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
            "tab" if self.blocks == 0 => self.out.push("\t"),
            "br" | "cr" => self.out.push("\n"),
            "p" => {
                self.remember();
                self.paragraph = self.styles.paragraph(None);
                self.run = Said::default();
            }
            "r" => self.run = Said::default(),
            "rPr" => self.in_run_properties = true,
            "pPr" | "tblPr" | "tblPrEx" | "trPr" | "tcPr" => {
                self.blocks += 1;
                self.in_paragraph_properties |= name == "pPr";
                self.in_row_properties |= name == "trPr";
            }
            "fldChar" => self.fields.mark(&tag.attribute("fldCharType").unwrap_or_default()),
            "instrText" => self.fields.reads = true,
            "posOffset" => self.reads_offset = true,
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
        self.not_understood = self.not_understood.filter(|depth| *depth < self.depth);
        while let Some(before) = self.before.pop_if(|before| before.depth == self.depth) {
            self.letters = before.letters;
        }
        self.depth = self.depth.saturating_sub(1);
        match name {
            _ if is_skipped => {}
            "t" => self.in_text = false,
            "p" | "tr" => self.out.push("\n"),
            "tbl" => drop(self.tables.pop()),
            "rPr" => self.in_run_properties = false,
            "pPr" | "tblPr" | "tblPrEx" | "trPr" | "tcPr" => {
                self.blocks = self.blocks.saturating_sub(1);
                self.in_paragraph_properties &= name != "pPr";
                self.in_row_properties &= name != "trPr";
            }
            "instrText" => self.fields.reads = false,
            "posOffset" => self.reads_offset = false,
            other => self.shape.close(other),
        }
    }

    fn text(&mut self, text: &str) {
        if self.skipped.is_some() {
            return;
        }
        if self.reads_offset {
            self.offset(text);
        } else if self.fields.reads {
            self.fields.read(text);
        } else if self.in_text {
            let verdict = self.letters().verdict();
            self.out.put(text, verdict);
        }
    }

    fn is_done(&self) -> bool {
        self.out.is_full()
    }
}
