//! What each property does to a style.

use std::rc::Rc;

use crate::model::Reason;

use super::super::css::color::{Color, Colored, NOTHING, color};
use super::super::css::declaration::{Property, Side};
use super::super::css::length::{Length, Sized, Units, length, number};
use super::super::css::tokens::{Tok, solid};
use super::backdrop::{self, Paint};
use super::frame::{Display, Frame, Moved, Position, Sides};
use super::{Custom, Style, WhiteSpace, shapes};

/// The words every property takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wide {
    Inherit,
    Initial,
    /// As if nothing had been set.
    Unset,
}

fn wide(value: &[Tok]) -> Option<Wide> {
    let [Tok::Ident(word)] = value else { return None };
    match word.to_ascii_lowercase().as_str() {
        "inherit" => Some(Wide::Inherit),
        "initial" => Some(Wide::Initial),
        "unset" | "revert" | "revert-layer" => Some(Wide::Unset),
        _ => None,
    }
}

/// A style being put together: what the element inherits, and what it is before anything is set.
pub(super) struct Setting<'s> {
    pub(super) style: &'s mut Style,
    pub(super) frame: &'s mut Frame,
    pub(super) parent: &'s Style,
    /// How the browser itself displays this element.
    pub(super) usual: Display,
}

impl Setting<'_> {
    /// Sets the size of the text, which other lengths depend on.
    pub(super) fn font_size(&mut self, property: &Property, value: &[Tok]) {
        if let Some(word) = wide(value) {
            self.style.font_size = if word == Wide::Initial { 16.0 } else { self.parent.font_size };
            return;
        }
        let candidates: Vec<&Tok> = match property {
            Property::Font => {
                solid(value).take_while(|token| !matches!(token, Tok::Delim('/') | Tok::Comma)).collect()
            }
            _ => solid(value).take(1).collect(),
        };
        let units = Units { em: self.parent.font_size, rem: self.parent.rem };
        // In the shorthand the weight may be a number; the size comes last.
        let sizes =
            candidates.iter().filter(|token| *property != Property::Font || !matches!(token, Tok::Number(_)));
        if let Some(size) =
            sizes.filter_map(|token| font_size(token, self.parent.font_size, units)).next_back()
        {
            self.style.font_size = size.clamp(0.0, 10_000.0);
        }
    }

    /// Sets the colour of the text, which others may refer to.
    pub(super) fn text_color(&mut self, value: &[Tok]) {
        match (wide(value), value) {
            (Some(Wide::Initial), _) => self.style.color = super::BLACK,
            (Some(_), _) => self.style.color = self.parent.color,
            (None, [token]) => match color(token) {
                Colored::Is(color) => self.style.color = color,
                Colored::Current => self.style.color = self.parent.color,
                Colored::Unknown => self.style.color_unknown = true,
                Colored::Not => return,
            },
            _ => return,
        }
        let known = value.iter().all(|token| color(token) != Colored::Unknown);
        self.style.color_unknown = !known;
    }

    /// Remembers a custom property.
    pub(super) fn custom(&mut self, name: &str, value: &[Tok]) {
        let outer = self.style.custom.take();
        self.style.custom = Some(Rc::new(Custom { name: name.to_owned(), value: value.to_vec(), outer }));
    }

    /// Sets anything else.
    pub(super) fn set(&mut self, property: &Property, value: &[Tok]) {
        if let Some(word) = wide(value) {
            return self.reset(property, word);
        }
        let units = self.style.units();
        let first = solid(value).next();
        match property {
            Property::Display => self.style.display = display(value).unwrap_or(self.style.display),
            Property::Visibility => self.visibility(first),
            Property::WhiteSpace => self.white_space(value),
            Property::Fill => self.fill(first),
            Property::LineHeight => self.line_height(first, units),
            Property::TextIndent => self.style.text_indent = sized(first, units, -9999.0).unwrap_or_default(),
            Property::LetterSpacing => {
                self.style.letter_spacing =
                    sized(first, units, -9999.0).unwrap_or_default().of(self.style.font_size);
            }
            Property::Bidi => {
                self.style.reversed =
                    first.and_then(Tok::ident).is_some_and(|word| word.contains("override"));
            }
            Property::All => {}
            _ => self.set_frame(property, value, units),
        }
    }

    fn set_frame(&mut self, property: &Property, value: &[Tok], units: Units) {
        let frame = &mut *self.frame;
        let first = solid(value).next();
        match property {
            Property::Position => frame.position = position(first),
            Property::Inset(side) => set_sides(&mut frame.inset, *side, value, units, -9999.0),
            Property::Margin(side) => set_sides(&mut frame.margin, *side, value, units, -9999.0),
            Property::Padding(side) => set_sides(&mut frame.padding, *side, value, units, 0.0),
            Property::Width => frame.width = sized(first, units, 0.0),
            Property::Height => frame.height = sized(first, units, 0.0),
            Property::MaxWidth => frame.max_width = sized(first, units, 0.0),
            Property::MaxHeight => frame.max_height = sized(first, units, 0.0),
            Property::Overflow => {
                frame.clip_x = clips(first);
                frame.clip_y = clips(solid(value).nth(1).or(first));
            }
            Property::OverflowX => frame.clip_x = clips(first),
            Property::OverflowY => frame.clip_y = clips(first),
            Property::Float => frame.floats = first.is_some_and(|token| !token.is_ident("none")),
            Property::LineClamp => {
                frame.line_clamp = first.and_then(number).map(|lines| lines.max(0.0) as usize)
            }
            Property::Opacity => frame.opacity = first.map(|token| number(token).unwrap_or(0.0)),
            Property::Zoom => frame.zoom = first.and_then(number),
            Property::ZIndex => {
                frame.negative_layer = first.and_then(number).is_some_and(|layer| layer < 0.0)
            }
            Property::Clip => frame.clip = shapes::clip(value, units),
            Property::ClipPath => frame.clip_path = shapes::clip_path(value, units),
            Property::Filter => frame.filter = shapes::filter(value, units),
            Property::Transform => frame.transform = shapes::transform(value, units),
            Property::Translate => frame.translate = shapes::translate(value, units),
            Property::Scale => frame.scale = shapes::scale(value),
            Property::Rotate => frame.rotate = shapes::rotate(value),
            Property::Mask => frame.mask = mask(value),
            Property::BlendMode => frame.blend = blend(first),
            Property::Content => frame.content = replaced(value),
            Property::ContentVisibility => {
                frame.content = first.filter(|token| token.is_ident("hidden")).map(|_| Reason::Display);
            }
            Property::Background => {
                if let Some(paint) = backdrop::paint(value) {
                    frame.paint = paint;
                }
            }
            Property::BackgroundColor => self.background_color(first),
            Property::BackgroundImage => self.background_image(value),
            Property::BackgroundClip => {
                frame.paint.clipped_to_text = first.is_some_and(|token| token.is_ident("text"));
            }
            _ => {}
        }
    }

    fn background_color(&mut self, token: Option<&Tok>) {
        match token.map_or(Colored::Not, color) {
            Colored::Not => {}
            other => self.frame.paint.color = other,
        }
    }

    fn background_image(&mut self, value: &[Tok]) {
        if let Some(Paint { gradient, unknown, .. }) = backdrop::paint(value) {
            self.frame.paint.gradient = gradient;
            self.frame.paint.unknown = unknown;
        }
    }

    fn visibility(&mut self, token: Option<&Tok>) {
        match token.and_then(Tok::ident).map(str::to_ascii_lowercase).as_deref() {
            Some("visible") => self.style.visible = true,
            Some("hidden" | "collapse") => self.style.visible = false,
            _ => {}
        }
    }

    fn white_space(&mut self, value: &[Tok]) {
        for word in value.iter().filter_map(Tok::ident) {
            self.style.white_space = match word.to_ascii_lowercase().as_str() {
                "normal" | "collapse" => WhiteSpace::Normal,
                "nowrap" => WhiteSpace::NoWrap,
                "pre" | "pre-wrap" | "break-spaces" | "preserve" | "-moz-pre-wrap" => WhiteSpace::Pre,
                "pre-line" | "preserve-breaks" => WhiteSpace::PreLine,
                _ => continue,
            };
        }
    }

    fn fill(&mut self, token: Option<&Tok>) {
        self.style.fill = match token.map_or(Colored::Not, color) {
            Colored::Is(color) => Some(color),
            Colored::Current => None,
            Colored::Unknown => Some(NOTHING),
            Colored::Not => return,
        };
    }

    fn line_height(&mut self, token: Option<&Tok>, units: Units) {
        self.style.line_height = match token {
            Some(Tok::Number(factor)) => Some(factor * units.em),
            Some(Tok::Percent(factor)) => Some(factor * units.em),
            Some(token) if token.is_ident("normal") => None,
            token => sized(token, units, 0.0).map(|length| length.of(units.em)),
        };
    }

    /// Takes back what was set before.
    fn reset(&mut self, property: &Property, word: Wide) {
        let fresh = match word {
            Wide::Initial => &Style::paper(),
            _ => self.parent,
        };
        let blank = Frame::default();
        match property {
            Property::All => self.reset_all(word),
            Property::Visibility => self.style.visible = fresh.visible,
            Property::WhiteSpace => self.style.white_space = fresh.white_space,
            Property::Fill => self.style.fill = fresh.fill,
            Property::LineHeight => self.style.line_height = fresh.line_height,
            Property::TextIndent => self.style.text_indent = fresh.text_indent,
            Property::LetterSpacing => self.style.letter_spacing = fresh.letter_spacing,
            Property::Bidi => self.style.reversed = false,
            Property::Display => {
                self.style.display = match word {
                    Wide::Inherit => self.parent.display,
                    Wide::Initial => Display::Inline,
                    Wide::Unset => self.usual,
                };
            }
            // What is inherited of a box hides at least what the box around it hides already.
            Property::Opacity => self.frame.opacity = None,
            Property::Position => self.frame.position = Position::Static,
            Property::Inset(_) => self.frame.inset = blank.inset,
            Property::Margin(_) => self.frame.margin = blank.margin,
            Property::Padding(_) => self.frame.padding = blank.padding,
            Property::Width => self.frame.width = None,
            Property::Height => self.frame.height = None,
            Property::MaxWidth => self.frame.max_width = None,
            Property::MaxHeight => self.frame.max_height = None,
            Property::Overflow => (self.frame.clip_x, self.frame.clip_y) = (false, false),
            Property::Clip => self.frame.clip = None,
            Property::ClipPath => self.frame.clip_path = None,
            Property::Filter => self.frame.filter = blank.filter,
            Property::Transform => self.frame.transform = Moved::default(),
            Property::Background | Property::BackgroundColor => self.frame.paint = Paint::default(),
            _ => {}
        }
    }

    fn reset_all(&mut self, word: Wide) {
        let custom = self.style.custom.clone();
        let base = if word == Wide::Initial { Style::paper() } else { self.parent.clone() };
        *self.frame = Frame::default();
        let kept = (self.parent.backdrop.clone(), self.parent.opacity, self.parent.scale, self.parent.shift);
        *self.style = Style { custom, display: self.usual, rem: self.parent.rem, ..base };
        (self.style.backdrop, self.style.opacity, self.style.scale, self.style.shift) = kept;
    }
}

