//! What `inherit`, `initial`, `unset` and `revert` do: take back what was set before.

use super::super::css::declaration::{Property, Side};
use super::Style;
use super::frame::{Display, Frame, Sides};
use super::setters::{Setting, Wide};
use super::values::Outcome;

/// Takes over the sides that are meant; the others stay as they were set.
fn take_sides(sides: &mut Sides, from: &Sides, side: Side) {
    for (place, is_meant) in side.places().into_iter().enumerate() {
        if is_meant {
            sides[place] = from[place];
        }
    }
}

impl Setting<'_> {
    /// Takes back what was set before.
    pub(super) fn reset(&mut self, property: &Property, word: Wide) -> Outcome {
        match property {
            Property::All if word == Wide::Revert && self.has_hints => return Outcome::Doubt,
            Property::All if word == Wide::Inherit => return self.take_over_all(),
            Property::All => self.reset_all(word),
            Property::Display => self.reset_display(word),
            _ if word == Wide::Inherit && is_of_box(property) && self.parent_has(property) => {
                return Outcome::Doubt;
            }
            _ if word == Wide::Revert && self.has_hints && may_be_hinted(property) => return Outcome::Doubt,
            _ if is_inherited(property) => self.reset_inherited(property, word),
            _ if word == Wide::Inherit && !is_copied(property) && !self.parent_is_bare() => {
                return Outcome::Doubt;
            }
            _ if word == Wide::Inherit => {
                let parent = self.parent.own.clone().unwrap_or_default();
                let kind = std::mem::discriminant(property);
                if parent.doubts.iter().any(|doubted| std::mem::discriminant(doubted) == kind) {
                    return Outcome::Doubt;
                }
                self.reset_frame(property, &parent);
            }
            _ => {
                let from = if word == Wide::Revert { self.fresh.1.clone() } else { Frame::default() };
                let before = is_shared(property).then(|| self.frame.clone());
                self.reset_frame(property, &from);
                if let Some(before) = before.filter(|before| before != self.frame) {
                    *self.frame = before;
                    return Outcome::Doubt;
                }
            }
        }
        Outcome::Done
    }

    /// Whether nothing is set on the element around, but how large it is and how far from others.
    fn parent_is_bare(&self) -> bool {
        self.parent.own.as_ref().is_none_or(|own| own.is_only_sized())
    }

    /// Takes over everything, from a block or line around on which nothing is set.
    fn take_over_all(&mut self) -> Outcome {
        self.reset_all(Wide::Inherit);
        let bare = self.parent.own.as_ref().filter(|own| own.is_bare());
        match (bare, self.parent.display) {
            (Some(own), display @ (Display::Block | Display::Inline)) => {
                (self.style.display, self.frame.margin, self.frame.is_item) =
                    (display, own.margin, own.is_item);
                Outcome::Done
            }
            _ => Outcome::Doubt,
        }
    }

    /// Whether the element around may have set what is taken over from it.
    fn parent_has(&self, property: &Property) -> bool {
        let Some(own) = &self.parent.own else { return true };
        match property {
            Property::Border(_) => own.border_styled || own.border.iter().any(Option::is_some),
            Property::BorderRadius => own.round,
            Property::BoxSizing => own.border_box,
            Property::Flex => own.flexes,
            // Cells and raised letters have one without a declaration.
            Property::VerticalAlign | Property::TabSize => true,
            Property::BackgroundOther => own.declares(property) || own.declares(&Property::Background),
            Property::MaskOther => own.declares(property) || own.declares(&Property::Mask),
            _ => own.declares(property),
        }
    }

    fn reset_display(&mut self, word: Wide) {
        let own = self.parent.own.as_ref();
        self.frame.flow_root = word == Wide::Inherit && own.is_some_and(|own| own.flow_root);
        self.style.display = match word {
            Wide::Inherit => self.parent.display,
            Wide::Initial | Wide::Unset => Display::Inline,
            Wide::Revert | Wide::Unsure => self.fresh.0.display,
        };
    }

    fn reset_inherited(&mut self, property: &Property, word: Wide) {
        let paper = Style::paper();
        let from = match word {
            Wide::Initial => &paper,
            Wide::Revert | Wide::Unsure => &self.fresh.0,
            Wide::Inherit | Wide::Unset => self.parent,
        };
        match property {
            Property::Color => self.style.color = from.color,
            Property::Fill => self.style.fill = from.fill,
            Property::FontSize => self.style.font_size = from.font_size,
            Property::Font => {
                (self.style.font_size, self.style.line_height) = (from.font_size, from.line_height);
                self.style.grown = from.grown.max(self.style.grown);
            }
            Property::FontWeight => self.style.thin = from.thin,
            Property::LineHeight => self.style.line_height = from.line_height,
            Property::LetterSpacing => self.style.letter_spacing = from.letter_spacing,
            Property::WordSpacing => self.style.word_spacing = from.word_spacing,
            Property::TextIndent => self.style.text_indent = from.text_indent,
            Property::TextShadow => {
                (self.style.far_shadow, self.style.thrown) = (from.far_shadow, from.thrown);
                self.style.drops = from.drops;
            }
            Property::TextTransform => self.style.capitals = from.capitals,
            Property::TextSecurity => self.style.masked = from.masked,
            Property::Visibility => {
                (self.style.visible, self.style.collapses) = (from.visible, from.collapses);
            }
            // It may be one of several that make it up.
            Property::WhiteSpace => {
                self.style.odd_blanks |= self.style.white_space != from.white_space;
                self.style.white_space = from.white_space;
            }
            Property::Direction => self.style.rtl = from.rtl,
            Property::WritingMode => self.style.vertical = from.vertical,
            Property::TextCombine => self.style.combined = from.combined,
            Property::FontSizeAdjust => self.style.grown = from.grown,
            Property::BorderSpacing => self.style.spaced = from.spaced,
            Property::Stroke => self.style.stroke = from.stroke,
            Property::StrokeColor => self.style.stroke.1 = from.stroke.1,
            Property::StrokeWidth => self.style.stroke.0 = from.stroke.0,
            _ => {}
        }
    }

    fn reset_frame(&mut self, property: &Property, from: &Frame) {
        let frame = &mut *self.frame;
        match property {
            Property::Margin(side) => take_sides(&mut frame.margin, &from.margin, *side),
            Property::Padding(side) => take_sides(&mut frame.padding, &from.padding, *side),
            Property::Inset(side) => take_sides(&mut frame.inset, &from.inset, *side),
            Property::Border(side) => take_sides(&mut frame.border, &from.border, *side),
            Property::Width => frame.width = from.width,
            Property::Height => frame.height = from.height,
            Property::MaxWidth => frame.max_width = from.max_width,
            Property::MaxHeight => frame.max_height = from.max_height,
            Property::MinWidth => frame.min_width = from.min_width,
            Property::MinHeight => frame.min_height = from.min_height,
            Property::Overflow | Property::OverflowX | Property::OverflowY => {
                reset_overflow(property, frame, from)
            }
            Property::Position => frame.position = from.position,
            Property::Float => frame.floats = from.floats,
            Property::Opacity => frame.opacity = from.opacity,
            Property::Zoom => frame.zoom = from.zoom,
            Property::ClipPath => {
                (frame.clip_path, frame.has_clip_path) = (from.clip_path, from.has_clip_path)
            }
            Property::Mask => (frame.mask, frame.mask_set) = (from.mask, from.mask_set),
            Property::Filter => frame.filter = from.filter.clone(),
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
            Property::Contain => (frame.contained, frame.sizeless) = (from.contained, from.sizeless),
            Property::BorderShape => frame.border_shape = from.border_shape,
            Property::Outline | Property::OutlineStyle | Property::OutlineWidth => {
                frame.outline = from.outline
            }
            Property::LineClamp => frame.line_clamp = from.line_clamp,
            Property::AspectRatio => frame.ratio = from.ratio,
            Property::BoxShadow => {
                (frame.shadow, frame.shade, frame.shadowed) = (from.shadow, from.shade, from.shadowed);
                (frame.glow, frame.far_shade) = (from.glow, from.far_shade);
                frame.inner_shadows.clone_from(&from.inner_shadows);
            }
            Property::Clip => frame.cut_out = from.cut_out,
            Property::Columns => frame.columns = from.columns,
            Property::ColumnGap => frame.wide_gap = from.wide_gap,
            Property::Grid => frame.sized_tracks = from.sized_tracks,
            Property::Reflect => frame.reflects = from.reflects,
            Property::ZIndex => frame.negative_layer = from.negative_layer,
            Property::BorderImage => frame.border_image = from.border_image,
            Property::Backface => frame.backface_hidden = from.backface_hidden,
            property => reset_alignment(property, frame, from),
        }
    }

    fn reset_all(&mut self, word: Wide) {
        let custom = self.style.custom.clone();
        let (fresh, fresh_frame) = self.fresh;
        let base = match word {
            Wide::Initial => Style::paper(),
            Wide::Revert | Wide::Unsure => fresh.clone(),
            Wide::Inherit | Wide::Unset => self.parent.clone(),
        };
        let kept = fresh.clone();
        let display = if word == Wide::Revert { fresh.display } else { Display::Inline };
        // Directions are no part of it.
        let (rtl, bidi, reversed) = (kept.rtl, kept.bidi, kept.reversed);
        *self.style = Style { display, custom, rtl, bidi, reversed, ..base.with_surroundings(&kept) };
        let bare = Frame {
            bursts: true,
            is_boxed: fresh_frame.is_boxed,
            is_break: fresh_frame.is_break,
            is_root: fresh_frame.is_root,
            is_word: fresh_frame.is_word,
            ..Frame::default()
        };
        *self.frame = if word == Wide::Revert { fresh_frame.clone() } else { bare };
    }
}

