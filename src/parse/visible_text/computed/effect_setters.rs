//! What masks, backgrounds, shadows, lines and the like do to the box of an element.

use super::super::css::color::Colored;
use super::super::css::tokens::{Tok, between_commas, solid};
use super::backdrop::{self, Area};
use super::frame::{Blend, Outline, Seen};
use super::setters::Setting;
use super::shapes;
use super::values::{Outcome, Read, Reading, is_math, only};

impl Setting<'_> {
    pub(super) fn mask(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let tokens: Vec<&Tok> = solid(value).collect();
        let seen = match tokens.as_slice() {
            [token] if token.is_ident("none") => Seen::All,
            [Tok::Ident(_)] => return Err(Outcome::Invalid),
            // Without an image nothing is masked, wherever it would lie.
            tokens if !tokens.iter().any(|token| is_mask(token)) => {
                (self.frame.mask, self.frame.mask_set) = (Seen::All, false);
                return Ok(());
            }
            tokens
                if tokens.iter().any(
                    |token| matches!(token, Tok::Function(name, _) if backdrop::is_never_image(name)),
                ) =>
            {
                return Err(Outcome::Invalid);
            }
            [Tok::Function(..)] => match backdrop::images(value) {
                Ok(paint) if !paint.unknown && backdrop::is_opaque(&paint.gradient) => Seen::All,
                _ => Seen::Unknown,
            },
            _ => Seen::Unknown,
        };
        let is_none = matches!(tokens.as_slice(), [token] if token.is_ident("none"));
        (self.frame.mask, self.frame.mask_set) = (seen, !is_none);
        Ok(())
    }

    /// `offset` and `offset-path`: a place or a distance without a path moves nothing. What leads to no path may take the element
    /// away.
    pub(super) fn offset_path(value: &[Tok]) -> Result<(), Outcome> {
        let is_nothing = |token: &Tok| ["none", "auto", "normal"].iter().any(|word| token.is_ident(word));
        let is_path = |token: &Tok| match token {
            Tok::Function(name, _) => !is_math(name),
            Tok::Ident(word) => word.to_ascii_lowercase().ends_with("-box"),
            token => matches!(token, Tok::Url(_)),
        };
        match only(value) {
            Ok([token]) if is_nothing(token) => Ok(()),
            Ok([Tok::Function(name, _)]) if shapes::is_transformation(name) => Err(Outcome::Invalid),
            _ if value.iter().any(is_path) => Err(Outcome::Doubt),
            _ => Err(Outcome::Invalid),
        }
    }

    pub(super) fn blend(&mut self, word: &str) -> Result<(), Outcome> {
        self.frame.blends = match word {
            "normal" => Blend::Normal,
            "multiply" | "darken" => Blend::Darkens,
            "color-burn" | "screen" | "overlay" | "lighten" | "color-dodge" | "hard-light" | "soft-light"
            | "difference" | "exclusion" | "hue" | "saturation" | "color" | "luminosity" | "plus-lighter"
            | "plus-darker" => Blend::Unknown,
            _ => return Err(Outcome::Invalid),
        };
        Ok(())
    }

    /// `-webkit-mask-box-image`: stretched over the whole box unless it is cut, so that one that is opaque hides nothing in it.
    pub(super) fn mask_box(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let tokens: Vec<&Tok> = solid(value).collect();
        if !tokens.iter().any(|token| is_mask(token)) {
            return Err(Outcome::Invalid);
        }
        match (tokens.as_slice(), backdrop::images(value)) {
            ([_], Ok(paint)) if !paint.unknown && backdrop::is_opaque(&paint.gradient) => {
                self.frame.mask_set = true;
                Ok(())
            }
            (_, Err(Outcome::Invalid)) if tokens.len() == 1 => Err(Outcome::Invalid),
            _ => Err(Outcome::Doubt),
        }
    }

    /// An element whose content is an image shows nothing of its text; words change nothing.
    pub(super) fn content(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let may_be = |token: &Tok| match token {
            Tok::Url(_) => true,
            Tok::Function(name, _) => !backdrop::is_never_image(name) && name != "attr",
            _ => false,
        };
        let has_size = solid(value).any(|token| matches!(token, Tok::Dimension(..) | Tok::Percent(_)));
        match () {
            () if has_size => Err(Outcome::Invalid),
            () if value.iter().any(may_be) => Err(Outcome::Doubt),
            () => Ok(()),
        }
    }

    pub(super) fn contain(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        for token in solid(value) {
            match token.ident().map(str::to_ascii_lowercase).as_deref() {
                Some("none" | "style") => {}
                // A box has no line that letters stand on.
                Some("layout") => self.frame.uneven = true,
                Some("paint") => self.frame.contained = true,
                Some("content") => (self.frame.contained, self.frame.uneven) = (true, true),
                Some("size" | "inline-size") => self.frame.sizeless = true,
                Some("strict") => {
                    (self.frame.sizeless, self.frame.contained, self.frame.uneven) = (true, true, true)
                }
                Some(_) => return Err(Outcome::Invalid),
                None => return Err(Outcome::Invalid),
            }
        }
        Ok(())
    }

    pub(super) fn background_color(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let [token] = only(value)?;
        // Digits without their sign are a colour in some modes: nobody knows what is behind text there.
        if self.quirks && matches!(token, Tok::Number(_) | Tok::Dimension(..)) {
            self.frame.paint.color = Colored::Unknown;
            return Ok(());
        }
        if !backdrop::is_strict_color(token) && !self.quirks {
            return Err(Outcome::Invalid);
        }
        self.frame.paint.color = match super::super::css::color::color(token) {
            Colored::Not if matches!(token, Tok::Function(name, _) if !is_other(name)) => Colored::Unknown,
            Colored::Not => return Err(Outcome::Invalid),
            other => other,
        };
        Ok(())
    }

    pub(super) fn background_clip(&mut self, word: &str) -> Result<(), Outcome> {
        self.frame.paint.area = match word {
            "border-box" => Area::Whole,
            "padding-box" | "content-box" => Area::Inside,
            "text" | "-webkit-text" => Area::Letters,
            "border-area" | "border" | "padding" | "content" => return Err(Outcome::Doubt),
            _ => return Err(Outcome::Invalid),
        };
        Ok(())
    }

    /// Shadows inside a box lie over its background; those outside may reach over neighbours.
    pub(super) fn box_shadow(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let read = self.reading();
        if !is_shadow(value, read) {
            return Err(Outcome::Invalid);
        }
        (self.frame.shadow, self.frame.shade, self.frame.glow) = (false, 0.0, 0.0);
        self.frame.far_shade = 0.0;
        self.frame.shadowed = false;
        self.frame.inner_shadows.clear();
        // Many thin ones are as good as a thick one.
        self.frame.shadow = between_commas(value).count() > MOST_SHADOWS;
        for part in between_commas(value) {
            let lengths: Vec<f32> = solid(part)
                .filter_map(|token| match read.length(token) {
                    Read::Is(length) => Some(length.px),
                    Read::Unknown => Some(f32::MAX),
                    Read::Not => None,
                })
                .collect();
            let colors = solid(part).filter(|token| backdrop::is_strict_color(token));
            let color = colors.map(super::super::css::color::color).find(|color| *color != Colored::Not);
            if part.iter().any(|token| token.is_ident("inset")) {
                let is_seen = lengths.iter().any(|step| step.abs() > 1.0);
                self.frame.inner_shadows.extend(color.or(Some(Colored::Current)).filter(|_| is_seen));
            } else if !part.iter().any(|token| token.is_ident("none")) {
                self.outer_shadow(&lengths, color);
            }
        }
        Ok(())
    }

    /// A shadow that reaches to the letters of a line above or below, or far to a side. What is thin enough dims text and
    /// leaves it readable, until several lie over each other.
    fn outer_shadow(&mut self, lengths: &[f32], color: Option<Colored>) {
        self.frame.shadowed = true;
        if lengths.iter().any(|length| length.abs() > 1.0) {
            self.frame.glow += if let Some(Colored::Is(color)) = color { color.alpha } else { 1.0 };
        }
        let length = |place: usize| lengths.get(place).copied().unwrap_or(0.0);
        // At its edge a blurred shadow has half its strength, and soon less.
        let spread = length(3).max(0.0) + 0.25 * length(2).max(0.0);
        let most = (3.0 + 0.25 * length(2).max(0.0)).min(8.0);
        if length(1).abs() + spread <= most && length(0).abs() + spread <= 2.5 * most {
            return;
        }
        let light = if let Some(Colored::Is(color)) = color { color.alpha } else { 1.0 };
        self.frame.shade += light;
        let is_far =
            length(1).abs().max(length(0).abs()) + length(3).max(0.0) + length(2).max(0.0) > FAR_SHADE;
        self.frame.far_shade += if is_far { light } else { 0.0 };
        self.frame.shadow |= self.frame.shade > MOST_SHADE;
    }

    /// Whether shadows of letters are many, or lie so far from their letters that they may cover others.
    pub(super) fn is_far_shadow(&self, value: &[Tok]) -> bool {
        let read = self.reading();
        let is_far = |part: &[Tok]| {
            let lengths = solid(part).map(|token| read.length(token)).filter(|length| *length != Read::Not);
            let mut sizes = lengths.map(|length| match length {
                Read::Is(length) => length.of(self.style.font_size),
                _ => f32::MAX,
            });
            // What stands to the right and below is drawn later, over the shadow.
            let steps = [sizes.next(), sizes.next()];
            let far = steps.into_iter().flatten().any(|step| !(-3.0..=16.0).contains(&step));
            far || sizes.next().is_some_and(|blur| blur > 30.0)
        };
        between_commas(value).count() > 3 || between_commas(value).any(is_far)
    }

    /// Whether a shadow of letters is more than a few pixels away from them.
    pub(super) fn drops_far(&self, value: &[Tok]) -> bool {
        let read = self.reading();
        value.iter().any(|token| match read.length(token) {
            Read::Is(length) => length.of(self.style.font_size).abs() > 3.0,
            Read::Unknown => true,
            Read::Not => false,
        })
    }

    pub(super) fn outline(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let mut outline = Outline { offset: self.frame.outline.offset, ..Outline::default() };
        for token in solid(value) {
            match self.read_width(token) {
                Ok(width) => outline.width = width,
                Err(Outcome::Doubt) => outline.width = f32::MAX,
                Err(_) => {
                    let word = token.ident().map(str::to_ascii_lowercase).unwrap_or_default();
                    let styles =
                        ["auto", "solid", "dotted", "dashed", "double", "groove", "ridge", "inset", "outset"];
                    let is_known = styles.contains(&word.as_str()) || word == "none";
                    if !is_known && super::super::css::color::color(token) == Colored::Not {
                        return Err(Outcome::Invalid);
                    }
                    outline.drawn |= styles.contains(&word.as_str());
                }
            }
        }
        self.frame.outline = outline;
        Ok(())
    }

    pub(super) fn border_radius(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let read = self.reading();
        let is_large = |token: &Tok| match read.length(token) {
            Read::Is(length) => length.px > 60.0 || length.share > 0.1,
            Read::Unknown => true,
            Read::Not => false,
        };
        // A corner takes nothing back of what another has.
        self.frame.very_round |= solid(value).any(is_large);
        let far = |token: &Tok| match read.length(token) {
            Read::Is(length) => length.px > 12.0 || length.share > 0.0,
            Read::Unknown => true,
            Read::Not => false,
        };
        self.frame.round |= solid(value).any(far);
        Ok(())
    }

    /// A length that stays between two others; everything else is doubted.
    pub(super) fn is_within(&self, value: &[Tok], low: f32, high: f32) -> Result<(), Outcome> {
        let read = self.reading();
        let fits = |token: &Tok| match read.length(token) {
            Read::Is(length) => {
                let size = length.of(self.style.font_size * 1.2);
                if (low..=high).contains(&size) { Ok(()) } else { Err(Outcome::Doubt) }
            }
            Read::Unknown => Err(Outcome::Doubt),
            Read::Not if token.is_ident("normal") => Ok(()),
            Read::Not => Err(Outcome::Invalid),
        };
        solid(value).try_for_each(fits)
    }

    /// Thick lines may cover the text that they go through.
    pub(super) fn decoration(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let read = self.reading();
        let thick = |token: &Tok| match read.length(token) {
            Read::Is(length) => length.of(self.style.font_size) > 0.1 * self.style.font_size,
            Read::Unknown => true,
            Read::Not => matches!(token, Tok::Function(name, _) if name == "calc"),
        };
        self.frame.thick_line = solid(value).any(thick);
        self.frame.has_thickness |= solid(value).any(|token| token.ident().is_none());
        self.draws_lines(value)
    }

    pub(super) fn draws_lines(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let lines = ["underline", "overline", "line-through", "spelling-error", "grammar-error"];
        let is_line = |token: &Tok| lines.iter().any(|line| token.is_ident(line));
        self.frame.decorated |= value.iter().any(is_line);
        Ok(())
    }

    pub(super) fn color_scheme(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let has = |word: &str| value.iter().any(|token| token.is_ident(word));
        match has("dark") && !has("light") {
            true => Err(Outcome::Doubt),
            false => Ok(()),
        }
    }
}

