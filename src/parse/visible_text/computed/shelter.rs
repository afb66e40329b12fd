//! Whether a text surely stands where it has to: on a ground without which it could not be read, and inside of what cuts off.
//!
//! A short list of boxes, and of what may be set on them, is proven to hold what stands in it: blocks, lines, tables and their
//! parts, and boxes in a line, in the flow, none of limited height, with edges that are free or painted and take nothing back,
//! whose lines are broken where they end. Such a box grows downwards with what is in it, and is as wide as what cannot be
//! broken or as what is around it. Everything else between a text and its ground may take the text off it.

use super::frame::{Display, Frame, Position};
use super::settle::{clips, px};
use super::{Backdrop, Length, Style, WhiteSpace};

/// What is free or painted around a text takes no more.
const MOST_EDGE: f32 = 150.0;
/// What cuts off is no narrower.
const LEAST_WIDTH: f32 = 200.0;
/// A line that is as high as its box says, as in a button.
const HIGHEST_BUTTON: f32 = 80.0;

/// What is known about the boxes around a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shelter {
    /// All between the text and what paints its ground is on the list.
    on_ground: bool,
    /// All between the text and what cuts off around it is on the list.
    in_clip: bool,
    /// The ground is that of a line, as high as its letters.
    ground_is_line: bool,
    /// The ground is part of a table, which grows in both directions.
    ground_grows: bool,
    /// The colours around the ground.
    outer: Backdrop,
}

impl Shelter {
    /// Nothing is around the page.
    pub(super) fn of_page() -> Self {
        Self {
            on_ground: true,
            in_clip: true,
            ground_is_line: false,
            ground_grows: true,
            outer: Backdrop::nothing(),
        }
    }
}

impl Style {
    /// Whether it stands on more than the page, or in what cuts off.
    pub(in super::super) fn is_bound(&self) -> bool {
        self.clips || self.shelter.outer != Backdrop::nothing()
    }

    /// What may take a text of it out of sight.
    pub(super) fn lacks_shelter(&self) -> Option<&'static str> {
        match &self.shelter {
            shelter if self.clips && !shelter.in_clip => Some("overflow"),
            shelter if !shelter.on_ground && !self.drawn_with().is_readable_on(&shelter.outer) => {
                Some("background")
            }
            _ => None,
        }
    }
}

/// Works out what is known about the boxes around what stands in an element.
pub(super) fn shelter(style: &mut Style, frame: &Frame, parent: &Style) {
    let is_listed = is_listed(style, frame, parent);
    let paints = style.backdrop != parent.backdrop;
    let mut shelter = parent.shelter.clone();
    if paints {
        shelter.on_ground = is_listed;
        shelter.ground_is_line = style.display == Display::Inline;
        shelter.ground_grows = matches!(style.display, Display::Table | Display::TablePart | Display::Cell);
        // What the page paints lies behind everything.
        if !frame.is_page {
            shelter.outer = shelter.outer.or(&parent.backdrop);
        }
    } else {
        shelter.on_ground &= is_listed && stays_on(style, frame, parent);
    }
    // A field is as large as its attributes say, and its letters as usual.
    shelter.in_clip &= style.replaced || (is_listed && !frame.is_later_cell);
    if clips(style, frame) && !style.replaced {
        shelter.in_clip &= is_open_clip(style, frame);
    }
    style.shelter = shelter;
}

/// Whether an element is on the list.
fn is_listed(style: &Style, frame: &Frame, parent: &Style) -> bool {
    let display = matches!(
        style.display,
        Display::Inline
            | Display::InlineBlock
            | Display::Block
            | Display::Table
            | Display::TablePart
            | Display::Cell
    );
    display
        && !parent.items
        && is_in_flow(frame, parent)
        && has_plain_lines(style, parent)
        && has_plain_box(style, frame, parent)
}

/// Whether an element stands where the flow has it, as large as it is.
fn is_in_flow(frame: &Frame, parent: &Style) -> bool {
    let moves = [frame.transform, frame.translate, frame.scale, frame.rotate];
    let is_still = match frame.position {
        Position::Static => true,
        Position::Relative => frame.inset.iter().all(Option::is_none),
        _ => false,
    };
    is_still
        && (!frame.floats || (parent.contains_floats && !frame.shaped))
        && moves.iter().all(|moved| moved.identity)
        && frame.zoom.is_none()
        && frame.doubts.is_empty()
}

/// Whether lines begin at the edge of their block, are as high as their letters, and are broken at its end.
fn has_plain_lines(style: &Style, parent: &Style) -> bool {
    let is_broken = matches!(style.white_space, WhiteSpace::Normal | WhiteSpace::PreLine);
    let indent = style.block.indent;
    (is_broken || (style.white_space == WhiteSpace::NoWrap && grows_across(style, parent)))
        && (0.0..=40.0).contains(&indent.px)
        && indent.share == 0.0
        && (-1.0..=5.0).contains(&style.letter_spacing)
        && (0.0..=3.0).contains(&style.word_spacing)
        && style.own_line() >= 0.9 * style.font_size
        && style.grown == 1.0
        && !(style.rtl || style.vertical || style.odd_blanks || style.trims || style.combined)
}

