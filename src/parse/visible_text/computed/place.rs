//! Where an element is: how far margins, places and transformations move it from where its text would be.

use crate::model::Reason;

use super::super::css::length::Length;
use super::backdrop::Backdrop;
use super::frame::{Display, Frame, Position, Sides};
use super::settle::{WINDOW, px};
use super::{Cover, Style};

/// What shares of a width are taken of, where it is not known.
pub(super) const COLUMN: f32 = 600.0;
/// Text moved left by this much is off the page, wherever it began.
const AWAY: f32 = -500.0;
/// Moves of so many pixels take text out of every window.
const OUT_OF_SIGHT: f32 = 4000.0;
/// More beside a text that may stand at the right draws it off the page to the left, or over what is beside it.
const MOST_BESIDE: f32 = 150.0;
/// Edges in a line that are wider take what follows them off the page.
const WIDEST_IN_LINE: f32 = 600.0;
/// What is drawn so far to a side draws all that follows out of sight.
const FAR: f32 = 1000.0;
/// Moves of so many pixels leave text readable where it is.
pub(super) const NUDGE: f32 = 5.0;

/// Adds up how far the element is from where the text would be.
pub(super) fn place(style: &mut Style, frame: &Frame, parent: &Style) {
    let has_margins = !matches!(style.display, Display::Cell | Display::TablePart);
    // Shares are of the width around, which may be more than that of a window.
    let whole = parent.width.unwrap_or(WINDOW).max(WINDOW);
    let px_of = |size: Option<Length>| size.map_or(0.0, |size| size.of(whole));
    let mut margin = if has_margins { frame.margin.map(px_of) } else { [0.0; 4] };
    let mut padding = if style.display == Display::TablePart { [0.0; 4] } else { frame.padding.map(px_of) };
    if style.display == Display::Inline {
        // Lines keep their place, whatever is above and below them.
        (margin[0], margin[2], padding[0], padding[2]) = (0.0, 0.0, 0.0, 0.0);
    }
    let mut border = if frame.border_styled { frame.border.map(px) } else { [0.0; 4] };
    if style.display == Display::Inline {
        (border[0], border[2]) = (0.0, 0.0);
    }
    style.x = parent.x + margin[3] + padding[3] + border[3];
    style.takes.lead = (margin[3] + padding[3] + border[3]).max(0.0);
    style.takes.trail = (margin[1] + padding[1] + border[1]).max(0.0);
    if style.display == Display::Cell && parent.clips {
        style.takes.lead += parent.cell_room / 2.0;
        style.takes.trail += parent.cell_room / 2.0;
    }
    let across = [frame.width, frame.min_width].into_iter().flatten().map(|size| size.px);
    style.takes.across = if style.display == Display::Inline { 0.0 } else { across.fold(0.0, f32::max) };
    style.block.left = if style.display == Display::Inline { parent.block.left } else { style.x };
    style.takes.space_above = margin[0].max(0.0) + padding[0] + border[0];
    style.takes.space_below = margin[2].max(0.0) + padding[2] + border[2];
    style.takes.free = free(style, frame, has_margins);
    style.takes.uses = (-margin[0].min(0.0), -margin[2].min(0.0));
    // A block is drawn into what is free above it before it is drawn over anything.
    style.takes.is_below = style.display == Display::Block
        && !frame.floats
        && !frame.position.is_out()
        && !parent.items
        && !frame.clears;
    if style.takes.is_below && margin[0] < 0.0 {
        margin[0] = (margin[0] + parent.free).min(0.0);
    }
    // Each of many small steps leaves the text readable, all of them need not.
    style.takes.pulled = -margin[0].min(0.0) - margin[2].min(0.0);
    style.drift += margin.iter().map(|side| -side.min(0.0)).sum::<f32>();
    if style.display == Display::Inline || style.display.is_in_line() || parent.items {
        style.takes.dragged += -margin[1].min(0.0) - margin[3].min(0.0);
    }
    // Shares of what is as wide as what is in it are room that it does not have.
    let beside = [frame.margin[1], frame.margin[3], frame.padding[1], frame.padding[3]];
    if parent.width.is_none()
        && parent.is_bound()
        && beside.into_iter().flatten().any(|size| size.share != 0.0)
    {
        style.takes.dragged = FAR;
    }
    // What follows a wide edge in its line goes along.
    if style.display == Display::Inline && style.takes.lead.max(style.takes.trail) > WIDEST_IN_LINE {
        style.takes.dragged = FAR;
    }
    // What is zoomed is as much farther away.
    let zoomed = (style.scale * frame.zoom.unwrap_or(1.0)).max(1.0);
    margins(style, frame, [margin, padding, border], zoomed);
    position(style, frame, parent);
    let is_bare = frame.paint.is_nothing() && !frame.border_styled && !style.replaced;
    let most = if is_bare && style.backdrop == Backdrop::paper() { 2.0 * NUDGE } else { 2.0 };
    if style.drift * zoomed > most {
        style.doubt("position");
        lift(style);
    }
    sizes(style, frame, parent);
}

