//! Declarations: the properties that can decide whether a text can be read, with their values still as tokens.
//! Every other property cannot hide, whatever its value, or is none that browsers know: both do nothing here.

use super::by_name;
use super::tokens::{Tok, solid, trimmed};

/// One declaration.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Declaration {
    pub(crate) property: Property,
    pub(crate) value: Vec<Tok>,
    pub(crate) important: bool,
    /// Whether its sides are those of the text, which may run in any direction, or it says a part of what another property
    /// says.
    pub(crate) partial: bool,
    /// Whether its sides or sizes are those of the text.
    pub(crate) logical: bool,
}

/// A side of a box, or two or all of them. Logical sides are those of text that runs from left to right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    Top,
    Right,
    Bottom,
    Left,
    /// Top and bottom.
    Block,
    /// Left and right.
    Inline,
    All,
}

impl Side {
    /// Which of top, right, bottom and left it is.
    pub(crate) const fn places(self) -> [bool; 4] {
        match self {
            Self::All => [true; 4],
            Self::Top => [true, false, false, false],
            Self::Right => [false, true, false, false],
            Self::Bottom => [false, false, true, false],
            Self::Left => [false, false, false, true],
            Self::Block => [true, false, true, false],
            Self::Inline => [false, true, false, true],
        }
    }
}

/// A property that can hide, alone or with others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Property {
    Align,
    AlignLines,
    AlignSelf,
    All,
    Animation,
    AnimationTime,
    AspectRatio,
    Backdrop,
    Backface,
    Background,
    BackgroundBlend,
    BackgroundClip,
    BackgroundColor,
    BackgroundImage,
    BackgroundOther,
    Bidi,
    BlendMode,
    Border(Side),
    BorderImage,
    BorderImageOther,
    BorderRadius,
    BorderShape,
    BorderSpacing,
    BorderStyle,
    BoxOrient,
    BoxShadow,
    BoxSizing,
    Break,
    Clear,
    Clip,
    ClipMargin,
    ClipPath,
    Color,
    ColorScheme,
    ColumnGap,
    Columns,
    Contain,
    Container,
    Content,
    ContentVisibility,
    CornerShape,
    Custom(String),
    DecorationLine,
    DecorationThickness,
    Direction,
    Display,
    Fill,
    Filter,
    Flex,
    Float,
    Font,
    FontFamily,
    FontSize,
    FontSizeAdjust,
    FontWeight,
    Grid,
    GridPlace,
    Height,
    InitialLetter,
    Inset(Side),
    LetterSpacing,
    LineClamp,
    LineHeight,
    ListStyle,
    Margin(Side),
    MarginTrim,
    Mask,
    MaskBox,
    MaskOther,
    MaxHeight,
    MaxWidth,
    MinHeight,
    MinWidth,
    OffsetPath,
    Opacity,
    Outline,
    OutlineOffset,
    OutlineStyle,
    OutlineWidth,
    Overflow,
    OverflowX,
    OverflowY,
    Padding(Side),
    Perspective,
    Position,
    PositionAnchor,
    Quotes,
    Reflect,
    Rotate,
    Rule,
    Scale,
    Scrolls,
    /// Something that makes letters, lines or what is around them larger or smaller, and hides nothing by itself.
    Shifts,
    ShapeOutside,
    Stacks,
    /// A picture for the border that fills the box too.
    FilledBorderImage,
    Strange,
    Stroke,
    StrokeColor,
    StrokeWidth,
    TabSize,
    TableLayout,
    TextAlign,
    TextBox,
    TextCombine,
    TextIndent,
    TextOverflow,
    TextSecurity,
    TextShadow,
    TextTransform,
    Transform,
    TransformOrigin,
    Translate,
    UnderlineOffset,
    VerticalAlign,
    Visibility,
    WhiteSpace,
    Width,
    WordBreak,
    WordSpacing,
    WritingMode,
    ZIndex,
    Zoom,
}

impl Declaration {
    /// Whether it gives a variable its value.
    pub(crate) fn is_custom(&self) -> bool {
        matches!(self.property, Property::Custom(_))
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
    let is_custom = matches!(property, Property::Custom(_));
    let spoils = |token: &Tok| {
        matches!(token, Tok::Bad | Tok::Delim('!'))
            || (*token == Tok::Markup && !is_custom)
            || holds_bad(token)
    };
    let sound = !value.iter().any(spoils);
    (sound && (is_custom || !value.is_empty())).then(|| Declaration {
        property,
        value: value.to_vec(),
        important: important.is_some(),
        partial: is_partial(&name.to_ascii_lowercase(), value),
        logical: is_logical(&name.to_ascii_lowercase()),
    })
}

/// Whether a name means sides or sizes of the text, which may run in any direction.
fn is_logical(name: &str) -> bool {
    let ends = ["-before", "-after", "-start", "-end"];
    let is_old = name.starts_with("-webkit-") && ends.iter().any(|end| name.contains(end));
    is_old || ["inline", "block", "-start", "-end", "logical"].iter().any(|part| name.contains(part))
}

/// Whether something that no value may hold stands in brackets.
fn holds_bad(token: &Tok) -> bool {
    match token {
        Tok::Function(_, inner) | Tok::Parens(inner) | Tok::Square(inner) | Tok::Curly(inner) => {
            inner.iter().any(|token| *token == Tok::Bad || holds_bad(token))
        }
        _ => false,
    }
}

/// Whether a name means sides of the text, or says a part of what another does: of that it takes some values only.
fn is_partial(name: &str, value: &[Tok]) -> bool {
    let is_part = |words: &[&str]| {
        solid(value).any(|token| {
            token.ident().is_some_and(|word| !words.iter().any(|own| word.eq_ignore_ascii_case(own)))
        }) || value.iter().any(|token| matches!(token, Tok::Hash(_) | Tok::Function(..)))
    };
    let names = ["inline", "block", "-start", "-end", "text-wrap", "-collapse"];
    names.iter().any(|part| name.contains(part))
        || (name.starts_with("border")
            && name.ends_with("-width")
            && is_part(&["thin", "medium", "thick", "inherit", "initial"]))
        || (name == "text-decoration-thickness" && is_part(&["auto", "from-font", "inherit", "initial"]))
}

/// Whether a value is only known once something else is put in: custom properties, attributes, conditions.
pub(crate) fn has_variables(value: &[Tok]) -> bool {
    value.iter().any(|token| match token {
        Tok::Function(name, inner) => is_substitution(name) || has_variables(inner),
        Tok::Parens(inner) | Tok::Square(inner) | Tok::Curly(inner) => has_variables(inner),
        _ => false,
    })
}

pub(crate) fn is_substitution(name: &str) -> bool {
    matches!(name, "var" | "env" | "attr" | "if" | "inherit" | "random" | "ident") || name.starts_with("--")
}

/// The property of a name as browsers know it; `None` for one that cannot hide.
fn property(name: &str) -> Option<Property> {
    if name.starts_with("--") {
        return Some(Property::Custom(name.to_owned()));
    }
    let name = name.to_ascii_lowercase();
    if let Some(bare) = name.strip_prefix("-webkit-") {
        return by_name::prefixed(bare);
    }
    if let Some(bare) = name.strip_prefix("-epub-") {
        return by_name::prefixed(bare).or_else(|| by_name::of(bare));
    }
    by_name::of(&name)
}
