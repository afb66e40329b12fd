//! Forms that every reader takes in the same way. What is of another form may still act, but it makes nothing readable that
//! was not: a reader that drops it would show what is below.

use super::color::{Colored, color};
use super::declaration::{Declaration, Property, Side};
use super::tokens::{Tok, between_commas, solid, trimmed};
use super::usual_words::{is_usual_word, takes_lengths};

/// Whether a declaration has such a form.
pub(crate) fn is_plain(declaration: &Declaration) -> bool {
    let tokens: Vec<&Tok> = solid(&declaration.value).collect();
    match (&declaration.property, tokens.as_slice()) {
        (Property::Custom(_), _) => true,
        _ if declaration.partial => false,
        (Property::Border(_), tokens) => is_border(tokens),
        (Property::Color | Property::Fill | Property::BackgroundColor, [token]) => {
            !matches!(token, Tok::Function(name, _) if name == "linear-gradient")
                && is_plain_token(token)
                && match token {
                    Tok::Ident(word) => {
                        ["inherit", "initial", "transparent", "currentcolor"]
                            .iter()
                            .any(|known| word.eq_ignore_ascii_case(known))
                            || is_color(token)
                    }
                    token => matches!(token, Tok::Hash(_) | Tok::Function(..)),
                }
        }
        (Property::All, _) => false,
        (Property::Font, _) => is_font(&declaration.value),
        (property, [Tok::Number(number)]) => {
            (*number == 0.0 && (takes_lengths(property) || is_off_at_zero(property)))
                || (*property == Property::LineClamp
                    && number.fract() == 0.0
                    && (1.0..=1000.0).contains(number))
                || (takes_numbers(property) && (0.0..=1000.0).contains(number))
        }
        (Property::Background, tokens) => is_ground(tokens),
        (Property::FontFamily, tokens) => tokens.iter().all(|token| is_family_part(token)),
        (property, [Tok::Ident(word)]) => is_usual_word(property, word),
        (_, [Tok::Function(name, arguments)]) if name == "var" => is_plain_variable(arguments),
        (Property::Stroke, [width, color]) => {
            matches!(width, Tok::Dimension(..)) && is_plain_token(width) && is_color(color)
        }
        (property, [token]) => takes_lengths(property) && is_plain_token(token),
        (
            Property::Margin(_)
            | Property::Padding(_)
            | Property::Inset(_)
            | Property::BackgroundOther
            | Property::BorderRadius
            | Property::BorderStyle
            | Property::ListStyle,
            tokens,
        ) => {
            let is_part = |token: &&Tok| match token {
                Tok::Ident(word) => is_usual_word(&declaration.property, word),
                token => takes_lengths(&declaration.property) && is_plain_token(token),
            };
            tokens.len() <= 4 && tokens.iter().all(is_part)
        }
        _ => false,
    }
}

/// A word, a colour or a size as mail writes them.
fn is_plain_token(token: &Tok) -> bool {
    match token {
        Tok::Ident(_) | Tok::Percent(_) => true,
        Tok::Hash(digits) => {
            matches!(digits.len(), 3 | 6) && digits.chars().all(|digit| digit.is_ascii_hexdigit())
        }
        Tok::Number(number) => *number == 0.0,
        Tok::Dimension(size, unit) => {
            size.abs() <= 10_000.0
                && matches!(unit.as_str(), "px" | "pt" | "em" | "rem" | "in" | "cm" | "mm" | "pc")
        }
        Tok::Function(name, arguments) if name == "var" => is_plain_variable(arguments),
        Tok::Function(name, arguments) if name == "linear-gradient" => is_plain_gradient(arguments),
        Tok::Function(name, arguments) => {
            matches!(name.as_str(), "rgb" | "rgba") && are_plain_parts(arguments)
        }
        _ => false,
    }
}

/// Whether a property takes numbers without a unit in every mode.
fn takes_numbers(property: &Property) -> bool {
    matches!(
        property,
        Property::FontWeight | Property::LineHeight | Property::Opacity | Property::Flex | Property::Zoom
    )
}

/// Whether nothing is the same as none.
fn is_off_at_zero(property: &Property) -> bool {
    matches!(property, Property::Outline | Property::Background | Property::ListStyle | Property::ZIndex)
}

