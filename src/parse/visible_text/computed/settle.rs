//! Takes what is set on an element together with what surrounds it: what is behind its text, what cuts it off, where it
//! is, and what of that is not understood.
//!
//! Why the ranges hold: a box in the normal flow that grows with its text lies beside all others, so nothing can cover or
//! cut off its text until it is moved (position, negative margins, transformations), limited (heights, widths) or cut
//! (overflow, shapes). Those are let through only as far as the text surely stays where it was.

use crate::model::Reason;

use super::super::css::declaration::Property;
use super::super::css::length::Length;
use super::backdrop::Area;
use super::frame::{Blend, Display, Frame, Position, Seen};
use super::readable::{LEAST_OPACITY, SURE_OPACITY};
use super::{Cover, Style, limits};

/// What shares of a width are taken of, where it is not known.
const COLUMN: f32 = 600.0;
/// The widest that something may be of which shares are taken.
const WINDOW: f32 = 1024.0;
/// Text moved left by this much is off the page, wherever it began.
const AWAY: f32 = -500.0;
/// Moves of so many pixels leave text readable where it is.
const NUDGE: f32 = 4.0;

/// Finishes the style of an element.
pub(super) fn settle(style: &mut Style, frame: &Frame, parent: &Style) {
    if frame.floats || frame.position.is_out() || parent.display.has_items() {
        blockify(style);
    }
    // Text that runs in another direction than what is around it is in a box of its own.
    if style.vertical != parent.vertical && style.display == Display::Inline {
        style.display = Display::InlineBlock;
    }
    if style.display == Display::None || frame.content_hidden {
        style.hidden = Some(Reason::Display);
        return;
    }
    doubts(style, frame, parent);
    if style.display == Display::Contents {
        return;
    }
    fade(style, frame, parent);
    paint(style, frame, parent);
    cut(style, frame, parent);
    place(style, frame, parent);
    transform(style, frame);
    limits::room(style, frame, parent);
    cover(style, frame, parent);
    if frame.animated {
        style.doubt("animation");
    }
}

/// What floats or stands out of the flow is a box, whatever it was.
fn blockify(style: &mut Style) {
    if matches!(style.display, Display::Inline | Display::InlineBlock) {
        style.display = Display::Block;
    }
}

/// Takes over what was not understood, where it acts at all.
fn doubts(style: &mut Style, frame: &Frame, parent: &Style) {
    let is_line = style.display == Display::Inline;
    let acts = |property: &Property| match property {
        Property::Width
        | Property::Height
        | Property::MaxWidth
        | Property::MaxHeight
        | Property::MinWidth
        | Property::MinHeight
        | Property::Overflow
        | Property::OverflowX
        | Property::OverflowY
        | Property::Contain
        | Property::Transform
        | Property::Rotate
        | Property::Scale
        | Property::Translate
        | Property::LineClamp
        | Property::OffsetPath => !is_line,
        Property::VerticalAlign => {
            matches!(style.display, Display::Inline | Display::InlineBlock | Display::Cell)
        }
        Property::Inset(_) => frame.position != Position::Static,
        Property::ZIndex => frame.position != Position::Static || parent.display.has_items(),
        _ => true,
    };
    if let Some(property) = frame.doubts.iter().find(|property| acts(property)) {
        style.doubt(property.name());
    }
    if frame.collapses && (style.display == Display::TablePart || parent.display.has_items()) {
        style.hidden = Some(Reason::Visibility);
    }
}

fn fade(style: &mut Style, frame: &Frame, parent: &Style) {
    style.opacity = parent.opacity * frame.opacity.unwrap_or(1.0) * frame.filter.opacity;
    style.tinted |= frame.filter.tints;
    style.darkens |= frame.blends == Blend::Darkens;
    if style.opacity < LEAST_OPACITY {
        style.hidden = style.hidden.or(Some(Reason::Opacity));
    }
    style.hidden = style.hidden.or(frame.filter.hidden);
    match () {
        () if frame.filter.unknown => style.doubt("filter"),
        () if frame.blends == Blend::Unknown => style.doubt("mix-blend-mode"),
        () if style.opacity < SURE_OPACITY => style.doubt("opacity"),
        () => {}
    }
}

/// Works out what is behind the text.
fn paint(style: &mut Style, frame: &Frame, parent: &Style) {
    let in_line = parent.display == Display::Inline && style.display != Display::Inline;
    let mut below = if in_line && style.display.is_block() {
        parent.block_backdrop.clone()
    } else {
        parent.backdrop.clone()
    };
    if frame.floats && !parent.contains_floats {
        below = below.or(&parent.flow_backdrop);
    }
    let text = style.fill.unwrap_or(style.color);
    style.backdrop = below.painted(&frame.paint, text);
    style.paints = !frame.paint.is_nothing();
    if style.paints && frame.paint.area == Area::Letters && text.alpha < 0.9 {
        style.doubt("background");
    }
    // Lines that are lower than their letters leave the box that is painted.
    if style.paints && style.line() < 0.8 * style.font_size {
        style.backdrop = style.backdrop.or(&below);
    }
    if style.display != Display::Inline {
        style.block_backdrop = style.backdrop.clone();
    }
    style.contains_floats = match style.display {
        Display::Inline => parent.contains_floats,
        Display::Block => {
            frame.floats || frame.clip_x || frame.clip_y || frame.position.is_out() || frame.contained
        }
        Display::TablePart => parent.contains_floats,
        _ => true,
    };
    if style.contains_floats && style.display != Display::Inline {
        style.flow_backdrop = style.backdrop.clone();
    }
}

