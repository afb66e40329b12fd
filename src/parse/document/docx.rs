//! Word: what a person sees of the text, its notes, comments, headers and footers. Hidden, deleted, tiny and pale text is
//! left out, and so are parts that nothing in the text leads to.

use crate::model::Reason;
use crate::parse::visible_text::Verdict;

use super::DocumentError;
use super::archive::Archive;
use super::docx_fields::Fields;
use super::docx_headers::References;
use super::docx_known::{beyond, is_around, is_of_blocks, odd_block};
use super::docx_room::Room;
use super::docx_shape::ShapeLook;
use super::docx_styles::{Said, Styles, shading};
use super::docx_survey::Survey;
use super::package::{self, Theme};
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
    let colors = package::related(&mut archive, &relations, "theme")?;
    let theme = Theme::read(colors.as_deref());
    let styles = package::related(&mut archive, &relations, "styles")?;
    let styles = Styles::read(styles.as_deref(), &theme);
    let mut parts = vec![archive.part(&main)?];
    parts.extend(colors);
    for kind in ["settings", "fontTable", "numbering"] {
        parts.extend(package::related(&mut archive, &relations, kind)?);
    }
    let survey = Survey::of(parts.iter().map(String::as_str));
    let mut page = Page::new(&styles, &theme, (&survey, None), out);
    xml::walk(&parts[0], &mut page);
    page.out.push("\n");
    let references = page.references;
    for relation in &relations {
        let is_note = matches!(relation.kind.as_str(), "footnotes" | "endnotes" | "comments");
        let is_header = matches!(relation.kind.as_str(), "header" | "footer");
        let is_shown =
            if is_header { references.shows(&relation.id, survey.has_even_headers) } else { Some(true) };
        let (true, Some(is_shown)) = (is_note || is_header, is_shown) else { continue };
        let Some(text) = archive.part_if_any(&relation.target)? else { continue };
        let mut own = Survey::of([text.as_str()]);
        own.doubt = own.doubt.or(survey.doubt).or((!is_shown).then_some("page"));
        own.updates_fields |= survey.updates_fields;
        let mut page = Page::new(&styles, &theme, (&own, Some(&references)), out);
        xml::walk(&text, &mut page);
        out.push("\n");
    }
    Ok(())
}

/// What is put back at the end of an element.
struct Before {
    depth: usize,
    letters: Letters,
    /// Of a row, a cell or a box: the place around it.
    room: Option<Room>,
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
    /// What stands on the page by itself, as many as have begun, and the width of the box that is open.
    anchors: usize,
    box_size: (f32, f32),
    /// What is left of the place around, and whether a paragraph has just begun in it.
    room: Room,
    begins: bool,
    /// The widths of the columns of the tables around, and the column of the next cell.
    grids: Vec<Vec<f32>>,
    column: usize,
    /// How many columns the open cell takes, before its text begins.
    span: Option<usize>,
}