/// Whether a declaration says nothing but lengths without a unit, which all browsers take in quirks mode and drop in others
/// (Quirks Mode, 3.2).
pub(crate) fn is_bare_length(declaration: &Declaration) -> bool {
    let takes = matches!(
        declaration.property,
        Property::FontSize
            | Property::Height
            | Property::Inset(Side::Top | Side::Right | Side::Bottom | Side::Left)
            | Property::LetterSpacing
            | Property::Margin(_)
            | Property::MaxHeight
            | Property::MaxWidth
            | Property::MinHeight
            | Property::MinWidth
            | Property::Padding(_)
            | Property::TextIndent
            | Property::Width
            | Property::WordSpacing
    );
    let is_length = |token: &Tok| match token {
        Tok::Number(size) => size.abs() <= 10_000.0,
        token => matches!(token, Tok::Dimension(..) | Tok::Percent(_)) && is_plain_token(token),
    };
    let mut tokens = solid(&declaration.value);
    takes && !declaration.partial && tokens.all(is_length)
}

/// Three or four numbers between commas.
fn are_plain_parts(arguments: &[Tok]) -> bool {
    let parts: Vec<&[Tok]> = between_commas(arguments).collect();
    matches!(parts.len(), 3 | 4) && parts.iter().all(|part| matches!(part, [Tok::Number(_)]))
}

/// A colour that is one in every mode.
fn is_color(token: &Tok) -> bool {
    match token {
        Tok::Ident(name) => cssparser::color::parse_named_color(name).is_ok(),
        Tok::Hash(_) | Tok::Function(..) => is_plain_token(token) && matches!(color(token), Colored::Is(_)),
        _ => false,
    }
}

/// One width, one style and one colour, or a word.
fn is_border(tokens: &[&Tok]) -> bool {
    let is_width = |token: &&&Tok| {
        let words = ["thin", "medium", "thick"];
        matches!(token, Tok::Number(0.0))
            || (is_plain_token(token) && matches!(token, Tok::Dimension(width, _) if *width >= 0.0))
            || words.iter().any(|word| token.is_ident(word))
    };
    let is_style = |token: &&&Tok| {
        ["none", "hidden", "solid", "dotted", "dashed", "double", "groove", "ridge", "inset", "outset"]
            .iter()
            .any(|word| token.is_ident(word))
    };
    let widths = tokens.iter().filter(is_width).count();
    let styles = tokens.iter().filter(is_style).count();
    let colors = tokens.iter().filter(|token| is_color(token)).count();
    let is_one_of_each =
        widths <= 1 && styles <= 1 && colors <= 1 && widths + styles + colors == tokens.len();
    is_one_of_each || matches!(tokens, [token] if token.is_ident("inherit") || token.is_ident("initial"))
}

/// A variable, and perhaps what stands for it.
fn is_plain_variable(arguments: &[Tok]) -> bool {
    let is_name = |name: &str| name.len() > 2 && name.starts_with("--");
    match solid(arguments).collect::<Vec<_>>().as_slice() {
        [Tok::Ident(name)] => is_name(name),
        [Tok::Ident(name), Tok::Comma, otherwise] => is_name(name) && is_plain_token(otherwise),
        _ => false,
    }
}

/// A direction, and colours with or without a place.
fn is_plain_gradient(arguments: &[Tok]) -> bool {
    let is_color = |token: &Tok| {
        matches!(token, Tok::Hash(_) | Tok::Function(..) | Tok::Ident(_))
            && is_plain_token(token)
            && color(token) != Colored::Not
    };
    let is_stop = |part: &[Tok]| match solid(part).collect::<Vec<_>>().as_slice() {
        [own] | [own, Tok::Percent(_)] => is_color(own),
        _ => false,
    };
    let is_direction = |part: &[Tok]| match solid(part).collect::<Vec<_>>().as_slice() {
        [Tok::Dimension(_, unit)] => unit == "deg",
        [to, side] => {
            to.is_ident("to") && ["top", "right", "bottom", "left"].iter().any(|one| side.is_ident(one))
        }
        _ => false,
    };
    let parts: Vec<&[Tok]> = between_commas(arguments).collect();
    let stops = if parts.first().is_some_and(|first| is_direction(first)) { &parts[1..] } else { &parts[..] };
    stops.len() >= 2 && stops.iter().all(|stop| is_stop(stop))
}

