//! Colours: reading them, laying one over another, and how well one is seen on another.

use cssparser::color::parse_named_color;

use super::length::number;
use super::tokens::{Tok, between_commas, solid};

/// A colour; all parts from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Color {
    pub(crate) rgb: [f32; 3],
    pub(crate) alpha: f32,
}

/// What a token says about a colour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Colored {
    Is(Color),
    /// The colour of the text.
    Current,
    /// A function that we cannot work out.
    Unknown,
    /// Not a colour.
    Not,
}

pub(crate) const BLACK: Color = Color { rgb: [0.0; 3], alpha: 1.0 };
pub(crate) const WHITE: Color = Color { rgb: [1.0; 3], alpha: 1.0 };
pub(crate) const LINK: Color = Color { rgb: [0.0, 0.0, 0.93], alpha: 1.0 };
pub(crate) const NOTHING: Color = Color { rgb: [0.0; 3], alpha: 0.0 };

impl Color {
    pub(crate) fn opaque(r: u8, g: u8, b: u8) -> Self {
        Self { rgb: [r, g, b].map(|part| f32::from(part) / 255.0), alpha: 1.0 }
    }

    /// This colour, seen through nothing but itself, over another.
    pub(crate) fn over(self, below: Self) -> Self {
        let mix = |top: f32, bottom: f32| top * self.alpha + bottom * (1.0 - self.alpha);
        let [r, g, b] = self.rgb;
        let [x, y, z] = below.rgb;
        Self { rgb: [mix(r, x), mix(g, y), mix(b, z)], alpha: 1.0 }
    }

    /// How light it looks on a screen, from 0 to 1.
    pub(crate) fn luma(self) -> f32 {
        let [r, g, b] = self.rgb;
        0.299 * r + 0.587 * g + 0.114 * b
    }
}

/// Reads one token as a colour.
pub(crate) fn color(token: &Tok) -> Colored {
    match token {
        Tok::Hash(digits) => hex(digits).map_or(Colored::Not, Colored::Is),
        Tok::Ident(name) => named(name),
        Tok::Function(name, arguments) => function(name, arguments),
        // Quirks mode: `color: ffffff`, where digits may begin with a number.
        Tok::Number(value) if *value >= 0.0 && *value < 1_000_000.0 && value.fract() == 0.0 => {
            hex(&format!("{:06}", *value as u32)).map_or(Colored::Not, Colored::Is)
        }
        Tok::Dimension(value, unit) if value.fract() == 0.0 && *value >= 0.0 => {
            hex(&format!("{:0>6}", format!("{}{unit}", *value as u64))).map_or(Colored::Not, Colored::Is)
        }
        _ => Colored::Not,
    }
}

fn named(name: &str) -> Colored {
    if let Ok((r, g, b)) = parse_named_color(name) {
        return Colored::Is(Color::opaque(r, g, b));
    }
    match name.to_ascii_lowercase().as_str() {
        "transparent" => Colored::Is(NOTHING),
        "currentcolor" => Colored::Current,
        "canvas" | "field" | "window" | "infobackground" | "menu" | "background" | "activecaption"
        | "appworkspace" | "inactivecaption" | "scrollbar" => Colored::Is(WHITE),
        "canvastext" | "fieldtext" | "windowtext" | "buttontext" | "captiontext" | "infotext"
        | "menutext" => Colored::Is(BLACK),
        "linktext" => Colored::Is(LINK),
        "buttonface" | "threedface" | "buttonhighlight" => Colored::Is(Color::opaque(239, 239, 239)),
        "graytext" => Colored::Is(Color::opaque(128, 128, 128)),
        "mark" => Colored::Is(Color::opaque(255, 255, 0)),
        "marktext" => Colored::Is(BLACK),
        // Lines of the system's own controls, which every system draws in a colour of its own.
        "accentcolor"
        | "accentcolortext"
        | "activetext"
        | "highlight"
        | "highlighttext"
        | "selecteditemtext"
        | "visitedtext"
        | "activeborder"
        | "buttonborder"
        | "buttonshadow"
        | "inactiveborder"
        | "inactivecaptiontext"
        | "selecteditem"
        | "threeddarkshadow"
        | "threedhighlight"
        | "threedlightshadow"
        | "threedshadow"
        | "windowframe" => Colored::Unknown,
        name if name.starts_with("-webkit-") || name.starts_with("-internal-") => Colored::Unknown,
        // Quirks mode: `color: ffffff`.
        digits if matches!(digits.len(), 3 | 6) => hex(digits).map_or(Colored::Not, Colored::Is),
        _ => Colored::Not,
    }
}