/// What a drawing or picture holds is cut off unless something says otherwise, as this may.
fn reset_overflow(property: &Property, frame: &mut Frame, from: &Frame) {
    frame.bursts = true;
    if *property != Property::OverflowY {
        frame.clip_x = from.clip_x;
    }
    if *property != Property::OverflowX {
        frame.clip_y = from.clip_y;
    }
}

fn reset_alignment(property: &Property, frame: &mut Frame, from: &Frame) {
    match property {
        Property::Align => frame.aligned = from.aligned,
        Property::AlignLines => frame.aligned_lines = from.aligned_lines,
        Property::AlignSelf => frame.ordered = from.ordered,
        Property::GridPlace => frame.placed = from.placed,
        Property::Scrolls => frame.scrolls = from.scrolls,
        Property::Backdrop => {
            frame.backdrop = from.backdrop;
            frame.backdrop_levels.clone_from(&from.backdrop_levels);
        }
        _ => {}
    }
}

/// Whether a property stands for several, of which one is taken back.
fn is_shared(property: &Property) -> bool {
    matches!(
        property,
        Property::Align
            | Property::AlignLines
            | Property::AlignSelf
            | Property::ColumnGap
            | Property::Columns
            | Property::Contain
            | Property::Grid
            | Property::GridPlace
            | Property::Outline
            | Property::OutlineStyle
            | Property::OutlineWidth
            | Property::Scrolls
    )
}

