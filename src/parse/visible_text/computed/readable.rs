//! Whether a person can read text of a style. Hidden means: letters under 3 pixels, a colour that differs from what is
//! behind it by less than 9 %, opacity under 10 %; shown means 7.5 pixels, 16 % (11 % from 16 pixels on, 35 % below 10) and 17 %, where what is seen through counts as colour. Between them is doubt.

use crate::model::Reason;

use super::super::css::color::Color;
use super::Style;
use super::backdrop::{Backdrop, leveled};
use super::shapes::TINY;

/// What is known about a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::parse) enum Verdict {
    /// It can be read.
    Shown,
    /// Nobody can read it.
    Hidden(Reason),
    /// It may be hidden by this.
    Doubtful(&'static str),
}

pub(super) const LEAST_OPACITY: f32 = 0.1;
pub(super) const SURE_OPACITY: f32 = 0.17;
const LEAST_DIFFERENCE: f32 = 0.09;
const SURE_DIFFERENCE: f32 = 0.16;
const SURE_DIFFERENCE_OF_USUAL: f32 = 0.112;
/// Letters of fewer pixels have strokes thinner than one.
const THIN: f32 = 10.0;
const SURE_DIFFERENCE_OF_THIN: f32 = 0.35;
const SURE_OPACITY_OF_THIN: f32 = 0.4;
const USUAL: f32 = 16.0;
/// What is drawn a few pixels beyond its box leaves larger letters readable.
const SMALLEST: f32 = 7.5;
const LOWEST_LINE: f32 = 7.0;
const LARGEST: f32 = 200.0;
const LARGEST_ON_PAPER: f32 = 1100.0;
const HIGHEST_LINE: f32 = 300.0;
const HIGHEST_LINE_ON_PAPER: f32 = 2000.0;

/// What is known about text that stands directly in an element of this style.
pub(in super::super) fn verdict(style: &Style) -> Verdict {
    if let Some(reason) = style.hidden.or_else(|| hides(style)) {
        return Verdict::Hidden(reason);
    }
    style.doubt.or_else(|| doubt(style)).map_or(Verdict::Shown, Verdict::Doubtful)
}

/// What is known about letters of a colour and a size in pixels, on a ground of which nothing else is known to hide them.
pub(in crate::parse) fn of_letters(ink: Color, ground: Color, size: f32) -> Verdict {
    let difference = (ink.over(ground).luma() - ground.luma()).abs();
    match () {
        () if size < TINY => Verdict::Hidden(Reason::Size),
        () if difference < LEAST_DIFFERENCE => Verdict::Hidden(Reason::Color),
        () if difference < SURE_DIFFERENCE => Verdict::Doubtful("color"),
        () if !(SMALLEST..=LARGEST).contains(&size) => Verdict::Doubtful("font-size"),
        () => Verdict::Shown,
    }
}

/// What letters are drawn with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Ink {
    color: Color,
    least_difference: f32,
}

impl Ink {
    /// Whether letters can be read on another ground than their own.
    pub(in super::super) fn is_readable_on(&self, ground: &Backdrop) -> bool {
        let (worst, _) = ground.difference(self.color);
        !ground.is_unknown() && worst >= self.least_difference
    }
}

impl Style {
    /// What its letters are drawn with.
    pub(in super::super) fn drawn_with(&self) -> Ink {
        Ink { color: seen(self), least_difference: least_difference(self) }
    }

    /// Whether blanks in it are so wide or narrow that what follows them may not be readable.
    pub(in super::super) fn spreads_words(&self) -> bool {
        let most = if self.clips || self.rtl { 30.0 } else { 150.0 };
        self.word_spacing < -0.5 * self.font_size || self.word_spacing > most
    }

    /// Whether letters of another colour could be read in its place.
    pub(in super::super) fn shows(&self, color: Color) -> bool {
        verdict(&Self { color, fill: None, ..self.clone() }) == Verdict::Shown
    }
}

/// So many elements around a text may draw lines along it, each where its own letters have theirs.
const MOST_RULES: u8 = 4;

/// How much letters must differ from what is behind them.
fn least_difference(style: &Style) -> f32 {
    match () {
        () if style.tinted || style.darkens => 0.4,
        () if has_thin_strokes(style) => SURE_DIFFERENCE_OF_THIN,
        // The strokes of letters of usual size are a whole pixel wide, so that pixels have their full colour.
        () if style.font_size * style.scale >= USUAL && style.opacity >= 1.0 => SURE_DIFFERENCE_OF_USUAL,
        () => SURE_DIFFERENCE,
    }
}

/// Whether the strokes of letters are thinner than a pixel; those of a typewriter are smaller than they say.
fn has_thin_strokes(style: &Style) -> bool {
    let size = style.font_size * style.scale * if style.odd_font { 0.8 } else { 1.0 };
    style.thin || size < THIN
}

fn hides(style: &Style) -> Option<Reason> {
    if !style.visible {
        return Some(Reason::Visibility);
    }
    if style.font_size * style.scale < TINY || style.letter_spacing <= -0.4 * style.font_size {
        return Some(Reason::Size);
    }
    if style.block.indent.of(style.width.unwrap_or(600.0)) + style.x <= -300.0 {
        return Some(Reason::OffScreen);
    }
    if style.clips && style.line() < TINY {
        return Some(Reason::Clipped);
    }
    let (_, best) = style.backdrop.difference(seen(style));
    (style.masked || (best < LEAST_DIFFERENCE && !style.backdrop.is_unknown())).then_some(Reason::Color)
}