/// A colour, and perhaps an image, how it repeats, where it lies and how large it is.
fn is_ground(tokens: &[&Tok]) -> bool {
    match tokens {
        [tokens @ .., Tok::Ident(place), Tok::Delim('/'), Tok::Ident(size)] => {
            ["left", "right", "center", "top", "bottom"].iter().any(|word| place.eq_ignore_ascii_case(word))
                && ["cover", "contain", "auto"].iter().any(|word| size.eq_ignore_ascii_case(word))
                && is_placed_ground(tokens)
        }
        tokens => is_placed_ground(tokens),
    }
}

fn is_placed_ground(tokens: &[&Tok]) -> bool {
    let any = |words: &[&str], token: &Tok| words.iter().any(|word| token.is_ident(word));
    let (mut images, mut repeats, mut across, mut down, mut sizes, mut colors) = (0, 0, 0, 0, 0, 0);
    let is_place = |token: &&Tok| {
        any(&["left", "right", "center", "top", "bottom"], token)
            || matches!(token, Tok::Number(_) | Tok::Percent(_) | Tok::Dimension(..))
    };
    // The two parts of a place stand together.
    let first = tokens.iter().position(is_place).unwrap_or(0);
    let last = tokens.iter().rposition(is_place).unwrap_or(0);
    if !tokens[first..=last.max(first)].iter().all(is_place) && first != last {
        return false;
    }
    for token in tokens {
        *match token {
            Tok::Url(_) => &mut images,
            Tok::Function(name, stops) if name == "linear-gradient" && is_plain_gradient(stops) => {
                &mut images
            }
            token if any(&["none"], token) => &mut images,
            token if any(&["repeat", "no-repeat", "repeat-x", "repeat-y"], token) => &mut repeats,
            token if any(&["left", "right", "center"], token) => &mut across,
            token if any(&["top", "bottom"], token) => &mut down,
            Tok::Number(0.0) | Tok::Percent(_) => &mut sizes,
            Tok::Dimension(..) if is_plain_token(token) => &mut sizes,
            token
                if is_color(token) || any(&["transparent", "currentcolor", "inherit", "initial"], token) =>
            {
                &mut colors
            }
            _ => return false,
        } += 1;
    }
    let is_placed = if sizes > 0 { sizes == 2 && across + down == 0 } else { across <= 1 && down <= 1 };
    images <= 1 && repeats <= 1 && colors <= 1 && is_placed
}

/// Weights and styles, a size, perhaps a height of lines, and families.
fn is_font(value: &[Tok]) -> bool {
    let mut parts = between_commas(value);
    let first: Vec<&Tok> = parts.next().map(|part| solid(part).collect()).unwrap_or_default();
    let Some(at) = first.iter().position(|token| matches!(token, Tok::Dimension(..) | Tok::Percent(_)))
    else {
        return false;
    };
    let looks = &first[..at];
    let is_weight = |token: &&&Tok| token.is_ident("bold") || matches!(token, Tok::Number(100.0..=900.0));
    let is_look =
        |token: &&Tok| is_weight(&token) || ["italic", "normal"].iter().any(|word| token.is_ident(word));
    let family = match &first[at + 1..] {
        [Tok::Delim('/'), Tok::Number(factor), rest @ ..] if *factor >= 0.0 => rest,
        [Tok::Delim('/'), height @ Tok::Dimension(size, _), rest @ ..]
            if *size >= 0.0 && is_plain_token(height) =>
        {
            rest
        }
        [Tok::Delim('/'), Tok::Percent(share), rest @ ..] if *share >= 0.0 => rest,
        rest => rest,
    };
    looks.len() <= 2
        && looks.iter().all(is_look)
        && looks.iter().filter(is_weight).count() < 2
        && (looks.len() < 2 || looks[0] != looks[1])
        && is_plain_token(first[at])
        && matches!(first[at], Tok::Dimension(size, _) | Tok::Percent(size) if *size >= 0.0)
        && is_family(family)
        && parts.all(|part| is_family(&solid(trimmed(part)).collect::<Vec<_>>()))
}

fn is_family_part(token: &Tok) -> bool {
    matches!(token, Tok::Ident(_) | Tok::Text(_) | Tok::Comma)
}

fn is_family(tokens: &[&Tok]) -> bool {
    let is_word = |token: &&Tok| {
        let wide = ["inherit", "initial", "unset", "revert", "revert-layer", "default"];
        token.ident().is_some() && !wide.iter().any(|word| token.is_ident(word))
    };
    matches!(tokens, [Tok::Text(_)]) || (!tokens.is_empty() && tokens.iter().all(is_word))
}
