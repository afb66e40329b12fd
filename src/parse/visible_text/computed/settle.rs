//! Takes what is set on an element together with what surrounds it: what is behind its text, what cuts it off, where it
//! is, and what of that is not understood.
//!
//! Why the ranges hold: a box in the normal flow that grows with its text lies beside all others, so nothing can cover or
//! cut off its text until it is moved (position, negative margins, transformations), limited (heights, widths) or cut
//! (overflow, shapes). Those are let through only as far as the text surely stays where it was.

use std::rc::Rc;

use crate::model::Reason;

use super::super::css::declaration::{Property, Side};
use super::super::css::length::Length;
use super::backdrop::{Area, Backdrop, Paint};
use super::cover::{cover, lift_letters};
use super::frame::{Blend, Display, Frame, Position, Seen};
use super::place::{lift, place, transform};
use super::readable::{LEAST_OPACITY, SURE_OPACITY};
use super::shelter::shelter;
use super::{Cover, Style, limits};

/// The widest that something may be of which shares are taken.
pub(super) const WINDOW: f32 = 1024.0;

/// Finishes the style of an element.
pub(super) fn settle(style: &mut Style, frame: &Frame, parent: &Style) {
    if frame.floats || frame.position.is_out() || parent.items || frame.is_root {
        blockify(style);
    }
    if frame.is_boxed && matches!(style.display, Display::Inline | Display::TablePart | Display::Cell) {
        style.display = Display::InlineBlock;
    }
    style.elaborate = is_elaborate(style, frame, parent);
    style.uneven = is_uneven(style, frame, parent);
    style.items =
        style.display.has_items() || frame.is_word || (style.display == Display::Contents && parent.items);
    // Text that runs in another direction than what is around it is in a box of its own.
    if style.vertical != parent.vertical && style.display == Display::Inline {
        style.display = Display::InlineBlock;
    }
    if style.display == Display::Table {
        style.fixed_table = frame.fixed_table.unwrap_or(style.fixed_table);
    }
    // Only boxes whose size can be worked out without what is in them can skip it: lines and rows cannot.
    let skips = frame.content_hidden && !matches!(style.display, Display::Inline | Display::TablePart);
    if frame.is_column && (!frame.paint.is_nothing() || !style.visible) {
        style.covers = Some(Cover::All);
    }
    if style.display == Display::None || skips {
        style.hidden = Some(Reason::Display);
        return;
    }
    doubts(style, frame, parent);
    if style.fickle && parent.formula {
        style.doubt("math");
    }
    if parent.mirrored && style.display != Display::Inline {
        style.doubt("transform");
    }
    if style.display == Display::Contents {
        return;
    }
    fade(style, frame, parent);
    paint(style, frame, parent);
    cut(style, frame, parent);
    place(style, frame, parent);
    limits::measure(style, frame, parent);
    transform(style, frame);
    limits::room(style, frame, parent);
    limits::align(style, frame, parent);
    trim(style, frame, parent);
    lift_letters(style);
    shelter(style, frame, parent);
    cover(style, frame, parent);
    if frame.animated {
        style.doubt("animation");
    }
}

/// Whether an element is more than a block in the flow or a line of letters as large as those around it.
fn is_elaborate(style: &Style, frame: &Frame, parent: &Style) -> bool {
    let is_plain = match style.display {
        Display::Inline => style.font_size == parent.font_size || style.line_height.is_none(),
        Display::Block => true,
        _ => false,
    };
    !is_plain || !frame.is_plain_content()
}

/// Whether letters make their line higher than their own lines are: by where they stand in it, by their font, or by a size that
/// is not that of the letters around them, in lines as high as theirs.
fn is_uneven(style: &Style, frame: &Frame, parent: &Style) -> bool {
    let is_own_size = style.font_size != parent.font_size && matches!(style.line_height, Some((_, false)));
    let in_line = style.display == Display::Inline;
    style.odd_font || (in_line && (parent.uneven || frame.uneven || is_own_size))
}

