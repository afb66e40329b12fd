//! Which property a name stands for, in all the spellings that browsers know.

use super::declaration::{Property, Side};

/// The property of a name without a prefix; `None` for one that cannot hide.
pub(super) fn of(name: &str) -> Option<Property> {
    sided(name)
        .or_else(|| by_name(name))
        .or_else(|| by_later_name(name))
        .or_else(|| shifts(name).then_some(Property::Shifts))
}

/// Whether a property changes how much room letters, lines, cells or scroll bars take.
fn shifts(name: &str) -> bool {
    matches!(
        name,
        "alignment-baseline"
            | "appearance"
            | "baseline-source"
            | "box-decoration-break"
            | "column-fill"
            | "column-span"
            | "column-wrap"
            | "counter-increment"
            | "counter-reset"
            | "counter-set"
            | "cx"
            | "cy"
            | "d"
            | "dominant-baseline"
            | "field-sizing"
            | "font-feature-settings"
            | "font-kerning"
            | "font-palette"
            | "font-stretch"
            | "font-width"
            | "font-synthesis"
            | "font-synthesis-weight"
            | "font-variant"
            | "font-variant-alternates"
            | "font-variant-caps"
            | "font-variant-east-asian"
            | "font-variant-numeric"
            | "font-variant-position"
            | "font-variation-settings"
            | "hyphenate-character"
            | "math-depth"
            | "math-shift"
            | "math-style"
            | "object-fit"
            | "object-position"
            | "object-view-box"
            | "position-area"
            | "r"
            | "ruby-align"
            | "ruby-overhang"
            | "ruby-position"
            | "rx"
            | "ry"
            | "scrollbar-gutter"
            | "scrollbar-width"
            | "shape-image-threshold"
            | "shape-margin"
            | "text-autospace"
            | "text-emphasis"
            | "text-emphasis-position"
            | "text-emphasis-style"
            | "text-orientation"
            | "text-spacing-trim"
            | "x"
            | "y"
    )
}

/// The names that Chromium knows with its prefix and that can hide; others with the prefix are not known or harmless.
pub(super) fn prefixed(bare: &str) -> Option<Property> {
    let side = |name: &str| {
        Some(match name {
            "before" => Side::Top,
            "after" => Side::Bottom,
            "start" => Side::Left,
            "end" => Side::Right,
            _ => return None,
        })
    };
    if let Some(rest) = bare.strip_prefix("margin-") {
        return side(rest).map(Property::Margin);
    }
    if let Some(rest) = bare.strip_prefix("padding-") {
        return side(rest).map(Property::Padding);
    }
    if let Some(rest) = bare.strip_prefix("border-") {
        return match rest {
            "image" => Some(Property::FilledBorderImage),
            "horizontal-spacing" | "vertical-spacing" => Some(Property::BorderSpacing),
            rest if rest.ends_with("radius") => Some(Property::BorderRadius),
            rest if rest.ends_with("-style") => Some(Property::BorderStyle),
            rest => side(rest.strip_suffix("-width").unwrap_or(rest)).map(Property::Border),
        };
    }
    if bare.starts_with("transform-origin") {
        return Some(Property::TransformOrigin);
    }
    if let Some(rest) = bare.strip_prefix("mask-box-image") {
        return Some(if matches!(rest, "" | "-source") { Property::MaskBox } else { Property::MaskOther });
    }
    prefixed_as_without(bare).or_else(|| prefixed_only(bare))
}

/// Those that mean the same as without the prefix.
fn prefixed_as_without(bare: &str) -> Option<Property> {
    let known = matches!(
        bare,
        "animation"
            | "animation-name"
            | "animation-duration"
            | "animation-fill-mode"
            | "animation-delay"
            | "animation-iteration-count"
            | "animation-play-state"
            | "backface-visibility"
            | "background-clip"
            | "background-size"
            | "background-origin"
            | "box-shadow"
            | "box-sizing"
            | "clip-path"
            | "column-count"
            | "column-gap"
            | "column-width"
            | "columns"
            | "filter"
            | "flex"
            | "flex-basis"
            | "flex-grow"
            | "flex-shrink"
            | "mask"
            | "mask-image"
            | "mask-clip"
            | "mask-composite"
            | "mask-origin"
            | "mask-position"
            | "mask-position-x"
            | "mask-position-y"
            | "mask-repeat"
            | "mask-size"
            | "opacity"
            | "perspective"
            | "shape-outside"
            | "transform"
            | "writing-mode"
    );
    if known { by_name(bare).or_else(|| by_later_name(bare)) } else { None }
}

