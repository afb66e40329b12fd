//! The shapes of one slide: where each stands, what is painted behind its letters, and how these look, with what layout
//! and master say.

mod colors;
mod shape;

use crate::model::Reason;
use crate::parse::visible_text::{Color, WHITE};

use super::docx_fields::Gift;
use super::docx_known::{beyond, is_in};
use super::docx_styles::is_pictures;
use super::package::Theme;
use super::sight::{Area, Ink, Letters};
use super::xml::{Listener, Tag};
use shape::is_for;

/// Levels of a list, the outermost first.
const LEVELS: usize = 9;
/// Elements that may stand around text.
const AROUND: &str = "\
    AlternateContent Choice br cSld fld graphic graphicData grpSp notes p r sld sldLayout sldMaster spTree t tbl tc tr";
/// Names of what PowerPoint understands, so that it takes the first of two alternatives.
const KNOWN: &str = "a14 a16 am3d aink cx1 cx2 cx4 p14 p15 p159 p16 pslz psez psuz v wps wpg";
/// Elements of properties of letters that leave them readable, or whose values are looked at.
const OF_LETTERS: &str = "\
    alpha alphaMod alphaOff bevel blip cs ea effectLst ext extLst fld glow gradFill gs gsLst headEnd highlight hlinkClick hlinkMouseOver \
    hslClr innerShdw latin lin ln lumMod lumOff miter noFill outerShdw path pattFill prstClr prstDash round rtl schemeClr \
    scrgbClr shade snd solidFill srgbClr sym sysClr tailEnd tint uFill uFillTx uLn uLnTx creationId hlinkClr hiddenFill";
/// Styles of tables without any colour.
const UNCOLOURED: [&str; 2] =
    ["{2D5ABB26-0587-4C30-8999-92F81FD0307C}", "{5940675A-B579-460E-94D1-54222C63F5DA}"];
/// Elements inside each other.
const DEEPEST: usize = 200;

/// What is said about letters somewhere.
#[derive(Debug, Clone, Copy, Default)]
struct Said {
    ink: Option<Ink>,
    /// What is behind these letters alone.
    ground: Option<Ink>,
    size: Option<f32>,
    doubt: Option<&'static str>,
}

type Levels = [Said; LEVELS];

/// A piece of text in a shape.
pub(super) struct Run {
    pub(super) text: String,
    pub(super) letters: Letters,
    pub(super) ends_line: bool,
    pub(super) ground: GroundOf,
    /// What a paragraph keeps free before and behind it, in English metric units.
    space: f32,
}

/// Whose ground letters stand on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GroundOf {
    /// That of the shape, or of what is below it.
    Shape,
    /// That of a cell, which its table's style may have painted, or it itself.
    Table,
    Cell,
    /// A ground of their own.
    Letters,
}

/// One shape.
#[derive(Default)]
pub(super) struct Shape {
    pub(super) area: Option<Area>,
    pub(super) is_hidden: bool,
    /// What it is filled with, where it is.
    pub(super) ground: Option<Ink>,
    is_picture: bool,
    /// Whether it says itself that it is not filled.
    is_open: bool,
    /// The colour of its letters where nothing nearer says one.
    usual_ink: Option<Ink>,
    /// The kind and the number of a placeholder.
    holder: Option<(String, Option<String>)>,
    levels: Levels,
    /// What may hide any text in it.
    doubt: Option<&'static str>,
    /// Whether its letters are made smaller until they fit, or stand in cells.
    fits: bool,
    /// Whether its text stands at its top, and whether its lines are broken at its sides.
    hangs_low: bool,
    is_one_line: bool,
    /// How thick the line around it is.
    line: f32,
    /// Whether a style colours the cells of the table in it.
    is_coloured: bool,
    pub(super) runs: Vec<Run>,
}