/// How much is free above and below the text of an element at least: shares may be of next to nothing, and what is made smaller
/// takes less room.
fn free(style: &Style, frame: &Frame, has_margins: bool) -> (f32, f32) {
    let is_smaller = style.scale * frame.zoom.unwrap_or(1.0) < 1.0;
    if style.display == Display::Inline
        || is_smaller
        || frame.odd
        || frame.is_break
        || !frame.doubts.is_empty()
    {
        return (0.0, 0.0);
    }
    let margin = if has_margins { frame.margin } else { Sides::default() };
    let padding = if style.display == Display::TablePart { Sides::default() } else { frame.padding };
    let at =
        |side: usize| [margin[side], padding[side]].into_iter().flatten().map(|edge| edge.px.max(0.0)).sum();
    (at(0), at(2))
}

/// How far an element may be moved: what is painted, or cut off, not as far as small letters are high.
fn nudge(style: &Style, frame: &Frame) -> f32 {
    let has_edges = frame.border_styled || frame.outline.drawn || frame.shadowed;
    let paints = has_edges || !frame.paint.is_nothing();
    if style.clips || paints { 1.0 } else { NUDGE.min(0.32 * style.font_size) }
}

/// Margins that draw an element over others or out of sight.
fn margins(style: &mut Style, frame: &Frame, [margin, padding, border]: [[f32; 4]; 3], zoomed: f32) {
    let lowest = margin.iter().copied().fold(0.0, f32::min) * zoomed;
    let is_bound = style.clips || style.backdrop != Backdrop::paper();
    // The upper edges of letters on another ground may leave it by a hair.
    let hair = if style.clips || margin[3].min(margin[1]) < 0.0 { 1.0 } else { 2.5 };
    if (lowest < -1.0 && (style.rtl || style.vertical)) || (lowest < -hair && is_bound) {
        style.doubt("margin");
    }
    let highest =
        [margin[0], margin[3], padding[0], padding[3], border[0], border[3]].into_iter().fold(0.0, f32::max);
    let most = if style.clips { 150.0 } else { 1000.0 };
    if style.x <= AWAY || lowest <= 2.0 * AWAY {
        style.hidden = style.hidden.or(Some(Reason::OffScreen));
    }
    let up_or_left = margin[0].min(margin[3]);
    let nudge = nudge(style, frame);
    if lowest < -nudge
        && up_or_left >= -nudge
        && lowest >= -60.0
        && !style.clips
        && !style.replaced
        && frame.position == Position::Static
    {
        // What follows is drawn up over it.
        style.outside = true;
    } else if lowest < -nudge {
        style.doubt("margin");
        lift(style);
    }
    match () {
        // Everything behind it moves with it.
        () if margin[0].min(margin[2]) < -60.0 => style.covers = Some(Cover::All),
        // What follows is drawn up over it, or below what is painted in it.
        () if margin[2] < -nudge => style.covers = style.covers.or(Some(Cover::After)),
        () => {}
    }
    let far_in_line =
        style.display == Display::Inline && style.takes.lead > if is_bound { 100.0 } else { 600.0 };
    if highest * zoomed > most
        || style.x * zoomed > 900.0
        || (style.clips && style.x > 400.0)
        || far_in_line
        || style.x < -2.0 * NUDGE
    {
        style.doubt("margin");
    }
}

/// Sizes that no page has.
fn sizes(style: &mut Style, frame: &Frame, parent: &Style) {
    let begins_right =
        frame.floats || style.rtl || parent.rtl || frame.aligned || frame.ordered || frame.position.is_out();
    if begins_right {
        let own = frame.width.filter(|size| frame.aligned && size.share == 0.0).map(|size| size.px);
        let room = own.or(parent.width).or(parent.base).unwrap_or(style.right_room);
        style.right_room = room.min(style.right_room);
    }
    style.from_right |= begins_right;
    let border = if frame.border_styled { frame.border } else { Sides::default() };
    let mut beside = [frame.padding, frame.margin, border].into_iter().flat_map(|edges| [edges[1], edges[3]]);
    if style.from_right && beside.any(|edge| edge.is_some_and(|edge| edge.of(WINDOW) > MOST_BESIDE)) {
        style.doubt("width");
        style.covers = Some(Cover::All);
    }
    // What leaves the page to the left cannot be scrolled to.
    let from_right = style.from_right || style.vertical;
    let widest = if from_right { style.right_room.clamp(20.0, 900.0) } else { 1500.0 };
    let is_wide = |size: Option<Length>| {
        size.is_some_and(|size| {
            size.px > widest || size.share > 1.3 || (parent.clips && (size.px > 900.0 || size.share > 1.05))
        })
    };
    // Sizes do not act on lines.
    if style.display == Display::Inline {
        return;
    }
    if [frame.width, frame.min_width].into_iter().any(is_wide) {
        if from_right {
            style.covers = Some(Cover::All);
        }
        style.doubt("width");
    }
    // A block that grows downwards has its text at its upper edge.
    let grows_down = style.display == Display::Block && !frame.aligned_lines && !style.clips;
    if frame.min_height.is_some_and(|size| size.px > 3000.0 || size.share > 3.0) && !grows_down {
        style.doubt("height");
    }
}

