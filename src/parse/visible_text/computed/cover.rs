//! What an element may lie over: its ground, its lines and its letters, where they leave their own place.

use super::super::css::length::Length;
use super::frame::{Blend, Display, Filter, Frame, Moved, Position};
use super::place::{COLUMN, NUDGE, lift};
use super::settle::{clips, px};
use super::shapes::TINY;
use super::{Cover, Style};

/// Shadows beside a box that take no more of the light leave small letters readable too.
const MOST_GLOW: f32 = 0.35;

/// Shadows of boxes in each other that take no more leave text of usual size readable.
const MOST_GLOW_IN_ALL: f32 = 2.0;

/// More room than this may reach back to the page from beside it.
const MOST_ROOM: f32 = 300.0;

/// Larger letters leave low lines so far that they lie over others.
const LARGEST_IN_LOW_LINES: f32 = 30.0;

/// The way of what margins draw back.
const DRAWN_BACK: u16 = 1 << 1;

/// The way of what leaves its place in none of the usual ones.
pub(in super::super) const KNOWN: u16 = 1 << 15;

/// Letters that leave their lines upwards or to the left may lie over what stands before them.
pub(super) fn lift_letters(style: &mut Style) {
    let size = style.font_size * style.grown;
    let indent = style.block.indent.of(style.width.unwrap_or(COLUMN));
    let backwards = style.letter_spacing < -0.15 * size || style.word_spacing < -0.5 * size;
    let before = style.display != Display::Inline && indent + style.takes.lead < -NUDGE;
    let is_low =
        style.own_line() < 0.6 * size || (size > LARGEST_IN_LOW_LINES && style.own_line() < 0.75 * size);
    if is_low || backwards || before {
        lift(style);
    }
    if style.far_shadow || style.stroke.0 > 4.0 {
        lift(style);
    }
}

/// What the element may lie over.
pub(super) fn cover(style: &mut Style, frame: &Frame, parent: &Style) {
    let outline = frame.outline;
    if outline.drawn && outline.offset < -2.0 {
        style.doubt("outline");
    }
    let far = outline.drawn && outline.width + outline.offset.abs() > 1.0;
    let in_flow = frame.position == Position::Static
        && !frame.floats
        && !frame.stacks
        && !style.lifted
        && style.opacity >= 1.0;
    let is_plain = in_flow && !parent.items && !parent.stacked && style.display.is_block();
    style.stacked |= !in_flow || parent.items || style.display.is_in_line();
    throw(style, frame);
    // A shadow or a line that reaches far is what text beside it stands on, or lies over it.
    if frame.shadow || far {
        let own = if is_whole(style, frame) { Cover::Around } else { Cover::All };
        style.ringed = true;
        style.covers = style.covers.or(Some(own));
    }
    style.takes.shade = if frame.shadow { 0.0 } else { frame.shade };
    style.takes.far_shade = if frame.shadow { 0.0 } else { frame.far_shade };
    cover_by_lines(style, frame);
    let borders = frame.border_styled && frame.border.iter().flatten().any(|border| border.px > 12.0);
    let paints = frame.paint.covers(style.opacity) || borders || style.replaced || frame.backdrop;
    let edges = frame.border_styled && frame.border.iter().flatten().any(|border| border.px > 3.0);
    let draws = paints || edges || outline.drawn || frame.shadowed;
    style.over = paints && !is_plain;
    style.floats |= frame.floats;
    // Lines make room for what floats, and so do tables, boxes of items and what floats itself; other blocks begin where it
    // begins, and those painted later lie over it.
    let is_moved = style.lifted || frame.position.is_out();
    let makes_room = frame.floats || style.display != Display::Block;
    let has_edges = frame.border_styled && frame.border.iter().flatten().any(|border| border.px > 6.0);
    style.edges = has_edges || frame.shadow || far || !frame.inner_shadows.is_empty();
    style.takes.rim = rim(frame);
    if parent.ringed && (frame.floats || is_moved) {
        style.doubt("box-shadow");
    }
    if frame.floats && frame.shaped && draws {
        style.covers = style.covers.or(Some(Cover::After));
    }
    style.over_floats = style.over && (is_moved || !makes_room);
    style.under_floats = style.paints && (is_moved || !makes_room);
    if style.display == Display::Inline && draws {
        // What a line paints goes up as far as its padding, and takes no room for it.
        let border = if frame.border_styled { px(frame.border[0]) } else { 0.0 };
        style.takes.rises = px(frame.padding[0]) + border - 0.5 * (style.own_line() - 1.25 * style.font_size);
        let below = if frame.border_styled { px(frame.border[2]) } else { 0.0 };
        style.takes.falls = px(frame.padding[2]) + below - 0.5 * (style.own_line() - 1.25 * style.font_size);
    }
    style.far_off = style.far_off.max(far_off(style, frame));
    let comes_back = parent.lifted && may_come_back(frame);
    style.cut_away = (style.cut_away && !comes_back) || is_cut_away(frame);
    let is_empty = is_empty(style, frame) && !comes_back;
    if style.lifted && style.visible && style.opacity > 0.0 && !is_empty {
        style.covers = Some(Cover::All);
    }
    if style.is_sunk() && !is_empty {
        style.covers = style.covers.or(Some(Cover::After));
    }
    style.takes.veil = if is_plain { 0.0 } else { frame.paint.shade(style.opacity) };
    style.unrest = unrest(style, frame);
}