/// Shapes, masks and boxes that cut off.
fn cut(style: &mut Style, frame: &Frame, parent: &Style) {
    if frame.clip_path == Seen::Nothing || frame.mask == Seen::Nothing {
        style.hidden = style.hidden.or(Some(Reason::Clipped));
    }
    match () {
        () if frame.clip_path == Seen::Unknown => style.doubt("clip-path"),
        // The box of a line is not that of blocks inside it.
        () if frame.has_clip_path && style.display == Display::Inline => style.doubt("clip-path"),
        () if frame.mask == Seen::Unknown || (frame.mask_changed && frame.mask_set) => style.doubt("mask"),
        () => {}
    }
    let clips = clips(style, frame, parent);
    if frame.border_image && frame.border_image_wide {
        style.doubt("border");
    }
    if clips && frame.round {
        style.doubt("border");
    }
    if clips && frame.ratio {
        style.doubt("height");
    }
    style.clips = parent.clips || clips;
    let tracks = matches!(style.display, Display::Grid | Display::InlineBlock) && frame.sized_tracks;
    style.sized_tracks = tracks;
    if tracks || (parent.display.has_items() && frame.flexes && clips) {
        style.doubt("flex or grid");
    }
    let columns = frame.columns && style.display != Display::Inline;
    if (columns && (style.clips || frame.wide_gap || frame.height.is_some() || frame.max_height.is_some()))
        || (style.display.has_items() && frame.wide_gap)
    {
        style.doubt("columns");
    }
}

pub(super) fn clips(style: &Style, frame: &Frame, parent: &Style) -> bool {
    let can = style.display.can_clip()
        || (style.display == Display::Cell && parent.fixed_table)
        || style.display == Display::Table;
    // Masks and shapes end where the box ends, also for text that leaves it.
    let ends = frame.mask_set || frame.has_clip_path;
    can && (frame.clip_x || frame.clip_y || frame.contained || ends)
}

pub(super) fn px(size: Option<Length>) -> f32 {
    size.map_or(0.0, |size| size.of(WINDOW))
}

/// Adds up how far the element is from where the text would be.
fn place(style: &mut Style, frame: &Frame, parent: &Style) {
    let has_margins = !matches!(style.display, Display::Cell | Display::TablePart);
    let mut margin = if has_margins { frame.margin.map(px) } else { [0.0; 4] };
    let mut padding = if style.display == Display::TablePart { [0.0; 4] } else { frame.padding.map(px) };
    if style.display == Display::Inline {
        // Lines keep their place, whatever is above and below them.
        (margin[0], margin[2], padding[0], padding[2]) = (0.0, 0.0, 0.0, 0.0);
    }
    let border = if frame.border_styled { frame.border.map(px) } else { [0.0; 4] };
    style.x = parent.x + margin[3] + padding[3] + border[3];
    style.space_above = margin[0].max(0.0) + padding[0] + border[0];
    let lowest = margin.iter().copied().fold(0.0, f32::min);
    let highest =
        [margin[0], margin[3], padding[0], padding[3], border[0], border[3]].into_iter().fold(0.0, f32::max);
    let most = if style.clips { 150.0 } else { 1000.0 };
    if style.x <= AWAY || lowest <= 2.0 * AWAY {
        style.hidden = style.hidden.or(Some(Reason::OffScreen));
    }
    let up_or_left = margin[0].min(margin[3]);
    if lowest < -NUDGE
        && up_or_left >= -NUDGE
        && lowest >= -60.0
        && !style.clips
        && frame.position == Position::Static
    {
        // What follows is drawn up over it.
        style.outside = true;
    } else if lowest < -NUDGE {
        style.doubt("margin");
        let lines = (-lowest / 8.0) as usize + 2;
        lift(
            style,
            if lowest < -60.0 || frame.position != Position::Static {
                Cover::All
            } else {
                Cover::Before(lines)
            },
        );
    }
    if margin[0].min(margin[2]) < -60.0 {
        // Everything behind it moves with it.
        style.covers = Some(Cover::All);
    }
    if highest > most || style.x > 900.0 || (style.clips && style.x > 400.0) {
        style.doubt("margin");
    }
    position(style, frame, parent);
    let is_wide = |size: Option<Length>| {
        size.is_some_and(|size| {
            size.px > 1500.0 || size.share > 1.3 || (parent.clips && (size.px > 900.0 || size.share > 1.05))
        })
    };
    if [frame.width, frame.min_width].into_iter().any(is_wide) {
        style.doubt("width");
    }
    if frame.min_height.is_some_and(|size| size.px > 3000.0 || size.share > 3.0) {
        style.doubt("height");
    }
}

