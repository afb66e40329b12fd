//! OpenDocument texts, presentations and sheets: what a person sees of the body. Hidden sections, paragraphs, slides,
//! sheets, rows and columns, deleted text, and letters too small or too pale to read are left out.

use crate::model::Reason;

use super::DocumentError;
use super::archive::Archive;
use super::docx_known::is_in;
use super::docx_room::Room;
use super::open_document_styles::{Styles, length};
use super::open_document_survey::{Survey, is_shape};
use super::open_document_values::Values;
use super::sight::{Ink, Letters};
use super::text::Text;
use super::xml::{self, Listener, Tag};

/// Elements that may stand around text.
const AROUND: &str = "\
    a alphabetical-index annotation annotation-end author-initials author-name bibliography bibliography-mark body bookmark \
    bookmark-end bookmark-ref bookmark-start change change-end change-start chapter character-count connector content creation-date \
    creation-time creator creator-initials current-date custom-shape database-display date date-string description drawing drop-down \
    editing-cycles editing-duration enhanced-geometry expression file-name footer header illustration-index image image-count index-body \
    index-title initial-creator insertion keywords label line-break list list-header list-item list-level measure meta meta-field modification-date \
    modification-time note note-body note-citation note-ref notes number numbered-paragraph object object-count object-index \
    page page-count page-number page-continuation-string page-variable-get paragraph-count placeholder plugin polyline presentation print-date print-time \
    printed-by protected reference-mark reference-mark-end reference-mark-start reference-ref ruby ruby-base ruby-text s \
    script section sender-city sender-company sender-country sender-email sender-fax sender-firstname sender-initials sender-lastname \
    sender-phone-private sender-phone-work sender-position sender-postal-code sender-state-or-province sender-street sender-title \
    sequence sequence-ref sheet-name soft-page-break span spreadsheet statistics subject tab table table-cell table-column \
    table-column-group table-columns table-count table-header-columns table-header-rows table-index table-of-content table-row \
    table-row-group table-rows template-name text text-input thumbnail time title toc-mark toc-mark-end toc-mark-start \
    user-defined user-field-get user-index variable-get variable-input variable-set word-count initials sender-initials";

/// Elements whose text is not shown.
const NEVER_SHOWN: &str = "\
    calculation-settings content-validations covered-table-cell database-ranges dde-connection-decls desc event-listeners forms \
    index-title-template named-expressions script scripts sequence-decls settings shapes table-source title user-field-decls variable-decls";

/// Adds what can be seen of a document.
pub(super) fn read(bytes: &[u8], out: &mut Text) -> Result<(), DocumentError> {
    let mut archive = Archive::open(bytes)?;
    let more = archive.part_if_any("styles.xml")?.unwrap_or_default();
    let text = archive.part("content.xml")?;
    let styles = Styles::read([more.as_str(), text.as_str()]);
    let survey = Survey::of(&text, &styles);
    xml::walk(&text, &mut Body::new(&styles, &survey, out));
    Ok(())
}

struct Body<'a> {
    styles: &'a Styles,
    survey: &'a Survey<'a>,
    out: &'a mut Text,
    depth: usize,
    letters: Letters,
    before: Vec<(usize, Letters)>,
    in_body: bool,
    /// What the columns of the table hide, and the column of the next cell.
    columns: Vec<Column>,
    column: u32,
    row: u32,
    rows: Vec<u32>,
    row_style: Option<String>,
    /// How many paragraphs, shapes and sheets have begun.
    paragraphs: usize,
    shapes: usize,
    sheets: usize,
    values: Values,
    /// What is left of the cell or the frame around, how high the row is at any rate, and how large the frame.
    room: Room,
    row_height: Option<f32>,
    frame: (f32, Option<f32>),
}

/// A column, or several alike.
struct Column {
    /// Where the next one begins.
    end: u32,
    letters: Letters,
    /// The style of its cells that name none.
    style: Option<String>,
    width: Option<f32>,
}

/// How often one element may stand for several: sheets end in a million empty cells.
const MOST_REPEATED: f32 = 20_000.0;