fn hex(digits: &str) -> Option<Color> {
    let (r, g, b, alpha) = cssparser::color::parse_hash_color(digits.as_bytes()).ok()?;
    Some(Color { alpha, ..Color::opaque(r, g, b) })
}

fn function(name: &str, arguments: &[Tok]) -> Colored {
    let first = solid(arguments).next();
    if first.is_some_and(|token| token.is_ident("from")) {
        return if name == "rgb" { same(arguments) } else { Colored::Unknown };
    }
    if arguments.iter().any(|token| matches!(token, Tok::Function(..))) && name != "color-mix" {
        return Colored::Unknown;
    }
    if !matches!(name, "color-mix" | "light-dark" | "contrast-color" | "alpha") && !is_sound(name, arguments)
    {
        return Colored::Unknown;
    }
    let parts: Vec<&Tok> =
        solid(arguments).filter(|token| !matches!(token, Tok::Comma | Tok::Delim('/'))).collect();
    let worked_out = match name {
        "rgb" | "rgba" => rgb(&parts),
        "hsl" | "hsla" => hsl(&parts),
        "hwb" => hwb(&parts),
        "color" => match parts.split_first() {
            Some((space, rest)) if space.is_ident("srgb") => fractions(rest),
            _ => None,
        },
        "lab" | "oklab" | "lch" | "oklch" => lightness(name, &parts),
        "color-mix" => mixed(arguments),
        "light-dark" | "contrast-color" | "alpha" => None,
        _ => return Colored::Not,
    };
    worked_out.map_or(Colored::Unknown, Colored::Is)
}

/// Whether the parts of a colour stand as browsers want them: all between commas and of one kind, as old browsers do, or
/// between blanks, with a stroke before how much is seen of it.
fn is_sound(name: &str, arguments: &[Tok]) -> bool {
    let tokens: Vec<&Tok> = solid(arguments).collect();
    let has_commas = tokens.contains(&&Tok::Comma);
    let parts: Vec<&Tok> = match has_commas {
        true => {
            let between: Vec<&[&Tok]> = tokens.split(|token| **token == Tok::Comma).collect();
            let single: Vec<&Tok> = between.iter().filter_map(|part| part.first().copied()).collect();
            if between.iter().any(|part| part.len() != 1) || !matches!(name, "rgb" | "rgba" | "hsl" | "hsla")
            {
                return false;
            }
            single
        }
        false => {
            let stroke = tokens.iter().position(|token| **token == Tok::Delim('/'));
            if stroke.is_some_and(|at| at + 2 != tokens.len()) {
                return false;
            }
            tokens.into_iter().filter(|token| **token != Tok::Delim('/')).collect()
        }
    };
    let parts = if name == "color" { parts.get(1..).unwrap_or_default() } else { &parts[..] };
    let has_stroke = arguments.contains(&Tok::Delim('/'));
    if parts.len() != if has_stroke || (has_commas && parts.len() == 4) { 4 } else { 3 } {
        return false;
    }
    let angle = ["deg", "grad", "rad", "turn"];
    let place_of_hue = match name {
        "hsl" | "hsla" | "hwb" => Some(0),
        "lch" | "oklch" => Some(2),
        _ => None,
    };
    let is_part = |(place, part): (usize, &&Tok)| match part {
        Tok::Number(_) => true,
        Tok::Percent(_) => place_of_hue != Some(place),
        Tok::Dimension(_, unit) => place_of_hue == Some(place) && angle.contains(&unit.as_str()),
        Tok::Ident(_) => !has_commas && part.is_ident("none"),
        _ => false,
    };
    let shares = parts.iter().take(3).filter(|part| matches!(part, Tok::Percent(_))).count();
    let is_one_kind = match (has_commas, name) {
        (false, _) => true,
        (true, "hsl" | "hsla") => shares == 2,
        (true, _) => matches!(shares, 0 | 3),
    };
    is_one_kind && parts.iter().enumerate().all(is_part)
}

/// `from COLOUR r g b`, which is that colour.
fn same(arguments: &[Tok]) -> Colored {
    let words: Vec<&Tok> = solid(arguments).collect();
    match words.as_slice() {
        [_, own, r, g, b] if r.is_ident("r") && g.is_ident("g") && b.is_ident("b") => match color(own) {
            Colored::Not => Colored::Unknown,
            other => other,
        },
        _ => Colored::Unknown,
    }
}