/// What floats or stands out of the flow is a box, whatever it was.
fn blockify(style: &mut Style) {
    match style.display {
        Display::Inline | Display::InlineBlock | Display::Cell | Display::TablePart => {
            style.display = Display::Block;
        }
        Display::InlineItems => style.display = Display::Grid,
        _ => {}
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
        | Property::AspectRatio
        | Property::Columns
        | Property::Container
        | Property::OffsetPath => !is_line,
        Property::Margin(Side::Top | Side::Bottom | Side::Block) => !is_line,
        Property::LineClamp => style.display == Display::OldFlex,
        Property::Grid => matches!(style.display, Display::Grid | Display::InlineItems),
        Property::Perspective => false,
        Property::PositionAnchor => frame.position != Position::Static,
        Property::VerticalAlign => {
            matches!(style.display, Display::Inline | Display::Cell) || style.display.is_in_line()
        }
        Property::Inset(_) => frame.position != Position::Static,
        Property::ZIndex => frame.position != Position::Static || parent.items,
        _ => true,
    };
    // Depth that nobody knows shows in what is turned in it.
    style.deep |= frame.doubts.contains(&Property::Perspective);
    let doubted: Vec<&Property> = frame.doubts.iter().filter(|property| acts(property)).collect();
    if let Some(property) = doubted.first() {
        style.doubt(property.name());
    }
    // What may be moved in a way that is not worked out may lie anywhere.
    if doubted.iter().any(|property| matches!(property, Property::Margin(_))) {
        drag(style);
    }
    // What is not understood may stand anywhere, as large as it likes.
    let is_only_size = || {
        doubted.iter().all(|property| **property == Property::FontSize) && grows_with_letters(style, frame)
    };
    if (!doubted.is_empty() && !is_only_size()) || frame.filter.far || frame.reflects {
        lift(style);
    }
    if frame.anchored && frame.position != Position::Static {
        style.doubt("position");
    }
    if style.collapses && (style.display == Display::TablePart || parent.items) {
        style.hidden = Some(Reason::Visibility);
    }
}

/// Whether an element makes room for its letters whatever their size is, and is not drawn back by it.
fn grows_with_letters(style: &Style, frame: &Frame) -> bool {
    let is_fixed = matches!(style.line_height, Some((_, false)));
    !is_fixed && style.text_indent.px >= 0.0 && frame.position == Position::Static && !frame.is_drawn_back()
}

/// What margins that nobody knows do to what follows: in a line they may draw it out of sight, else all that is below.
fn drag(style: &mut Style) {
    match style.display {
        Display::Inline | Display::InlineBlock | Display::InlineItems => style.takes.dragged = 1000.0,
        _ => style.covers = Some(Cover::All),
    }
}