fn font_size(token: &Tok, parent: f32, units: Units) -> Option<f32> {
    if let Tok::Ident(word) = token {
        return Some(match word.to_ascii_lowercase().as_str() {
            "xx-small" => 9.0,
            "x-small" => 10.0,
            "small" => 13.0,
            "medium" => 16.0,
            "large" => 18.0,
            "x-large" => 24.0,
            "xx-large" => 32.0,
            "xxx-large" => 48.0,
            "smaller" => parent / 1.2,
            "larger" => parent * 1.2,
            _ => return None,
        });
    }
    match length(token, units) {
        Sized::Is(size) => Some(size.of(parent)),
        Sized::Unknown => Some(0.0),
        Sized::Not => None,
    }
}

fn sized(token: Option<&Tok>, units: Units, unknown: f32) -> Option<Length> {
    match length(token?, units) {
        Sized::Is(length) => Some(length),
        Sized::Unknown => Some(Length::px(unknown)),
        Sized::Not => None,
    }
}

fn set_sides(sides: &mut Sides, side: Side, value: &[Tok], units: Units, unknown: f32) {
    let values: Vec<Option<Length>> = solid(value).map(|token| sized(Some(token), units, unknown)).collect();
    let at = |place: usize| {
        let value = values.get(place).or(values.get(place & 1)).or(values.first());
        value.copied().flatten()
    };
    match side {
        Side::All => *sides = [at(0), at(1), at(2), at(3)],
        Side::Top => sides[0] = at(0),
        Side::Right => sides[1] = at(0),
        Side::Bottom => sides[2] = at(0),
        Side::Left => sides[3] = at(0),
    }
}

