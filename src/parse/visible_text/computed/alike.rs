//! Whether two styles make the same of a text.

use super::Style;
use super::readable::{Verdict, verdict};

/// Whether text in two styles is seen in the same way, and so are their children.
pub(super) fn looks_alike(one: &Style, other: &Style) -> bool {
    let is_calm =
        |style: &Style| verdict(style) == Verdict::Shown && style.covers.is_none() && !style.spreads_words();
    let same_ground = one.color == other.color && one.fill == other.fill && one.backdrop == other.backdrop;
    let same_place =
        one.clips == other.clips && one.lifted == other.lifted && one.room.is_some() == other.room.is_some();
    let same_size = (one.font_size - other.font_size).abs() < 0.3 * one.font_size && one.scale == other.scale;
    let same_lines = one.line_cut == other.line_cut
        && one.on_line == other.on_line
        && one.block_backdrop == other.block_backdrop
        && one.flow_backdrop == other.flow_backdrop;
    let same_look = one.levels == other.levels
        && one.tinted == other.tinted
        && one.grown == other.grown
        && one.spaced == other.spaced
        && one.deep == other.deep;
    let same_text = one.width == other.width
        && one.line_height == other.line_height
        && one.text_indent == other.text_indent
        && one.word_spacing == other.word_spacing
        && one.stroke == other.stroke
        && one.own.as_ref().map(|own| (own.inset, own.margin, &own.declared))
            == other.own.as_ref().map(|own| (own.inset, own.margin, &own.declared));
    let gone = one.hidden.is_some() && other.hidden.is_some();
    gone || (is_calm(one)
        && is_calm(other)
        && same_ground
        && same_place
        && same_size
        && same_lines
        && same_look
        && same_text
        && one.opacity == other.opacity)
}
