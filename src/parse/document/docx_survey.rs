//! What of a Word document may act on any of its text, wherever it stands: it is looked for before the text is read.

use super::docx_anchor::{Anchor, Sheet, TWENTIETH};
use super::docx_known::{beyond, is_in, odd_block};
use super::docx_styles::is_pictures;
use super::xml::{self, Listener, Tag};

/// What all of a part is looked through for.
#[derive(Default)]
pub(super) struct Survey {
    /// What may hide any of the text.
    pub(super) doubt: Option<&'static str>,
    /// Prefixes of names that Word does not know.
    pub(super) foreign: Vec<String>,
    pub(super) has_even_headers: bool,
    /// Whether fields are worked out anew when the document is opened.
    pub(super) updates_fields: bool,
    /// What stands by itself, in its order, and what is open of it.
    anchors: Vec<Anchor>,
    open: Vec<Anchor>,
    sheet: Option<Sheet>,
    font: String,
    in_fallback: bool,
    /// Levels of lists that are open.
    lists: usize,
}

impl Survey {
    /// Looks through some parts.
    pub(super) fn of<'p>(parts: impl IntoIterator<Item = &'p str>) -> Self {
        let mut survey = Self::default();
        for part in parts {
            xml::walk(part, &mut survey);
        }
        survey
    }

    fn doubt(&mut self, reason: &'static str) {
        self.doubt.get_or_insert(reason);
    }

    /// What may hide text in a thing that stands by itself, by its number.
    pub(super) fn anchored(&self, number: usize) -> Option<&'static str> {
        let anchor = self.anchors.get(number);
        anchor.map_or(Some("position"), |anchor| anchor.doubt(&self.anchors, &self.sheet.unwrap_or_default()))
    }

    fn end_anchor(&mut self) {
        let Some(anchor) = self.open.pop() else { return };
        if anchor.covers_text() {
            self.doubt("something over it");
        }
        if let Some(place) = self.anchors.iter_mut().rev().find(|anchor| !anchor.is_read()) {
            *place = anchor;
        }
    }

    /// The narrowest of all pages with the widest margins.
    fn page(&mut self, tag: &Tag<'_>, name: &str) {
        let usual = self.sheet.unwrap_or(Sheet { width: f32::MAX, height: f32::MAX, ..Sheet::default() });
        let side = |name: &str| tag.number(name).map(|twentieths| twentieths * TWENTIETH);
        let sheet = match name {
            "pgSz" => Sheet {
                width: side("w").map_or(usual.width, |width| width.min(usual.width)),
                height: side("h").map_or(usual.height, |height| height.min(usual.height)),
                ..usual
            },
            _ => Sheet {
                left: side("left").unwrap_or(usual.left),
                right: side("right").unwrap_or(usual.right),
                top: side("top").unwrap_or(usual.top),
                ..usual
            },
        };
        self.sheet = Some(sheet);
    }

    /// A font that stands for another, or has signs for letters, under a name that does not say so.
    fn font(&mut self, tag: &Tag<'_>, name: &str) {
        let value = tag.attribute("val").unwrap_or_default();
        match name {
            "font" => self.font = tag.attribute("name").unwrap_or_default(),
            "altName" if is_pictures(&value) && !is_pictures(&self.font) => self.doubt("fonts"),
            "charset" if matches!(value.as_str(), "02" | "2") && !is_pictures(&self.font) => {
                self.doubt("fonts")
            }
            "latin" | "ea" | "cs" if tag.attribute("typeface").is_some_and(|font| is_pictures(&font)) => {
                self.doubt("fonts");
            }
            _ => {}
        }
    }

    /// Shapes of older versions, which say in a style where they stand.
    fn old_shape(&mut self, tag: &Tag<'_>) {
        let style = tag.attribute("style").unwrap_or_default().to_ascii_lowercase().replace(' ', "");
        let is_placed = style.contains("position:") && !style.contains("position:static");
        if is_placed && !style.contains("z-index:-") {
            self.doubt("something over it");
        }
    }
}