/// Whether nothing is painted of an element but what stands in it.
fn is_empty(style: &Style, frame: &Frame) -> bool {
    let has_edges = frame.border_styled
        || frame.border.iter().flatten().any(|edge| edge.px != 0.0 || edge.share != 0.0)
        || frame.outline.drawn
        || frame.shadowed
        || !frame.inner_shadows.is_empty()
        || frame.border_image;
    let has_signs = frame.is_item || frame.has_signs || frame.wide_rule;
    let is_mixed = frame.backdrop || frame.reflects || frame.blends != Blend::Normal;
    let is_own = style.replaced || frame.is_group || frame.odd || frame.filter != Filter::default();
    let is_known = frame.doubts.is_empty();
    is_known && !frame.paint.covers(style.opacity) && !has_edges && !has_signs && !is_mixed && !is_own
}

/// How many pixels above or to the left of the page an element is, if nothing in it is so large that it may reach back.
fn far_off(style: &Style, frame: &Frame) -> f32 {
    let is_placed = frame.position != Position::Static;
    let [top, _, _, left] = frame.inset.map(|side| side.filter(|_| is_placed));
    let away = [top, left, frame.margin[3], frame.margin[0], Some(style.block.indent)];
    let farthest = away.into_iter().flatten().filter(|size| size.share == 0.0).map(|size| -size.px);
    if may_reach_back(frame) { 0.0 } else { farthest.fold(0.0, f32::max) }
}

/// Whether an element shows no more than a few pixels of what is in it, as what is only meant to be read aloud.
fn is_cut_away(frame: &Frame) -> bool {
    let is_tiny = |size: Option<Length>| size.is_some_and(|size| size.share == 0.0 && size.px < TINY);
    let is_tight = frame.padding.iter().flatten().all(|edge| edge.px < 1.0 && edge.share == 0.0);
    frame.position.is_out()
        && frame.clip_x
        && frame.clip_y
        && is_tiny(frame.height)
        && is_tiny(frame.width)
        && is_tight
        && frame.min_width.is_none()
        && frame.min_height.is_none()
}

/// Whether something in what is far off may be on the page again.
fn may_come_back(frame: &Frame) -> bool {
    let moves = [frame.transform, frame.translate, frame.scale, frame.rotate];
    frame.position != Position::Static || !moves.iter().all(|moved| moved.identity) || may_reach_back(frame)
}

/// Whether a box is large, or as large as something that is not worked out.
fn may_reach_back(frame: &Frame) -> bool {
    let sizes = [frame.width, frame.min_width, frame.height, frame.min_height];
    let edges = frame.margin.iter().chain(&frame.padding).copied();
    let is_large = |size: Length| size.px > MOST_ROOM || size.share > 1.0;
    sizes.into_iter().chain(edges).flatten().any(is_large) || !frame.doubts.is_empty() || frame.zoom.is_some()
}

/// How thick the lines at a side of an element are: many thin ones are as good as a thick one.
fn rim(frame: &Frame) -> f32 {
    let border = if frame.border_styled { frame.border.map(px) } else { [0.0; 4] };
    let outline = if frame.outline.drawn { frame.outline.width } else { 0.0 };
    border.into_iter().fold(0.0, f32::max) + outline
}