/// `color-mix(in srgb, COLOUR [SHARE], COLOUR [SHARE])`; what is mixed in other spaces is not worked out.
fn mixed(arguments: &[Tok]) -> Option<Color> {
    let parts: Vec<Vec<&Tok>> = between_commas(arguments).map(|part| solid(part).collect()).collect();
    let [space, one, other] = parts.as_slice() else { return None };
    let is_plain = matches!(space.as_slice(), [word, space] if word.is_ident("in") && space.is_ident("srgb"));
    let read = |part: &[&Tok]| match part {
        [Tok::Function(name, _)] if name != "rgb" => None,
        [own] => Some((color(own), None)),
        [own, Tok::Percent(share)] | [Tok::Percent(share), own] => Some((color(own), Some(*share))),
        _ => None,
    };
    let ((Colored::Is(one), first), (Colored::Is(other), second)) = (read(one)?, read(other)?) else {
        return None;
    };
    let first = first.unwrap_or(second.map_or(0.5, |second| 1.0 - second));
    let second = second.unwrap_or(1.0 - first);
    if !is_plain || first + second <= 0.0 || first < 0.0 || second < 0.0 {
        return None;
    }
    let (a, b) = (one.alpha * first / (first + second), other.alpha * second / (first + second));
    let alpha = a + b;
    let mix =
        |place: usize| if alpha > 0.0 { (one.rgb[place] * a + other.rgb[place] * b) / alpha } else { 0.0 };
    Some(Color { rgb: [mix(0), mix(1), mix(2)], alpha: alpha * (first + second).min(1.0) })
}

fn part(token: &Tok, whole: f32) -> Option<f32> {
    match token {
        Tok::Number(value) => Some(value / whole),
        Tok::Percent(share) => Some(*share),
        Tok::Ident(name) if name.eq_ignore_ascii_case("none") => Some(0.0),
        token => number(token).map(|value| value / whole),
    }
    .map(|value| value.clamp(0.0, 1.0))
}

fn alpha(token: Option<&&Tok>) -> Option<f32> {
    token.map_or(Some(1.0), |token| part(token, 1.0))
}

fn rgb(parts: &[&Tok]) -> Option<Color> {
    let ([r, g, b] | [r, g, b, _]) = parts else { return None };
    Some(Color { rgb: [part(r, 255.0)?, part(g, 255.0)?, part(b, 255.0)?], alpha: alpha(parts.get(3))? })
}

fn fractions(parts: &[&Tok]) -> Option<Color> {
    let [r, g, b, ..] = parts else { return None };
    Some(Color { rgb: [part(r, 1.0)?, part(g, 1.0)?, part(b, 1.0)?], alpha: alpha(parts.get(3))? })
}

fn degrees(token: &Tok) -> Option<f32> {
    match token {
        Tok::Number(value) => Some(*value),
        Tok::Dimension(value, unit) => Some(match unit.as_str() {
            "turn" => value * 360.0,
            "rad" => value.to_degrees(),
            "grad" => value * 0.9,
            _ => *value,
        }),
        Tok::Ident(_) => Some(0.0),
        _ => None,
    }
}

fn hsl(parts: &[&Tok]) -> Option<Color> {
    let [hue, saturation, light, ..] = parts else { return None };
    let (h, s, l) = (degrees(hue)?.rem_euclid(360.0) / 30.0, part(saturation, 100.0)?, part(light, 100.0)?);
    let channel = |n: f32| {
        let k = (n + h) % 12.0;
        l - s * l.min(1.0 - l) * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)
    };
    Some(Color { rgb: [channel(0.0), channel(8.0), channel(4.0)], alpha: alpha(parts.get(3))? })
}

fn hwb(parts: &[&Tok]) -> Option<Color> {
    let [hue, white, black, ..] = parts else { return None };
    let (white, black) = (part(white, 100.0)?, part(black, 100.0)?);
    let pure = hsl(&[hue, &Tok::Percent(1.0), &Tok::Percent(0.5)])?;
    let sum = (white + black).max(1.0);
    let mixed = pure.rgb.map(|part| part * (1.0 - (white + black) / sum) + white / sum);
    Some(Color { rgb: mixed, alpha: alpha(parts.get(3))? })
}

