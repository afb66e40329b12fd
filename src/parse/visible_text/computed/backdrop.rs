//! What text stands on: the colours that may be behind it, as far as they can be known without fetching anything.

use super::super::css::color::{Color, Colored, NOTHING, WHITE, color};
use super::super::css::tokens::{Tok, between_commas, cleaned_address, solid};
use super::values::{Outcome, is_math};

/// A veil that takes no more of the light leaves what is below it readable, and so do all veils of a document together.
pub(in super::super) const THIN_VEIL: f32 = 0.15;

/// Up to this many colours are kept; more are not understood.
const MOST: usize = 12;

/// The colours that may be behind an element's text: it can be read when it stands out from all of them.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Backdrop {
    colors: Vec<Color>,
    /// Whether any mixture of them may be there too, as in a gradient.
    mixed: bool,
    /// Something that we cannot work out.
    unknown: bool,
}

/// What an element paints behind itself.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Paint {
    pub(super) color: Colored,
    /// The colours of a gradient, which may lie anywhere in the box.
    pub(super) gradient: Vec<Color>,
    pub(super) unknown: bool,
    pub(super) area: Area,
    /// Whether images lie somewhere or have a size, so that they may not fill the box.
    pub(super) placed: bool,
}

/// Where a background is painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Area {
    Whole,
    /// Inside, so that something of what is below may be seen beside it.
    Inside,
    /// Only through the letters.
    Letters,
}

impl Default for Paint {
    fn default() -> Self {
        Self {
            color: Colored::Is(NOTHING),
            gradient: Vec::new(),
            unknown: false,
            area: Area::Whole,
            placed: false,
        }
    }
}

impl Paint {
    fn of(color: Color) -> Self {
        Self { color: Colored::Is(color), ..Self::default() }
    }

    /// Whether nothing is painted at all.
    pub(super) fn is_nothing(&self) -> bool {
        !self.unknown && self.gradient.is_empty() && self.color == Colored::Is(NOTHING)
    }

    /// How much of the light from what is below it an element of this opacity takes.
    pub(super) fn shade(&self, opacity: f32) -> f32 {
        let own = match self.color {
            Colored::Is(color) => color.alpha,
            Colored::Not => 0.0,
            Colored::Current | Colored::Unknown => 1.0,
        };
        let most = self.gradient.iter().map(|color| color.alpha).fold(own, f32::max);
        opacity * if self.unknown { 1.0 } else { most }
    }

    /// Whether things below it are hard to see.
    pub(super) fn covers(&self, opacity: f32) -> bool {
        self.shade(opacity) > THIN_VEIL
    }
}

impl Backdrop {
    pub(super) fn paper() -> Self {
        Self { colors: vec![WHITE], mixed: false, unknown: false }
    }

    /// No ground at all.
    pub(super) fn nothing() -> Self {
        Self { colors: Vec::new(), mixed: false, unknown: false }
    }

    /// Something of which nothing is known.
    pub(super) fn unknown() -> Self {
        Self { colors: vec![WHITE], mixed: false, unknown: true }
    }

    /// What is behind the text once an element has painted.
    pub(super) fn painted(&self, paint: &Paint, text: Color) -> Self {
        if paint.is_nothing() || paint.area == Area::Letters {
            return self.clone();
        }
        let own = match paint.color {
            Colored::Is(color) => color,
            Colored::Current => text,
            Colored::Unknown => return Self::unknown(),
            Colored::Not => NOTHING,
        };
        let ground: Vec<Color> = match own.alpha >= 1.0 {
            true => vec![own],
            false => self.colors.iter().map(|below| own.over(*below)).collect(),
        };
        let layers =
            paint.gradient.iter().flat_map(|layer| ground.iter().map(move |below| layer.over(*below)));
        let mut colors: Vec<Color> = layers.collect();
        if paint.placed || paint.gradient.is_empty() {
            colors.extend(&ground);
        }
        if paint.area == Area::Inside {
            colors.extend(&self.colors);
        }
        let unknown = paint.unknown || (self.unknown && own.alpha < 1.0);
        let mixed = paint.gradient.len() > 1 || (self.mixed && own.alpha < 1.0);
        Self { mixed, ..Self::of(colors, unknown) }
    }

