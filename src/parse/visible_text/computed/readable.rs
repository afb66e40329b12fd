//! Whether a person can read what stands in an element. Hidden means: text under 3 pixels, contrast under 1.2 to 1,
//! opacity under 0.1, cut off, or moved away.

use crate::model::Reason;

use super::super::css::color::{Color, Colored};
use super::super::css::length::{Length, SCREEN};
use super::Style;
use super::frame::{Display, Frame, Position};
use super::shapes::TINY;

const LEAST_CONTRAST: f32 = 1.2;
const LEAST_OPACITY: f32 = 0.1;
/// Text moved to the left or up by this much is off the page, wherever it began.
const AWAY: f32 = -500.0;
/// What is placed against the page itself is off it sooner.
const LEFT_OF_PAGE: f32 = -100.0;
const ABOVE_PAGE: f32 = -20.0;
/// Nobody scrolls this far.
const FAR: f32 = 3000.0;
const FAR_DOWN: f32 = 20_000.0;
/// What shares of a width are taken of, where it is not known.
const COLUMN: f32 = 600.0;

/// Takes what is set on an element together with what surrounds it.
pub(super) fn settle(style: &mut Style, frame: &Frame, parent: &Style) {
    style.opacity = parent.opacity * frame.opacity.unwrap_or(1.0).clamp(0.0, 1.0) * frame.filter.opacity;
    let moves = [frame.transform, frame.translate, frame.scale, frame.rotate];
    style.scale = parent.scale * moves.iter().map(|moved| moved.scale).product::<f32>();
    style.scale *= frame.zoom.filter(|zoom| *zoom > 0.0).unwrap_or(1.0);
    paint(style, frame, parent);
    if frame.floats || frame.position == Position::Out || parent.display == Display::Flex {
        blockify(style);
    }
    place(style, frame, parent);
    style.clips = parent.clips || (frame.clip_y && style.display.can_clip());
    style.space_above = [frame.margin[0], frame.padding[0]].iter().flatten().map(|length| length.px).sum();
    style.hidden = style.hidden.or(reason(style, frame));
    style.room = room(style, frame);
}

/// What floats or stands out of the flow is a box, whatever it was.
fn blockify(style: &mut Style) {
    if matches!(style.display, Display::Inline | Display::InlineBlock) {
        style.display = Display::Block;
    }
}

fn paint(style: &mut Style, frame: &Frame, parent: &Style) {
    if !frame.paint.clipped_to_text {
        style.backdrop = parent.backdrop.painted(&frame.paint, style.color);
        return;
    }
    // The paint shows through the letters.
    let through = frame.paint.gradient.first().copied().or(match frame.paint.color {
        Colored::Is(color) => Some(color),
        _ => None,
    });
    if let Some(through) = through.filter(|color| color.alpha >= LEAST_OPACITY)
        && text_color(style).alpha < LEAST_OPACITY
    {
        style.fill = Some(through);
    }
}

/// Adds up how far the element is from where the text would be.
fn place(style: &mut Style, frame: &Frame, parent: &Style) {
    let (width, height) = SCREEN;
    let [top, right, bottom, left] = frame.inset;
    let at = |side: Option<Length>, whole: f32| side.map(|length| length.of(whole));
    let (mut x, mut y) = parent.shift;
    let moves = [frame.transform, frame.translate, frame.scale, frame.rotate];
    x += moves.iter().map(|moved| moved.shift.0.of(width)).sum::<f32>();
    y += moves.iter().map(|moved| moved.shift.1.of(100.0)).sum::<f32>();
    x += at(frame.margin[3], COLUMN).unwrap_or(0.0);
    y += at(frame.margin[0], COLUMN).unwrap_or(0.0).min(0.0);
    match frame.position {
        Position::Static => {}
        Position::Relative => {
            x += at(left, COLUMN).or(at(right, COLUMN).map(|x| -x)).unwrap_or(0.0);
            y += at(top, 0.0).or(at(bottom, 0.0).map(|y| -y)).unwrap_or(0.0);
        }
        Position::Out => {
            x += at(left, width)
                .or(at(right, width).map(|x| if x >= width { -x } else { -x.min(0.0) * 10.0 }))
                .unwrap_or(0.0);
            y += at(top, height)
                .or(at(bottom, height).map(|y| if y >= height { -y } else { 0.0 }))
                .unwrap_or(0.0);
            let away = x <= LEFT_OF_PAGE || y <= ABOVE_PAGE || x >= 1.5 * width;
            let sunk = at(bottom, height).is_some_and(|bottom| bottom <= LEFT_OF_PAGE && top.is_none());
            if away || sunk {
                style.hidden = Some(Reason::OffScreen);
            }
        }
    }
    style.shift = (x, y);
    if x <= AWAY || y <= AWAY || x >= FAR || y >= FAR_DOWN {
        style.hidden = Some(Reason::OffScreen);
    }
}

