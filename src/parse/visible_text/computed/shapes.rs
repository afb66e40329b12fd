//! Shapes that cut elements off, filters, and transformations. Only forms that surely leave the text where it can be
//! read count as such; those that surely take it away hide, and everything else leaves doubt.

use crate::model::Reason;

use super::super::css::length::number;
use super::super::css::tokens::{Tok, between_commas, solid};
use super::backdrop::Level;
use super::frame::{Filter, Moved, Seen};
use super::values::{Outcome, Read, Reading};

/// Less than this many pixels of something show nothing.
pub(super) const TINY: f32 = 3.0;

/// `clip-path`. A box by its name is the box itself; an inset of nothing and a polygon of the four corners
/// cut nothing off.
pub(super) fn clip_path(value: &[Tok], read: Reading, has_drawings: bool) -> Result<Seen, Outcome> {
    let tokens: Vec<&Tok> = solid(value).collect();
    match tokens.as_slice() {
        [Tok::Ident(word)] => match word.to_ascii_lowercase().as_str() {
            "none" | "border-box" | "margin-box" | "fill-box" | "stroke-box" | "view-box" => Ok(Seen::All),
            // Text that has room in its box stands in all of them; what leaves it is followed as where boxes cut off.
            "padding-box" | "content-box" => Ok(Seen::All),
            _ => Err(Outcome::Invalid),
        },
        [Tok::Function(name, arguments)] => match name.as_str() {
            "rect" | "xywh" | "inset" if arguments.contains(&Tok::Comma) => Err(Outcome::Invalid),
            _ => Ok(shape(name, arguments, read)),
        },
        // What leads to no shape cuts nothing off (CSS Masking 1, 5.1).
        [Tok::Url(url)] if !has_drawings && leads_nowhere(url) => Ok(Seen::All),
        [Tok::Url(_)] => Ok(Seen::Unknown),
        [Tok::Function(..), Tok::Ident(_)] | [Tok::Ident(_), Tok::Function(..)] => Ok(Seen::Unknown),
        _ => Err(Outcome::Invalid),
    }
}

/// Whether a reference in a document without shapes or filters leads to none: it stays in the document, or in data that is
/// no drawing, or on another site, from which browsers take neither.
fn leads_nowhere(url: &str) -> bool {
    let url = url.trim().to_ascii_lowercase();
    let is_elsewhere = ["#", "http:", "https:"].iter().any(|start| url.starts_with(start));
    is_elsewhere || (url.starts_with("data:") && !url.contains("xml") && !url.contains("svg"))
}

fn shape(name: &str, arguments: &[Tok], read: Reading) -> Seen {
    let sizes = || -> Option<Vec<(f32, f32)>> {
        let read = |token: &Tok| match read.length(token) {
            Read::Is(length) => Some((length.px, length.share)),
            _ => None,
        };
        solid(arguments).map(read).collect()
    };
    match name {
        "inset" => match sizes() {
            Some(sides)
                if sides.len() <= 4 && sides.iter().all(|(px, share)| *px <= 2.0 && *share <= 0.0) =>
            {
                Seen::All
            }
            Some(sides) if sides.len() == 1 && sides[0].1 >= 0.5 => Seen::Nothing,
            _ => Seen::Unknown,
        },
        "circle" => match sizes().as_deref() {
            Some([(px, 0.0)]) if *px < 1.0 => Seen::Nothing,
            _ => Seen::Unknown,
        },
        "polygon" => polygon(arguments),
        "xywh" => match sizes().as_deref() {
            Some([x, y, width, height])
                if *x == (0.0, 0.0) && *y == (0.0, 0.0) && width.1 >= 1.0 && height.1 >= 1.0 =>
            {
                if width.0 >= 0.0 && height.0 >= 0.0 { Seen::All } else { Seen::Unknown }
            }
            _ => Seen::Unknown,
        },
        _ => Seen::Unknown,
    }
}