    /// The same, or as it is seen through something that changes the light of each colour.
    pub(super) fn or_leveled(&self, levels: &[Level]) -> Self {
        let colors = self.colors.iter().map(|color| leveled(*color, levels)).collect();
        self.or(&Self { mixed: self.mixed, ..Self::of(colors, self.unknown) })
    }

    /// The same, where shadows may lie on it.
    pub(super) fn or_shadows(self, shadows: &[Colored], text: Color) -> Self {
        let is_blurred = !shadows.is_empty();
        let ground = shadows.iter().fold(self, |ground, shadow| match shadow {
            Colored::Is(color) => ground.or(&ground.painted(&Paint::of(*color), text)),
            Colored::Current => ground.or(&ground.painted(&Paint::of(text), text)),
            Colored::Unknown | Colored::Not => Self::unknown(),
        });
        Self { mixed: ground.mixed || is_blurred, ..ground }
    }

    fn of(mut colors: Vec<Color>, unknown: bool) -> Self {
        colors.dedup();
        let too_many = colors.len() > MOST;
        colors.truncate(MOST);
        Self { colors, mixed: false, unknown: unknown || too_many }
    }

    /// Either of two.
    pub(super) fn or(&self, other: &Self) -> Self {
        if self == other {
            return self.clone();
        }
        let colors = self.colors.iter().chain(&other.colors).copied().collect();
        Self { mixed: self.mixed || other.mixed, ..Self::of(colors, self.unknown || other.unknown) }
    }

    pub(super) fn is_unknown(&self) -> bool {
        self.unknown
    }

    /// How much lighter or darker a colour is than what is behind it, at worst and at best, from 0 to 1.
    pub(super) fn difference(&self, color: Color) -> (f32, f32) {
        let each = self.colors.iter().map(|behind| color.over(*behind).luma() - behind.luma());
        let (worst, best) = each
            .clone()
            .map(f32::abs)
            .fold((1.0, 0.0), |(worst, best): (f32, f32), one| (worst.min(one), best.max(one)));
        // Between a colour that is lighter and one that is darker there is one as light.
        let is_between = self.mixed && each.clone().any(|one| one < 0.0) && each.clone().any(|one| one > 0.0);
        (if is_between { 0.0 } else { worst }, best)
    }

    /// Whether text of this colour is darker than everything behind it.
    pub(super) fn is_lighter_than(&self, color: Color) -> bool {
        !self.unknown && self.colors.iter().all(|behind| behind.luma() > color.over(*behind).luma())
    }
}

/// What a filter makes of each part of a colour: it is multiplied by the first and the second is added.
pub(super) type Level = (f32, f32);

/// A colour behind filters, the innermost first.
pub(super) fn leveled(color: Color, levels: &[Level]) -> Color {
    let one = |part: f32| levels.iter().fold(part, |part, (by, plus)| (part * by + plus).clamp(0.0, 1.0));
    Color { rgb: color.rgb.map(one), ..color }
}