/// What a slide takes over from below.
#[derive(Default)]
pub(super) struct Layer {
    shapes: Vec<Shape>,
    ground: Option<Ink>,
    title: Levels,
    body: Levels,
    other: Levels,
}

/// A slide, layout or master while it is read.
pub(super) struct Slide<'t> {
    theme: &'t Theme,
    size: Area,
    below: Layer,
    pub(super) shapes: Vec<Shape>,
    pub(super) is_hidden: bool,
    ground: Option<Ink>,
    path: Vec<Where>,
    /// Groups: what their inside is multiplied with and moved by.
    groups: Vec<[f32; 4]>,
    inner: [Option<(f32, f32)>; 4],
    shape: Option<Shape>,
    level: usize,
    run: Said,
    own: Levels,
    doubt: Option<&'static str>,
    skipped: usize,
    /// The first run of the cell that is open, and whether another cell goes on in it.
    cell: usize,
    is_merged: bool,
    /// What the open paragraph keeps free, and what the open field gives.
    space: f32,
    gift: Option<Gift>,
    dates: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    Shape,
    Group,
    GroupProperties,
    ShapeProperties,
    Line,
    Background,
    Body,
    ListStyle(Kind),
    RunProperties,
    Fill,
    /// A filling out of the theme, and whether it is of one colour.
    ThemeFill(bool),
    ThemeInk,
    CellProperties,
    Highlight,
    LineSpacing,
    Color,
    TableStyle,
    Text,
    /// Something that is not understood: text in it is in doubt.
    Unknown,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Shape,
    Title,
    Body,
    Rest,
}

impl<'t> Slide<'t> {
    pub(super) fn new(theme: &'t Theme, size: Area, below: Layer) -> Self {
        Self {
            theme,
            size,
            below,
            shapes: Vec::new(),
            is_hidden: false,
            ground: None,
            path: Vec::new(),
            groups: Vec::new(),
            inner: [None; 4],
            shape: None,
            level: 0,
            run: Said::default(),
            own: Levels::default(),
            doubt: None,
            skipped: 0,
            cell: 0,
            is_merged: false,
            space: 0.0,
            gift: None,
            dates: 0,
        }
    }

    pub(super) fn into_layer(self) -> Layer {
        let Self { mut below, shapes, ground, .. } = self;
        below.shapes.extend(shapes);
        below.ground = ground.or(below.ground);
        below
    }

    /// What is behind the letters of a shape that is not filled: the last filled one below it, or the slide.
    pub(super) fn ground_of(&self, index: usize) -> Ink {
        let center = self.shapes[index].area.map(|area| area.center());
        let is_behind = |shape: &&Shape| {
            shape.covers() && shape.area.zip(center).is_some_and(|(area, center)| area.has(center))
        };
        let behind = self.shapes[..index].iter().rev().find(is_behind);
        let drawn_below = || {
            let plain = |shape: &&Shape| shape.holder.is_none();
            self.below.shapes.iter().rev().filter(plain).find(is_behind)
        };
        match behind.or_else(drawn_below) {
            Some(shape) if shape.is_picture => Ink::Unknown,
            Some(shape) => shape.ground.unwrap_or(Ink::Unknown),
            None => self.ground.or(self.below.ground).unwrap_or(Ink::Is(WHITE)),
        }
    }

    fn is_in(&self, place: Where) -> bool {
        self.path.contains(&place)
    }