/// Greys of the spaces made for eyes; what has a hue in them is not worked out.
fn lightness(name: &str, parts: &[&Tok]) -> Option<Color> {
    let has_no_hue = |token: &&&Tok| matches!(number(token), Some(0.0));
    let grey = match name {
        "lab" | "oklab" => parts.iter().skip(1).take(2).all(|token| has_no_hue(&token)),
        _ => parts.get(1).is_some_and(|token| has_no_hue(&token)),
    };
    if !grey || parts.len() < 3 {
        return None;
    }
    let linear = match (name, parts.first()?) {
        ("lab" | "lch", token) => luminance(part(token, 100.0)? * 100.0),
        (_, token) => part(token, 1.0)?.powi(3),
    };
    let light = if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
    Some(Color { rgb: [light; 3], alpha: alpha(parts.get(3))? })
}

/// The light that a lightness of CIE Lab stands for.
fn luminance(lightness: f32) -> f32 {
    if lightness > 8.0 { ((lightness + 16.0) / 116.0).powi(3) } else { lightness / 903.3 }
}

/// A colour in an attribute of old HTML, which takes anything (HTML, "rules for parsing a legacy colour value").
pub(crate) fn legacy(value: &str) -> Option<Color> {
    // Nothing is no colour, and blanks are black.
    if value.is_empty() {
        return None;
    }
    let value = value.trim_matches([' ', '\t', '\n', '\u{b}', '\u{c}', '\r']);
    if value.eq_ignore_ascii_case("transparent") {
        return None;
    }
    if let Ok((r, g, b)) = parse_named_color(value) {
        return Some(Color::opaque(r, g, b));
    }
    if let Some(digits) = value.strip_prefix('#').filter(|digits| digits.len() == 3)
        && let Some(color) = hex(digits)
    {
        return Some(color);
    }
    let mut digits: Vec<u8> = value
        .strip_prefix('#')
        .unwrap_or(value)
        .chars()
        .flat_map(|c| if c.is_ascii_hexdigit() { vec![c as u8] } else { vec![b'0'; c.len_utf16()] })
        .take(128)
        .collect();
    while digits.is_empty() || !digits.len().is_multiple_of(3) {
        digits.push(b'0');
    }
    let third = digits.len() / 3;
    let mut parts: Vec<&[u8]> =
        digits.chunks(third).map(|part| &part[part.len().saturating_sub(8)..]).collect();
    while parts[0].len() > 2 && parts.iter().all(|part| part[0] == b'0') {
        parts.iter_mut().for_each(|part| *part = &part[1..]);
    }
    let byte = |part: &[u8]| {
        let text = std::str::from_utf8(&part[..part.len().min(2)]).unwrap_or("0");
        u8::from_str_radix(text, 16).unwrap_or(0)
    };
    Some(Color::opaque(byte(parts[0]), byte(parts[1]), byte(parts[2])))
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::{Color, Colored, color, legacy};

    fn read(text: &str) -> Option<(u8, u8, u8, f32)> {
        match color(&tokens(text).unwrap()[0]) {
            Colored::Is(Color { rgb, alpha }) => {
                let [r, g, b] = rgb.map(|part| (part * 255.0).round() as u8);
                Some((r, g, b, (alpha * 100.0).round() / 100.0))
            }
            _ => None,
        }
    }

    #[test]
    fn colours_are_read_in_every_spelling() {
        for (text, expected) in [
            ("#fff", (255, 255, 255, 1.0)),
            ("#FEFEFE80", (254, 254, 254, 0.5)),
            ("White", (255, 255, 255, 1.0)),
            ("rgb(255, 0 ,10)", (255, 0, 10, 1.0)),
            ("rgba(100% 0% 0% / 20%)", (255, 0, 0, 0.2)),
            ("hsl(120,100%,50%)", (0, 255, 0, 1.0)),
            ("hsl(0deg 0% 100% / .01)", (255, 255, 255, 0.01)),
            ("hwb(0 100% 0%)", (255, 255, 255, 1.0)),
            ("color(srgb 1 1 1)", (255, 255, 255, 1.0)),
            ("oklch(100% 0 0)", (255, 255, 255, 1.0)),
            ("Canvas", (255, 255, 255, 1.0)),
            ("ffffff", (255, 255, 255, 1.0)),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
        }
        assert_eq!(read("none"), None);
    }

    #[test]
    fn old_attributes_take_anything_for_a_colour() {
        for (text, expected) in [
            ("chucknorris", (192, 0, 0)),
            ("fff", (15, 15, 15)),
            ("ffffff", (255, 255, 255)),
            ("#FFF", (255, 255, 255)),
        ] {
            let Color { rgb, .. } = legacy(text).unwrap();
            let [r, g, b] = rgb.map(|part| (part * 255.0).round() as u8);
            assert_eq!((r, g, b), expected, "{text}");
        }
    }
}
