//! What a person is told may hide.

use super::declaration::Property;

impl Property {
    /// The name by which a person is told what may hide.
    #[expect(clippy::too_many_lines, reason = "one arm for each")]
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Animation => "animation",
            Self::Backdrop => "backdrop-filter",
            Self::Background
            | Self::BackgroundBlend
            | Self::BackgroundClip
            | Self::BackgroundColor
            | Self::BackgroundImage
            | Self::BackgroundOther => "background",
            Self::BlendMode => "mix-blend-mode",
            Self::Border(_)
            | Self::BorderImage
            | Self::BorderImageOther
            | Self::BorderRadius
            | Self::BorderShape
            | Self::BorderSpacing
            | Self::CornerShape
            | Self::FilledBorderImage => "border",
            Self::BoxShadow => "box-shadow",
            Self::Clip | Self::ClipMargin => "clip",
            Self::ClipPath => "clip-path",
            Self::Color | Self::Fill => "color",
            Self::ColorScheme => "color-scheme",
            Self::Break | Self::Columns | Self::ColumnGap | Self::Rule => "columns",
            Self::Contain | Self::Container | Self::ContentVisibility => "contain",
            Self::Content => "content",
            Self::Display => "display",
            Self::Filter => "filter",
            Self::ShapeOutside => "float",
            Self::Align
            | Self::AlignLines
            | Self::AlignSelf
            | Self::BoxOrient
            | Self::Flex
            | Self::Grid
            | Self::GridPlace => "flex or grid",
            Self::Font | Self::FontFamily => "font",
            Self::FontSize | Self::FontSizeAdjust => "font-size",
            Self::AspectRatio | Self::Height | Self::MaxHeight | Self::MinHeight => "height",
            Self::Width | Self::MaxWidth | Self::MinWidth => "width",
            Self::Inset(_) | Self::Position | Self::PositionAnchor | Self::ZIndex => "position",
            Self::LetterSpacing | Self::WordSpacing => "spacing of letters",
            Self::ListStyle => "list-style",
            Self::LineClamp | Self::LineHeight => "line-height",
            Self::Margin(_) | Self::MarginTrim => "margin",
            Self::Mask | Self::MaskBox | Self::MaskOther => "mask",
            Self::OffsetPath => "offset-path",
            Self::Opacity => "opacity",
            Self::Outline | Self::OutlineOffset | Self::OutlineStyle | Self::OutlineWidth => "outline",
            Self::TextOverflow | Self::Overflow | Self::OverflowX | Self::OverflowY => "overflow",
            Self::Padding(_) => "padding",
            Self::Quotes => "quotes",
            Self::Stroke | Self::StrokeColor | Self::StrokeWidth => "stroke",
            Self::TextBox => "text-box",
            Self::TextShadow => "text-shadow",
            Self::TextIndent => "text-indent",
            Self::Backface
            | Self::Perspective
            | Self::Rotate
            | Self::Scale
            | Self::Transform
            | Self::TransformOrigin
            | Self::Translate
            | Self::Zoom => "transform",
            Self::Visibility => "visibility",
            Self::WhiteSpace | Self::TabSize => "white-space",
            _ => "style",
        }
    }
}