impl<'a> Body<'a> {
    fn new(styles: &'a Styles, survey: &'a Survey<'a>, out: &'a mut Text) -> Self {
        let mut letters = Letters { doubt: survey.doubt, ..Letters::default() };
        if styles.brings_fonts {
            letters.doubt("fonts");
        }
        Self {
            styles,
            survey,
            out,
            depth: 0,
            letters,
            before: Vec::new(),
            in_body: false,
            columns: Vec::new(),
            column: 0,
            row: 0,
            rows: Vec::new(),
            row_style: None,
            paragraphs: 0,
            shapes: 0,
            sheets: 0,
            values: Values::default(),
            room: Room::default(),
            row_height: None,
            frame: (100.0, None),
        }
    }

    /// What an element does to the letters in it.
    fn enter(&mut self, tag: &Tag<'_>, name: &str) {
        let paragraph = tag.attribute("text-style-name");
        let named = tag.qualified("text:style-name").or_else(|| tag.attribute("style-name"));
        for family in families(name) {
            if let Some(style) = &named {
                self.styles.apply(family, style, &mut self.letters);
            }
        }
        paragraph.iter().for_each(|style| self.styles.apply("paragraph", style, &mut self.letters));
        if tag
            .attribute("display")
            .is_some_and(|display| matches!(display.as_str(), "none" | "false" | "condition"))
        {
            self.letters.hide(Reason::Display);
        }
        match name {
            "hidden-paragraph" | "hidden-text" | "conditional-text" => self.letters.hide(Reason::Display),
            "tracked-changes" | "deletion" => self.letters.hide(Reason::Deleted),
            "table-row" | "table-column"
                if tag.attribute("visibility").is_some_and(|seen| seen != "visible") =>
            {
                self.letters.hide(Reason::Display);
            }
            // In sheets and slides they come up under the pointer.
            "annotation" if !self.survey.is_text && !tag.says("display") => {
                self.letters.hide(Reason::NotRendered)
            }
            "title" if tag.prefix() == "text" => {}
            name if is_in(NEVER_SHOWN, name) => self.letters.hide(Reason::NotRendered),
            "p" | "h" => {
                self.paragraphs += 1;
                if self.survey.hidden.contains(&self.paragraphs) {
                    self.letters.hide(Reason::Display);
                }
            }
            name if is_shape(name) => {
                self.shapes += 1;
                if !self.survey.is_text && self.survey.is_covered(self.shapes) {
                    self.letters.doubt("something over it");
                }
                self.place(tag);
            }
            "line" | "text-box" | "g" => self.place(tag),
            name if !is_in(AROUND, name) => self.letters.doubt("not understood"),
            _ => {}
        }
    }

    fn place(&mut self, tag: &Tag<'_>) {
        let at = |name: &str| tag.attribute(name).and_then(|value| length(&value));
        let (width, height) = if self.sheets > 0 { (1e4, 1e5) } else { self.styles.page };
        let sides = [(at("x"), at("width"), width), (at("y"), at("height"), height)];
        for (from, size, most) in
            sides.into_iter().filter_map(|(from, size, most)| Some((from?, size.unwrap_or(0.0), most)))
        {
            match () {
                () if from >= most || from + size <= 0.0 => self.letters.hide(Reason::OffScreen),
                () if from > 0.93 * most || from < -0.4 * size.max(30.0) => self.letters.doubt("position"),
                () => {}
            }
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
            "table" => {
                self.columns.clear();
                self.row = 0;
                self.sheets += usize::from(!self.survey.is_text);
            }
            "table-row" => {
                self.column = 0;
                self.row_style = tag.attribute("default-cell-style-name");
                let own = tag.attribute("style-name").unwrap_or_default();
                (self.row_height, _, _) = self.styles.measures("table-row", &own);
                self.rows.push(tag.number("number-rows-repeated").unwrap_or(1.0).clamp(1.0, 1e6) as u32);
            }
            "table-column" => {
                let from = self.columns.last().map_or(0, |column| column.end);
                let letters = Letters { ground: Ink::Automatic, ..self.letters };
                let style = tag.attribute("default-cell-style-name");
                let own = tag.attribute("style-name").unwrap_or_default();
                let (_, width, _) = self.styles.measures("table-column", &own);
                self.columns.push(Column { end: from.saturating_add(repeated), letters, style, width });
            }
            "table-cell" | "covered-table-cell" => {
                self.begin_room(tag);
                self.cell(tag, repeated);
            }
            "frame" => {
                let at = |name: &str| tag.attribute(name).and_then(|value| length(&value));
                // Frames of slides grow past their height, down to the end of the page.
                let height = match self.survey.is_text {
                    true => at("height").filter(|_| tag.attribute("min-height").is_none()),
                    false => Some(self.styles.page.1 - at("y").unwrap_or(0.0)).filter(|_| self.sheets == 0),
                };
                self.frame = (at("width").unwrap_or(100.0), height);
            }
            "text-box" if tag.attribute("min-height").is_none() || !self.survey.is_text => {
                self.room = self.frame.1.map_or(Room::default(), |height| Room::of(self.frame.0, height));
            }
            _ => {}
        }
    }