/// How wide a cell is that does not say it, in points.
const USUAL_CELL: f32 = 100.0;
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
            fields: Fields::updated(survey.updates_fields),
            shape: ShapeLook::default(),
            references: References::default(),
            wanted,
            anchors: 0,
            box_size: (0.0, 0.0),
            room: Room::default(),
            begins: false,
            grids: Vec::new(),
            column: 0,
            span: None,
        }
    }

    /// Remembers what to go back to when the element that begins here ends.
    fn remember(&mut self) {
        self.before.push(Before { depth: self.depth, letters: self.letters, room: None });
    }

    fn letters(&self) -> Letters {
        let look = |order: [Said; 3]| {
            let mut letters = self.letters;
            order.iter().for_each(|said| said.apply(&mut letters));
            Said::act_together(&self.paragraph, &self.run, &mut letters);
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

    fn is_known(&self, prefix: &str) -> bool {
        KNOWN.contains(&prefix) && !self.survey.foreign.iter().any(|foreign| foreign == prefix)
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
                let has_room = matches!(name, "tr" | "tc" | "txbxContent");
                let room = has_room.then_some(self.room);
                self.before.push(Before { depth: self.depth, letters: self.letters, room });
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
            "anchor" => {
                if tag.says("hidden") {
                    self.letters.hide(Reason::Display);
                }
                let odd = self.survey.anchored(self.anchors).or(tag.says("simplePos").then_some("position"));
                odd.into_iter().for_each(|reason| self.letters.doubt(reason));
                self.anchors += 1;
            }
            // A box leaves some room inside of its sides.
            "txbxContent" if self.box_size.1 > 0.0 => {
                self.room = Room::of(self.box_size.0 - 14.0, self.box_size.1 - 7.0);
            }
            "tr" => self.column = 0,
            "tc" => self.span = Some(1),
            "pict" => self.letters.doubt("drawings"),
            "wsp" => self.shape = ShapeLook::default(),
            "fldSimple" => {
                self.fields.begin(&tag.attribute("instr").unwrap_or_default(), tag.says("dirty"));
            }
            "tbl" => {
                self.tables.push(Vec::new());
                self.grids.push(Vec::new());
                if self.room.ends() {
                    self.letters.doubt("clipping");
                }
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
            "extent" => {
                let points = |name: &str| tag.number(name).unwrap_or(0.0) / 12_700.0;
                self.box_size = (points("cx"), points("cy"));
            }
            // Twentieths of a point.
            "trHeight" if tag.attribute("hRule").as_deref() == Some("exact") => {
                if beyond(tag, "val", 100.0, 1e6) {
                    self.letters.hide(Reason::Clipped);
                }
                self.room = Room::of(USUAL_CELL, tag.number("val").unwrap_or(0.0) / 20.0);
            }
            // Paragraphs in frames of one kind stand in one frame.
            "framePr" if tag.attribute("hRule").as_deref() == Some("exact") => self.letters.doubt("clipping"),
            "tcW" if tag.attribute("type").as_deref() == Some("dxa") => {
                self.room.widen(tag.number("w").unwrap_or(0.0) / 20.0 - 11.0);
            }
            "gridCol" => {
                let width = tag.number("w").unwrap_or(0.0);
                self.grids.last_mut().into_iter().for_each(|grid| grid.push(width));
            }
            "gridSpan" => {
                self.span = self.span.map(|_| tag.number("val").map_or(1, |span| span as usize).clamp(1, 100))
            }
            "gridBefore" => self.column += tag.number("val").map_or(0, |columns| columns as usize).min(100),
            // The cell above or before goes on here, and its text alone is seen.
            "vMerge" | "hMerge" if tag.attribute("val").is_none_or(|kind| kind != "restart") => {
                self.letters.hide(Reason::Covered);
            }
            // Word takes the text from another part of the file when it opens it.
            "dataBinding" => self.letters.doubt("bound data"),
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
            "shd" | "spacing" if self.in_paragraph_properties && !self.in_run_properties => {
                self.paragraph.hear_place(tag, name, self.theme);
            }
            "rStyle" if of_run => self.run = self.styles.said(style().as_deref()),
            "tblStyle" => {
                if let (Some(table), Some(name)) = (self.tables.last_mut(), style()) {
                    *table = self.styles.table(&name);
                }
            }
            // A cell that has no ground of its own stands on what is behind it.
            "shd" if !self.in_run_properties => {
                self.letters.ground = Some(shading(tag, self.theme))
                    .filter(|ground| *ground != Ink::Automatic)
                    .unwrap_or(self.letters.ground);
            }
            _ if of_run => self.run.hear(tag, self.theme),
            _ => self.shape.hear(tag, self.theme, &mut self.letters),
        }
    }

    fn refer(&mut self, tag: &Tag<'_>, name: &str) {
        let id = || tag.attribute("id").unwrap_or_default();
        match name {
            "footnoteReference" | "endnoteReference" | "commentReference" => {
                let kind = name.trim_end_matches("Reference").to_owned();
                if self.letters().verdict() == Verdict::Shown {
                    self.references.notes.insert((kind, id()));
                }
            }
            other => self.references.hear(tag, other),
        }
    }

    /// A paragraph begins: in a cell, the first one tells how wide the cell is.
    fn begin_paragraph(&mut self) {
        self.begin_cell();
        self.remember();
        self.begins = true;
        self.paragraph = self.styles.paragraph(None);
        self.run = Said::default();
    }

    /// A cell that is too narrow for letters hides them.
    fn begin_cell(&mut self) {
        let (Some(span), Some(grid)) = (self.span.take(), self.grids.last()) else { return };
        let width: f32 = grid.iter().skip(self.column).take(span).sum();
        self.column += span;
        if !grid.is_empty() && width < 100.0 {
            self.letters.doubt("size");
        }
    }

    fn end_paragraph(&mut self) {
        self.keep_apart();
        self.room.end_line(self.letters().size);
        self.out.push("\n");
    }

    /// What a paragraph keeps free before and behind it is no room for letters.
    fn keep_apart(&mut self) {
        if std::mem::take(&mut self.begins) {
            self.room.begin(self.paragraph.gap());
        }
    }

    fn put(&mut self, text: &str) {
        self.keep_apart();
        self.fields.give(text);
        let mut letters = self.letters();
        self.room.take(text, &mut letters);
        if self.blocks > 0 || self.in_run_properties {
            letters.doubt("not understood");
        }
        let verdict = letters.verdict();
        if verdict == Verdict::Shown {
            self.references.letters += text.chars().count();
        }
        self.out.put(text, verdict);
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
                    .is_none_or(|needs| needs.split_whitespace().any(|need| !self.is_known(need))) =>
            {
                self.remember();
                self.letters.doubt("alternatives");
            }
            "t" => self.in_text = true,
            "tab" if self.blocks == 0 => self.out.push("\t"),
            "br" | "cr" => {
                let letters = self.letters();
                let is_page = tag.attribute("type").as_deref() == Some("page");
                self.references.breaks += usize::from(is_page && letters.verdict() == Verdict::Shown);
                self.room.end_line(letters.size);
                self.out.push("\n");
            }
            "p" => self.begin_paragraph(),
            "r" => self.run = Said::default(),
            "rPr" => self.in_run_properties = true,
            "pPr" | "tblPr" | "tblPrEx" | "trPr" | "tcPr" => {
                self.blocks += 1;
                self.in_paragraph_properties |= name == "pPr";
                self.in_row_properties |= name == "trPr";
            }
            "fldChar" => {
                self.fields.mark(&tag.attribute("fldCharType").unwrap_or_default(), tag.says("dirty"));
            }
            "instrText" => self.fields.reads = true,
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
            self.room = before.room.unwrap_or(self.room);
        }
        self.depth = self.depth.saturating_sub(1);
        match name {
            _ if is_skipped => {}
            "t" => self.in_text = false,
            "p" => self.end_paragraph(),
            "tr" => self.out.push("\n"),
            "tbl" => {
                self.tables.pop();
                self.grids.pop();
            }
            "sectPr" => self.references.end_section(),
            "fldSimple" => self.fields.end(),
            "drawing" => self.box_size = (0.0, 0.0),
            "rPr" => self.in_run_properties = false,
            "pPr" | "tblPr" | "tblPrEx" | "trPr" | "tcPr" => {
                self.blocks = self.blocks.saturating_sub(1);
                self.in_paragraph_properties &= name != "pPr";
                self.in_row_properties &= name != "trPr";
            }
            "instrText" => self.fields.reads = false,
            other => self.shape.close(other),
        }
    }

    fn text(&mut self, text: &str) {
        if self.skipped.is_some() {
            return;
        }
        if self.fields.reads {
            self.fields.read(text);
        } else if self.in_text {
            self.put(text);
        }
    }

    fn is_done(&self) -> bool {
        self.out.is_full()
    }
}
