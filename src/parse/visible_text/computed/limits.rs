//! Boxes of limited size: how much text has room in them.

use crate::model::Reason;

use super::super::css::length::Length;
use super::frame::{Display, Frame};
use super::settle::{clips, px};
use super::shapes::TINY;
use super::{RoomSize, Style};

/// Boxes of limited size have room for so much text.
pub(super) fn room(style: &mut Style, frame: &Frame, parent: &Style) {
    let clips = clips(style, frame, parent);
    style.width = known_width(style, frame, parent);
    if !style.display.can_clip() && !clips {
        return;
    }
    let fixed = |size: Option<Length>| size.filter(|size| size.share == 0.0).map(|size| size.px);
    let smaller = |a: Option<f32>, b: Option<f32>| a.into_iter().chain(b).reduce(f32::min);
    let height = smaller(fixed(frame.height), fixed(frame.max_height))
        .map(|height| height.max(fixed(frame.min_height).unwrap_or(0.0)));
    let width = smaller(fixed(frame.width), fixed(frame.max_width))
        .map(|width| width.max(fixed(frame.min_width).unwrap_or(0.0)));
    let [top, right, _, left] = frame.padding.map(px);
    let [above, beside, below, before] = if frame.border_styled { frame.border.map(px) } else { [0.0; 4] };
    let inset =
        if frame.border_box { (top + above + below, left + right + beside + before) } else { (0.0, 0.0) };
    let (height, width) = (height.map(|height| height - inset.0), width.map(|width| width - inset.1));
    let is_gone = |size: Option<f32>| size.is_some_and(|size| size < TINY);
    let shares = [frame.height, frame.max_height]
        .into_iter()
        .flatten()
        .any(|size| size.share != 0.0 && size.share < 1.0);
    if clips && ((is_gone(height) && frame.clip_y) || (is_gone(width) && frame.clip_x && left + right < TINY))
    {
        style.hidden = style.hidden.or(Some(Reason::Clipped));
    } else if clips && shares {
        style.doubt("overflow");
    }
    let painted = style.backdrop != parent.backdrop;
    let beside = frame.floats || style.display == Display::InlineBlock || parent.display.has_items();
    let is_narrow = clips || (width.is_some_and(|width| width < 200.0) && (painted || beside));
    let clamp = frame.line_clamp.filter(|_| style.display == Display::OldFlex);
    if height.is_some() || is_narrow || clamp.is_some() {
        let across = width.or(style.width).unwrap_or(if clips { 400.0 } else { 500.0 });
        style.room =
            Some(RoomSize { height, width: across.max(1.0), lines: clamp, is_narrow, clips, painted });
    }
}

fn known_width(style: &Style, frame: &Frame, parent: &Style) -> Option<f32> {
    if matches!(style.display, Display::Inline) {
        return parent.width;
    }
    let own = [frame.width, frame.max_width]
        .into_iter()
        .flatten()
        .filter(|size| size.share == 0.0)
        .map(|size| size.px);
    let own = own.reduce(f32::min).filter(|width| *width > 0.0);
    match (own, style.display) {
        // Cells and tables grow.
        (Some(own), Display::Cell | Display::Table | Display::TablePart) => Some(own.max(40.0)),
        (own, _) => own.or(parent.width),
    }
}