    fn found(&self, name: &str) -> Where {
        match name {
            "sp" | "pic" | "graphicFrame" | "cxnSp" => Where::Shape,
            "grpSp" => Where::Group,
            "grpSpPr" => Where::GroupProperties,
            "spPr" | "xfrm" if !self.is_in(Where::GroupProperties) => Where::ShapeProperties,
            "ln" | "uLn" | "uFill" | "effectLst" | "bgFillStyleLst" | "hlinkClick" => Where::Line,
            "lnSpc" => Where::LineSpacing,
            "bg" => Where::Background,
            "txBody" => Where::Body,
            "lstStyle" => Where::ListStyle(Kind::Shape),
            "titleStyle" => Where::ListStyle(Kind::Title),
            "bodyStyle" => Where::ListStyle(Kind::Body),
            "otherStyle" => Where::ListStyle(Kind::Rest),
            "rPr" | "defRPr" => Where::RunProperties,
            "solidFill" | "gradFill" | "pattFill" | "blipFill" | "noFill" => Where::Fill,
            "tcPr" => Where::CellProperties,
            "highlight" => Where::Highlight,
            "srgbClr" | "schemeClr" | "sysClr" | "prstClr" | "hslClr" | "scrgbClr" => Where::Color,
            "tableStyleId" => Where::TableStyle,
            "t" => Where::Text,
            name if is_in(AROUND, name) => Where::Other,
            _ => Where::Unknown,
        }
    }

    fn begin(&mut self, tag: &Tag<'_>, name: &str) {
        match name {
            "sld" => {
                self.is_hidden =
                    tag.attribute("show").is_some_and(|show| matches!(show.as_str(), "0" | "false"))
            }
            "sp" | "pic" | "graphicFrame" | "cxnSp" => {
                self.finish();
                self.own = Levels::default();
                self.doubt = None;
                self.shape = Some(Shape {
                    // Charts and tables paint what they like.
                    is_picture: matches!(name, "pic" | "graphicFrame"),
                    fits: name == "graphicFrame",
                    ..Shape::default()
                });
            }
            "grpSp" => self.finish(),
            "cNvPr" if tag.says("hidden") => match &mut self.shape {
                Some(shape) => shape.is_hidden = true,
                // All of the group; nothing in it can be told apart.
                None => self.groups.push([0.0, 0.0, -1e12, -1e12]),
            },
            "ph" => {
                let kind = tag.attribute("type").unwrap_or_else(|| "body".to_owned());
                if let Some(shape) = &mut self.shape {
                    shape.holder = Some((kind, tag.attribute("idx")));
                }
            }
            "off" | "ext" | "chOff" | "chExt" => self.measure(tag, name),
            "bodyPr" | "scene3d" | "sp3d" | "prstTxWarp" | "custGeom" | "normAutofit" | "gridCol" => {
                self.body(tag, name)
            }
            "pPr" => {
                self.level = tag.number("lvl").map_or(0, |level| (level as usize).min(LEVELS - 1));
                self.paragraph(tag);
            }
            "tab" | "spcPts" | "spcPct" => self.keep_apart(tag, name),
            "ln" if self.is_in(Where::ShapeProperties) => {
                let line = tag.number("w").unwrap_or(0.0);
                self.shape.iter_mut().for_each(|shape| shape.line = line);
            }
            "p" => self.level = 0,
            "tc" => {
                self.cell = self.shape.as_ref().map_or(0, |shape| shape.runs.len());
                self.is_merged = tag.says("hMerge") || tag.says("vMerge");
            }
            "fld" => self.field(tag),
            "r" | "br" => self.run = Said::default(),
            "latin" | "sym" | "ea" | "cs"
                if tag.attribute("typeface").is_some_and(|font| is_pictures(&font)) =>
            {
                self.doubt = Some("fonts");
            }
            _ => {}
        }
        if let Some(level) = name.strip_prefix("lvl").and_then(|rest| rest.strip_suffix("pPr")) {
            self.level = level.parse::<usize>().unwrap_or(1).clamp(1, LEVELS) - 1;
            self.paragraph(tag);
        }
    }

    /// A number of the slide or a date, which is worked out anew.
    fn field(&mut self, tag: &Tag<'_>) {
        self.run = Said::default();
        let instruction = match tag.attribute("type").unwrap_or_default().as_str() {
            "slidenum" => "PAGE",
            kind if kind.starts_with("datetime") => "DATE",
            _ => "",
        };
        self.gift = Some(Gift::of(instruction, &mut self.dates));
    }

