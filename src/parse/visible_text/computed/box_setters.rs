//! What each property does to the box of an element.

use super::super::css::color::Colored;
use super::super::css::declaration::{Property, Side};
use super::super::css::length::Length;
use super::super::css::tokens::{Tok, between_commas, solid};
use super::Style;
use super::backdrop::{self, Area, Paint};
use super::frame::{Blend, Frame, Outline, Position, Seen, Sides};
use super::setters::{Setting, Wide, share};
use super::shapes;
use super::values::{Outcome, Read, one_of, only, word};

const SIZES: [&str; 7] = [
    "auto",
    "min-content",
    "max-content",
    "fit-content",
    "stretch",
    "-webkit-fill-available",
    "-webkit-fit-content",
];

impl Setting<'_> {
    pub(super) fn set_frame(&mut self, property: &Property, value: &[Tok]) -> Outcome {
        let read = self.reading();
        let result = match property {
            Property::Margin(side) => self.sides(value, *side, "auto", |frame| &mut frame.margin),
            Property::Padding(side) => self.sides(value, *side, "", |frame| &mut frame.padding),
            Property::Inset(side) => self.sides(value, *side, "auto", |frame| &mut frame.inset),
            Property::Border(side) => self.border(value, *side),
            Property::Width => read.size(value, &SIZES, false).map(|size| self.frame.width = size),
            Property::Height => read.size(value, &SIZES, false).map(|size| self.frame.height = size),
            Property::MinWidth => read.size(value, &SIZES, false).map(|size| self.frame.min_width = size),
            Property::MinHeight => read.size(value, &SIZES, false).map(|size| self.frame.min_height = size),
            Property::MaxWidth => read
                .size(value, &[&SIZES[1..], &["none"]].concat(), false)
                .map(|size| self.frame.max_width = size),
            Property::MaxHeight => read
                .size(value, &[&SIZES[1..], &["none"]].concat(), false)
                .map(|size| self.frame.max_height = size),
            Property::Overflow => self.overflow(value),
            Property::OverflowX => overflow_word(value).map(|clips| self.frame.clip_x = clips),
            Property::OverflowY => overflow_word(value).map(|clips| self.frame.clip_y = clips),
            Property::Position => self.position(value),
            Property::ZIndex => match only(value) {
                Ok([Tok::Number(layer)]) => {
                    self.frame.negative_layer = *layer < 0.0;
                    Ok(())
                }
                Ok([token]) if token.is_ident("auto") => Ok(()),
                Ok([Tok::Function(name, _)]) if name == "calc" => Err(Outcome::Doubt),
                _ => Err(Outcome::Invalid),
            },
            Property::Float => word(value).and_then(|word| match word.as_str() {
                "none" => Ok(self.frame.floats = false),
                "left" | "right" | "inline-start" | "inline-end" => Ok(self.frame.floats = true),
                _ => Err(Outcome::Invalid),
            }),
            Property::Opacity => share(value).map(|share| self.frame.opacity = Some(share.clamp(0.0, 1.0))),
            Property::Zoom => match only(value) {
                Ok([token]) if token.is_ident("normal") => Ok(self.frame.zoom = None),
                Ok([Tok::Number(share) | Tok::Percent(share)]) if *share > 0.0 => {
                    Ok(self.frame.zoom = Some(*share))
                }
                Ok([Tok::Ident(_)]) => Err(Outcome::Invalid),
                _ => Err(Outcome::Doubt),
            },
            property => return self.set_effect(property, value),
        };
        result.err().unwrap_or(Outcome::Done)
    }

    fn set_effect(&mut self, property: &Property, value: &[Tok]) -> Outcome {
        let read = self.reading();
        let result = match property {
            Property::ClipPath => shapes::clip_path(value, read).map(|seen| {
                self.frame.clip_path = seen;
                self.frame.has_clip_path = !matches!(only(value), Ok([token]) if token.is_ident("none"));
            }),
            Property::Filter => shapes::filter(value, read).map(|filter| self.frame.filter = filter),
            Property::Backdrop => shapes::filter(value, read)
                .and_then(|filter| if filter.unknown { Err(Outcome::Doubt) } else { Ok(()) }),
            Property::Transform => shapes::transform(value, read).map(|moved| self.frame.transform = moved),
            Property::Translate => {
                shapes::single("translate", value, read).map(|moved| self.frame.translate = moved)
            }
            Property::Scale => shapes::single("scale", value, read).map(|moved| self.frame.scale = moved),
            Property::Rotate => shapes::single("rotate", value, read).map(|moved| self.frame.rotate = moved),
            Property::TransformOrigin => Ok(self.frame.origin_moved = true),
            Property::Backface => one_of(value, &["visible", "hidden"])
                .map(|word| self.frame.backface_hidden = word == "hidden"),
            Property::Mask => self.mask(value),
            Property::MaskBox => none_or_doubt(value),
            Property::MaskOther => Ok(self.frame.mask_changed = true),
            Property::BlendMode => word(value).and_then(|word| self.blend(&word)),
            Property::OffsetPath => {
                let is_path = |token: &Tok| matches!(token, Tok::Url(_) | Tok::Function(..) | Tok::Ident(_));
                match only(value) {
                    Ok([token])
                        if token.is_ident("none") || token.is_ident("auto") || token.is_ident("normal") =>
                    {
                        Ok(())
                    }
                    _ if value.iter().any(is_path) => Err(Outcome::Doubt),
                    _ => Err(Outcome::Invalid),
                }
            }
            Property::BorderImage => {
                self.frame.border_image = !matches!(only(value), Ok([token]) if token.is_ident("none"));
                self.frame.border_image_wide |=
                    value.iter().any(|token| token.is_ident("fill") || *token == Tok::Delim('/'));
                Ok(())
            }
            Property::BorderImageOther => Ok(self.frame.border_image_wide = true),
            Property::Reflect => word(value).map(|word| self.frame.reflects = word != "none").or_else(|_| {
                self.frame.reflects = true;
                Ok(())
            }),
            Property::Content => self.content(value),
            Property::ContentVisibility => one_of(value, &["visible", "hidden", "auto"]).map(|word| {
                self.frame.content_hidden = word == "hidden";
                self.frame.contained |= word == "auto";
            }),
            Property::Contain => self.contain(value),
            Property::Container => match only(value) {
                Ok([token]) if token.is_ident("normal") || token.is_ident("none") => Ok(()),
                Ok([Tok::Ident(word)]) if !word.ends_with("size") && !word.contains("scroll") => Ok(()),
                _ => Err(Outcome::Doubt),
            },
            Property::Strange => none_or_doubt(value),
            Property::Perspective => {
                self.style.deep |= !matches!(only(value), Ok([token]) if token.is_ident("none"));
                Ok(())
            }
            property => return self.set_rest(property, value),
        };
        result.err().unwrap_or(Outcome::Done)
    }

    fn set_rest(&mut self, property: &Property, value: &[Tok]) -> Outcome {
        let read = self.reading();
        let result = match property {
            Property::Background => backdrop::paint(value).map(|paint| self.frame.paint = paint),
            Property::BackgroundColor => self.background_color(value),
            Property::BackgroundImage => {
                backdrop::images(value).map(|Paint { gradient, unknown, .. }| {
                    self.frame.paint.gradient = gradient;
                    self.frame.paint.unknown = unknown;
                })
            }
            Property::BackgroundClip => word(value).and_then(|word| self.background_clip(&word)),
            Property::BoxShadow => self.box_shadow(value),
            Property::Outline => self.outline(value),
            Property::OutlineStyle => word(value).map(|word| self.frame.outline.drawn = word != "none"),
            Property::OutlineWidth => only(value)
                .and_then(|[token]| self.read_width(token))
                .map(|width| self.frame.outline.width = width),
            Property::OutlineOffset => read
                .size(value, &[], true)
                .map(|size| self.frame.outline.offset = size.unwrap_or_default().px),
            Property::BoxSizing => one_of(value, &["content-box", "border-box"])
                .map(|word| self.frame.border_box = word == "border-box"),
            Property::AspectRatio => {
                self.frame.ratio = !matches!(only(value), Ok([token]) if token.is_ident("auto"));
                Ok(())
            }
            Property::BorderRadius => self.border_radius(value),
            Property::BorderSpacing => self.is_within(value, 0.0, 100.0),
            Property::Columns => {
                one_of(value, &["auto"]).map(drop).or_else(|_| Ok(self.frame.columns = true))
            }
            Property::ColumnGap => {
                self.is_within(value, 0.0, 200.0).or_else(|_| Ok(self.frame.wide_gap = true))
            }
            Property::Grid => {
                one_of(value, &["none", "auto"]).map(drop).or_else(|_| Ok(self.frame.sized_tracks = true))
            }
            Property::Flex => Ok(self.frame.flexes = true),
            Property::LineClamp => match only(value) {
                Ok([token]) if token.is_ident("none") || token.is_ident("auto") => {
                    Ok(self.frame.line_clamp = None)
                }
                Ok([Tok::Number(lines)]) if *lines >= 1.0 => {
                    Ok(self.frame.line_clamp = Some(*lines as usize))
                }
                Ok([Tok::Function(..)]) => Err(Outcome::Doubt),
                _ => Err(Outcome::Invalid),
            },
            Property::TableLayout => {
                one_of(value, &["auto", "fixed"]).map(|word| self.style.fixed_table = word == "fixed")
            }
            Property::VerticalAlign => match only(value) {
                Ok([Tok::Ident(_)]) => Ok(()),
                _ => self.is_within(value, -60.0, 60.0),
            },
            Property::TabSize => match only(value) {
                Ok([Tok::Number(size)]) if *size <= 16.0 => Ok(()),
                Ok([Tok::Ident(_) | Tok::Text(_) | Tok::Url(_) | Tok::Hash(_)]) => Err(Outcome::Invalid),
                _ if !matches!(
                    self.style.white_space,
                    super::WhiteSpace::Pre | super::WhiteSpace::PreWrap
                ) =>
                {
                    Ok(())
                }
                _ => Err(Outcome::Doubt),
            },
            Property::DecorationThickness => self.decoration(value),
            Property::DecorationLine => self.draws_lines(value),
            Property::ColorScheme => self.color_scheme(value),
            _ => Ok(()),
        };
        result.err().unwrap_or(Outcome::Done)
    }

    fn sides(
        &mut self,
        value: &[Tok],
        side: Side,
        word: &str,
        of: fn(&mut Frame) -> &mut Sides,
    ) -> Result<(), Outcome> {
        let read = self.reading();
        let may_be_negative = !word.is_empty();
        let sizes =
            solid(value).map(|token| read.size(std::slice::from_ref(token), &[word], may_be_negative));
        let sizes = sizes.collect::<Result<Vec<Option<Length>>, Outcome>>()?;
        set_sides(of(self.frame), side, &sizes)
    }

    fn border(&mut self, value: &[Tok], side: Side) -> Result<(), Outcome> {
        let mut widths = Vec::new();
        for token in solid(value) {
            match self.read_width(token) {
                Ok(width) => widths.push(Some(Length::px(width))),
                Err(Outcome::Doubt) if super::super::css::color::color(token) == Colored::Not => {
                    return Err(Outcome::Doubt);
                }
                // Styles and colours; what is none of them voids all, which only a width could feel.
                Err(_) => {}
            }
        }
        match (widths.is_empty(), widths.iter().flatten().any(|width| width.px > 600.0)) {
            (true, _) => Ok(()),
            (_, true) => Err(Outcome::Doubt),
            _ => set_sides(&mut self.frame.border, side, &widths),
        }
    }

    fn overflow(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let tokens: Vec<&Tok> = solid(value).collect();
        let clips = |token: &Tok| overflow_word(std::slice::from_ref(token));
        (self.frame.clip_x, self.frame.clip_y) = match tokens.as_slice() {
            [both] => (clips(both)?, clips(both)?),
            [x, y] => (clips(x)?, clips(y)?),
            _ => return Err(Outcome::Invalid),
        };
        Ok(())
    }

    fn position(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        self.frame.position = match word(value)?.as_str() {
            "static" => Position::Static,
            "relative" => Position::Relative,
            "sticky" | "-webkit-sticky" => Position::Sticky,
            "absolute" | "fixed" => Position::Out,
            _ => return Err(Outcome::Invalid),
        };
        Ok(())
    }

    fn mask(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let tokens: Vec<&Tok> = solid(value).collect();
        self.frame.mask_set = !matches!(tokens.as_slice(), [token] if token.is_ident("none"));
        self.frame.mask = match tokens.as_slice() {
            [token] if token.is_ident("none") => Seen::All,
            [Tok::Ident(_)] => return Err(Outcome::Invalid),
            // Without an image nothing is masked, wherever it would lie.
            tokens if !tokens.iter().any(|token| matches!(token, Tok::Url(_) | Tok::Function(..))) => {
                self.frame.mask_set = false;
                Seen::All
            }
            [Tok::Function(name, _)]
                if !name.contains("gradient") && !name.contains("image") && !name.contains("fade") =>
            {
                return Err(Outcome::Invalid);
            }
            [Tok::Function(..)] => match backdrop::images(value) {
                Ok(paint) if !paint.unknown && backdrop::is_opaque(&paint.gradient) => Seen::All,
                _ => Seen::Unknown,
            },
            _ => Seen::Unknown,
        };
        Ok(())
    }

    fn blend(&mut self, word: &str) -> Result<(), Outcome> {
        self.frame.blends = match word {
            "normal" => Blend::Normal,
            "multiply" | "darken" | "color-burn" => Blend::Darkens,
            "screen" | "overlay" | "lighten" | "color-dodge" | "hard-light" | "soft-light" | "difference"
            | "exclusion" | "hue" | "saturation" | "color" | "luminosity" | "plus-lighter"
            | "plus-darker" => Blend::Unknown,
            _ => return Err(Outcome::Invalid),
        };
        Ok(())
    }

    /// An element whose content is an image shows nothing of its text; words change nothing.
    fn content(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let is_image =
            |name: &str| name.ends_with("gradient") || name.contains("image") || name.contains("cross-fade");
        let may_be = |token: &Tok| match token {
            Tok::Url(_) => true,
            Tok::Function(name, _) => is_image(name) || name == "element" || name == "paint",
            _ => false,
        };
        if value.iter().any(may_be) { Err(Outcome::Doubt) } else { Ok(()) }
    }

    fn contain(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        for token in solid(value) {
            match token.ident().map(str::to_ascii_lowercase).as_deref() {
                Some("none" | "layout" | "style") => {}
                Some("paint" | "content") => self.frame.contained = true,
                Some("strict" | "size" | "inline-size") => return Err(Outcome::Doubt),
                Some(_) => return Err(Outcome::Invalid),
                None => return Err(Outcome::Invalid),
            }
        }
        Ok(())
    }

    fn background_color(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let [token] = only(value)?;
        if !backdrop::is_strict_color(token) && !self.quirks {
            return Err(Outcome::Invalid);
        }
        self.frame.paint.color = match super::super::css::color::color(token) {
            Colored::Not if matches!(token, Tok::Function(..)) => Colored::Unknown,
            Colored::Not => return Err(Outcome::Invalid),
            other => other,
        };
        Ok(())
    }

    fn background_clip(&mut self, word: &str) -> Result<(), Outcome> {
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
    fn box_shadow(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let read = self.reading();
        self.frame.shadow = 0.0;
        for part in between_commas(value) {
            let lengths: Vec<f32> = solid(part)
                .filter_map(|token| match read.length(token) {
                    Read::Is(length) => Some(length.px),
                    Read::Unknown => Some(f32::MAX),
                    Read::Not => None,
                })
                .collect();
            let spread = lengths.get(3).copied().unwrap_or(0.0);
            let far = lengths.iter().take(2).any(|step| step.abs() > 20.0) || spread > 10.0;
            if part.iter().any(|token| token.is_ident("inset")) {
                self.frame.paint.unknown |= far || lengths.get(2).is_some_and(|blur| *blur > 20.0);
            } else {
                let reach =
                    lengths.iter().take(2).chain([&spread]).map(|step| step.abs()).fold(0.0, f32::max);
                self.frame.shadow = self.frame.shadow.max(if far { reach } else { 0.0 });
            }
        }
        Ok(())
    }

    fn outline(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let mut outline = Outline { offset: self.frame.outline.offset, ..Outline::default() };
        for token in solid(value) {
            match self.read_width(token) {
                Ok(width) => outline.width = width,
                Err(Outcome::Doubt) => outline.width = f32::MAX,
                Err(_) => {
                    let word = token.ident().map(str::to_ascii_lowercase).unwrap_or_default();
                    let styles =
                        ["auto", "solid", "dotted", "dashed", "double", "groove", "ridge", "inset", "outset"];
                    outline.drawn |= styles.contains(&word.as_str());
                }
            }
        }
        self.frame.outline = outline;
        Ok(())
    }

    fn border_radius(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let read = self.reading();
        let far = |token: &Tok| match read.length(token) {
            Read::Is(length) => length.px > 60.0 || length.share > 0.1,
            Read::Unknown => true,
            Read::Not => false,
        };
        self.frame.round = solid(value).any(far);
        Ok(())
    }

    /// A length that stays between two others; everything else is doubted.
    fn is_within(&self, value: &[Tok], low: f32, high: f32) -> Result<(), Outcome> {
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
    fn decoration(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let read = self.reading();
        let thick = |token: &Tok| match read.length(token) {
            Read::Is(length) => length.of(self.style.font_size) > 0.2 * self.style.font_size,
            Read::Unknown => true,
            Read::Not => matches!(token, Tok::Function(name, _) if name == "calc"),
        };
        self.frame.thick_line = solid(value).any(thick);
        self.draws_lines(value)
    }

    fn draws_lines(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let lines = ["underline", "overline", "line-through", "spelling-error", "grammar-error"];
        let is_line = |token: &Tok| lines.iter().any(|line| token.is_ident(line));
        self.frame.decorated |= value.iter().any(is_line);
        Ok(())
    }

    fn color_scheme(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let has = |word: &str| value.iter().any(|token| token.is_ident(word));
        match has("dark") && !has("light") {
            true => Err(Outcome::Doubt),
            false => Ok(()),
        }
    }

    /// Takes back what was set before.
    pub(super) fn reset(&mut self, property: &Property, word: Wide) -> Outcome {
        match property {
            Property::All => self.reset_all(word),
            Property::Display => self.reset_display(word),
            _ if is_inherited(property) => self.reset_inherited(property, word),
            _ if word == Wide::Inherit => {
                let parent = self.parent.own.clone().unwrap_or_default();
                if parent.doubts.contains(property) {
                    return Outcome::Doubt;
                }
                self.reset_frame(property, &parent);
            }
            _ if word == Wide::Revert => self.reset_frame(property, &self.fresh.1),
            _ => self.reset_frame(property, &Frame::default()),
        }
        Outcome::Done
    }

    fn reset_display(&mut self, word: Wide) {
        self.style.display = match word {
            Wide::Inherit => self.parent.display,
            Wide::Initial | Wide::Unset => super::frame::Display::Inline,
            Wide::Revert => self.fresh.0.display,
        };
    }

    fn reset_inherited(&mut self, property: &Property, word: Wide) {
        let paper = Style::paper();
        let from = match word {
            Wide::Initial => &paper,
            Wide::Revert => &self.fresh.0,
            Wide::Inherit | Wide::Unset => self.parent,
        };
        match property {
            Property::Color => self.style.color = from.color,
            Property::Fill => self.style.fill = from.fill,
            Property::FontSize => self.style.font_size = from.font_size,
            Property::Font => {
                (self.style.font_size, self.style.line_height) = (from.font_size, from.line_height)
            }
            Property::LineHeight => self.style.line_height = from.line_height,
            Property::LetterSpacing => self.style.letter_spacing = from.letter_spacing,
            Property::WordSpacing => self.style.word_spacing = from.word_spacing,
            Property::TextIndent => self.style.text_indent = from.text_indent,
            Property::TextSecurity => self.style.masked = from.masked,
            Property::Visibility => self.style.visible = from.visible,
            Property::WhiteSpace => self.style.white_space = from.white_space,
            Property::Direction => self.style.rtl = from.rtl,
            Property::WritingMode => self.style.vertical = from.vertical,
            Property::TextCombine => self.style.combined = from.combined,
            Property::Stroke | Property::StrokeColor | Property::StrokeWidth => {
                self.style.stroke = from.stroke
            }
            _ => {}
        }
    }

    fn reset_frame(&mut self, property: &Property, from: &Frame) {
        let frame = &mut *self.frame;
        match property {
            Property::Margin(_) => frame.margin = from.margin,
            Property::Padding(_) => frame.padding = from.padding,
            Property::Inset(_) => frame.inset = from.inset,
            Property::Border(_) => frame.border = from.border,
            Property::Width => frame.width = from.width,
            Property::Height => frame.height = from.height,
            Property::MaxWidth => frame.max_width = from.max_width,
            Property::MaxHeight => frame.max_height = from.max_height,
            Property::MinWidth => frame.min_width = from.min_width,
            Property::MinHeight => frame.min_height = from.min_height,
            Property::Overflow => (frame.clip_x, frame.clip_y) = (from.clip_x, from.clip_y),
            Property::OverflowX => frame.clip_x = from.clip_x,
            Property::OverflowY => frame.clip_y = from.clip_y,
            Property::Position => frame.position = from.position,
            Property::Float => frame.floats = from.floats,
            Property::Opacity => frame.opacity = from.opacity,
            Property::Zoom => frame.zoom = from.zoom,
            Property::ClipPath => {
                (frame.clip_path, frame.has_clip_path) = (from.clip_path, from.has_clip_path)
            }
            Property::Mask => (frame.mask, frame.mask_set) = (from.mask, from.mask_set),
            Property::Filter => frame.filter = from.filter,
            Property::Transform => frame.transform = from.transform,
            Property::Translate => frame.translate = from.translate,
            Property::Scale => frame.scale = from.scale,
            Property::Rotate => frame.rotate = from.rotate,
            Property::BlendMode => frame.blends = from.blends,
            Property::Background => frame.paint = from.paint.clone(),
            Property::BackgroundColor => frame.paint.color = from.paint.color,
            Property::BackgroundImage => {
                frame.paint.gradient.clone_from(&from.paint.gradient);
                frame.paint.unknown = from.paint.unknown;
            }
            Property::BackgroundClip => frame.paint.area = from.paint.area,
            Property::ContentVisibility => frame.content_hidden = from.content_hidden,
            Property::Contain => frame.contained = from.contained,
            Property::Outline | Property::OutlineStyle | Property::OutlineWidth => {
                frame.outline = from.outline
            }
            Property::LineClamp => frame.line_clamp = from.line_clamp,
            Property::AspectRatio => frame.ratio = from.ratio,
            Property::BoxShadow => frame.shadow = from.shadow,
            Property::Columns => frame.columns = from.columns,
            Property::ColumnGap => frame.wide_gap = from.wide_gap,
            Property::Grid => frame.sized_tracks = from.sized_tracks,
            Property::Reflect => frame.reflects = from.reflects,
            Property::ZIndex => frame.negative_layer = from.negative_layer,
            Property::BorderImage => frame.border_image = from.border_image,
            Property::Backface => frame.backface_hidden = from.backface_hidden,
            _ => {}
        }
    }

    fn reset_all(&mut self, word: Wide) {
        let custom = self.style.custom.clone();
        let (fresh, fresh_frame) = self.fresh;
        let base = match word {
            Wide::Initial => Style::paper(),
            Wide::Revert => fresh.clone(),
            Wide::Inherit | Wide::Unset => self.parent.clone(),
        };
        let kept = fresh.clone();
        let display = if word == Wide::Revert { fresh.display } else { super::frame::Display::Inline };
        *self.style = Style { display, custom, ..base.with_surroundings(&kept) };
        *self.frame = if word == Wide::Revert { fresh_frame.clone() } else { Frame::default() };
        if word == Wide::Inherit {
            self.doubt(&Property::All);
        }
    }
}

fn is_inherited(property: &Property) -> bool {
    matches!(
        property,
        Property::Color
            | Property::Fill
            | Property::FontSize
            | Property::Font
            | Property::FontFamily
            | Property::FontSizeAdjust
            | Property::LineHeight
            | Property::LetterSpacing
            | Property::WordSpacing
            | Property::TextIndent
            | Property::TextSecurity
            | Property::Visibility
            | Property::WhiteSpace
            | Property::Direction
            | Property::WritingMode
            | Property::TextCombine
            | Property::Stroke
            | Property::StrokeColor
            | Property::StrokeWidth
            | Property::TabSize
            | Property::BorderSpacing
            | Property::DecorationThickness
            | Property::DecorationLine
            | Property::Border(_)
            | Property::BorderRadius
            | Property::BoxSizing
            | Property::TransformOrigin
            | Property::Flex
            | Property::ColorScheme
            | Property::VerticalAlign
            | Property::BackgroundOther
            | Property::MaskOther
            | Property::OutlineOffset
    )
}

fn overflow_word(value: &[Tok]) -> Result<bool, Outcome> {
    one_of(value, &["visible", "hidden", "clip", "scroll", "auto", "overlay"]).map(|word| word != "visible")
}

fn none_or_doubt(value: &[Tok]) -> Result<(), Outcome> {
    match only(value) {
        Ok([token]) if token.is_ident("none") || token.is_ident("auto") || token.is_ident("normal") => Ok(()),
        Ok([Tok::Number(_) | Tok::Percent(_) | Tok::Hash(_)]) => Err(Outcome::Invalid),
        Ok([Tok::Ident(_)]) => Err(Outcome::Doubt),
        _ => Err(Outcome::Doubt),
    }
}

fn set_sides(sides: &mut Sides, side: Side, sizes: &[Option<Length>]) -> Result<(), Outcome> {
    let (most, at) = match side {
        Side::All => (4, [0, 1, 2, 3]),
        Side::Block | Side::Inline => (2, [0, 1, 1, 0]),
        _ => (1, [0; 4]),
    };
    if sizes.is_empty() || sizes.len() > most {
        return Err(Outcome::Invalid);
    }
    let size = |place: usize| sizes.get(place).or(sizes.get(place & 1)).or(sizes.first()).copied().flatten();
    let is_set = match side {
        Side::All => [true; 4],
        Side::Top => [true, false, false, false],
        Side::Right => [false, true, false, false],
        Side::Bottom => [false, false, true, false],
        Side::Left => [false, false, false, true],
        Side::Block => [true, false, true, false],
        Side::Inline => [false, true, false, true],
    };
    for place in 0..4 {
        if is_set[place] {
            sides[place] = size(at[place]);
        }
    }
    Ok(())
}
