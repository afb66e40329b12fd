//! Boxes of limited size: how wide they are at least, and how much text has room in them.
//!
//! Why widths hold: a block is as wide as what is around it, less what its edges take; what shrinks to fit, and cells of
//! tables that are laid out by their content, are never narrower than the longest piece in them that cannot be broken.

use crate::model::Reason;

use super::super::css::length::Length;
use super::backdrop::Backdrop;
use super::frame::{Display, Frame, Position};
use super::readable::indent;
use super::settle::{clips, px};
use super::shapes::TINY;
use super::{Cover, RoomSize, Style};

/// Pixels down that every window has.
const LOWEST_WINDOW: f32 = 500.0;

/// Boxes of limited size have room for so much text.
pub(super) fn room(style: &mut Style, frame: &Frame, parent: &Style) {
    let clips = clips(style, frame) || (frame.mirrors() && style.display.can_clip());
    style.width = across(style, frame, parent);
    style.base = base(style, frame, parent);
    let Edges { high, wide } = Edges::of(frame);
    let own_height = if frame.sizeless { frame.height.or(Some(Length::default())) } else { frame.height };
    let height = lesser(low(own_height, parent), low(frame.max_height, parent))
        .map(|height| height.max(fixed(frame.min_height).unwrap_or(0.0)))
        .map(|height| if frame.border_box { height - high } else { height });
    is_wider(style, frame, parent);
    contain(style, frame, parent);
    limit(style, frame, parent, clips);
    if clips && (style.display != Display::Cell || parent.fixed_table || frame.max_width.is_some()) {
        let width = lesser(fixed(frame.width), fixed(frame.max_width))
            .map(|width| width.max(fixed(frame.min_width).unwrap_or(0.0)))
            .map(|width| if frame.border_box { width - wide } else { width });
        let is_gone = |size: Option<f32>| size.is_some_and(|size| size < TINY);
        let sides = px(frame.padding[1]) + px(frame.padding[3]);
        if (is_gone(height) && frame.clip_y)
            || (is_gone(width) && frame.clip_x && sides < TINY && !frame.min_content)
        {
            style.hidden = style.hidden.or(Some(Reason::Clipped));
        } else if has_share(frame, parent) || frame.min_content {
            style.doubt("overflow");
        }
    }
    let painted = style.backdrop != parent.backdrop && style.display != Display::Inline;
    let narrow = is_narrow(style, frame, parent);
    let lines = frame.line_clamp.filter(|_| style.display == Display::OldFlex);
    // Cells grow.
    let height = height.filter(|_| style.display != Display::Cell && (style.display.can_clip() || clips));
    if is_one_line(style, frame, parent) && style.room.is_none() {
        style.base = style.base.or(parent.width);
        style.room = Some(one_line(style, parent));
        return;
    }
    let from_right = style.from_right && !parent.from_right && style.display != Display::Inline;
    let least = least(style, frame, parent);
    if clips || painted || height.is_some() || narrow || lines.is_some() || from_right || least.is_some() {
        let ground = painted.then(|| parent.backdrop.clone());
        style.room = Some(RoomSize {
            height,
            width: style.width.or(from_right.then_some(style.right_room)),
            least,
            grows: (style.display == Display::Cell && !parent.fixed_table) || style.display == Display::Table,
            left: style.block.left,
            lines,
            aligned: frame.aligned || frame.aligned_lines,
            at_left: style.block.at_left,
            ground,
            clips,
            ellipsis: frame.ellipsis,
            from_right,
            makes_room: frame.flow_root,
        });
    }
}

/// Room for one line, which another one moves up.
fn one_line(style: &Style, parent: &Style) -> RoomSize {
    RoomSize {
        height: None,
        width: None,
        least: None,
        grows: false,
        left: style.block.left,
        lines: Some(1),
        aligned: true,
        at_left: false,
        ground: Some(parent.block_backdrop.clone()),
        clips: false,
        ellipsis: false,
        from_right: false,
        makes_room: false,
    }
}