    /// Hundredths of a point, or thousandths of a percent of a line, that lines and paragraphs keep free.
    fn keep_apart(&mut self, tag: &Tag<'_>, name: &str) {
        let value = tag.number("val").unwrap_or(f32::NAN);
        let in_lines = self.is_in(Where::LineSpacing);
        match name {
            "tab" if beyond(tag, "pos", -1e6, 9e6) => self.doubt = Some("indent"),
            "tab" => {}
            "spcPct" if in_lines && beyond(tag, "val", 55_000.0, 1e6) => self.doubt = Some("line-height"),
            "spcPts" if in_lines && beyond(tag, "val", 400.0, 1e5) => self.doubt = Some("line-height"),
            _ if in_lines => {}
            "spcPts" if (0.0..=7_200.0).contains(&value) => self.space += value * 127.0,
            "spcPct" if (0.0..=200_000.0).contains(&value) => self.space += value * 2.5,
            _ => self.doubt = Some("overflow"),
        }
    }

    /// How text stands in its shape.
    fn body(&mut self, tag: &Tag<'_>, name: &str) {
        if let (Some(shape), "bodyPr") = (&mut self.shape, name) {
            shape.hangs_low = tag.attribute("anchor").is_some_and(|side| side != "t");
            shape.is_one_line = tag.attribute("wrap").as_deref() == Some("none");
        }
        let room = ["lIns", "tIns", "rIns", "bIns"];
        let doubt = match name {
            "bodyPr" if room.iter().any(|name| beyond(tag, name, -200_000.0, 2_000_000.0)) => "indent",
            "bodyPr"
                if ["vertOverflow", "horzOverflow"]
                    .iter()
                    .any(|name| tag.attribute(name).is_some_and(|kind| kind != "overflow")) =>
            {
                "overflow"
            }
            "bodyPr" if beyond(tag, "numCol", 1.0, 6.0) || beyond(tag, "spcCol", 0.0, 2e6) => "overflow",
            "prstTxWarp" if tag.attribute("prst").is_none_or(|kind| kind != "textNoShape") => "effects",
            "normAutofit"
                if beyond(tag, "fontScale", 25_000.0, 100_000.0)
                    || beyond(tag, "lnSpcReduction", 0.0, 40_000.0) =>
            {
                "font-size"
            }
            "scene3d" | "sp3d" => "effects",
            "custGeom" => "shapes",
            "gridCol" if beyond(tag, "w", 100_000.0, 1e8) => "size",
            "normAutofit" => {
                self.shape.iter_mut().for_each(|shape| shape.fits = true);
                return;
            }
            _ => return,
        };
        self.doubt = Some(doubt);
    }

    /// Where the lines of a paragraph begin and end.
    fn paragraph(&mut self, tag: &Tag<'_>) {
        if beyond(tag, "marL", -100_000.0, 6e6)
            || beyond(tag, "marR", -100_000.0, 6e6)
            || beyond(tag, "indent", -5e6, 5e6)
        {
            self.doubt = Some("indent");
        }
    }

    fn measure(&mut self, tag: &Tag<'_>, name: &str) {
        let pair = match name {
            "off" | "chOff" => tag.number("x").zip(tag.number("y")),
            _ => tag.number("cx").zip(tag.number("cy")),
        };
        let place = ["off", "ext", "chOff", "chExt"].iter().position(|known| *known == name).unwrap_or(0);
        self.inner[place] = pair;
        if let ([Some((x, y)), Some((width, height)), None, None], Some(shape)) =
            (self.inner, &mut self.shape)
        {
            let [sx, sy, dx, dy] = combined(&self.groups);
            shape.area = Some(Area::sized(x * sx + dx, y * sy + dy, width * sx, height * sy));
            self.inner = [None; 4];
        }
    }