    /// A cell of a row that does not grow; in sheets, lines go on beside it where they are not broken.
    fn begin_room(&mut self, tag: &Tag<'_>) {
        let column = self.columns.partition_point(|column| column.end <= self.column);
        let column = self.columns.get(column);
        let style = tag.attribute("style-name").or_else(|| column.and_then(|column| column.style.clone()));
        let (_, _, wraps) = self.styles.measures("table-cell", &style.unwrap_or_default());
        let is_broken = wraps || self.sheets == 0;
        let spanned = tag.number("number-columns-spanned").unwrap_or(1.0)
            * tag.number("number-rows-spanned").unwrap_or(1.0);
        let width = column.and_then(|column| column.width).unwrap_or(100.0);
        let room = |height: f32| Room::of(if is_broken { width } else { 1e6 }, height.max(14.0));
        self.room = self.row_height.filter(|_| spanned <= 1.0).map_or(Room::default(), room);
    }

    fn cell(&mut self, tag: &Tag<'_>, repeated: u32) {
        let column = self.columns.partition_point(|column| column.end <= self.column);
        if let Some(column) = self.columns.get(column) {
            self.letters.hidden = self.letters.hidden.or(column.letters.hidden);
            self.letters.doubt = self.letters.doubt.or(column.letters.doubt);
            let usual = self.row_style.as_ref().or(column.style.as_ref());
            if let (None, Some(style)) = (tag.attribute("style-name"), usual) {
                self.styles.apply("table-cell", style, &mut self.letters);
            }
        }
        if self.sheets > 0 && self.survey.is_cell_covered(self.sheets, (self.row, self.column)) {
            self.letters.doubt("something over it");
        }
        self.column = self.column.saturating_add(repeated);
    }
}

/// The families of styles that an element may name.
fn families(name: &str) -> &'static [&'static str] {
    match name {
        "p" | "h" => &["paragraph"],
        "span" | "a" => &["text"],
        "table" => &["table"],
        "table-column" => &["table-column"],
        "table-row" => &["table-row"],
        "table-cell" | "covered-table-cell" => &["table-cell"],
        "section" => &["section"],
        "list" => &["list"],
        "page" => &["drawing-page"],
        "g" | "line" | "text-box" => &["graphic", "presentation"],
        name if is_shape(name) => &["graphic", "presentation"],
        _ => &[],
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
        self.values.begin(tag, &name, self.depth);
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
        self.values.end(self.depth);
        self.depth = self.depth.saturating_sub(1);
        match name {
            "p" | "h" | "line-break" if self.in_body => self.room.end_line(self.letters.size),
            "text-box" | "table-cell" => self.room = Room::default(),
            _ => {}
        }
        match name {
            "body" => self.in_body = false,
            "table-cell" if self.in_body => self.out.push("\t"),
            "table-row" if self.in_body => {
                self.row = self.row.saturating_add(self.rows.pop().unwrap_or(1));
                if !self.out.is_at_line_start() {
                    self.out.push("\n");
                }
            }
            "p" | "h" if self.in_body => self.out.push("\n"),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_body {
            let mut letters = self.letters;
            self.values.doubt(text).into_iter().for_each(|reason| letters.doubt(reason));
            self.room.take(text, &mut letters);
            self.out.put(text, letters.verdict());
        }
    }

    fn is_done(&self) -> bool {
        self.out.is_full()
    }
}