/// Those that there are only with it.
fn prefixed_only(bare: &str) -> Option<Property> {
    Some(match bare {
        "align-content" => Property::AlignLines,
        "align-items" | "justify-content" | "flex-direction" | "flex-flow" | "flex-wrap" | "box-pack"
        | "box-align" | "box-direction" => Property::Align,
        "align-self" | "order" | "box-ordinal-group" => Property::AlignSelf,
        "appearance"
        | "box-decoration-break"
        | "font-feature-settings"
        | "hyphenate-character"
        | "ruby-position"
        | "shape-image-threshold"
        | "shape-margin"
        | "text-emphasis"
        | "text-emphasis-position"
        | "text-emphasis-style"
        | "text-orientation" => Property::Shifts,
        "box-flex" => Property::Flex,
        "box-orient" => Property::BoxOrient,
        "box-reflect" => Property::Reflect,
        "column-break-after" | "column-break-before" => Property::Break,
        "column-rule" | "column-rule-style" | "column-rule-width" => Property::Rule,
        "line-clamp" => Property::LineClamp,
        "logical-height" => Property::Height,
        "logical-width" => Property::Width,
        "max-logical-height" => Property::MaxHeight,
        "max-logical-width" => Property::MaxWidth,
        "min-logical-height" => Property::MinHeight,
        "min-logical-width" => Property::MinWidth,
        "text-combine" => Property::TextCombine,
        "text-fill-color" => Property::Fill,
        "text-security" => Property::TextSecurity,
        "text-stroke" => Property::Stroke,
        "text-stroke-color" => Property::StrokeColor,
        "text-stroke-width" => Property::StrokeWidth,
        _ => return None,
    })
}

/// Margins, paddings, borders and insets.
fn sided(name: &str) -> Option<Property> {
    if let Some(rest) = name.strip_prefix("margin") {
        return side(rest).map(Property::Margin);
    }
    if let Some(rest) = name.strip_prefix("padding") {
        return side(rest).map(Property::Padding);
    }
    if let Some(rest) = name.strip_prefix("inset") {
        let is_logical = rest.is_empty() || rest.starts_with("-block") || rest.starts_with("-inline");
        return side(rest).filter(|_| is_logical).map(Property::Inset);
    }
    let rest = name.strip_prefix("border")?;
    match rest {
        "-image" | "-image-source" => Some(Property::BorderImage),
        "-image-slice" | "-image-width" | "-image-outset" => Some(Property::BorderImageOther),
        "-shape" => Some(Property::BorderShape),
        "-spacing" => Some(Property::BorderSpacing),
        rest if rest.ends_with("-radius") => Some(Property::BorderRadius),
        rest if rest.ends_with("-style") => Some(Property::BorderStyle),
        rest => side(rest.strip_suffix("-width").unwrap_or(rest)).map(Property::Border),
    }
}

fn by_name(name: &str) -> Option<Property> {
    Some(match name {
        "all" => Property::All,
        "animation" | "animation-name" => Property::Animation,
        "animation-duration"
        | "animation-fill-mode"
        | "animation-timeline"
        | "animation-delay"
        | "animation-play-state"
        | "animation-iteration-count"
        | "animation-range" => Property::AnimationTime,
        "aspect-ratio" => Property::AspectRatio,
        "backdrop-filter" => Property::Backdrop,
        "backface-visibility" => Property::Backface,
        "background" => Property::Background,
        "background-clip" => Property::BackgroundClip,
        "background-blend-mode" => Property::BackgroundBlend,
        "background-color" => Property::BackgroundColor,
        "background-image" => Property::BackgroundImage,
        "background-size"
        | "background-position"
        | "background-position-x"
        | "background-position-y"
        | "background-repeat"
        | "background-attachment"
        | "background-origin" => Property::BackgroundOther,
        // What it does stays where the other is taken back.
        "baseline-shift" => Property::Strange,
        "vertical-align" => Property::VerticalAlign,
        "block-size" | "height" => Property::Height,
        "bottom" => Property::Inset(Side::Bottom),
        "box-shadow" => Property::BoxShadow,
        "box-sizing" => Property::BoxSizing,
        "break-after" | "break-before" | "page-break-after" | "page-break-before" => Property::Break,
        "clear" => Property::Clear,
        "clip" => Property::Clip,
        "clip-path" => Property::ClipPath,
        name if name.starts_with("overflow-clip-margin") => Property::ClipMargin,
        "color" => Property::Color,
        "color-scheme" => Property::ColorScheme,
        "column-gap" | "gap" | "grid-gap" | "grid-column-gap" | "row-gap" | "grid-row-gap" => {
            Property::ColumnGap
        }
        "contain-intrinsic-block-size"
        | "contain-intrinsic-height"
        | "contain-intrinsic-inline-size"
        | "contain-intrinsic-size"
        | "contain-intrinsic-width" => Property::Clear,
        name if name.starts_with("corner-") => Property::CornerShape,
        "column-rule" | "column-rule-style" | "column-rule-width" | "row-rule" | "row-rule-style"
        | "row-rule-width" | "rule" | "rule-style" | "rule-width" => Property::Rule,
        "column-count" | "column-height" | "column-width" | "columns" => Property::Columns,
        "contain" => Property::Contain,
        "container" | "container-type" => Property::Container,
        "content" => Property::Content,
        "content-visibility" => Property::ContentVisibility,
        _ => return by_middle_name(name),
    })
}