    fn end_group_properties(&mut self) {
        let group = match std::mem::take(&mut self.inner) {
            [Some((x, y)), Some((width, height)), Some((cx, cy)), Some((cw, ch))] if cw > 0.0 && ch > 0.0 => {
                let (sx, sy) = (width / cw, height / ch);
                [sx, sy, x - cx * sx, y - cy * sy]
            }
            _ => [1.0, 1.0, 0.0, 0.0],
        };
        self.groups.push(group);
    }

    /// Where a placeholder stands that does not say so, and what else it takes over.
    fn finish(&mut self) {
        let Some(mut shape) = self.shape.take() else { return };
        shape.levels = self.own;
        shape.doubt = self.doubt;
        if shape.area.is_none()
            && let Some(holder) = &shape.holder
        {
            shape.area = self
                .below
                .shapes
                .iter()
                .rev()
                .filter(|below| is_for(below, holder))
                .find_map(|below| below.area);
        }
        self.shapes.push(shape);
    }

    fn letters(&self) -> Letters {
        let mut said = self.run;
        let mut add = |more: Said| {
            said.ink = said.ink.or(more.ink);
            said.ground = said.ground.or(more.ground);
            said.size = said.size.or(more.size);
            said.doubt = said.doubt.or(more.doubt);
        };
        add(self.own[self.level]);
        let holder = self.shape.as_ref().and_then(|shape| shape.holder.as_ref());
        add(Said { ink: self.shape.as_ref().and_then(|shape| shape.usual_ink), ..Said::default() });
        if let Some(holder) = holder {
            for below in self.below.shapes.iter().rev().filter(|below| is_for(below, holder)) {
                add(below.levels[self.level]);
                add(Said { doubt: below.doubt, ..Said::default() });
            }
        }
        add(match holder.map(|(kind, _)| kind.as_str()) {
            Some("title" | "ctrTitle") => self.below.title[self.level],
            Some(_) => self.below.body[self.level],
            None => self.below.other[self.level],
        });
        // What the style of a table paints behind letters that have a colour of their own is not worked out.
        let is_coloured = self.shape.as_ref().is_some_and(|shape| shape.is_coloured);
        if is_coloured && said.ground.is_none() && self.run.ink.is_some() {
            said.ground = Some(Ink::Unknown);
        }
        let mut letters = Letters { size: said.size.unwrap_or(18.0), ..Letters::default() };
        letters.ink = said.ink.unwrap_or(self.theme.color("tx1"));
        if let Some(ground) = said.ground.or(self.shape.as_ref().and_then(|shape| shape.ground)) {
            letters.ground = ground;
        }
        letters.doubt = self
            .doubt
            .or(said.doubt)
            .or(self.theme.has_signs.then_some("fonts"))
            .or(self.is_in(Where::Unknown).then_some("not understood"));
        letters.hidden = self.is_merged.then_some(Reason::Covered);
        letters
    }
}

fn combined(groups: &[[f32; 4]]) -> [f32; 4] {
    groups.iter().rev().fold([1.0, 1.0, 0.0, 0.0], |[sx, sy, dx, dy], [gx, gy, mx, my]| {
        [sx * gx, sy * gy, dx * gx + mx, dy * gy + my]
    })
}