/// Beginnings of the names that Word understands, and what may follow.
const NAMES: [(&str, &str); 5] = [
    (
        "http://schemas.openxmlformats.org/",
        "wordprocessingml/2006/main officeDocument/2006/math officeDocument/2006/relationships officeDocument/2006/bibliography \
         officeDocument/2006/docPropsVTypes officeDocument/2006/customXml \
         drawingml/2006/main drawingml/2006/wordprocessingDrawing drawingml/2006/picture drawingml/2006/chart \
         drawingml/2006/diagram drawingml/2006/chartDrawing drawingml/2006/lockedCanvas drawingml/2006/spreadsheetDrawing \
         markup-compatibility/2006 schemaLibrary/2006/main package/2006/relationships",
    ),
    (
        "http://purl.oclc.org/ooxml/",
        "wordprocessingml/main officeDocument/math officeDocument/relationships drawingml/main \
         drawingml/wordprocessingDrawing drawingml/picture drawingml/chart schemaLibrary/main",
    ),
    (
        "http://schemas.microsoft.com/office/",
        "word/2010/wordml word/2012/wordml word/2018/wordml word/2015/wordml/symex word/2016/wordml/cid word/2018/wordml/cex \
         word/2020/wordml/sdtdatahash word/2023/wordml/word16du word/2024/wordml/sdtformatlock word/2006/wordml \
         word/2010/wordprocessingShape word/2010/wordprocessingGroup word/2010/wordprocessingCanvas \
         word/2010/wordprocessingInk word/2010/wordprocessingDrawing drawing/2010/main drawing/2014/main drawing/2014/chartex \
         drawing/2016/ink drawing/2017/model3d drawing/2016/SVG/main drawing/2018/hyperlinkcolor thememl/2012/main \
         drawing/2015/9/8/chartex drawing/2015/10/21/chartex drawing/2016/5/9/chartex drawing/2016/5/10/chartex \
         drawing/2016/5/11/chartex drawing/2016/5/12/chartex drawing/2016/5/13/chartex drawing/2016/5/14/chartex \
         drawing/2012/chart drawing/2007/8/2/chart drawing/2013/main/command drawing/2020/classificationShape \
         drawing/2017/decorative",
    ),
    ("urn:schemas-microsoft-com:", "vml office:office office:word office:excel office:powerpoint office:oel"),
    ("http://www.w3.org/", "XML/1998/namespace 2001/XMLSchema-instance 2001/XMLSchema 1999/xlink"),
];

/// Whether names of this kind mean to Word what they mean here.
fn is_known_name(name: &str) -> bool {
    NAMES.iter().any(|(beginning, ends)| name.strip_prefix(beginning).is_some_and(|end| is_in(ends, end)))
}

/// Whether the names of colours stand for what they usually do.
fn is_usual_mapping(tag: &Tag<'_>) -> bool {
    let usual = [("bg1", "light1"), ("t1", "dark1"), ("bg2", "light2"), ("t2", "dark2")];
    let same = ["accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "hyperlink"];
    let mut pairs = usual.into_iter().chain(same.map(|name| (name, name)));
    pairs.all(|(name, value)| tag.attribute(name).is_none_or(|found| found.eq_ignore_ascii_case(value)))
}

impl Listener for Survey {
    fn open(&mut self, tag: &Tag<'_>) {
        let prefixes = tag.prefixes().into_iter();
        self.foreign.extend(prefixes.filter(|(_, name)| !is_known_name(name)).map(|(prefix, _)| prefix));
        let name = tag.name();
        let says = |name: &str, values: &[&str]| {
            tag.attribute(name)
                .is_none_or(|value| values.iter().any(|known| value.eq_ignore_ascii_case(known)))
        };
        match name.as_ref() {
            "Fallback" => self.in_fallback = true,
            _ if self.in_fallback => {}
            "anchor" => {
                self.anchors.push(Anchor::default());
                self.open.push(Anchor::of(tag));
            }
            "updateFields" => self.updates_fields |= tag.is_on(),
            "font" | "altName" | "charset" | "latin" | "ea" | "cs" => self.font(tag, &name),
            "background" if !says("color", &["auto", "FFFFFF"]) || tag.attribute("fillcolor").is_some() => {
                self.doubt("background");
            }
            "shape" | "rect" | "oval" | "roundrect" | "line" | "polyline" | "group" | "curve" | "arc"
            | "image" => {
                self.old_shape(tag);
            }
            // Letters that the document brings along.
            name if name.starts_with("embed") && tag.attribute("fontKey").is_some() => self.doubt("fonts"),
            "clrSchemeMapping" if !is_usual_mapping(tag) => self.doubt("color"),
            "evenAndOddHeaders" => self.has_even_headers |= tag.is_on(),
            "collapsed" if tag.is_on() => self.doubt("collapsed"),
            "bodyPr" => {
                let room = ["lIns", "tIns", "rIns", "bIns"];
                if room.iter().any(|name| beyond(tag, name, -200_000.0, 1_000_000.0))
                    || beyond(tag, "rot", 0.0, 0.0)
                {
                    self.doubt("drawings");
                }
            }
            "pgSz" if ["w", "h"].iter().any(|name| beyond(tag, name, 2_500.0, 32_000.0)) => {
                self.doubt("page")
            }
            "pgSz" => self.page(tag, "pgSz"),
            "pgMar"
                if ["left", "right", "top", "bottom", "gutter"]
                    .iter()
                    .any(|name| beyond(tag, name, -8_000.0, 8_000.0))
                    || ["header", "footer"].iter().any(|name| beyond(tag, name, 0.0, 2_500.0)) =>
            {
                self.doubt("page");
            }
            "pgMar" => self.page(tag, "pgMar"),
            "lvl" => self.lists += 1,
            other => {
                // Levels of lists move their paragraphs, too.
                if let (true, Some(reason)) = (self.lists > 0, odd_block(tag, other)) {
                    self.doubt(reason);
                }
                self.open.last_mut().into_iter().for_each(|anchor| anchor.hear(tag, other));
            }
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "Fallback" => self.in_fallback = false,
            "anchor" => self.end_anchor(),
            "lvl" => self.lists = self.lists.saturating_sub(1),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        self.open.last_mut().into_iter().for_each(|anchor| anchor.text(text));
    }
}
