//! What text stands on: the colours behind it, as far as they can be known without fetching anything.

use super::super::css::color::{Color, Colored, NOTHING, WHITE, color};
use super::super::css::tokens::{Tok, solid};

/// Up to this many colours of a gradient are looked at.
const MOST: usize = 8;

/// The colours behind an element's text; text is readable when it stands out from one of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Backdrop {
    colors: Vec<Color>,
    /// Something that we cannot work out.
    unknown: bool,
}

/// What an element paints behind itself.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Paint {
    pub(super) color: Colored,
    /// The colours of a gradient.
    pub(super) gradient: Vec<Color>,
    pub(super) unknown: bool,
    /// Whether it shows only through the letters.
    pub(super) clipped_to_text: bool,
}

impl Default for Paint {
    fn default() -> Self {
        Self { color: Colored::Is(NOTHING), gradient: Vec::new(), unknown: false, clipped_to_text: false }
    }
}

impl Backdrop {
    pub(super) fn paper() -> Self {
        Self { colors: vec![WHITE], unknown: false }
    }

    /// What is behind the text once an element has painted.
    pub(super) fn painted(&self, paint: &Paint, text: Color) -> Self {
        let own = match paint.color {
            Colored::Is(color) => color,
            Colored::Current => text,
            Colored::Unknown => return Self { colors: Vec::new(), unknown: true },
            Colored::Not => NOTHING,
        };
        if paint.unknown {
            return Self { colors: Vec::new(), unknown: true };
        }
        let layers: Vec<Color> = if paint.gradient.is_empty() { vec![own] } else { paint.gradient.clone() };
        let opaque = layers.iter().all(|layer| layer.alpha >= 1.0);
        let below = if opaque { &self.colors[..self.colors.len().min(1)] } else { &self.colors[..] };
        let below = if below.is_empty() { &[WHITE][..] } else { below };
        let ground = |below: &Color| if paint.gradient.is_empty() { *below } else { own.over(*below) };
        let all = below.iter().flat_map(|below| layers.iter().map(move |layer| layer.over(ground(below))));
        let mut colors: Vec<Color> = all.take(MOST).collect();
        colors.dedup();
        Self { colors, unknown: self.unknown && !opaque }
    }

    /// How well a colour stands out, at best; 1 when nothing can be said.
    pub(super) fn contrast(&self, color: Color) -> f32 {
        if self.unknown {
            return 1.0;
        }
        self.colors.iter().map(|behind| color.over(*behind).contrast(*behind)).fold(1.0, f32::max)
    }
}

/// Reads the `background` shorthand or one of its parts.
pub(super) fn paint(value: &[Tok]) -> Option<Paint> {
    let mut paint = Paint::default();
    for token in solid(value) {
        match token {
            Tok::Url(url) => paint.unknown |= url.trim_start().to_ascii_lowercase().starts_with("data:"),
            Tok::Function(name, stops) if name.ends_with("gradient") => {
                paint.gradient.extend(stop_colors(stops))
            }
            Tok::Function(name, _) if is_image(name) => paint.unknown = true,
            Tok::Ident(name) if name.eq_ignore_ascii_case("text") => paint.clipped_to_text = true,
            Tok::Comma => {}
            token => match color(token) {
                Colored::Not => {}
                // `background: 0 0` is a place and no colour.
                _ if matches!(token, Tok::Number(_) | Tok::Dimension(..)) => {}
                other => paint.color = other,
            },
        }
    }
    paint.gradient.truncate(MOST);
    Some(paint)
}

fn is_image(name: &str) -> bool {
    matches!(name, "image-set" | "-webkit-image-set" | "cross-fade" | "element" | "paint" | "image")
}

fn stop_colors(stops: &[Tok]) -> Vec<Color> {
    let read = |token: &Tok| match color(token) {
        Colored::Is(color) if !matches!(token, Tok::Number(_) | Tok::Dimension(..)) => Some(color),
        _ => None,
    };
    stops.iter().filter_map(read).collect()
}