/// Whether attributes can say what a property says, so that taking it back takes them back too.
fn may_be_hinted(property: &Property) -> bool {
    !matches!(
        property,
        Property::Align
            | Property::AlignSelf
            | Property::Backface
            | Property::BlendMode
            | Property::BoxShadow
            | Property::Clip
            | Property::ClipPath
            | Property::Columns
            | Property::Contain
            | Property::Filter
            | Property::Grid
            | Property::GridPlace
            | Property::LetterSpacing
            | Property::MaskOther
            | Property::Opacity
            | Property::Outline
            | Property::OutlineOffset
            | Property::OutlineStyle
            | Property::OutlineWidth
            | Property::Reflect
            | Property::Rotate
            | Property::Scale
            | Property::Scrolls
            | Property::TextShadow
            | Property::Transform
            | Property::TransformOrigin
            | Property::Translate
            | Property::WordSpacing
    )
}

/// Whether all that a property can say is kept for children that ask for it.
fn is_copied(property: &Property) -> bool {
    matches!(
        property,
        Property::Margin(_)
            | Property::Padding(_)
            | Property::Inset(_)
            | Property::Width
            | Property::Height
            | Property::MaxWidth
            | Property::MaxHeight
            | Property::MinWidth
            | Property::MinHeight
            | Property::Overflow
            | Property::OverflowX
            | Property::OverflowY
            | Property::Position
            | Property::Opacity
            | Property::BackgroundColor
            | Property::ZIndex
    )
}

/// Whether a property of the box is not kept for children that ask for it.
pub(super) fn is_of_box(property: &Property) -> bool {
    matches!(
        property,
        Property::DecorationThickness
            | Property::DecorationLine
            | Property::Border(_)
            | Property::BorderRadius
            | Property::BoxSizing
            | Property::TransformOrigin
            | Property::Flex
            | Property::VerticalAlign
            | Property::BackgroundOther
            | Property::MaskOther
            | Property::OutlineOffset
            | Property::TableLayout
            | Property::TabSize
    )
}

fn is_inherited(property: &Property) -> bool {
    // Those of the box are not taken back either.
    let is_taken_over = matches!(
        property,
        Property::Color
            | Property::Fill
            | Property::FontSize
            | Property::Font
            | Property::FontFamily
            | Property::FontSizeAdjust
            | Property::FontWeight
            | Property::LineHeight
            | Property::LetterSpacing
            | Property::WordSpacing
            | Property::TextIndent
            | Property::TextShadow
            | Property::TextTransform
            | Property::TextSecurity
            | Property::Visibility
            | Property::WhiteSpace
            | Property::Direction
            | Property::WritingMode
            | Property::TextCombine
            | Property::Stroke
            | Property::StrokeColor
            | Property::StrokeWidth
            | Property::BorderSpacing
            | Property::ColorScheme
    );
    is_taken_over || (is_of_box(property) && *property != Property::TableLayout)
}