/// Whether the ground of an element is as wide as what is not broken in it.
fn grows_across(style: &Style, parent: &Style) -> bool {
    let is_table = matches!(style.display, Display::Table | Display::TablePart | Display::Cell);
    let is_line =
        style.display == Display::Inline || (style.display == Display::InlineBlock && style.width.is_none());
    let paints = style.backdrop != parent.backdrop;
    let own = if paints {
        is_table || is_line
    } else {
        parent.shelter.ground_grows || parent.shelter.ground_is_line
    };
    own && !style.clips
}

/// Whether a box is as large as what is in it, within edges that take nothing back.
fn has_plain_box(style: &Style, frame: &Frame, parent: &Style) -> bool {
    if style.display == Display::Inline {
        return has_plain_edges(frame, parent);
    }
    let is_cell = matches!(style.display, Display::Table | Display::TablePart | Display::Cell);
    let is_odd = frame.columns || frame.ratio || frame.flexes || frame.sizeless || frame.stretches;
    has_plain_edges(frame, parent)
        && !(is_odd || frame.shrinks || frame.min_content || frame.is_outside_group || frame.is_group)
        && !frame.border_image
        && (is_cell || has_plain_height(style, frame))
        && fits_across(style, frame, parent)
        && (style.display != Display::Table || !style.fixed_table || style.block.columns == 1)
}

/// Edges that are free or painted, in pixels, or a share of a width that is known.
fn has_plain_edges(frame: &Frame, parent: &Style) -> bool {
    let edges = frame.margin.iter().chain(&frame.padding).chain(&frame.border).flatten();
    let is_plain = |size: &Length| {
        let is_known = size.share == 0.0 || (parent.width.is_some() && (0.0..=0.15).contains(&size.share));
        (0.0..=MOST_EDGE).contains(&size.px) && is_known
    };
    edges.into_iter().all(is_plain)
}

/// No limit, or that of a button around its one line.
fn has_plain_height(style: &Style, frame: &Frame) -> bool {
    let heights = 0.9 * style.own_line()..=HIGHEST_BUTTON;
    let holds_line = |height: Length| height.share == 0.0 && heights.contains(&height.px) && !style.odd_font;
    (frame.max_height.is_none() || is_high_enough(frame)) && frame.height.is_none_or(holds_line)
}

/// Whether a box is higher than a line of usual letters, whatever else is said about its height.
fn is_high_enough(frame: &Frame) -> bool {
    frame.min_height.is_some_and(|height| height.share == 0.0 && (40.0..=HIGHEST_BUTTON).contains(&height.px))
}

/// Whether a box is no wider than what is around it.
fn fits_across(style: &Style, frame: &Frame, parent: &Style) -> bool {
    if matches!(style.display, Display::Table | Display::TablePart | Display::Cell) {
        return true;
    }
    let sizes = [frame.width, frame.min_width].into_iter().flatten();
    let edges = [1, 3]
        .into_iter()
        .map(|side| px(frame.padding[side]) + px(frame.border[side]) + px(frame.margin[side]));
    let edges: f32 = if frame.border_box { 0.0 } else { edges.sum() };
    let fits = |size: Length| match parent.width {
        Some(room) => size.of(room) + edges <= room + 2.0,
        None => (size.share == 0.0 && parent.shelter.ground_grows) || (size.share <= 1.0 && edges == 0.0),
    };
    sizes.into_iter().all(fits)
}

/// Whether what paints nothing stays on the ground that it stands on.
fn stays_on(style: &Style, frame: &Frame, parent: &Style) -> bool {
    if parent.shelter.ground_is_line {
        let is_one_line = style.on_line && !frame.uneven && !frame.contained && !frame.sizeless;
        let is_line =
            style.display == Display::Inline && !frame.raised && style.font_size <= parent.font_size;
        return is_line || is_one_line;
    }
    // What stands beside others in a table is beyond a ground that does not grow with it, if those are wide.
    !frame.is_later_cell || parent.shelter.ground_grows
}

/// Whether a box cuts off only what is too wide for it.
fn is_open_clip(style: &Style, frame: &Frame) -> bool {
    let is_wide = |size: Length| size.px >= LEAST_WIDTH || size.share >= 0.5;
    let limits = [frame.width, frame.max_width].into_iter().flatten();
    let is_cell = style.display == Display::Cell;
    limits.into_iter().all(is_wide)
        && (frame.max_height.is_none() || is_high_enough(frame))
        && (frame.height.is_none() || is_cell)
}
