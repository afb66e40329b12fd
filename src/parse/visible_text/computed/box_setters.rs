//! What each property does to the box of an element.

use super::super::css::color::Colored;
use super::super::css::declaration::{Property, Side};
use super::super::css::length::Length;
use super::super::css::tokens::{Tok, solid};
use super::backdrop::{self, Paint};
use super::frame::{Frame, MEDIUM, Position, Sides};
use super::setters::{Setting, share};
use super::shapes;
use super::values::{Outcome, Read, Reading, is_math, one_of, only, word};

const SIZES: [&str; 10] = [
    "auto",
    "min-content",
    "-webkit-min-content",
    "-webkit-max-content",
    "-webkit-fit-content",
    "max-content",
    "fit-content",
    "stretch",
    "-webkit-fill-available",
    "-webkit-fit-content",
];

impl Setting<'_> {
    /// Edges, sizes and places. Lengths are numbers that `place` and `limits` hold against what they allow; words stand for
    /// no limit, or leave doubt.
    #[expect(clippy::too_many_lines, reason = "one arm for each")]
    pub(super) fn set_frame(&mut self, property: &Property, value: &[Tok]) -> Outcome {
        let read = self.reading();
        let result = match property {
            Property::Margin(side) => {
                self.frame.auto_margin |= value.iter().any(|token| token.is_ident("auto"));
                self.sides(value, *side, "auto", |frame| &mut frame.margin)
            }
            Property::Padding(side) => self.sides(value, *side, "", |frame| &mut frame.padding),
            Property::Inset(Side::All)
                if solid(value).any(|token| matches!(token, Tok::Number(size) if *size != 0.0)) =>
            {
                Err(Outcome::Invalid)
            }
            Property::Inset(side) => self.sides(value, *side, "auto", |frame| &mut frame.inset),
            Property::Border(side) => self.border(value, *side),
            // As narrow as the longest word: no narrower than nothing, where nothing is cut off.
            Property::Width | Property::MaxWidth if matches!(only(value), Ok([token]) if is_narrowest(token)) =>
            {
                self.frame.min_content = true;
                let size = Some(Length::default());
                match property {
                    Property::Width => self.frame.width = size,
                    _ => self.frame.max_width = size,
                }
                Ok(())
            }
            Property::Width => read.size(value, &SIZES, false).map(|size| {
                self.frame.width = size;
                self.frame.shrinks =
                    size.is_none() && !matches!(only(value), Ok([token]) if token.is_ident("auto"));
            }),
            Property::Height | Property::MaxHeight if matches!(only(value), Ok([token]) if is_stretched(token)) =>
            {
                self.frame.stretches = true;
                Ok(())
            }
            Property::Height => read.size(value, &SIZES, false).map(|size| self.frame.height = size),
            Property::MinWidth => read.size(value, &SIZES, false).map(|size| self.frame.min_width = size),
            Property::MinHeight => read.size(value, &SIZES, false).map(|size| self.frame.min_height = size),
            Property::MaxWidth => read
                .size(value, &[&SIZES[1..], &["none"]].concat(), false)
                .map(|size| self.frame.max_width = size),
            Property::MaxHeight => read
                .size(value, &[&SIZES[1..], &["none"]].concat(), false)
                .map(|size| self.frame.max_height = size),
            Property::Overflow | Property::OverflowX | Property::OverflowY => {
                // What was `clip` along one axis stays that where the other is visible.
                let clips = value.iter().any(|token| token.is_ident("clip"));
                let scrolls = ["hidden", "scroll", "auto", "overlay"]
                    .iter()
                    .any(|word| value.iter().any(|token| token.is_ident(word)));
                self.frame.scrolls_itself = scrolls && !clips;
                self.frame.bursts |= value.iter().any(|token| token.is_ident("visible"));
                match property {
                    Property::OverflowX => overflow_word(value).map(|clips| self.frame.clip_x = clips),
                    Property::OverflowY => overflow_word(value).map(|clips| self.frame.clip_y = clips),
                    _ => self.overflow(value),
                }
            }
            Property::Position => self.position(value),
            Property::ZIndex => match only(value) {
                Ok([Tok::Number(layer)]) if layer.fract() == 0.0 => {
                    // Whole numbers may be written in ways that are none.
                    self.frame.negative_layer |= *layer < 0.0;
                    Ok(())
                }
                Ok([token]) if token.is_ident("auto") => Ok(()),
                Ok([Tok::Function(name, _)]) if is_math(name) => Err(Outcome::Doubt),
                _ => Err(Outcome::Invalid),
            },
            Property::Float => word(value).and_then(|word| match word.as_str() {
                "none" => {
                    self.frame.floats = false;
                    Ok(())
                }
                "left" | "right" | "inline-start" | "inline-end" => {
                    self.frame.floats = true;
                    Ok(())
                }
                _ => Err(Outcome::Invalid),
            }),
            Property::Opacity => share(value).map(|share| self.frame.opacity = Some(share.clamp(0.0, 1.0))),
            Property::Zoom => self.zoom(value),
            property => return self.set_effect(property, value),
        };
        result.err().unwrap_or(Outcome::Done)
    }

    /// Shapes, filters and moves: `shapes` says which forms leave the whole box where it was.
    fn set_effect(&mut self, property: &Property, value: &[Tok]) -> Outcome {
        let read = self.reading();
        let result = match property {
            Property::ClipPath => shapes::clip_path(value, read, self.has_drawings).map(|seen| {
                self.frame.clip_path = seen;
                self.frame.has_clip_path = !matches!(only(value), Ok([token]) if token.is_ident("none"));
            }),
            Property::Filter => {
                shapes::filter(value, read, self.has_drawings).map(|filter| self.frame.filter = filter)
            }
            Property::Backdrop => shapes::filter(value, read, self.has_drawings).and_then(|filter| {
                self.frame.backdrop = !matches!(only(value), Ok([token]) if token.is_ident("none"));
                self.frame.backdrop_levels = filter.levels;
                self.style.tinted |= filter.tints;
                let is_mixed = self.style.tinted && !self.frame.backdrop_levels.is_empty();
                let is_known = !filter.unknown && filter.hidden.is_none() && !is_mixed;
                if is_known { Ok(()) } else { Err(Outcome::Doubt) }
            }),
            Property::Clip => match only(value) {
                Ok([token]) => {
                    self.frame.cut_out = !token.is_ident("auto");
                    Ok(())
                }
                _ => Err(Outcome::Invalid),
            },
            Property::Transform => shapes::transform(value, read).map(|moved| self.frame.transform = moved),
            Property::Translate => {
                shapes::single("translate", value, read).map(|moved| self.frame.translate = moved)
            }
            Property::Scale => shapes::single("scale", value, read).map(|moved| self.frame.scale = moved),
            Property::Rotate => shapes::single("rotate", value, read).map(|moved| self.frame.rotate = moved),
            Property::TransformOrigin => {
                self.frame.origin_moved = true;
                Ok(())
            }
            Property::Backface => one_of(value, &["visible", "hidden"])
                .map(|word| self.frame.backface_hidden = word == "hidden"),
            Property::Mask => self.mask(value),
            Property::MaskBox => self.mask_box(value),
            Property::MaskOther => {
                self.frame.mask_changed = true;
                Ok(())
            }
            Property::BlendMode => word(value).and_then(|word| self.blend(&word)),
            Property::OffsetPath => Self::offset_path(value),
            property => return self.set_containment(property, value),
        };
        result.err().unwrap_or(Outcome::Done)
    }

    /// What cuts off like `overflow`, and what replaces or repeats the element: without an image nothing is drawn.
    fn set_containment(&mut self, property: &Property, value: &[Tok]) -> Outcome {
        let result = match property {
            Property::BorderImage => {
                let is_image = |token: &Tok| matches!(token, Tok::Url(_) | Tok::Function(..));
                self.frame.border_image = value.iter().any(is_image);
                self.frame.border_image_wide |=
                    value.iter().any(|token| token.is_ident("fill") || *token == Tok::Delim('/'));
                Ok(())
            }
            Property::BorderImageOther => {
                self.frame.border_image_wide = true;
                Ok(())
            }
            Property::FilledBorderImage => {
                let is_image = |token: &Tok| match token {
                    Tok::Function(name, _) => !is_math(name),
                    token => matches!(token, Tok::Url(_)),
                };
                if value.iter().any(is_image) { Err(Outcome::Doubt) } else { Ok(()) }
            }
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
                _ if value.iter().any(is_measure) => Err(Outcome::Invalid),
                // Names, without the kind that stands behind a stroke, or something that is none.
                Err(_)
                    if value.iter().all(|token| matches!(token, Tok::Ident(_) | Tok::Space))
                        && !value.iter().any(|token| {
                            token
                                .ident()
                                .is_some_and(|word| word.ends_with("size") || word.starts_with("scroll"))
                        }) =>
                {
                    Err(Outcome::Invalid)
                }
                _ => Err(Outcome::Doubt),
            },
            Property::Strange | Property::PositionAnchor => none_or_doubt(value),
            // Border, ground, edge and shadow follow it; letters do not.
            Property::BorderShape => {
                self.frame.border_shape = !matches!(only(value), Ok([token]) if token.is_ident("none"));
                Ok(())
            }
            Property::Perspective => {
                self.style.deep |= !matches!(only(value), Ok([token]) if token.is_ident("none"));
                Ok(())
            }
            property => return self.set_rest(property, value),
        };
        result.err().unwrap_or(Outcome::Done)
    }

    /// Grounds and lines around the box: a ground is a list of colours that text must stand out from, a line is held
    /// against its width.
    fn set_rest(&mut self, property: &Property, value: &[Tok]) -> Outcome {
        let read = self.reading();
        let result = match property {
            Property::Background => backdrop::paint(value).map(|paint| self.frame.paint = paint),
            Property::BackgroundColor => self.background_color(value),
            Property::BackgroundOther => {
                self.frame.paint.placed = true;
                Ok(())
            }
            Property::BackgroundImage => {
                backdrop::images(value).map(|Paint { gradient, unknown, .. }| {
                    self.frame.paint.gradient = gradient;
                    self.frame.paint.unknown = unknown;
                })
            }
            Property::BackgroundClip if value.contains(&Tok::Comma) => Err(Outcome::Doubt),
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
            Property::AspectRatio => self.ratio(value),
            property => return self.set_layout(property, value),
        };
        result.err().unwrap_or(Outcome::Done)
    }

    /// Columns, tracks and spacing: as they are by themselves they hide nothing; what they have is held against what cuts
    /// off by `settle`.
    fn set_layout(&mut self, property: &Property, value: &[Tok]) -> Outcome {
        let result = match property {
            Property::BorderRadius => self.border_radius(value),
            Property::BorderStyle => {
                self.frame.medium |= self.styles_border(value);
                Ok(())
            }
            Property::BorderSpacing => self.border_spacing(value),
            Property::Columns => one_of(value, &["auto"]).map(|_| ()).or_else(|_| {
                self.frame.columns = true;
                Ok(())
            }),
            Property::ColumnGap if self.is_within(value, 0.0, 200.0).is_ok() => {
                self.frame.some_gap |= self.is_within(value, 0.0, 20.0).is_err();
                Ok(())
            }
            Property::ColumnGap => self.is_within(value, 0.0, 200.0).or_else(|_| {
                self.frame.wide_gap = true;
                Ok(())
            }),
            Property::Grid => one_of(value, &["none", "auto"]).map(|_| ()).or_else(|_| {
                self.frame.sized_tracks = true;
                Ok(())
            }),
            Property::Flex => {
                self.frame.flexes = true;
                Ok(())
            }
            Property::LineClamp => match only(value) {
                Ok([token]) if token.is_ident("none") || token.is_ident("auto") => {
                    self.frame.line_clamp = None;
                    Ok(())
                }
                Ok([Tok::Number(lines)]) if *lines >= 1.0 => {
                    let most = self.frame.line_clamp.unwrap_or(usize::MAX);
                    self.frame.line_clamp = Some(most.min(*lines as usize));
                    Ok(())
                }
                Ok([Tok::Function(..)]) => Err(Outcome::Doubt),
                _ => Err(Outcome::Invalid),
            },
            Property::TableLayout => {
                one_of(value, &["auto", "fixed"]).map(|word| self.frame.fixed_table = Some(word == "fixed"))
            }
            Property::TabSize => self.tab_size(value),
            Property::DecorationThickness => self.decoration(value),
            Property::DecorationLine => self.draws_lines(value),
            Property::ColorScheme => self.color_scheme(value),
            property => self.set_alignment(property, value),
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
        // In quirks mode lengths of one side may be without a unit, and those of all may not.
        let is_list = word == "auto" && matches!(side, Side::Block | Side::Inline);
        let read = self.reading();
        let read = Reading { quirks: read.quirks && !is_list, ..read };
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
                Err(Outcome::Doubt)
                    if super::super::css::color::color(token) == Colored::Not
                        || matches!(token, Tok::Function(name, _) if is_math(name)) =>
                {
                    return Err(Outcome::Doubt);
                }
                // Styles and colours; what is none of them voids all, which only a width could feel.
                Err(_) => {}
            }
        }
        if self.styles_border(value) && widths.is_empty() {
            widths.push(Some(Length::px(MEDIUM)));
        }
        match widths.is_empty() {
            true => Ok(()),
            false => set_sides(&mut self.frame.border, side, &widths),
        }
    }

    /// Only tables have it, those in the element too.
    fn border_spacing(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        self.frame.odd |= self.is_within(value, 0.0, 12.0).is_err();
        match self.is_within(value, 0.0, 100.0) {
            Err(Outcome::Invalid) => Err(Outcome::Invalid),
            result => {
                self.style.spaced = result.is_err();
                let spacing = solid(value).next().map(|token| self.reading().length(token));
                self.style.cell_room += match spacing {
                    Some(Read::Is(length)) => length.px.max(0.0),
                    _ => 100.0,
                };
                Ok(())
            }
        }
    }

    /// Tabs are kept only where blanks are.
    fn tab_size(&self, value: &[Tok]) -> Result<(), Outcome> {
        match only(value) {
            Ok([Tok::Number(size)]) if *size <= 16.0 => Ok(()),
            Ok([Tok::Ident(_) | Tok::Text(_) | Tok::Url(_) | Tok::Hash(_)]) => Err(Outcome::Invalid),
            _ if !matches!(self.style.white_space, super::WhiteSpace::Pre | super::WhiteSpace::PreWrap) => {
                Ok(())
            }
            _ => Err(Outcome::Doubt),
        }
    }

    /// Takes down whether a border is drawn, and says so.
    fn styles_border(&mut self, value: &[Tok]) -> bool {
        let styles = ["solid", "dotted", "dashed", "double", "groove", "ridge", "inset", "outset"];
        let is_drawn = value.iter().any(|token| styles.iter().any(|style| token.is_ident(style)));
        self.frame.border_styled |= is_drawn;
        is_drawn
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

    /// `auto` and a ratio, which is none where a part of it is nothing (CSS Values 4, 5.7).
    fn ratio(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let is_part = |token: &Tok| match token {
            Tok::Number(_) | Tok::Delim('/') => true,
            Tok::Function(name, _) => is_math(name),
            token => token.is_ident("auto"),
        };
        if !solid(value).all(is_part) {
            return Err(Outcome::Invalid);
        }
        let is_auto = matches!(only(value), Ok([token]) if token.is_ident("auto"));
        self.frame.ratio = !is_auto && !value.contains(&Tok::Number(0.0));
        Ok(())
    }

    fn position(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        self.frame.position = match word(value)?.as_str() {
            "static" => Position::Static,
            "relative" => Position::Relative,
            "sticky" | "-webkit-sticky" => Position::Sticky,
            "absolute" => Position::Absolute,
            "fixed" => Position::Out,
            _ => return Err(Outcome::Invalid),
        };
        Ok(())
    }
}

/// A number of something, or a colour, which values made of words never hold.
fn is_measure(token: &Tok) -> bool {
    matches!(token, Tok::Number(_) | Tok::Percent(_) | Tok::Dimension(..) | Tok::Hash(_))
}

fn is_stretched(token: &Tok) -> bool {
    token.is_ident("stretch") || token.is_ident("-webkit-fill-available")
}

fn overflow_word(value: &[Tok]) -> Result<bool, Outcome> {
    one_of(value, &["visible", "hidden", "clip", "scroll", "auto", "overlay"]).map(|word| word != "visible")
}

/// As narrow as the longest word.
fn is_narrowest(token: &Tok) -> bool {
    token.is_ident("min-content") || token.is_ident("-webkit-min-content")
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
    let is_set = side.places();
    for place in 0..4 {
        if is_set[place] {
            sides[place] = size(at[place]);
        }
    }
    Ok(())
}