fn fade(style: &mut Style, frame: &Frame, parent: &Style) {
    style.opacity = parent.opacity * frame.opacity.unwrap_or(1.0) * frame.filter.opacity;
    style.blur += frame.filter.blur;
    if (style.tinted && frame.filter.tints) || style.blur > 1.0 {
        style.doubt("filter");
    }
    style.tinted |= frame.filter.tints;
    style.levels.splice(0..0, frame.filter.levels.iter().copied());
    // How light a colour is, is not known once it is another.
    if style.tinted && !style.levels.is_empty() {
        style.doubt("filter");
    }
    style.darkens |= frame.blends == Blend::Darkens;
    if style.opacity < LEAST_OPACITY {
        style.hidden = style.hidden.or(Some(Reason::Opacity));
    }
    style.hidden = style.hidden.or(frame.filter.hidden);
    match () {
        () if frame.filter.unknown => style.doubt("filter"),
        () if frame.cut_out && frame.position.is_out() => style.doubt("clip"),
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
    // What a line paints is as high as its own letters: not as a box in it, as letters raised in it or as larger ones.
    let larger = style.font_size > 1.3 * parent.ground_size;
    let is_line = parent.display == Display::Inline || parent.on_line;
    let on_line = limits::is_one_line(style, frame, parent);
    let in_box = !on_line && !matches!(style.display, Display::Inline | Display::Block | Display::Contents);
    if is_line && (in_box || frame.raised || larger || (parent.on_line && frame.floats)) {
        below = below.or(&parent.block_backdrop);
    }
    if frame.backdrop {
        below = below.or_leveled(&frame.backdrop_levels);
        // Blocks in a line stand on what is behind the block around it.
        style.block_backdrop = style.block_backdrop.or_leveled(&frame.backdrop_levels);
        style.flow_backdrop = style.flow_backdrop.or_leveled(&frame.backdrop_levels);
    }
    if matches!(style.display, Display::Table) || frame.is_group {
        style.around = Rc::new(parent.backdrop.clone());
    }
    if frame.is_outside_group {
        // Its ground is below it, beside it, or half of it.
        below = if frame.is_caption { (*parent.around).clone() } else { below.or(&parent.around) };
        // What is too long for the name stands on the line that it stands in.
        let sizes = [frame.width, frame.max_width, frame.height, frame.max_height];
        if sizes.iter().any(Option::is_some) || frame.min_content {
            style.doubt("border");
        }
    }
    let text = style.fill.unwrap_or(style.color);
    style.backdrop = painted(style, frame, &below);
    let is_large = |size: Option<Length>| size.is_some_and(|size| size.px > 100.0);
    let is_tight = px(frame.padding[3]) < 8.0 || is_large(frame.width) || is_large(frame.height);
    if frame.round && (is_tight || frame.very_round) {
        // Letters in a corner stand beside what is painted.
        style.backdrop = style.backdrop.or(&below);
    }
    if frame.blends == Blend::Darkens {
        // What is below darkens what the element paints itself.
        style.backdrop = style.backdrop.or(&below);
    }
    style.paints = style.visible && !frame.paint.is_nothing();
    style.line_paints = is_on_painted_line(style, parent);
    // What is painted behind a filter changes with the letters, and is not worked out.
    if (style.paints || !frame.inner_shadows.is_empty()) && !style.levels.is_empty() {
        style.doubt("filter");
    }
    if style.paints && frame.paint.area == Area::Letters && text.alpha < 0.9 {
        style.doubt("background");
    }
    // Lines that are lower than their letters leave the box that is painted.
    if style.paints && style.own_line() < 0.8 * style.font_size {
        style.backdrop = style.backdrop.or(&below);
    }
    style.on_line = on_line || (parent.on_line && !style.paints);
    if style.display != Display::Inline && !style.on_line {
        style.block_backdrop = style.backdrop.clone();
    }
    if style.paints || (style.display != Display::Inline && !style.on_line) {
        style.ground_size = style.font_size;
    }
    hold_floats(style, frame, parent);
}

/// Whether an element stands in a line on what that paints.
fn is_on_painted_line(style: &Style, parent: &Style) -> bool {
    let is_line = style.display == Display::Inline;
    (is_line || style.display.is_in_line()) && (style.paints || (is_line && parent.line_paints))
}

/// What is behind the text, if this was below the element.
fn painted(style: &Style, frame: &Frame, below: &Backdrop) -> Backdrop {
    let text = style.color;
    let mut ground = below.painted(&frame.paint, text).or_shadows(&frame.inner_shadows, text);
    // What cannot be seen paints nothing, but the page does, and what stands in it may be seen all the same.
    if !style.visible {
        ground = ground.or(below);
    }
    // The page is painted as a whole.
    if frame.paint.area == Area::Letters {
        let whole = Paint { area: Area::Whole, ..frame.paint.clone() };
        ground = ground.or(&below.painted(&whole, text));
    }
    ground
}

/// Lines without the room around them stay readable where nothing cuts them off, paints behind them, makes them higher or
/// draws them over each other.
fn trim(style: &mut Style, frame: &Frame, parent: &Style) {
    style.trims |= frame.trims;
    let is_higher = frame.raised
        || frame.floats
        || style.replaced
        || style.vertical
        || style.display.is_in_line()
        || style.font_size > parent.font_size
        || style.own_line() < 0.9 * style.font_size;
    let is_drawn = frame.margin.iter().flatten().any(|margin| margin.px < 0.0 || margin.share < 0.0);
    let is_bound = style.clips || style.backdrop != Backdrop::paper();
    if style.trims && (is_bound || is_drawn || (parent.trims && is_higher)) {
        style.doubt("text-box");
        // It may stand above its line.
        lift(style);
    }
}

/// What is behind what floats in an element.
fn hold_floats(style: &mut Style, frame: &Frame, parent: &Style) {
    if frame.floats && frame.shaped {
        style.doubt("float");
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
    } else if style.display == Display::Block {
        // What floats may end below any of the boxes around it.
        style.flow_backdrop = parent.flow_backdrop.or(&style.backdrop);
    }
}

/// Shapes, masks and boxes that cut off.
fn cut(style: &mut Style, frame: &Frame, parent: &Style) {
    if frame.clip_path == Seen::Nothing || frame.mask == Seen::Nothing {
        style.hidden = style.hidden.or(Some(Reason::Clipped));
    }
    match () {
        () if frame.clip_path == Seen::Unknown => style.doubt("clip-path"),
        // The box of a line is not that of blocks inside it, nor of larger or raised letters.
        () if is_line_cut(style, frame, parent) => style.doubt("clip-path"),
        () if frame.mask == Seen::Unknown || (frame.mask_changed && frame.mask_set) => style.doubt("mask"),
        () => {}
    }
    style.line_cut |= (frame.has_clip_path || frame.mask_set) && style.display == Display::Inline;
    let clips = clips(style, frame);
    if frame.border_image && frame.border_image_wide {
        style.doubt("border");
        // It may reach any distance beyond the box.
        style.covers = Some(Cover::All);
    }
    let has_edge = clips || style.paints || style.replaced || frame.border_styled || frame.outline.drawn;
    let has_shape = frame.border_shape && (has_edge || frame.shadowed || !frame.inner_shadows.is_empty());
    if (clips && frame.round) || has_shape || (style.spaced && style.display == Display::Table) {
        style.doubt("border");
    }
    if clips && frame.ratio {
        style.doubt("height");
    }
    style.clips = parent.clips || clips;
    let tracks = matches!(style.display, Display::Grid | Display::InlineItems) && frame.sized_tracks;
    style.sized_tracks = tracks;
    if tracks || (parent.items && frame.flexes && clips) {
        style.doubt("flex or grid");
    }
    let columns = frame.columns && style.display != Display::Inline;
    if (columns
        && (style.clips
            || style.backdrop != Backdrop::paper()
            || frame.wide_gap
            || frame.height.is_some()
            || frame.max_height.is_some()))
        || (style.display.has_items() && frame.wide_gap)
        || (style.display.has_items() && frame.some_gap && (style.clips || style.bound.is_some()))
    {
        style.doubt("columns");
    }
    cut_in_odd_boxes(style, frame, parent);
    let has_rules = frame.wide_rule && (columns || style.display.has_items());
    if has_rules || (frame.breaks && parent.in_columns) {
        style.doubt("columns");
        style.covers = Some(Cover::All);
    }
    style.in_columns |= columns;
}

/// Boxes that may be smaller than what is in them: by proportion, among items, in columns, around what floats.
fn cut_in_odd_boxes(style: &mut Style, frame: &Frame, parent: &Style) {
    let clips = clips(style, frame);
    // Its height or width comes of the other, whatever is in it.
    if frame.ratio && (frame.min_height.is_some() || frame.min_width.is_some()) {
        style.doubt("height");
    }
    let is_row = style.display == Display::TablePart;
    if style.vertical && (style.from_right || frame.floats || parent.rtl) {
        style.doubt("writing-mode");
    }
    if is_row && (frame.has_clip_path || frame.mask_set) {
        style.doubt("clip-path");
    }
    if parent.cuts_floats && frame.floats {
        style.doubt("overflow");
    }
    let holds_floats = frame.floats || frame.contained || style.display != Display::Block;
    style.cuts_floats =
        (parent.cuts_floats && !holds_floats) || (clips && !holds_floats && !frame.scrolls_itself);
    let is_ground = style.backdrop != parent.backdrop;
    if parent.items && is_ground && (frame.flexes || frame.min_width.is_some() || frame.min_height.is_some())
    {
        style.doubt("flex or grid");
    }
    if style.in_columns && (clips || frame.height.is_some() || frame.max_height.is_some()) {
        style.doubt("columns");
    }
}

/// Whether something in a line that is cut off along its letters may not stand along them.
fn is_line_cut(style: &Style, frame: &Frame, parent: &Style) -> bool {
    let own = (frame.has_clip_path || frame.mask_set) && style.display == Display::Inline;
    let is_along = style.display == Display::Inline
        && !frame.raised
        && style.own_line() >= style.font_size
        && frame.position == Position::Static
        && (own || style.font_size <= parent.font_size);
    (own || parent.line_cut) && !is_along
}

pub(super) fn clips(style: &Style, frame: &Frame) -> bool {
    let can = style.display.can_clip() || matches!(style.display, Display::Cell | Display::Table);
    // Masks and shapes end where the box ends, also for text that leaves it.
    let ends = frame.mask_set || frame.has_clip_path;
    can && (frame.clip_x || frame.clip_y || frame.contained || ends)
}

pub(super) fn px(size: Option<Length>) -> f32 {
    size.map_or(0.0, |size| size.of(WINDOW))
}