fn by_middle_name(name: &str) -> Option<Property> {
    Some(match name {
        "align-content" | "place-content" => Property::AlignLines,
        "align-items" | "justify-content" | "justify-items" | "place-items" | "flex-direction"
        | "flex-flow" | "flex-wrap" | "grid-auto-flow" => Property::Align,
        "align-self" | "justify-self" | "place-self" | "order" => Property::AlignSelf,
        "direction" => Property::Direction,
        "display" => Property::Display,
        "filter" => Property::Filter,
        "flex" | "flex-basis" | "flex-grow" | "flex-shrink" => Property::Flex,
        "float" => Property::Float,
        "font" => Property::Font,
        "font-family" => Property::FontFamily,
        "font-size" => Property::FontSize,
        "font-size-adjust" => Property::FontSizeAdjust,
        "font-weight" => Property::FontWeight,
        "grid"
        | "grid-auto-columns"
        | "grid-auto-rows"
        | "grid-template"
        | "grid-template-columns"
        | "grid-template-areas"
        | "grid-template-rows" => Property::Grid,
        "grid-area" | "grid-row" | "grid-row-start" | "grid-row-end" | "grid-column"
        | "grid-column-start" | "grid-column-end" => Property::GridPlace,
        "initial-letter" => Property::InitialLetter,
        "inline-size" | "width" => Property::Width,
        "isolation" | "view-transition-name" | "will-change" => Property::Stacks,
        "left" => Property::Inset(Side::Left),
        _ => return None,
    })
}

fn by_later_name(name: &str) -> Option<Property> {
    Some(match name {
        "list-style" | "list-style-image" | "list-style-position" | "list-style-type" => Property::ListStyle,
        "letter-spacing" => Property::LetterSpacing,
        "line-height" => Property::LineHeight,
        "mask" | "mask-image" => Property::Mask,
        "mask-clip" | "mask-composite" | "mask-mode" | "mask-origin" | "mask-position"
        | "mask-position-x" | "mask-position-y" | "mask-repeat" | "mask-size" | "mask-type" => {
            Property::MaskOther
        }
        "margin-trim" => Property::MarginTrim,
        "max-block-size" | "max-height" => Property::MaxHeight,
        "max-inline-size" | "max-width" => Property::MaxWidth,
        "min-block-size" | "min-height" => Property::MinHeight,
        "min-inline-size" | "min-width" => Property::MinWidth,
        "mix-blend-mode" => Property::BlendMode,
        "offset" | "offset-path" => Property::OffsetPath,
        "opacity" => Property::Opacity,
        "outline" => Property::Outline,
        "outline-offset" => Property::OutlineOffset,
        "outline-style" => Property::OutlineStyle,
        "outline-width" => Property::OutlineWidth,
        "overflow" => Property::Overflow,
        "overflow-inline" | "overflow-x" => Property::OverflowX,
        "overflow-block" | "overflow-y" => Property::OverflowY,
        _ => return by_last_name(name),
    })
}

fn by_last_name(name: &str) -> Option<Property> {
    Some(match name {
        "perspective" => Property::Perspective,
        "position" => Property::Position,
        "position-anchor" => Property::PositionAnchor,
        "quotes" => Property::Quotes,
        "right" => Property::Inset(Side::Right),
        "rotate" => Property::Rotate,
        "scale" => Property::Scale,
        "scroll-initial-target"
        | "scroll-snap-type"
        | "scroll-snap-align"
        | "scroll-start"
        | "scroll-start-target" => Property::Scrolls,
        "shape-outside" => Property::ShapeOutside,
        "tab-size" => Property::TabSize,
        "table-layout" => Property::TableLayout,
        "text-combine-upright" => Property::TextCombine,
        "text-decoration" => Property::DecorationThickness,
        "text-decoration-line" => Property::DecorationLine,
        "text-decoration-thickness" => Property::DecorationThickness,
        "text-box" | "text-box-edge" | "text-box-trim" => Property::TextBox,
        "text-fit" => Property::Strange,
        "text-indent" => Property::TextIndent,
        "text-overflow" => Property::TextOverflow,
        "text-align" => Property::TextAlign,
        "text-shadow" => Property::TextShadow,
        "text-transform" => Property::TextTransform,
        "text-underline-offset" => Property::UnderlineOffset,
        "top" => Property::Inset(Side::Top),
        "transform" => Property::Transform,
        "transform-box" | "transform-origin" | "transform-style" => Property::TransformOrigin,
        "translate" => Property::Translate,
        "unicode-bidi" => Property::Bidi,
        "visibility" => Property::Visibility,
        "white-space" | "white-space-collapse" | "text-wrap" | "text-wrap-mode" => Property::WhiteSpace,
        "word-break" | "overflow-wrap" | "word-wrap" | "line-break" => Property::WordBreak,
        "word-spacing" => Property::WordSpacing,
        "writing-mode" => Property::WritingMode,
        "z-index" => Property::ZIndex,
        "zoom" => Property::Zoom,
        _ => return None,
    })
}

fn side(rest: &str) -> Option<Side> {
    Some(match rest {
        "" => Side::All,
        "-top" | "-block-start" => Side::Top,
        "-bottom" | "-block-end" => Side::Bottom,
        "-left" | "-inline-start" => Side::Left,
        "-right" | "-inline-end" => Side::Right,
        "-block" => Side::Block,
        "-inline" => Side::Inline,
        _ => return None,
    })
}