fn clips(token: Option<&Tok>) -> bool {
    let word = token.and_then(Tok::ident).map(str::to_ascii_lowercase);
    matches!(
        word.as_deref(),
        Some("hidden" | "clip" | "scroll" | "auto" | "overlay" | "-moz-hidden-unscrollable")
    )
}

fn position(token: Option<&Tok>) -> Position {
    match token.and_then(Tok::ident).map(str::to_ascii_lowercase).as_deref() {
        Some("absolute" | "fixed") => Position::Out,
        Some("relative" | "sticky" | "-webkit-sticky") => Position::Relative,
        _ => Position::Static,
    }
}

fn display(value: &[Tok]) -> Option<Display> {
    let words: Vec<String> = value.iter().filter_map(Tok::ident).map(str::to_ascii_lowercase).collect();
    let has = |name: &str| words.iter().any(|word| word == name);
    Some(match words.first()?.as_str() {
        "none" => Display::None,
        "inline" if has("flow-root") || has("block") => Display::InlineBlock,
        "inline" if has("flex") || has("grid") || has("table") => Display::InlineBlock,
        "inline" | "ruby" | "math" => Display::Inline,
        word if word.starts_with("inline-") || word.starts_with("-webkit-inline") => Display::InlineBlock,
        "contents" => Display::Contents,
        "table-cell" => Display::Cell,
        word if word.starts_with("table") => Display::TablePart,
        "flex" | "grid" | "-webkit-flex" | "-webkit-box" | "-ms-flexbox" | "-ms-grid" => Display::Flex,
        "block" if has("flex") || has("grid") => Display::Flex,
        "block" | "list-item" | "flow-root" | "flow" | "run-in" => Display::Block,
        _ => return None,
    })
}