/// Reads `background` in the forms that mail uses: a colour, images, where they lie and how they repeat. Images that
/// would have to be fetched are not there.
pub(super) fn paint(value: &[Tok]) -> Result<Paint, Outcome> {
    let mut paint = Paint::default();
    let mut colors = 0;
    for token in solid(value) {
        match token {
            Tok::Url(url) => paint.unknown |= is_embedded(url),
            Tok::Function(name, stops) if is_gradient(name) => add_gradient(stops, &mut paint)?,
            Tok::Function(name, images) if is_image_set(name) => add_image_set(images, &mut paint)?,
            Tok::Function(name, _) if is_image(name) => paint.unknown = true,
            Tok::Function(name, _) if is_math(name) => paint.placed = true,
            Tok::Ident(word) if is_placing(word) => {
                paint.placed |=
                    !["none", "scroll", "repeat"].iter().any(|plain| word.eq_ignore_ascii_case(plain));
            }
            Tok::Ident(word)
                if matches!(word.to_ascii_lowercase().as_str(), "content-box" | "padding-box") =>
            {
                paint.area = Area::Inside;
            }
            Tok::Ident(word) if word.eq_ignore_ascii_case("text") => paint.area = Area::Letters,
            Tok::Percent(_) | Tok::Delim('/') => paint.placed = true,
            Tok::Number(value) if *value == 0.0 => paint.placed = true,
            Tok::Dimension(_, unit) if is_unit(unit) => paint.placed = true,
            Tok::Comma => return Err(Outcome::Doubt),
            token => match color(token) {
                Colored::Not if matches!(token, Tok::Function(name, _) if !is_never_image(name)) => {
                    return Err(Outcome::Doubt);
                }
                // Words and units that are not known here may be known elsewhere.
                Colored::Not if matches!(token, Tok::Ident(_) | Tok::Dimension(..)) => {
                    return Err(Outcome::Doubt);
                }
                Colored::Not => return Err(Outcome::Invalid),
                _ if !is_strict_color(token) => return Err(Outcome::Doubt),
                other => {
                    paint.color = other;
                    colors += 1;
                }
            },
        }
    }
    if colors > 1 { Err(Outcome::Invalid) } else { Ok(paint) }
}

fn is_unit(unit: &str) -> bool {
    matches!(unit, "px" | "pt" | "em" | "rem" | "vw" | "vh" | "cm" | "mm" | "in" | "pc" | "ex" | "ch")
}

/// Hexadecimal digits without their sign are colours in quirks mode only, and not in shorthands.
pub(super) fn is_strict_color(token: &Tok) -> bool {
    match token {
        Tok::Number(_) | Tok::Dimension(..) => false,
        Tok::Ident(word) => {
            !matches!(word.len(), 3 | 6) || !word.bytes().all(|byte| byte.is_ascii_hexdigit())
        }
        _ => true,
    }
}

fn is_placing(word: &str) -> bool {
    matches!(
        word.to_ascii_lowercase().as_str(),
        "none"
            | "repeat"
            | "no-repeat"
            | "repeat-x"
            | "repeat-y"
            | "round"
            | "space"
            | "scroll"
            | "fixed"
            | "local"
            | "left"
            | "right"
            | "top"
            | "bottom"
            | "center"
            | "cover"
            | "contain"
            | "auto"
            | "border-box"
    )
}

/// Reads `background-image`.
pub(super) fn images(value: &[Tok]) -> Result<Paint, Outcome> {
    let mut paint = Paint::default();
    for token in solid(value) {
        match token {
            Tok::Url(url) => paint.unknown |= is_embedded(url),
            Tok::Function(name, stops) if is_gradient(name) => add_gradient(stops, &mut paint)?,
            Tok::Function(name, images) if is_image_set(name) => add_image_set(images, &mut paint)?,
            Tok::Function(name, _) if is_image(name) => paint.unknown = true,
            Tok::Ident(word) if word.eq_ignore_ascii_case("none") => {}
            Tok::Comma => {}
            Tok::Function(name, _) if is_never_image(name) || is_math(name) => return Err(Outcome::Invalid),
            Tok::Function(..) => return Err(Outcome::Doubt),
            _ => return Err(Outcome::Invalid),
        }
    }
    // Several that let something through lie over each other.
    paint.unknown |= value.contains(&Tok::Comma) && !is_opaque(&paint.gradient) && !paint.gradient.is_empty();
    Ok(paint)
}