/// Keeps what limits the heights and widths in an element, and doubts what is a share of them.
fn limit(style: &mut Style, frame: &Frame, parent: &Style, clips: bool) {
    let is_ground = style.backdrop != parent.backdrop && style.display != Display::Inline;
    let shares = [frame.height, frame.max_height].into_iter().flatten().any(|size| size.share > 0.0);
    if (clips || is_ground) && parent.limited && (shares || frame.stretches) {
        style.doubt("height");
    }
    let is_sized = frame.width.is_some() || frame.max_width.is_some();
    let is_bound = clips || is_ground || style.bound.is_some() || style.clips;
    // Items may be wider than their words, and stand beside each other.
    let is_stack = style.display == Display::OldFlex && frame.stacks_items;
    if style.display.has_items()
        && !is_stack
        && is_bound
        && (is_sized || style.bound.is_some_and(|bound| bound < 500.0))
    {
        style.doubt("flex or grid");
    }
    let is_low = parent.own.as_ref().is_some_and(|own| own.height.is_some() || own.max_height.is_some());
    if parent.items && is_ground && is_low {
        style.doubt("flex or grid");
    }
    if frame.is_caption && (clips || frame.height.is_some() || frame.max_height.is_some()) {
        style.doubt("overflow");
    }
    style.limited |= frame.height.is_some()
        || frame.max_height.is_some()
        || frame.ratio
        || frame.stretches
        || frame.position.is_out();
    if clips || is_ground {
        style.bound = style.width.or(style.bound);
    }
}

/// How wide a box may be at least that stands beside others and takes a share of something.
fn least(style: &Style, frame: &Frame, parent: &Style) -> Option<f32> {
    let is_cell = style.display == Display::Cell && parent.fixed_table;
    let is_beside = frame.floats || parent.items || style.display.is_in_line() || is_cell;
    let shares = [frame.width, frame.max_width]
        .into_iter()
        .flatten()
        .filter(|size| size.share != 0.0 && size.share < 1.0);
    let least = shares.map(|size| size.px.max(0.0)).fold(f32::MAX, f32::min);
    let is_share = least < f32::MAX || is_cell;
    (is_beside && is_share).then_some(if is_cell { 0.0 } else { least })
}

/// Whether what is too long for it must be followed.
fn is_narrow(style: &Style, frame: &Frame, parent: &Style) -> bool {
    // What is too long for a line that runs to the left leaves the page.
    // What floats beside it lies over what is too long for something that floats.
    let is_beside = frame.floats
        || (parent.items && frame.width.is_some())
        || (style.display.is_in_line() && frame.width.is_some())
        || (style.display == Display::Cell && parent.fixed_table);
    style.width.is_some_and(|width| width < 200.0 || style.rtl || is_beside) || (style.items && frame.aligned)
}

/// What is as large as if it were empty: a block in the flow is as wide as what is around it all the same, and its text
/// leaves it below. Written across its lines or among others it may be nothing at all.
fn contain(style: &mut Style, frame: &Frame, parent: &Style) {
    let is_flow = style.display == Display::Block
        && !frame.floats
        && !frame.position.is_out()
        && !parent.items
        && parent.width.is_some();
    if frame.sizeless && style.display != Display::Inline && !is_flow {
        style.doubt("contain");
    }
    let limits = [frame.width, frame.height, frame.max_width, frame.max_height];
    if style.vertical && style.display != Display::Inline && limits.iter().any(Option::is_some) {
        // Lines that run down follow each other to the left, where no page goes on and something else may stand.
        style.doubt("writing-mode");
        style.covers = Some(Cover::All);
    }
}

/// Whether the last line of a box in a line stands where letters of that line would: its baseline is that of its last line,
/// and its letters are no larger. As long as there is one line only, it stands on what the line paints.
pub(super) fn is_one_line(style: &Style, frame: &Frame, parent: &Style) -> bool {
    let limits = [frame.width, frame.height, frame.max_width, frame.max_height, frame.min_height];
    style.display == Display::InlineBlock
        && parent.display == Display::Inline
        && parent.backdrop != parent.block_backdrop
        && frame.paint.is_nothing()
        && limits.iter().all(Option::is_none)
        && !(frame.clip_x
            || frame.clip_y
            || frame.contained
            || frame.raised
            || frame.uneven
            || frame.odd
            || frame.columns)
        && style.font_size <= parent.font_size
        && !style.vertical
        && !style.replaced
}

/// What paddings and borders take of a box that holds them.
struct Edges {
    high: f32,
    wide: f32,
}

impl Edges {
    fn of(frame: &Frame) -> Self {
        let [top, right, _, left] = frame.padding.map(px);
        let [above, beside, below, before] =
            if frame.border_styled { frame.border.map(px) } else { [0.0; 4] };
        Self { high: top + above + below, wide: left + right + beside + before }
    }
}

fn fixed(size: Option<Length>) -> Option<f32> {
    size.filter(|size| size.share == 0.0).map(|size| size.px)
}