impl Listener for Slide<'_> {
    fn open(&mut self, tag: &Tag<'_>) {
        let name = tag.name();
        // Nothing that is shown is nested so deep.
        if self.skipped > 0 || name == "Fallback" || self.path.len() > DEEPEST {
            self.skipped += 1;
            return;
        }
        self.begin(tag, &name);
        let place = match name.as_ref() {
            "Choice"
                if tag
                    .attribute("Requires")
                    .is_none_or(|needs| needs.split_whitespace().any(|need| !is_in(KNOWN, need))) =>
            {
                Where::Unknown
            }
            "fillRef" if tag.number("idx") != Some(0.0) => Where::ThemeFill(tag.number("idx") == Some(1.0)),
            "fontRef" => Where::ThemeInk,
            name => self.found(name),
        };
        self.path.push(place);
        match name.as_ref() {
            "rPr" | "defRPr" => self.run(tag),
            name if self.is_in(Where::RunProperties) && !is_in(OF_LETTERS, name) => {
                self.said().doubt = Some("not understood");
            }
            "srgbClr" => self.color(Ink::hex(&tag.attribute("val").unwrap_or_default())),
            "schemeClr" => {
                let name = tag.attribute("val").unwrap_or_default();
                self.color(self.theme.color(&name));
            }
            "sysClr" => self.color(Ink::hex(&tag.attribute("lastClr").unwrap_or_default())),
            "prstClr" | "hslClr" | "scrgbClr" => self.color(Ink::Unknown),
            "blip" if self.is_in(Where::Background) => self.ground = Some(Ink::Unknown),
            "blip" | "pattFill" => {
                if let Some(shape) = &mut self.shape {
                    shape.is_picture = true;
                }
            }
            "noFill" if self.is_in(Where::RunProperties) && !self.is_in(Where::Line) => {
                self.run.ink = Some(Ink::Is(Color { alpha: 0.0, ..WHITE }));
            }
            "noFill" if self.is_in(Where::ShapeProperties) && !self.is_in(Where::Line) => {
                self.shape.iter_mut().for_each(|shape| shape.is_open = true);
            }
            // Links have a colour of their own.
            "hlinkClick" if self.is_in(Where::RunProperties) => {
                if let ink @ Ink::Is(_) = self.theme.color("hlink") {
                    self.said().ink = Some(ink);
                }
            }
            // Whatever stands in a colour changes it.
            _ if self.is_in(Where::Color) => self.change(tag, &name),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        match name {
            "grpSpPr" if self.path.iter().filter(|place| **place == Where::Group).count() > 0 => {
                self.end_group_properties()
            }
            "grpSpPr" => self.inner = [None; 4],
            "grpSp" => {
                self.finish();
                self.groups.pop();
            }
            "tc" => self.is_merged = false,
            "fld" => self.gift = None,
            "p" if self.is_in(Where::Body) => {
                let (letters, ground) = (self.letters(), GroundOf::Shape);
                let space = std::mem::take(&mut self.space);
                if let Some(shape) = &mut self.shape {
                    shape.runs.push(Run { text: String::new(), letters, ends_line: true, ground, space });
                }
            }
            "sp" | "pic" | "graphicFrame" | "cxnSp" => self.finish(),
            _ => {}
        }
        self.path.pop();
    }

    fn text(&mut self, text: &str) {
        if let (0, Some(Where::TableStyle), Some(shape)) = (self.skipped, self.path.last(), &mut self.shape) {
            shape.is_coloured |= !UNCOLOURED.contains(&text.trim());
        }
        if self.skipped > 0 || self.path.last() != Some(&Where::Text) {
            return;
        }
        if let Some(gift) = &mut self.gift {
            gift.give(text);
        }
        let mut letters = self.letters();
        if self.gift.is_some_and(|gift| !gift.is_as_written()) {
            letters.doubt("fields");
        }
        let ground = match (self.run.ground, letters.ground) {
            (Some(_), _) => GroundOf::Letters,
            (None, Ink::Unknown) => GroundOf::Table,
            _ => GroundOf::Shape,
        };
        match &mut self.shape {
            Some(shape) => {
                shape.runs.push(Run { text: text.to_owned(), letters, ends_line: false, ground, space: 0.0 })
            }
            // Text that is in no shape stands nowhere.
            None => {
                letters.hide(Reason::NotRendered);
                let run = Run { text: text.to_owned(), letters, ends_line: true, ground, space: 0.0 };
                self.shapes.push(Shape { area: Some(self.size), runs: vec![run], ..Shape::default() });
            }
        }
    }
}