fn position(style: &mut Style, frame: &Frame, parent: &Style) {
    let [top, right, bottom, left] = frame.inset;
    let shift =
        |near: Option<Length>, far: Option<Length>| near.or(far).map_or(0.0, |size| size.of(COLUMN).abs());
    let is_set = frame.inset.iter().any(Option::is_some);
    style.positioned = frame.position == Position::Relative;
    match frame.position {
        Position::Static => {}
        Position::Relative => {
            let away = shift(left, right) + shift(top, bottom);
            if away > NUDGE {
                style.doubt("position");
                lift(style, Cover::All);
            }
        }
        Position::Sticky if !is_set => {}
        // It begins behind what stands before it and takes no room, so that only what follows may lie below it. What stands
        // in it can be read where nothing that follows is behind its letters.
        Position::Absolute
            if !is_set
                && style.doubt.is_none()
                && style.display == Display::Block
                && may_hold_place(parent) =>
        {
            if !frame.paint.is_opaque() {
                style.doubt("position");
            }
            style.floats = true;
            lift(style, Cover::After);
        }
        Position::Sticky | Position::Absolute | Position::Out => {
            style.doubt("position");
            lift(style, if frame.fills_container() { Cover::Container } else { Cover::All });
            if [top, left].into_iter().flatten().any(|size| size.px <= 2.0 * AWAY) {
                style.hidden = style.hidden.or(Some(Reason::OffScreen));
            }
        }
    }
    if frame.negative_layer && (frame.position != Position::Static || parent.display.has_items()) {
        style.doubt("position");
    }
}

/// Whether a block without a place of its own begins below the lines before it here: not among items and in tables.
fn may_hold_place(parent: &Style) -> bool {
    let is_flow = matches!(parent.display, Display::Block | Display::Inline | Display::Cell);
    is_flow && !parent.vertical && !parent.clips && !parent.rtl
}

fn lift(style: &mut Style, cover: Cover) {
    style.lifted = Some(match (style.lifted, cover) {
        (Some(Cover::Before(one)), Cover::Before(other)) => Cover::Before(one.max(other)),
        (None, cover) => cover,
        _ => Cover::All,
    });
}

/// Transformations do not act on lines.
fn transform(style: &mut Style, frame: &Frame) {
    style.scale *= frame.zoom.unwrap_or(1.0);
    if style.display == Display::Inline {
        return;
    }
    let moves = [frame.transform, frame.translate, frame.scale, frame.rotate];
    style.scale *= moves.iter().map(|moved| moved.scale).product::<f32>();
    style.hidden = style.hidden.or(moves.iter().find_map(|moved| moved.hidden));
    let right: f32 = moves.iter().map(|moved| moved.shift.0).sum();
    let down: f32 = moves.iter().map(|moved| moved.shift.1).sum();
    // To the right and down there is room; to the left as much as the text is away from the edge.
    let away = right < -(style.x.clamp(0.0, 300.0) + NUDGE)
        || right > 300.0
        || !(-2.0 * NUDGE..=300.0).contains(&down);
    let deep = moves.iter().any(|moved| moved.deep);
    let identity = moves.iter().all(|moved| moved.identity);
    let unknown = moves.iter().any(|moved| moved.unknown);
    let shaky = !identity && (frame.origin_moved || frame.backface_hidden || style.clips);
    if unknown || shaky || away || (deep && style.deep) || !(0.3..=3.0).contains(&style.scale) {
        style.doubt("transform");
    }
    if !identity || unknown || (deep && style.deep) {
        lift(style, Cover::All);
    }
}

/// What the element may lie over.
fn cover(style: &mut Style, frame: &Frame, parent: &Style) {
    let outline = frame.outline;
    if outline.drawn && outline.offset < -2.0 {
        style.doubt("outline");
    }
    let far = outline.drawn && outline.width + outline.offset.abs() > 12.0;
    if far || (frame.reflects && style.paints) {
        style.covers = Some(Cover::All);
    }
    let in_flow =
        frame.position == Position::Static && !frame.floats && style.lifted.is_none() && style.opacity >= 1.0;
    let is_plain = in_flow && !parent.display.has_items() && style.display.is_block();
    // A shadow that reaches far is what text beside it stands on, or lies over it.
    if frame.shadow > 0.0 {
        style.covers = Some(Cover::All);
    }
    if frame.thick_line && frame.decorated {
        style.doubt("text-decoration");
        style.covers = Some(Cover::All);
    }
    let is_small = |size: Option<Length>| size.is_some_and(|size| size.share == 0.0 && size.px <= 30.0);
    let small = is_small(frame.width) && is_small(frame.height);
    let borders = frame.border_styled && frame.border.iter().flatten().any(|border| border.px > 12.0);
    let paints = frame.paint.covers(style.opacity) || borders || style.replaced;
    style.over = paints && !is_plain;
    style.floats |= frame.floats;
    // Lines make room for what floats; blocks begin beside it, and those painted later lie over it.
    style.over_floats =
        style.over && (frame.position != Position::Static || !in_flow || style.display.is_block());
    if !small && paints && style.lifted.is_some() {
        style.covers = style.lifted;
    }
}