/// A height in pixels; a share of one that grows is a limit in quirks mode only, where it is one of the window.
fn low(size: Option<Length>, parent: &Style) -> Option<f32> {
    let whole = parent.own.as_ref().and_then(|own| fixed(own.height));
    size.filter(|size| size.share < 1.0 || whole.is_some())
        .map(|size| size.of(whole.unwrap_or(LOWEST_WINDOW)))
}

fn lesser(one: Option<f32>, other: Option<f32>) -> Option<f32> {
    one.into_iter().chain(other).reduce(f32::min)
}

/// Whether the height is a share of one that is given; of one that grows it is no limit.
fn has_share(frame: &Frame, parent: &Style) -> bool {
    let is_given = parent.own.as_ref().is_some_and(|own| own.height.is_some() || own.max_height.is_some());
    let sizes = [frame.height, frame.max_height].into_iter().flatten();
    sizes.into_iter().any(|size| size.share != 0.0 && (size.share < 1.0 || is_given))
}

/// Doubts what is wider than the box around it, if that cuts off or has a colour: its text may begin beyond.
fn is_wider(style: &mut Style, frame: &Frame, parent: &Style) {
    let Some(room) = parent.width.or(parent.bound) else { return };
    let bound = parent.bound.map_or(room + 20.0, |bound| f32::min(bound + 2.0, room + 20.0));
    let is_wider = |size: &Length| size.of(room) > bound;
    let sizes = [frame.width, frame.min_width].into_iter().flatten();
    let matters = parent.clips || *parent.backdrop() != Backdrop::paper();
    if matters && style.display != Display::Inline && sizes.into_iter().any(|size| is_wider(&size)) {
        style.doubt("width");
    }
}

/// The width that text has at least; `None` where it has as much as it needs.
fn across(style: &Style, frame: &Frame, parent: &Style) -> Option<f32> {
    let wide = Edges::of(frame).wide;
    let is_bound = style.backdrop != parent.backdrop || clips(style, frame);
    let own = |size: Length| match (size.share, parent.width.or(parent.base)) {
        (0.0, _) => Some(if frame.border_box { size.px - wide } else { size.px }),
        // What grows is not less than its base, and as much as a share of it.
        (share, _) if share >= 1.0 && parent.width.is_none() => None,
        (_, Some(whole)) => Some(size.of(whole)),
        (share, None) => (share < 0.1 || is_bound).then_some(0.0),
    };
    // A table is never narrower than the longest word of each of its columns.
    let is_loose = style.display == Display::Table && !style.fixed_table;
    let most = frame.max_width.filter(|_| !is_loose).and_then(own);
    let width = match style.display {
        Display::Inline | Display::Contents | Display::TablePart => return parent.width,
        Display::Cell if parent.fixed_table => match (parent.block.columns, parent.width) {
            (0, _) | (_, None) => Some(0.0),
            (columns, Some(width)) => Some(width / columns as f32 - wide),
        },
        Display::Table if style.fixed_table => frame.width.map_or(parent.width, own),
        // They grow with what is in them.
        Display::Cell | Display::Table => None,
        _ => match frame.width {
            Some(size) => own(size),
            None if frame.floats || frame.position.is_out() || style.display.is_in_line() || parent.items => {
                None
            }
            None => {
                let [_, right, _, left] = frame.margin.map(px);
                parent.width.map(|width| width - wide - (left + right).max(0.0))
            }
        },
    };
    let width = lesser(width, most);
    width.map(|width| width.max(fixed(frame.min_width).unwrap_or(0.0)).max(0.0))
}

/// The width of which what is in an element takes its shares.
fn base(style: &Style, frame: &Frame, parent: &Style) -> Option<f32> {
    let wide = Edges::of(frame).wide;
    let set = frame.width.and_then(|size| match (size.share, parent.base) {
        (0.0, _) => Some(size.px),
        (_, base) => base.map(|base| size.of(base)),
    });
    match style.display {
        Display::Inline | Display::Contents | Display::TablePart => parent.base,
        Display::Table => set,
        Display::Cell => parent.base.filter(|_| parent.block.columns == 1).map(|base| base - wide),
        _ if style.width.is_some() => style.width,
        Display::Block => {
            parent.base.map(|base| base - wide - frame.margin.map(px).iter().sum::<f32>().max(0.0))
        }
        _ => set,
    }
}

