//! The shapes of one slide: where each stands, what is painted behind its letters, and how these look, with what layout
//! and master say.

use crate::model::Reason;
use crate::parse::visible_text::{BLACK, Color, WHITE};

use super::docx_styles::is_pictures;
use super::package::Theme;
use super::sight::{Area, Ink, Letters};
use super::xml::{Listener, Tag};

/// Levels of a list, the outermost first.
const LEVELS: usize = 9;
/// Elements inside each other.
const DEEPEST: usize = 200;

/// What is said about letters somewhere.
#[derive(Debug, Clone, Copy, Default)]
struct Said {
    ink: Option<Ink>,
    size: Option<f32>,
}

type Levels = [Said; LEVELS];

/// A piece of text in a shape.
pub(super) struct Run {
    pub(super) text: String,
    pub(super) letters: Letters,
    pub(super) ends_line: bool,
    /// Whether it stands on a ground of its own: that of a cell.
    pub(super) has_ground: bool,
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
    pub(super) runs: Vec<Run>,
}

impl Shape {
    /// Whether what is behind it cannot be seen.
    pub(super) fn covers(&self) -> bool {
        !self.is_hidden && (self.is_picture || self.ground.is_some())
    }
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
    /// The first run of the cell that is open.
    cell: usize,
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
    Text,
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
            "ln" | "effectLst" | "bgFillStyleLst" | "hlinkClick" => Where::Line,
            "bg" => Where::Background,
            "txBody" => Where::Body,
            "lstStyle" => Where::ListStyle(Kind::Shape),
            "titleStyle" => Where::ListStyle(Kind::Title),
            "bodyStyle" => Where::ListStyle(Kind::Body),
            "otherStyle" => Where::ListStyle(Kind::Rest),
            "rPr" | "defRPr" => Where::RunProperties,
            "solidFill" | "gradFill" | "pattFill" | "blipFill" | "noFill" => Where::Fill,
            "tcPr" => Where::CellProperties,
            "t" => Where::Text,
            _ => Where::Other,
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
                self.shape = Some(Shape { is_picture: name == "pic", ..Shape::default() });
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
            "xfrm" if tag.number("rot").is_some() || tag.says("flipV") => {}
            "bodyPr" if tag.attribute("vertOverflow").is_some_and(|kind| kind != "overflow") => {
                self.doubt = Some("overflow");
            }
            "normAutofit" if tag.number("fontScale").is_some_and(|scale| scale < 25_000.0) => {
                self.doubt = Some("font-size");
            }
            "pPr" => self.level = tag.number("lvl").map_or(0, |level| (level as usize).min(LEVELS - 1)),
            "p" => self.level = 0,
            "tc" => self.cell = self.shape.as_ref().map_or(0, |shape| shape.runs.len()),
            "r" | "fld" | "br" => self.run = Said::default(),
            "latin" | "sym" if tag.attribute("typeface").is_some_and(|font| is_pictures(&font)) => {
                self.doubt = Some("fonts");
            }
            _ => {}
        }
        if let Some(level) = name.strip_prefix("lvl").and_then(|rest| rest.strip_suffix("pPr")) {
            self.level = level.parse::<usize>().unwrap_or(1).clamp(1, LEVELS) - 1;
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
            said.size = said.size.or(more.size);
        };
        add(self.own[self.level]);
        let holder = self.shape.as_ref().and_then(|shape| shape.holder.as_ref());
        add(Said { ink: self.shape.as_ref().and_then(|shape| shape.usual_ink), size: None });
        if let Some(holder) = holder {
            for below in self.below.shapes.iter().rev().filter(|below| is_for(below, holder)) {
                add(below.levels[self.level]);
            }
        }
        add(match holder.map(|(kind, _)| kind.as_str()) {
            Some("title" | "ctrTitle") => self.below.title[self.level],
            Some(_) => self.below.body[self.level],
            None => self.below.other[self.level],
        });
        let mut letters = Letters { size: said.size.unwrap_or(18.0), ..Letters::default() };
        letters.ink = said.ink.unwrap_or(self.theme.color("tx1"));
        if let Some(ground) = self.shape.as_ref().and_then(|shape| shape.ground) {
            letters.ground = ground;
        }
        letters.doubt = self.doubt;
        letters
    }

    /// A colour, for whatever is being filled.
    fn color(&mut self, color: Ink) {
        match (self.path.iter().rev().nth(1), &mut self.shape) {
            (Some(Where::ThemeFill(is_plain)), Some(shape)) if shape.ground.is_none() && !shape.is_open => {
                shape.ground = Some(if *is_plain { color } else { Ink::Unknown });
                return;
            }
            (Some(Where::ThemeInk), Some(shape)) => {
                shape.usual_ink = Some(color);
                return;
            }
            _ => {}
        }
        if self.is_in(Where::Line) || !self.is_in(Where::Fill) && !self.is_in(Where::Background) {
            return;
        }
        let list = self.path.iter().rev().find_map(|place| match place {
            Where::ListStyle(kind) => Some(*kind),
            _ => None,
        });
        if self.is_in(Where::CellProperties) {
            self.color_cell(color);
        } else if self.is_in(Where::RunProperties) {
            let level = self.level;
            let said = match list {
                Some(Kind::Shape) => &mut self.own[level],
                Some(Kind::Title) => &mut self.below.title[level],
                Some(Kind::Body) => &mut self.below.body[level],
                Some(Kind::Rest) => &mut self.below.other[level],
                None => &mut self.run,
            };
            said.ink = Some(joined(said.ink, color));
        } else if self.is_in(Where::Background) {
            self.ground = Some(joined(self.ground, color));
        } else if self.is_in(Where::ShapeProperties)
            && let Some(shape) = &mut self.shape
        {
            shape.ground = Some(joined(shape.ground, color));
        }
    }

    /// The ground of a cell is told behind its text.
    fn color_cell(&mut self, color: Ink) {
        let runs = self.shape.as_mut().map(|shape| &mut shape.runs);
        for run in runs.into_iter().flat_map(|runs| runs.iter_mut().skip(self.cell)) {
            let known = run.has_ground.then_some(run.letters.ground);
            (run.letters.ground, run.has_ground) = (joined(known, color), true);
        }
    }

    fn size(&mut self, tag: &Tag<'_>) {
        let Some(size) = tag.number("sz").map(|hundredths| hundredths / 100.0) else { return };
        let level = self.level;
        let list = self.path.iter().rev().find_map(|place| match place {
            Where::ListStyle(kind) => Some(*kind),
            _ => None,
        });
        let said = match list {
            Some(Kind::Shape) => &mut self.own[level],
            Some(Kind::Title) => &mut self.below.title[level],
            Some(Kind::Body) => &mut self.below.body[level],
            Some(Kind::Rest) => &mut self.below.other[level],
            None => &mut self.run,
        };
        said.size = Some(size);
    }

    /// Changes of a colour that stand inside it.
    fn change(&mut self, tag: &Tag<'_>, name: &str) {
        let share = tag.number("val").unwrap_or(0.0) / 100_000.0;
        let change = |ink: Ink| match name {
            "lumMod" | "shade" => ink.mixed(BLACK, share),
            "tint" => ink.mixed(WHITE, share),
            "lumOff" => match ink {
                Ink::Is(color) => Ink::rgb(color.rgb.map(|part| part + share)),
                other => other,
            },
            "alpha" if share < 0.9 => Ink::Unknown,
            _ => ink,
        };
        if self.is_in(Where::Line) {
            return;
        }
        let target = if self.is_in(Where::RunProperties)
            && !self.path.iter().any(|place| matches!(place, Where::ListStyle(_)))
        {
            &mut self.run.ink
        } else if self.is_in(Where::Background) {
            &mut self.ground
        } else if let Some(shape) =
            self.shape.as_mut().filter(|_| self.path.contains(&Where::ShapeProperties))
        {
            &mut shape.ground
        } else {
            return;
        };
        *target = target.map(change);
    }
}