fn reason(style: &Style, frame: &Frame) -> Option<Reason> {
    let moves = [frame.transform, frame.translate, frame.scale, frame.rotate];
    if style.display == Display::None {
        return Some(Reason::Display);
    }
    if style.opacity < LEAST_OPACITY {
        return Some(Reason::Opacity);
    }
    if style.scale < 0.05 {
        return Some(Reason::Transform);
    }
    let clip = frame.clip.filter(|_| frame.position == Position::Out);
    let behind = (frame.negative_layer && frame.position != Position::Static).then_some(Reason::Covered);
    let moved = moves.iter().find_map(|moved| moved.hidden);
    frame
        .content
        .or(frame.filter.hidden)
        .or(frame.clip_path)
        .or(frame.mask)
        .or(frame.blend)
        .or(moved)
        .or(clip)
        .or(behind)
        .or(has_no_room(style, frame).then_some(Reason::Clipped))
}

/// Whether the element is a box of no size that cuts off what is larger.
fn has_no_room(style: &Style, frame: &Frame) -> bool {
    let is_tiny = |size: Option<Length>| size.is_some_and(|size| size.of(COLUMN) < TINY);
    style.display.can_clip()
        && ((frame.clip_x && (is_tiny(frame.width) || is_tiny(frame.max_width)))
            || (frame.clip_y && (is_tiny(frame.height) || is_tiny(frame.max_height))))
}

/// How much text has room in a box that cuts off the rest; generous, as fonts differ.
fn room(style: &Style, frame: &Frame) -> Option<(usize, usize)> {
    if !style.display.can_clip() || !(frame.clip_y || frame.clip_x) {
        return None;
    }
    let fixed = |size: Option<Length>| size.filter(|size| size.share == 0.0).map(|size| size.px.max(0.0));
    let smaller = |a: Option<f32>, b: Option<f32>| a.into_iter().chain(b).reduce(f32::min);
    let height = smaller(fixed(frame.height), fixed(frame.max_height)).filter(|_| frame.clip_y);
    let width = smaller(fixed(frame.width), fixed(frame.max_width)).filter(|_| frame.clip_x);
    let size = style.font_size.max(TINY);
    let line = style.line_height.unwrap_or(1.2 * size).max(TINY);
    let lines = smaller(height.map(|height| height / line + 1.0), frame.line_clamp.map(|lines| lines as f32));
    let lines =
        lines.or((width.is_some() && style.white_space == super::WhiteSpace::NoWrap).then_some(100.0));
    let lines = lines?.ceil().clamp(1.0, 100_000.0);
    let across = width.unwrap_or(SCREEN.0) / (0.3 * size) + 1.0;
    Some((lines as usize, (lines * across) as usize))
}

fn text_color(style: &Style) -> Color {
    style.fill.unwrap_or(style.color)
}

/// Why text that stands directly in an element of this style cannot be read.
pub(in super::super) fn text_reason(style: &Style) -> Option<Reason> {
    if style.hidden.is_some() {
        return style.hidden;
    }
    if !style.visible {
        return Some(Reason::Visibility);
    }
    let size = style.font_size * style.scale;
    if size < TINY || style.letter_spacing <= -0.4 * style.font_size {
        return Some(Reason::Size);
    }
    let indent = style.text_indent.of(SCREEN.0);
    if indent <= -300.0 || indent >= FAR || (indent >= 0.9 * COLUMN && style.clips) {
        return Some(Reason::OffScreen);
    }
    if style.clips && style.line_height.is_some_and(|height| height < TINY) {
        return Some(Reason::Clipped);
    }
    let color = text_color(style);
    let seen = Color { alpha: color.alpha * style.opacity, ..color };
    (style.color_unknown || seen.alpha < LEAST_OPACITY || style.backdrop.contrast(seen) < LEAST_CONTRAST)
        .then_some(Reason::Color)
}