/// How much room an element takes, and whether that can be said: blocks and lines with their edges, and no others.
pub(super) fn measure(style: &mut Style, frame: &Frame, parent: &Style) {
    // A box in a line goes where the line goes, whatever it says about its own lines.
    if style.display.is_in_line()
        && let Some(reason) = indent(parent)
    {
        style.doubt(reason);
    }
    // Boxes in boxes are each drawn back.
    if style.display.is_in_line() && style.text_indent.px < 0.0 {
        style.doubt("text-indent");
    }
    // And it stands on the line that the letters around it stand on, however high theirs are.
    if style.display.is_in_line() {
        style.takes.space_above += (parent.line() - style.own_line()).max(0.0);
    }
    if style.display != Display::Inline {
        (style.block.strut, style.block.indent) = (style.own_line(), style.text_indent);
    }
    style.block.at_left = is_at_left(style, frame, parent);
    let sizes = [frame.height, frame.min_height].into_iter().flatten();
    let is_share = |size: &Length| size.share != 0.0;
    style.takes.is_beside = style.display == Display::Cell || parent.items;
    let is_unknown =
        frame.is_group || [frame.width, frame.min_width].into_iter().flatten().any(|size| size.share != 0.0);
    style.takes.is_wide_float = frame.floats && (is_unknown || !(1.0..=300.0).contains(&style.takes.across));
    let own = style.takes.across + style.takes.lead + style.takes.trail;
    style.takes.float_width =
        if frame.floats { own.max(1.0) * (style.scale * frame.zoom.unwrap_or(1.0)).max(1.0) } else { 0.0 };
    style.takes.odd = style.takes.odd
        || (parent.items && parent.own.as_ref().is_some_and(|own| own.some_gap))
        || (frame.is_item && style.marks_inside)
        || frame.odd
        || frame.floats
        || frame.columns
        || frame.ratio
        // Cells stand as high as the highest of their row, and their text in the middle of them.
        || style.display == Display::Table
        || (frame.raised && style.display != Display::Cell)
        || (style.replaced && frame.height.is_none())
        || style.is_scaled()
        || style.vertical
        || style.fickle
        || frame.position.is_out()
        || (frame.aligned_lines && sizes.clone().next().is_some())
        || sizes.clone().any(|size| is_share(&size));
    // The sign of an item without text makes a line all the same.
    let line = if frame.is_item { style.line() } else { 0.0 };
    style.takes.extent = sizes.map(|size| size.px).fold(line, f32::max);
}

/// Whether a block stands at the left edge of the page: nothing floats, is aligned or shares its row.
fn is_at_left(style: &Style, frame: &Frame, parent: &Style) -> bool {
    let is_flow = matches!(style.display, Display::Block | Display::Inline) && !parent.items;
    let is_still =
        frame.position == Position::Static && !frame.floats && !frame.auto_margin && !frame.centers;
    parent.block.at_left && is_flow && is_still && !style.rtl && !style.vertical && !style.clips
}

/// Whether items of an element stand below each other.
fn is_stack(style: &Style) -> bool {
    style.display == Display::OldFlex && style.own.as_ref().is_some_and(|own| own.stacks_items)
}

/// In what cuts off, only what begins at its upper left corner and goes on from there is cut at its end.
pub(super) fn align(style: &mut Style, frame: &Frame, parent: &Style) {
    let has_rows = style.items && style.display != Display::OldFlex;
    let is_tight = style.clips || style.keeps_lines() || style.width.is_some_and(|width| width < 300.0);
    let is_low = frame.height.is_some() || frame.max_height.is_some();
    let aligned =
        if style.items { frame.aligned || frame.aligned_lines } else { frame.aligned_lines && is_low };
    let in_aligned = parent.own.as_ref().is_some_and(|own| own.aligned || own.aligned_lines) || frame.ordered;
    let is_sized = frame.width.is_some() || frame.max_width.is_some();
    match () {
        () if style.display == Display::Inline => {}
        () if parent.items && in_aligned && is_sized => style.doubt("flex or grid"),
        () if aligned && is_tight => style.doubt("flex or grid"),
        () if style.clips && has_rows => style.doubt("flex or grid"),
        () if style.clips && parent.items && !is_stack(parent) => style.doubt("flex or grid"),
        () if parent.items && frame.ordered && style.clips => style.doubt("flex or grid"),
        () if style.clips && style.rtl && style.keeps_lines() => style.doubt("direction"),
        () => {}
    }
    // What scrolls by itself takes away what stands before it.
    if frame.scrolls && style.clips {
        style.covers = Some(Cover::All);
    }
    // An item that may be narrower than its words: the next one may lie over them.
    style.outside |= parent.items && (frame.min_width.is_some() || frame.max_width.is_some() || frame.flexes);
}