/// Gradients that are transparent all over mask everything; what an image masks is not known.
fn mask(value: &[Tok]) -> Option<Reason> {
    let hides = solid(value).any(|token| match token {
        Tok::Function(name, stops) if name.ends_with("gradient") => {
            let mut stops = stops.iter().map(color).filter(|stop| *stop != Colored::Not);
            stops.all(|stop| matches!(stop, Colored::Is(Color { alpha, .. }) if alpha < 0.1))
        }
        Tok::Url(_) | Tok::Function(..) => true,
        _ => false,
    });
    hides.then_some(Reason::Clipped)
}

fn blend(token: Option<&Tok>) -> Option<Reason> {
    let word = token.and_then(Tok::ident)?.to_ascii_lowercase();
    // Darkening leaves dark text on light paper as it is; everything else may make it vanish.
    (!matches!(word.as_str(), "normal" | "multiply" | "darken" | "color-burn")).then_some(Reason::Color)
}

/// An element whose content is an image shows nothing of its text.
fn replaced(value: &[Tok]) -> Option<Reason> {
    let has_image = value.iter().any(|token| match token {
        Tok::Url(_) => true,
        Tok::Function(name, _) => name.ends_with("gradient") || name.ends_with("image-set"),
        _ => false,
    });
    has_image.then_some(Reason::Display)
}