/// The four corners in their order, wherever they begin.
fn polygon(arguments: &[Tok]) -> Seen {
    let corner = |token: &Tok| match token {
        Tok::Number(0.0) | Tok::Percent(0.0) => Some(0_u8),
        Tok::Percent(1.0) => Some(1),
        _ => None,
    };
    let points = between_commas(arguments).map(|part| {
        let place: Vec<Option<u8>> = solid(part).map(corner).collect();
        match place.as_slice() {
            [Some(x), Some(y)] => Some((*x, *y)),
            _ => None,
        }
    });
    let Some(points) = points.collect::<Option<Vec<_>>>() else { return Seen::Unknown };
    match points.as_slice() {
        [(0, 0), (1, 0), (1, 1), (0, 1)] | [(0, 0), (0, 1), (1, 1), (1, 0)] => Seen::All,
        points if points.windows(2).all(|pair| pair[0] == pair[1]) => Seen::Nothing,
        _ => Seen::Unknown,
    }
}

/// The light of the colours is multiplied by something or mixed with grey; what that makes of a colour is worked out.
fn level(name: &str, amount: Option<f32>) -> Option<Level> {
    match (name, amount?) {
        ("brightness", by) if by >= 0.0 => Some((by, 0.0)),
        ("contrast", by) if by > 0.0 => Some((by, 0.5 - 0.5 * by)),
        ("invert", share) if share >= 0.0 => Some((1.0 - 2.0 * share.min(1.0), share.min(1.0))),
        _ => None,
    }
}

/// Whether browsers know a filter of this name.
fn is_filter(name: &str) -> bool {
    let known = ["blur", "brightness", "contrast", "drop-shadow", "grayscale", "hue-rotate", "invert"];
    known.contains(&name) || ["opacity", "saturate", "sepia", "src"].contains(&name)
}

/// `filter`: greys and hues leave strong contrast readable, opacity counts as such, blur of a pixel is little.
pub(super) fn filter(value: &[Tok], read: Reading, has_drawings: bool) -> Result<Filter, Outcome> {
    let mut out = Filter::default();
    let tokens: Vec<&Tok> = solid(value).collect();
    if let [token] = tokens.as_slice()
        && token.is_ident("none")
    {
        return Ok(out);
    }
    for token in tokens {
        match token {
            Tok::Function(name, arguments) => one_filter(name, arguments, read, &mut out)?,
            // What leads to no filter changes nothing (Filter Effects 1, 5).
            Tok::Url(url) if !has_drawings && leads_nowhere(url) => {}
            // It may draw anything anywhere.
            Tok::Url(_) => (out.unknown, out.far) = (true, true),
            _ => return Err(Outcome::Invalid),
        }
    }
    Ok(out)
}

fn one_filter(name: &str, arguments: &[Tok], read: Reading, out: &mut Filter) -> Result<(), Outcome> {
    let parts: Vec<&Tok> = solid(arguments).collect();
    let amount = match parts.as_slice() {
        [] => Some(1.0),
        [token] => number(token),
        _ => None,
    };
    match (name, amount) {
        ("opacity", Some(share)) if share >= 0.0 => out.opacity *= share.clamp(0.0, 1.0),
        ("contrast", Some(0.0)) => out.hidden = Some(Reason::Color),
        (name, amount) if level(name, amount).is_some() => out.levels.extend(level(name, amount)),
        (name, _) if !is_filter(name) => return Err(Outcome::Invalid),
        ("grayscale" | "sepia", Some(share)) if share >= 0.0 && !out.tints => out.tints = true,
        // What two of them make of a colour is not worked out.
        ("saturate", Some(share)) if (0.0..=3.0).contains(&share) && !out.tints => out.tints = true,
        ("hue-rotate", _) if parts.len() <= 1 && !out.tints => out.tints = true,
        ("drop-shadow", _) => {
            let sizes = parts.iter().map(|token| read.length(token)).filter(|length| *length != Read::Not);
            let within =
                |most: f32| move |size: Read| matches!(size, Read::Is(length) if length.px.abs() <= most);
            out.shadows += 1;
            out.reaches |= !sizes.clone().all(within(4.0));
            out.far |= !sizes.into_iter().all(within(10.0));
            out.unknown |= out.far || out.shadows > 1;
        }
        ("blur", _) => match parts.first().map(|token| read.length(token)) {
            None => {}
            Some(Read::Is(length)) if length.share == 0.0 && (0.0..=1.0).contains(&length.px) => {
                out.blur += length.px
            }
            Some(Read::Is(length)) if length.px < 0.0 => return Err(Outcome::Invalid),
            _ => out.unknown = true,
        },
        _ => out.unknown = true,
    }
    Ok(())
}

