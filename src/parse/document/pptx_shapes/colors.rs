//! Colours and sizes of letters on a slide, and of what they stand on.

use super::{GroundOf, Kind, Said, Slide, Where};
use crate::parse::document::docx_known::{beyond, is_in};
use crate::parse::document::sight::Ink;
use crate::parse::document::xml::Tag;
use crate::parse::visible_text::{BLACK, WHITE};

/// Properties of letters in an attribute, in the same way.
const OF_RUNS: &str = "\
    altLang b baseline bmk cap dirty err i kern kumimoji lang noProof normalizeH smtClean smtId spc strike sz u";

impl Slide<'_> {
    /// A colour, for whatever is being filled.
    pub(super) fn color(&mut self, color: Ink) {
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
        let is_filled =
            [Where::Fill, Where::Background, Where::Highlight].iter().any(|place| self.is_in(*place));
        if self.is_in(Where::Line) || !is_filled {
            return;
        }
        if self.is_in(Where::CellProperties) {
            self.color_cell(color);
        } else if self.is_in(Where::RunProperties) {
            let is_highlight = self.is_in(Where::Highlight);
            let said = self.said();
            let target = if is_highlight { &mut said.ground } else { &mut said.ink };
            *target = Some(joined(*target, color));
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
        let runs = runs.into_iter().flat_map(|runs| runs.iter_mut().skip(self.cell));
        for run in runs.filter(|run| run.ground != GroundOf::Letters) {
            let known = (run.ground == GroundOf::Cell).then_some(run.letters.ground);
            (run.letters.ground, run.ground) = (joined(known, color), GroundOf::Cell);
        }
    }

    /// What is said about the letters that are being described.
    pub(super) fn said(&mut self) -> &mut Said {
        let list = self.path.iter().rev().find_map(|place| match place {
            Where::ListStyle(kind) => Some(*kind),
            _ => None,
        });
        let level = self.level;
        match list {
            Some(Kind::Shape) => &mut self.own[level],
            Some(Kind::Title) => &mut self.below.title[level],
            Some(Kind::Body) => &mut self.below.body[level],
            Some(Kind::Rest) => &mut self.below.other[level],
            None => &mut self.run,
        }
    }

    /// Size, spacing and place of letters.
    pub(super) fn run(&mut self, tag: &Tag<'_>) {
        let size = tag.number("sz").map(|hundredths| hundredths / 100.0);
        let doubt = match () {
            () if beyond(tag, "spc", -300.0, 6_000.0) => Some("spacing of letters"),
            () if beyond(tag, "baseline", -60_000.0, 60_000.0) => Some("position"),
            () if tag.attribute_names().any(|name| !is_in(OF_RUNS, &name)) => Some("not understood"),
            () => None,
        };
        let said = self.said();
        said.size = size.or(said.size);
        said.doubt = said.doubt.or(doubt);
    }

    /// Changes of a colour that stand inside it.
    pub(super) fn change(&mut self, tag: &Tag<'_>, name: &str) {
        let share = tag.number("val").unwrap_or(0.0) / 100_000.0;
        let change = |ink: Ink| match name {
            "lumMod" | "shade" => ink.mixed(BLACK, share),
            "tint" => ink.mixed(WHITE, share),
            "lumOff" => match ink {
                Ink::Is(color) => Ink::rgb(color.rgb.map(|part| part + share)),
                other => other,
            },
            "alpha" if share >= 0.9 => ink,
            _ => Ink::Unknown,
        };
        if self.is_in(Where::Line) {
            return;
        }
        let of_theme = self.path.iter().rev().nth(2).copied();
        let is_highlight = self.is_in(Where::Highlight);
        if self.is_in(Where::CellProperties) {
            self.change_cell(change);
        } else if self.is_in(Where::RunProperties) {
            let said = self.said();
            let target = if is_highlight { &mut said.ground } else { &mut said.ink };
            *target = target.map(change);
        } else if self.is_in(Where::Background) {
            self.ground = self.ground.map(change);
        } else if let Some(shape) = &mut self.shape {
            match of_theme {
                Some(Where::ThemeInk) => shape.usual_ink = shape.usual_ink.map(change),
                _ => shape.ground = shape.ground.map(change),
            }
        }
    }

    fn change_cell(&mut self, change: impl Fn(Ink) -> Ink) {
        let runs = self.shape.as_mut().map(|shape| &mut shape.runs);
        let runs = runs.into_iter().flat_map(|runs| runs.iter_mut().skip(self.cell));
        for run in runs.filter(|run| run.ground == GroundOf::Cell) {
            run.letters.ground = change(run.letters.ground);
        }
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
