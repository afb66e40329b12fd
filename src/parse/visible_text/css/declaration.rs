//! Declarations: the properties that decide whether a text can be read, with their values still as tokens.

use super::tokens::{Tok, trimmed};

/// One declaration.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Declaration {
    pub(crate) property: Property,
    pub(crate) value: Vec<Tok>,
    pub(crate) important: bool,
}

/// A property we care about. Logical ones (`inline-size`) are taken for text that runs from left to right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    Top,
    Right,
    Bottom,
    Left,
    All,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Property {
    All,
    Background,
    BackgroundClip,
    BackgroundColor,
    BackgroundImage,
    Bidi,
    BlendMode,
    Clip,
    ClipPath,
    Color,
    Content,
    ContentVisibility,
    Custom(String),
    Display,
    Fill,
    Filter,
    Float,
    Font,
    FontSize,
    Height,
    Inset(Side),
    LetterSpacing,
    LineClamp,
    LineHeight,
    Margin(Side),
    Mask,
    MaxHeight,
    MaxWidth,
    Opacity,
    Overflow,
    OverflowX,
    OverflowY,
    Padding(Side),
    Position,
    Rotate,
    Scale,
    TextIndent,
    Transform,
    Translate,
    Visibility,
    WhiteSpace,
    Width,
    ZIndex,
    Zoom,
}

impl Declaration {
    /// Whether it says what it says by itself, without variables.
    pub(crate) fn is_plain(&self) -> bool {
        !matches!(self.property, Property::Custom(_)) && !has_variables(&self.value)
    }
}

/// Reads declarations, each of which ends at a semicolon. Later ones that cannot be read do not void the others.
pub(crate) fn list(tokens: &[Tok]) -> Vec<Declaration> {
    tokens.split(|token| *token == Tok::Semicolon).filter_map(|part| one(trimmed(part))).collect()
}

fn one(tokens: &[Tok]) -> Option<Declaration> {
    let colon = tokens.iter().position(|token| *token == Tok::Colon)?;
    let [Tok::Ident(name)] = trimmed(&tokens[..colon]) else { return None };
    let mut value = trimmed(&tokens[colon + 1..]);
    let property = property(name)?;
    let important = match value {
        [rest @ .., Tok::Delim('!'), last] if last.is_ident("important") => Some(rest),
        [rest @ .., Tok::Delim('!'), Tok::Space, last] if last.is_ident("important") => Some(rest),
        _ => None,
    };
    value = trimmed(important.unwrap_or(value));
    let sound = !value.iter().any(|token| matches!(token, Tok::Bad | Tok::Delim('!')));
    (sound && !value.is_empty()).then(|| Declaration {
        property,
        value: value.to_vec(),
        important: important.is_some(),
    })
}

/// Whether a value refers to custom properties.
pub(crate) fn has_variables(value: &[Tok]) -> bool {
    value.iter().any(|token| match token {
        Tok::Function(name, inner) => {
            name == "var" || name == "env" || name == "attr" || has_variables(inner)
        }
        Tok::Parens(inner) => has_variables(inner),
        _ => false,
    })
}

fn property(name: &str) -> Option<Property> {
    if name.starts_with("--") {
        return Some(Property::Custom(name.to_owned()));
    }
    let name = name.to_ascii_lowercase();
    let bare = name.strip_prefix("-webkit-").unwrap_or(&name);
    if let Some(rest) = bare.strip_prefix("margin") {
        return side(rest).map(Property::Margin);
    }
    if let Some(rest) = bare.strip_prefix("padding") {
        return side(rest).map(Property::Padding);
    }
    if let Some(rest) = bare.strip_prefix("inset") {
        return side(rest).map(Property::Inset);
    }
    by_name(bare)
}

fn by_name(name: &str) -> Option<Property> {
    Some(match name {
        "all" => Property::All,
        "background" => Property::Background,
        "background-clip" => Property::BackgroundClip,
        "background-color" => Property::BackgroundColor,
        "background-image" => Property::BackgroundImage,
        "unicode-bidi" => Property::Bidi,
        "mix-blend-mode" => Property::BlendMode,
        "clip" => Property::Clip,
        "clip-path" => Property::ClipPath,
        "color" => Property::Color,
        "content" => Property::Content,
        "content-visibility" => Property::ContentVisibility,
        "display" => Property::Display,
        "text-fill-color" => Property::Fill,
        "filter" => Property::Filter,
        "float" => Property::Float,
        "font" => Property::Font,
        "font-size" => Property::FontSize,
        "height" | "block-size" => Property::Height,
        "left" => Property::Inset(Side::Left),
        "top" => Property::Inset(Side::Top),
        "right" => Property::Inset(Side::Right),
        "bottom" => Property::Inset(Side::Bottom),
        "letter-spacing" => Property::LetterSpacing,
        "line-clamp" => Property::LineClamp,
        "line-height" => Property::LineHeight,
        "mask" | "mask-image" => Property::Mask,
        "max-height" | "max-block-size" => Property::MaxHeight,
        "max-width" | "max-inline-size" => Property::MaxWidth,
        "opacity" => Property::Opacity,
        "overflow" => Property::Overflow,
        "overflow-x" | "overflow-inline" => Property::OverflowX,
        "overflow-y" | "overflow-block" => Property::OverflowY,
        "position" => Property::Position,
        "rotate" => Property::Rotate,
        "scale" => Property::Scale,
        "text-indent" => Property::TextIndent,
        "transform" => Property::Transform,
        "translate" => Property::Translate,
        "visibility" => Property::Visibility,
        "white-space" | "white-space-collapse" => Property::WhiteSpace,
        "width" | "inline-size" => Property::Width,
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
        _ => return None,
    })
}