/// Functions of other properties: neither image nor colour.
fn is_other(name: &str) -> bool {
    backdrop::is_never_image(name) || is_math(name)
}

/// Whether something may be an image.
fn is_mask(token: &Tok) -> bool {
    match token {
        Tok::Url(_) => true,
        Tok::Function(name, _) => !is_math(name),
        _ => false,
    }
}

/// A shadow that reaches further is seen beside other lines too.
const FAR_SHADE: f32 = 40.0;
/// Shadows that let so much of the light through leave text readable: 16 % of contrast are 10 % at least behind one.
const MOST_SHADE: f32 = 0.35;

/// So many shadows of a box are looked at one by one.
const MOST_SHADOWS: usize = 4;

/// Whether a value can be shadows of letters: no more than three lengths each, and none inside.
pub(super) fn is_text_shadow(value: &[Tok], read: Reading) -> bool {
    let is_plain = |part: &[Tok]| {
        let lengths = solid(part).filter(|token| read.length(token) != Read::Not).count();
        lengths <= 3 && !part.iter().any(|token| token.is_ident("inset"))
    };
    is_shadow(value, read) && between_commas(value).all(is_plain)
}

/// Whether a value can be shadows at all: `none`, or lengths with a colour and `inset`.
fn is_shadow(value: &[Tok], read: Reading) -> bool {
    let is_part = |token: &Tok| {
        token.is_ident("inset")
            || read.length(token) != Read::Not
            || super::super::css::color::color(token) != Colored::Not
    };
    let is_none = |part: &[Tok]| matches!(part, [token] if token.is_ident("none"));
    is_none(value) || between_commas(value).all(|part| part.len() > 1 && solid(part).all(is_part))
}

/// Whether letters have one shadow and that is as sharp as they are, so that it covers no more than other letters would.
pub(super) fn is_one_sharp_shadow(value: &[Tok], read: Reading) -> bool {
    let sizes = solid(value).filter(|token| read.length(token) != Read::Not).count();
    between_commas(value).count() == 1 && sizes == 2
}
