//! What of a Word document may act on any of its text, wherever it stands: it is looked for before the text is read.

use super::docx_known::{beyond, odd_block};
use super::xml::{self, Listener, Tag};

/// What all of a part is looked through for.
#[derive(Default)]
pub(super) struct Survey {
    /// What may hide any of the text.
    pub(super) doubt: Option<&'static str>,
    /// Prefixes of names that Word does not know.
    pub(super) foreign: Vec<String>,
    pub(super) has_even_headers: bool,
    /// How wide and how high the largest page is, in English metric units.
    pub(super) page: (f32, f32),
    /// Of something that stands by itself: whether it says that it stands behind the text, and where text runs around it.
    anchored: Option<Anchored>,
    in_fallback: bool,
    /// Levels of lists that are open.
    lists: usize,
}

#[derive(Default)]
struct Anchored {
    is_behind: bool,
    pushes_text: bool,
    outline: Vec<(f32, f32)>,
}

impl Survey {
    /// Looks through some parts.
    pub(super) fn of<'p>(parts: impl IntoIterator<Item = &'p str>) -> Self {
        let mut survey = Self { page: (7.6e6, 1.07e7), ..Self::default() };
        for part in parts {
            xml::walk(part, &mut survey);
        }
        survey
    }

    fn doubt(&mut self, reason: &'static str) {
        self.doubt.get_or_insert(reason);
    }

    fn anchor(&mut self, tag: &Tag<'_>, name: &str) {
        let Some(anchored) = &mut self.anchored else { return };
        match name {
            "wrapSquare" | "wrapTopAndBottom" => anchored.pushes_text = true,
            "start" | "lineTo" => {
                let point = tag.number("x").zip(tag.number("y"));
                anchored.outline.push(point.unwrap_or((f32::NAN, f32::NAN)));
            }
            _ => {}
        }
    }

    fn end_anchor(&mut self) {
        let Some(anchored) = self.anchored.take() else { return };
        if !anchored.is_behind && !anchored.pushes_text && !is_around_all(&anchored.outline) {
            self.doubt("something over it");
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

/// Whether a line around a thing, in 21,600th of its size, leaves no room for text on it.
fn is_around_all(outline: &[(f32, f32)]) -> bool {
    let at = |value: f32, side: f32| (value - side).abs() <= 1_500.0;
    let is_corner =
        |(x, y): &(f32, f32)| (at(*x, 0.0) || at(*x, 21_600.0)) && (at(*y, 0.0) || at(*y, 21_600.0));
    let corners: std::collections::HashSet<(bool, bool)> =
        outline.iter().map(|(x, y)| (*x > 10_000.0, *y > 10_000.0)).collect();
    corners.len() == 4 && outline.len() <= 6 && outline.iter().all(is_corner)
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
        self.foreign.extend(tag.foreign_prefixes());
        let name = tag.name();
        let says = |name: &str, values: &[&str]| {
            tag.attribute(name)
                .is_none_or(|value| values.iter().any(|known| value.eq_ignore_ascii_case(known)))
        };
        match name.as_ref() {
            "Fallback" => self.in_fallback = true,
            _ if self.in_fallback => {}
            "anchor" => {
                self.anchored = Some(Anchored { is_behind: tag.says("behindDoc"), ..Anchored::default() })
            }
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
            "pgSz" => {
                let side = |name: &str| tag.number(name).map_or(0.0, |twentieths| twentieths * 635.0);
                self.page = (self.page.0.max(side("w")), self.page.1.max(side("h")));
            }
            "pgMar"
                if ["left", "right", "top", "bottom", "gutter"]
                    .iter()
                    .any(|name| beyond(tag, name, -8_000.0, 8_000.0)) =>
            {
                self.doubt("page");
            }
            "lvl" => self.lists += 1,
            other => {
                // Levels of lists move their paragraphs, too.
                if let (true, Some(reason)) = (self.lists > 0, odd_block(tag, other)) {
                    self.doubt(reason);
                }
                self.anchor(tag, other);
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

    fn text(&mut self, _text: &str) {}
}