/// `transform`: nothing, moves of known pixels, and scales; all others are not understood.
pub(super) fn transform(value: &[Tok], read: Reading) -> Result<Moved, Outcome> {
    let tokens: Vec<&Tok> = solid(value).collect();
    if let [token] = tokens.as_slice()
        && token.is_ident("none")
    {
        return Ok(Moved::default());
    }
    let mut moved = Moved::default();
    for token in tokens {
        let Tok::Function(name, arguments) = token else { return Err(Outcome::Invalid) };
        if !is_transformation(name) {
            return Err(Outcome::Invalid);
        }
        let arguments: Vec<&Tok> = between_commas(arguments)
            .map(|part| match part {
                [token] => Some(token),
                _ => None,
            })
            .collect::<Option<_>>()
            .ok_or(Outcome::Doubt)?;
        apply(name, &arguments, read, &mut moved);
    }
    Ok(moved)
}

/// Whether browsers know a transformation of this name.
pub(super) fn is_transformation(name: &str) -> bool {
    let stems = ["matrix", "translate", "scale", "rotate", "skew", "perspective"];
    stems.iter().any(|stem| name.starts_with(stem))
}

fn apply(name: &str, arguments: &[&Tok], read: Reading, moved: &mut Moved) {
    let px = |token: &&Tok| match read.length(token) {
        Read::Is(length) if length.share == 0.0 => Some(length.px),
        _ => None,
    };
    let numbers: Option<Vec<f32>> = arguments.iter().map(|token| number(token)).collect();
    match (name, arguments.len()) {
        ("translate" | "translatex" | "translatey" | "translate3d", 1..=3) => {
            match (name, arguments.iter().map(px).collect::<Option<Vec<f32>>>().as_deref()) {
                ("translate" | "translatex", Some([x])) => shift(moved, *x, 0.0),
                ("translatey", Some([y])) => shift(moved, 0.0, *y),
                ("translate", Some([x, y])) => shift(moved, *x, *y),
                ("translate3d", Some([x, y, z])) if *z == 0.0 => shift(moved, *x, *y),
                _ => unknown(moved),
            }
        }
        ("translatez", 1) if px(&arguments[0]).is_some() => moved.deep = true,
        ("perspective", 1) if px(&arguments[0]).is_some_and(|depth| depth >= 0.0) => moved.perspective = true,
        ("scale", 1 | 2) | ("scalex" | "scaley", 1) => match numbers.as_deref() {
            Some(factors) => shrink(moved, factors),
            None => unknown(moved),
        },
        ("rotate" | "rotatez" | "skew" | "skewx" | "skewy" | "rotatex" | "rotatey", _)
            if arguments.iter().all(|token| is_no_turn(token)) => {}
        // Turned about an axis of the page, it is seen from behind: mirrored, as long as nothing hides that side.
        ("rotate" | "rotatez" | "rotatex" | "rotatey", 1) if is_half_turn(arguments[0]) => {
            (moved.mirrored, moved.identity) = (true, false);
        }
        ("matrix", 6) if numbers.as_deref() == Some(&[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]) => {}
        ("matrix", 6) if numbers.as_deref().is_some_and(|all| all[..4].iter().all(|part| *part == 0.0)) => {
            moved.hidden = Some(Reason::Transform);
        }
        ("matrix3d", 16) if numbers.as_deref().is_some_and(is_identity) => {}
        ("scalez", 1) if numbers.as_deref() == Some(&[1.0]) => {}
        _ => unknown(moved),
    }
}

fn is_identity(values: &[f32]) -> bool {
    values.iter().enumerate().all(|(place, value)| *value == f32::from(u8::from(place % 5 == 0)))
}