/// A picture in the message itself, which may be of any colour.
pub(super) fn is_embedded(url: &str) -> bool {
    let url = cleaned_address(url);
    let start: String = url.chars().take(5).collect::<String>().to_ascii_lowercase();
    // Where nothing follows the comma there is no picture.
    let is_data = start.starts_with("data:") && url.split_once(',').is_none_or(|(_, data)| !data.is_empty());
    is_data || start.starts_with("cid:") || start.starts_with("blob:")
}

/// Functions of other properties, which are neither image nor colour nor length.
pub(super) fn is_never_image(name: &str) -> bool {
    let shapes = ["circle", "ellipse", "inset", "polygon", "path", "shape", "rect", "xywh", "ray"];
    let moves = ["translate", "scale", "rotate", "skew", "matrix", "perspective"];
    let others = ["blur", "brightness", "contrast", "grayscale", "invert", "opacity", "saturate", "sepia"];
    let more = ["hue-rotate", "drop-shadow", "counter", "counters", "symbols", "repeat", "minmax", "steps"];
    let last = ["cubic-bezier", "fit-content", "scroll", "view"];
    moves.iter().any(|start| name.starts_with(start))
        || [&shapes[..], &others, &more, &last].into_iter().flatten().any(|one| *one == name)
}

pub(super) fn is_gradient(name: &str) -> bool {
    let name = name.strip_prefix("-webkit-").unwrap_or(name);
    let name = name.strip_prefix("repeating-").unwrap_or(name);
    matches!(name, "linear-gradient" | "radial-gradient" | "conic-gradient")
}

fn is_image_set(name: &str) -> bool {
    matches!(name, "image-set" | "-webkit-image-set")
}

/// Whether an image may be drawn by something of the message itself, or by what is not understood.
pub(super) fn may_be_picture(token: &Tok) -> bool {
    match token {
        Tok::Url(url) => is_embedded(url),
        Tok::Function(name, _) if is_gradient(name) => false,
        Tok::Function(name, images) if is_image_set(name) => {
            images.iter().any(|token| matches!(token, Tok::Text(_)) || may_be_picture(token))
        }
        Tok::Function(name, _) => is_image(name),
        _ => false,
    }
}

/// One of several images: any of them may be taken.
fn add_image_set(images: &[Tok], paint: &mut Paint) -> Result<(), Outcome> {
    for image in between_commas(images) {
        match solid(image).next() {
            Some(Tok::Function(name, stops)) if is_gradient(name) => add_gradient(stops, paint)?,
            Some(Tok::Url(_) | Tok::Text(_)) => paint.unknown = true,
            _ => return Err(Outcome::Doubt),
        }
    }
    Ok(())
}

fn is_image(name: &str) -> bool {
    matches!(name, "cross-fade" | "-webkit-cross-fade" | "element" | "paint" | "image" | "-webkit-gradient")
}

fn add_gradient(stops: &[Tok], paint: &mut Paint) -> Result<(), Outcome> {
    for token in solid(stops) {
        // In other spaces a mixture may lie beyond both colours.
        paint.unknown |=
            token.is_ident("in") || matches!(token, Tok::Function(name, _) if !is_mixed_plainly(name));
        match color(token) {
            Colored::Is(_) | Colored::Unknown if !is_strict_color(token) => return Err(Outcome::Doubt),
            Colored::Is(color) => paint.gradient.push(color),
            Colored::Current | Colored::Unknown => paint.unknown = true,
            Colored::Not if matches!(token, Tok::Function(..)) => paint.unknown = true,
            _ => {}
        }
    }
    match paint.gradient.len() {
        0 | 1 if !paint.unknown => Err(Outcome::Doubt),
        _ => Ok(()),
    }
}

/// Whether colours of a function are mixed part by part.
fn is_mixed_plainly(name: &str) -> bool {
    matches!(name, "rgb" | "rgba" | "hsl" | "hsla")
}

/// Whether a mask of these gradients leaves everything: all its colours are opaque.
pub(super) fn is_opaque(gradient: &[Color]) -> bool {
    !gradient.is_empty() && gradient.iter().all(|color| color.alpha >= 1.0)
}