/// A second colour of one filling, as of a gradient: only shades of one may be told from letters.
fn joined(known: Option<Ink>, more: Ink) -> Ink {
    match (known, more) {
        (None, more) => more,
        (Some(Ink::Is(a)), Ink::Is(b)) if (a.luma() - b.luma()).abs() < 0.05 => more,
        _ => Ink::Unknown,
    }
}

fn combined(groups: &[[f32; 4]]) -> [f32; 4] {
    groups.iter().rev().fold([1.0, 1.0, 0.0, 0.0], |[sx, sy, dx, dy], [gx, gy, mx, my]| {
        [sx * gx, sy * gy, dx * gx + mx, dy * gy + my]
    })
}

/// Whether a placeholder below is the one that a placeholder stands for.
fn is_for(below: &Shape, (kind, number): &(String, Option<String>)) -> bool {
    let Some((other, other_number)) = &below.holder else { return false };
    let family = |kind: &str| match kind {
        "ctrTitle" => "title".to_owned(),
        "subTitle" | "obj" => "body".to_owned(),
        other => other.to_owned(),
    };
    (number.is_some() && number == other_number) || family(kind) == family(other)
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
            "fillRef" if tag.number("idx") != Some(0.0) => Where::ThemeFill(tag.number("idx") == Some(1.0)),
            "fontRef" => Where::ThemeInk,
            name => self.found(name),
        };
        self.path.push(place);
        match name.as_ref() {
            "rPr" | "defRPr" => self.size(tag),
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
                if let Some(shape) = &mut self.shape {
                    shape.is_open = true;
                }
            }
            "lumMod" | "lumOff" | "shade" | "tint" | "alpha" => self.change(tag, &name),
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
            "p" if self.is_in(Where::Body) => {
                let letters = self.letters();
                if let Some(shape) = &mut self.shape {
                    shape.runs.push(Run { text: String::new(), letters, ends_line: true, has_ground: false });
                }
            }
            "sp" | "pic" | "graphicFrame" | "cxnSp" => self.finish(),
            _ => {}
        }
        self.path.pop();
    }

    fn text(&mut self, text: &str) {
        if self.skipped > 0 || self.path.last() != Some(&Where::Text) {
            return;
        }
        let mut letters = self.letters();
        match &mut self.shape {
            Some(shape) => {
                shape.runs.push(Run { text: text.to_owned(), letters, ends_line: false, has_ground: false })
            }
            // Text that is in no shape stands nowhere.
            None => {
                letters.hide(Reason::NotRendered);
                let run = Run { text: text.to_owned(), letters, ends_line: true, has_ground: false };
                self.shapes.push(Shape { area: Some(self.size), runs: vec![run], ..Shape::default() });
            }
        }
    }
}