/// The colour of the letters as it is seen.
fn seen(style: &Style) -> Color {
    let fill = style.fill.unwrap_or(style.color);
    let (width, stroke) = style.stroke;
    // Letters that are only edges have the colour of the edges.
    let color = if fill.alpha < LEAST_OPACITY && width * style.scale >= 0.8 {
        stroke.unwrap_or(style.color)
    } else {
        fill
    };
    Color { alpha: color.alpha * style.opacity, ..leveled(color, &style.levels) }
}

fn doubt(style: &Style) -> Option<&'static str> {
    let size = style.font_size * style.scale;
    let letters = style.letter_spacing;
    let line = style.line();
    let color = seen(style);
    let (worst, _) = style.backdrop.difference(color);
    let least = least_difference(style);
    let most_letters = if style.clips { 3.0 } else { 40.0 };
    match () {
        () if style.backdrop.is_unknown() => Some("background"),
        () if worst < least || (style.darkens && !style.backdrop.is_lighter_than(color)) => Some("color"),
        () if style.opacity < SURE_OPACITY
            || (has_thin_strokes(style) && style.opacity < SURE_OPACITY_OF_THIN) =>
        {
            Some("opacity")
        }
        () if style.blur > 0.3 && (size < 14.0 || style.thin || worst < 0.5) => Some("filter"),
        () if style.formula => Some("math"),
        () if style.lines.1 > 1.5 * style.font_size || style.lines.0 > 3 => Some("text-decoration"),
        () if style.rules > MOST_RULES => Some("text-decoration"),
        // What is made large again in another way is further away and further beyond its box than its numbers say.
        () if style.scale > 1.2 && style.font_size < SMALLEST => Some("font-size"),
        () if size < SMALLEST || size * style.grown > largest(style) => Some("font-size"),
        () if style.stroke.0 > 0.0 && !style.levels.is_empty() => Some("filter"),
        () if letters < -0.15 * style.font_size || letters > most_letters => Some("spacing of letters"),
        () if line < f32::max(0.6 * style.font_size, LOWEST_LINE) || line > highest_line(style) => {
            Some("line-height")
        }
        // Lines have the height of what is in them only, in some modes.
        () if style.clips && style.own_line() < 0.6 * style.font_size => Some("line-height"),
        // Where lines have only the height of what is in them, what is painted behind them is as low as they are.
        () if style.own_line() < 0.8 * style.font_size && style.backdrop != Backdrop::paper() => {
            Some("line-height")
        }
        () if style.lacks_shelter().is_some() => style.lacks_shelter(),
        () if style.far_shadow && !style.thrown => Some("text-shadow"),
        () if stroke_covers(style) => Some("stroke"),
        () if style.vertical && (style.clips || style.combined) => Some("writing-mode"),
        () => indent(style),
    }
}

/// The largest that letters may be: on paper, what is too large for a window is scrolled to.
fn largest(style: &Style) -> f32 {
    if is_free(style) { LARGEST_ON_PAPER } else { LARGEST }
}

/// The highest that lines may be, with their letters in the middle.
fn highest_line(style: &Style) -> f32 {
    let most = if is_free(style) && !style.limited { HIGHEST_LINE_ON_PAPER } else { HIGHEST_LINE };
    f32::max(most, 1.3 * style.font_size)
}

/// Whether a page goes on where its text does.
fn is_free(style: &Style) -> bool {
    style.backdrop == Backdrop::paper() && !style.clips && !style.rtl && !style.vertical
}

impl Style {
    /// Whether nothing around it, on paper, limits how high its lines are.
    pub(super) fn grows_freely(&self) -> bool {
        is_free(self) && !self.limited && self.bound.is_none()
    }
}

/// Lines along the letters that are thick, or thinner but not of a colour that stands out.
fn stroke_covers(style: &Style) -> bool {
    let (width, color) = style.stroke;
    let color = color.unwrap_or(style.color);
    let (worst, _) = style.backdrop.difference(Color { alpha: color.alpha * style.opacity, ..color });
    width > 0.2 * style.font_size
        || (width > 0.0
            && worst < SURE_DIFFERENCE
            && (width > 0.05 * style.font_size || style.backdrop.difference(seen(style)).0 < 0.5))
}

/// Why an indent may draw the first line out of sight.
pub(super) fn indent(style: &Style) -> Option<&'static str> {
    let indent = style.block.indent.of(style.width.unwrap_or(600.0));
    let on_paper = style.backdrop == Backdrop::paper();
    let most = match () {
        () if style.clips || style.rtl || !on_paper => 60.0,
        () if style.block.at_left => 800.0,
        () => 300.0,
    };
    let is_bound = style.clips || !on_paper;
    (indent > most
        || (is_bound && indent < -4.0)
        || indent + style.x.min(400.0) < -4.0
        || (style.rtl && indent < -4.0))
        .then_some("text-indent")
}