fn position(style: &mut Style, frame: &Frame, parent: &Style) {
    let [top, right, bottom, left] = frame.inset;
    let shift =
        |near: Option<Length>, far: Option<Length>| near.or(far).map_or(0.0, |size| size.of(COLUMN).abs());
    let is_set = frame.inset.iter().any(Option::is_some);
    match frame.position {
        Position::Static => {}
        Position::Relative => {
            let away = shift(left, right) + shift(top, bottom);
            let nudge = nudge(style, frame);
            style.drift += away;
            if away > nudge {
                style.doubt("position");
                lift(style);
            }
        }
        Position::Sticky if !is_set => {}
        // It begins behind what stands before it and takes no room, so that only what follows may lie below it.
        Position::Absolute if !is_set && is_placed_behind(frame, parent) => {
            style.doubt("position");
            style.sunk = true;
        }
        Position::Sticky | Position::Absolute | Position::Out => {
            style.doubt("position");
            lift(style);
            if [top, left].into_iter().flatten().any(|size| size.px <= 2.0 * AWAY) {
                style.hidden = style.hidden.or(Some(Reason::OffScreen));
            }
        }
    }
    let in_grid = parent.items && !matches!(parent.display, Display::Flex | Display::OldFlex);
    if frame.placed && in_grid {
        style.doubt("flex or grid");
        lift(style);
    }
    let is_far = |side: Option<Length>| side.is_some_and(|side| side.px.abs() >= OUT_OF_SIGHT);
    if frame.position != Position::Static && frame.inset.into_iter().any(is_far) {
        style.hidden = style.hidden.or(Some(Reason::OffScreen));
    }
    if frame.negative_layer && (frame.position != Position::Static || parent.items) {
        style.doubt("position");
    }
}

/// Whether what has no place of its own begins below or behind what stands before it: not among items and in tables, and not
/// where anything draws it back.
fn is_placed_behind(frame: &Frame, parent: &Style) -> bool {
    let is_flow = matches!(parent.display, Display::Block | Display::Inline | Display::Cell);
    let is_plain = !parent.vertical && !parent.rtl && !parent.clips && !parent.in_columns;
    let is_drawn = frame.ordered || frame.aligned || frame.centers || !frame.doubts.is_empty();
    is_flow && is_plain && !is_drawn && !frame.is_drawn_back()
}

/// Takes an element for one that may stand anywhere: what can be seen of it may lie over any text.
pub(super) fn lift(style: &mut Style) {
    style.lifted = true;
}

/// Transformations do not act on lines.
pub(super) fn transform(style: &mut Style, frame: &Frame) {
    style.scale *= frame.zoom.unwrap_or(1.0);
    if style.display == Display::Inline {
        return;
    }
    let moves = [frame.transform, frame.translate, frame.scale, frame.rotate];
    style.scale *= moves.iter().map(|moved| moved.scale).product::<f32>();
    style.hidden = style.hidden.or(moves.iter().find_map(|moved| moved.hidden));
    style.shift.0 += moves.iter().map(|moved| moved.shift.0).sum::<f32>();
    style.shift.1 += moves.iter().map(|moved| moved.shift.1).sum::<f32>();
    let (right, down) = style.shift;
    // A little to the right and down there is room, on paper; to the left as much as the text is away from the edge.
    let room = if style.backdrop == Backdrop::paper() { 12.0 } else { 2.0 };
    let away =
        right < -(style.x.clamp(0.0, room) + NUDGE) || right > room || !(-NUDGE..=room).contains(&down);
    if right.abs().max(down.abs()) >= OUT_OF_SIGHT {
        style.hidden = style.hidden.or(Some(Reason::OffScreen));
    }
    let deep = moves.iter().any(|moved| moved.deep);
    let identity = moves.iter().all(|moved| moved.identity);
    let unknown = moves.iter().any(|moved| moved.unknown);
    style.deep |= moves.iter().any(|moved| moved.perspective);
    let shaky = !identity && (frame.origin_moved || frame.backface_hidden || style.clips);
    // Letters that grow with their boxes, on paper, go down and to the right, where a page is scrolled to.
    let largest = if style.clips || style.backdrop != Backdrop::paper() { 3.0 } else { 12.0 };
    style.mirrored |= frame.mirrors();
    // Only lines in the box itself are followed to the other side of it.
    let is_mirrored = frame.mirrors() && !matches!(style.display, Display::Block | Display::InlineBlock);
    if unknown
        || is_mirrored
        || shaky
        || (away && !identity)
        || (deep && style.deep)
        || !(0.1..=largest).contains(&style.scale)
    {
        style.doubt("transform");
    }
    // What shrinks stays in its box, and a few pixels are no more than letters have room for.
    let grows = moves.iter().any(|moved| moved.scale > 1.0 || moved.mirrored);
    let is_far = right.abs().max(down.abs()) > NUDGE;
    if unknown || grows || (is_far && !identity) || (deep && style.deep) {
        lift(style);
    }
}