fn is_no_turn(token: &Tok) -> bool {
    match token {
        Tok::Number(value) => *value == 0.0,
        Tok::Dimension(value, unit) => match unit.as_str() {
            "deg" => value.rem_euclid(360.0) == 0.0,
            "turn" => value.fract() == 0.0,
            _ => *value == 0.0,
        },
        _ => false,
    }
}

fn is_half_turn(token: &Tok) -> bool {
    match token {
        Tok::Dimension(value, unit) if unit == "deg" => (value.rem_euclid(360.0) - 180.0).abs() < 0.5,
        Tok::Dimension(value, unit) => unit == "turn" && value.rem_euclid(1.0) == 0.5,
        _ => false,
    }
}

/// An angle, and an axis before or behind it.
fn is_rotation(tokens: &[&Tok]) -> bool {
    let is_angle = |token: &Tok| match token {
        Tok::Dimension(_, unit) => matches!(unit.as_str(), "deg" | "turn" | "rad" | "grad"),
        token => matches!(token, Tok::Number(0.0)),
    };
    let is_axis = |token: &Tok| ["x", "y", "z"].iter().any(|axis| token.is_ident(axis));
    match tokens {
        [angle] => is_angle(angle),
        [a, b] => (is_axis(a) && is_angle(b)) || (is_angle(a) && is_axis(b)),
        [_, _, _, _] => tokens.iter().all(|token| matches!(token, Tok::Number(_)) || is_angle(token)),
        _ => false,
    }
}

fn shift(moved: &mut Moved, x: f32, y: f32) {
    moved.shift.0 += x;
    moved.shift.1 += y;
    moved.identity &= x == 0.0 && y == 0.0;
}

fn shrink(moved: &mut Moved, factors: &[f32]) {
    moved.identity &= factors.iter().all(|factor| *factor == 1.0);
    let least = factors.iter().map(|factor| factor.abs()).fold(f32::MAX, f32::min);
    if least < 0.02 {
        moved.hidden = Some(Reason::Transform);
    }
    moved.mirrored |= factors.iter().any(|factor| *factor < 0.0);
    match factors.iter().all(|factor| (0.3..=1.0).contains(&factor.abs())) {
        true => moved.scale *= least,
        false => moved.unknown = true,
    }
}

fn unknown(moved: &mut Moved) {
    moved.unknown = true;
    moved.identity = false;
}

/// The properties `scale`, `translate` and `rotate`.
pub(super) fn single(name: &str, value: &[Tok], read: Reading) -> Result<Moved, Outcome> {
    let tokens: Vec<&Tok> = solid(value).collect();
    let mut moved = Moved::default();
    match tokens.as_slice() {
        [token] if token.is_ident("none") => return Ok(moved),
        [Tok::Ident(_) | Tok::Url(_)] => return Err(Outcome::Invalid),
        [Tok::Number(_)] if name == "rotate" => return Err(Outcome::Invalid),
        tokens
            if tokens.iter().any(|token| matches!(token, Tok::Function(..)))
                && !(name == "translate"
                    && tokens.iter().all(|token| matches!(read.length(token), Read::Is(_)))) =>
        {
            let may_be_number = |token: &&Tok| matches!(token, Tok::Function(name, _) if name.len() == 3 || super::values::is_math(name));
            return Err(if tokens.iter().any(may_be_number) { Outcome::Doubt } else { Outcome::Invalid });
        }
        tokens if name == "rotate" && !is_rotation(tokens) => return Err(Outcome::Invalid),
        // Words stand alone, but for the axis of a turn.
        tokens if name != "rotate" && tokens.iter().any(|token| token.ident().is_some()) => {
            return Err(Outcome::Invalid);
        }
        [x, y, z] if name == "translate" && matches!(read.length(z), Read::Is(_)) => {
            moved.deep = true;
            apply(name, &[x, y], read, &mut moved);
        }
        tokens if tokens.len() > 2 => unknown(&mut moved),
        tokens => apply(name, tokens, read, &mut moved),
    }
    Ok(moved)
}