/// What filters and shadows of the element, and of those around it, draw elsewhere once more.
fn throw(style: &mut Style, frame: &Frame) {
    style.thrown_by_filters += frame.filter.shadows;
    style.glow += frame.glow;
    // What is painted after what follows it throws its shadows over that.
    let drops = style.drops && style.stacked;
    let throws_far = frame.filter.shadows > 0 && style.scale > 1.2;
    let throws_again = frame.filter.shadows > 0 && style.thrown_by_filters > frame.filter.shadows;
    if throws_far || throws_again || style.glow > MOST_GLOW_IN_ALL || drops {
        style.covers = Some(Cover::All);
    }
    let doubles = frame.reflects || frame.filter.reaches || frame.filter.shadows > 1;
    if (doubles && style.paints) || frame.filter.far {
        style.covers = Some(Cover::All);
    }
}

/// In which ways anything of an element stands or is painted elsewhere than in its box, by a pixel or more.
fn unrest(style: &Style, frame: &Frame) -> u16 {
    let is_step = |side: &Length| side.px.abs() > 1.0 || side.share != 0.0;
    let is_back = |side: &Length| side.px < -1.0 || side.share < 0.0;
    let moves = [frame.transform, frame.translate, frame.scale, frame.rotate];
    // What shrinks stays in its box.
    let only_shrinks = |moved: &Moved| Moved { scale: 1.0, identity: true, ..*moved } == Moved::default();
    let ways = [
        frame.position != Position::Static && frame.inset.iter().flatten().any(is_step),
        // What is free above takes up what a block is drawn back by.
        style.takes.pulled > 4.0
            || [1, 3].into_iter().filter_map(|side| frame.margin[side].as_ref()).any(is_back),
        !moves.iter().all(only_shrinks) || (frame.origin_moved && !moves.iter().all(|moved| moved.identity)),
        frame.glow > MOST_GLOW,
        frame.outline.drawn && frame.outline.width + frame.outline.offset.abs() > 1.0,
        style.takes.rises.max(style.takes.falls) > 1.0,
        style.shadows > 0,
        frame.filter.shadows > 0 || frame.zoom.is_some_and(|zoom| zoom > 1.0),
        style.stroke.0 > 1.0,
        style.font_size * style.scale * style.grown > 40.0 && style.is_low(),
    ];
    let ways = ways.iter().enumerate().map(|(place, is_one)| u16::from(*is_one) << place).sum();
    // What is known to leave its place does so in some way that counts already, or in one of its own.
    let is_known = style.lifted || style.covers.is_some() || style.outside;
    match is_known && ways == 0 {
        true if frame.margin.iter().flatten().any(is_back) => DRAWN_BACK,
        true => KNOWN,
        false => ways,
    }
}

/// What signs of items, lines along text and pictures that are not cut off may lie over.
fn cover_by_lines(style: &mut Style, frame: &Frame) {
    let clips = style.replaced || clips(style, frame);
    if (style.replaced && frame.bursts) || (clips && frame.clips_beyond) {
        style.covers = Some(Cover::All);
    }
    if frame.long_marks || (frame.is_item && style.font_size > 60.0) {
        style.doubt("list-style");
        style.covers = Some(Cover::All);
    }
    // In lines as high as they are, signs and lines along letters stay where these are.
    let leaves = style.is_low() && style.font_size > 24.0;
    let draws_signs = frame.is_item || frame.has_signs;
    if leaves && (draws_signs || frame.decorated) {
        style.covers = Some(Cover::All);
    }
    if frame.ellipsis && style.clips && style.keeps_lines() {
        style.doubt("overflow");
    }
    if draws_signs && style.marks_inside && (style.clips || style.bound.is_some()) {
        style.doubt("list-style");
    }
    style.rules = style.rules.saturating_add(u8::from(frame.decorated));
    if frame.decorated && (frame.has_thickness || style.far_line) {
        style.lines = (style.lines.0 + 1, style.lines.1.max(style.font_size));
    }
    let zoomed = style.scale > 1.2 && (frame.shadowed || frame.outline.drawn);
    if zoomed {
        style.covers = Some(Cover::All);
    }
    if (frame.thick_line || style.far_line) && frame.decorated {
        style.doubt("text-decoration");
        style.covers = Some(Cover::All);
    }
}

/// Whether all text in an element stands in one box, around which shadows and outlines are drawn: never inside it. Lines
/// have a box each, and text may leave one of limited size.
fn is_whole(style: &Style, frame: &Frame) -> bool {
    let limits = [frame.width, frame.height, frame.max_width, frame.max_height];
    let is_box = matches!(style.display, Display::Block | Display::Cell) || style.display.is_in_line();
    is_box && limits.iter().all(Option::is_none) && frame.outline.offset >= 0.0 && !style.lifted
}
