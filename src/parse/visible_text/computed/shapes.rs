//! Shapes that cut elements off and transformations that take them away. What cannot be worked out hides.

use crate::model::Reason;

use super::super::css::length::{Length, Sized, Units, length, number};
use super::super::css::tokens::{Tok, between_commas, solid};
use super::frame::{Filter, Moved};

/// Less than this many pixels of something show nothing.
pub(super) const TINY: f32 = 3.0;
/// What shares are taken of, where the size of a box is not known.
const USUAL: f32 = 600.0;

fn pixels(token: &Tok, units: Units) -> Option<f32> {
    match length(token, units) {
        Sized::Is(length) => Some(length.of(USUAL)),
        _ => None,
    }
}

/// `clip: rect(top, right, bottom, left)`.
pub(super) fn clip(value: &[Tok], units: Units) -> Option<Reason> {
    let [Tok::Function(name, sides)] = value else { return None };
    let sides: Vec<f32> = solid(sides)
        .filter(|token| **token != Tok::Comma)
        .enumerate()
        .map(|(place, token)| {
            pixels(token, units).unwrap_or(if matches!(place, 1 | 2) { USUAL } else { 0.0 })
        })
        .collect();
    match (name.as_str(), sides.as_slice()) {
        ("rect", [top, right, bottom, left]) if bottom - top >= TINY && right - left >= TINY => None,
        _ => Some(Reason::Clipped),
    }
}

/// `clip-path`.
pub(super) fn clip_path(value: &[Tok], units: Units) -> Option<Reason> {
    let shape = solid(value).find_map(|token| match token {
        Tok::Function(name, arguments) => Some(shape_shows(name, arguments, units)),
        Tok::Url(_) => Some(false),
        _ => None,
    });
    (shape == Some(false)).then_some(Reason::Clipped)
}

fn shape_shows(name: &str, arguments: &[Tok], units: Units) -> bool {
    let before = |word: &str| {
        let end = arguments.iter().position(|token| token.is_ident(word)).unwrap_or(arguments.len());
        solid(&arguments[..end]).map(|token| pixels(token, units)).collect::<Option<Vec<f32>>>()
    };
    match name {
        "inset" => before("round").is_some_and(|sides| {
            let side = |place: usize| sides.get(place).or(sides.get(place & 1)).or(sides.first()).copied();
            let (Some(top), Some(right), Some(bottom), Some(left)) = (side(0), side(1), side(2), side(3))
            else {
                return false;
            };
            USUAL - top - bottom >= TINY && USUAL - left - right >= TINY
        }),
        "circle" | "ellipse" => {
            let sizes = before("at").unwrap_or_else(|| vec![USUAL]);
            sizes.iter().all(|radius| *radius >= TINY)
        }
        "polygon" => polygon_shows(arguments, units),
        "rect" | "xywh" => before("round").is_some_and(|sides| match (name, sides.as_slice()) {
            ("rect", [top, right, bottom, left]) => bottom - top >= TINY && right - left >= TINY,
            ("xywh", [_, _, width, height]) => *width >= TINY && *height >= TINY,
            _ => false,
        }),
        _ => false,
    }
}

/// Whether a polygon has any area within the box.
fn polygon_shows(arguments: &[Tok], units: Units) -> bool {
    let points = between_commas(arguments).filter_map(|part| {
        let place: Vec<f32> = solid(part).filter_map(|token| pixels(token, units)).collect();
        match place.as_slice() {
            [x, y] => Some((x.clamp(0.0, USUAL), y.clamp(0.0, USUAL))),
            _ => None,
        }
    });
    let points: Vec<(f32, f32)> = points.collect();
    let next = points.iter().cycle().skip(1);
    let doubled: f32 = points.iter().zip(next).map(|((x, y), (u, v))| x * v - u * y).sum();
    points.len() >= 3 && doubled.abs() / 2.0 >= TINY * TINY
}

/// `filter`: what fades, and what leaves nothing to read.
pub(super) fn filter(value: &[Tok], units: Units) -> Filter {
    let mut out = Filter::default();
    for token in solid(value) {
        let Tok::Function(name, arguments) = token else { continue };
        let amount = solid(arguments).next();
        let share = amount.map_or(Some(1.0), number);
        let hides = match (name.as_str(), share) {
            ("opacity", Some(share)) => {
                out.opacity *= share.clamp(0.0, 1.0);
                false
            }
            ("contrast", Some(share)) => share < 0.1,
            ("brightness", Some(share)) => !(0.05..=8.0).contains(&share),
            ("blur", _) => amount.is_some_and(|token| pixels(token, units).is_none_or(|radius| radius > 8.0)),
            ("grayscale" | "sepia" | "saturate" | "invert" | "hue-rotate" | "drop-shadow", _) => false,
            _ => true,
        };
        if hides {
            out.hidden = Some(Reason::Opacity);
        }
    }
    out
}

/// `transform`.
pub(super) fn transform(value: &[Tok], units: Units) -> Moved {
    let mut moved = Moved::default();
    for token in solid(value) {
        let Tok::Function(name, arguments) = token else { continue };
        let arguments: Vec<&Tok> = solid(arguments).filter(|token| **token != Tok::Comma).collect();
        apply(name, &arguments, units, &mut moved);
    }
    moved
}

fn apply(name: &str, arguments: &[&Tok], units: Units, moved: &mut Moved) {
    let size = |place: usize| match arguments.get(place).map(|token| length(token, units)) {
        Some(Sized::Is(length)) => Some(length),
        None => Some(Length::default()),
        _ => None,
    };
    let factor = |place: usize| arguments.get(place).map(|token| number(token));
    let both = |moved: &mut Moved, x: Option<Length>, y: Option<Length>| match (x, y) {
        (Some(x), Some(y)) => shift(moved, x, y),
        _ => moved.hidden = Some(Reason::OffScreen),
    };
    match name {
        "translate" | "translate3d" => both(moved, size(0), size(1)),
        "translatex" => both(moved, size(0), Some(Length::default())),
        "translatey" => both(moved, Some(Length::default()), size(0)),
        "scale" | "scale3d" => {
            let (x, y) = (factor(0).flatten(), factor(1).or(factor(0)).flatten());
            shrink(moved, x.zip(y).map(|(x, y)| x.abs().min(y.abs())));
        }
        "scalex" | "scaley" => shrink(moved, factor(0).flatten().map(f32::abs)),
        "rotatex" | "rotatey" => {
            shrink(moved, angle(arguments.first().copied()).map(|turn| turn.cos().abs()))
        }
        "rotate3d" => {
            let flat = factor(0).flatten() == Some(0.0) && factor(1).flatten() == Some(0.0);
            let turn = angle(arguments.get(3).copied());
            shrink(moved, if flat { Some(1.0) } else { turn.map(|turn| turn.cos().abs()) });
        }
        "skew" | "skewx" | "skewy" => {
            let steep =
                arguments.iter().any(|token| angle(Some(token)).is_none_or(|turn| turn.cos().abs() < 0.1));
            shrink(moved, Some(if steep { 0.0 } else { 1.0 }));
        }
        "matrix" => matrix(moved, arguments, [0, 1, 2, 3, 4, 5]),
        "matrix3d" => matrix(moved, arguments, [0, 1, 4, 5, 12, 13]),
        "rotate" | "rotatez" | "translatez" | "scalez" | "perspective" => {}
        _ => moved.hidden = Some(Reason::Transform),
    }
}

fn shift(moved: &mut Moved, x: Length, y: Length) {
    let add = |a: Length, b: Length| Length { px: a.px + b.px, share: a.share + b.share };
    moved.shift = (add(moved.shift.0, x), add(moved.shift.1, y));
}

fn shrink(moved: &mut Moved, factor: Option<f32>) {
    match factor {
        Some(factor) => moved.scale *= factor,
        None => moved.hidden = Some(Reason::Transform),
    }
}

fn matrix(moved: &mut Moved, arguments: &[&Tok], places: [usize; 6]) {
    let values = places.map(|place| arguments.get(place).and_then(|token| number(token)));
    let [Some(a), Some(b), Some(c), Some(d), Some(x), Some(y)] = values else {
        moved.hidden = Some(Reason::Transform);
        return;
    };
    shift(moved, Length::px(x), Length::px(y));
    // What a square of side 1 is pressed to, at its thinnest.
    let longest = a.hypot(b).max(c.hypot(d)).max(f32::MIN_POSITIVE);
    shrink(moved, Some((a * d - b * c).abs() / longest));
}

/// An angle in radians.
fn angle(token: Option<&Tok>) -> Option<f32> {
    match token? {
        Tok::Number(value) => Some(value.to_radians()),
        Tok::Dimension(value, unit) => Some(match unit.as_str() {
            "deg" => value.to_radians(),
            "turn" => value * std::f32::consts::TAU,
            "grad" => (value * 0.9).to_radians(),
            "rad" => *value,
            _ => return None,
        }),
        _ => None,
    }
}

/// The property `scale`.
pub(super) fn scale(value: &[Tok]) -> Moved {
    let mut moved = Moved::default();
    let factors: Vec<&Tok> = solid(value).filter(|token| token.ident().is_none()).collect();
    if !factors.is_empty() {
        apply("scale", &factors, Units { em: 16.0, rem: 16.0 }, &mut moved);
    }
    moved
}

/// The property `translate`.
pub(super) fn translate(value: &[Tok], units: Units) -> Moved {
    let mut moved = Moved::default();
    let sizes: Vec<&Tok> = solid(value).filter(|token| token.ident().is_none()).collect();
    if !sizes.is_empty() {
        apply("translate", &sizes, units, &mut moved);
    }
    moved
}

/// The property `rotate`.
pub(super) fn rotate(value: &[Tok]) -> Moved {
    let mut moved = Moved::default();
    let words: Vec<&Tok> = solid(value).collect();
    match words.as_slice() {
        [axis, turn] if axis.is_ident("x") || axis.is_ident("y") => {
            apply("rotatex", &[*turn], Units { em: 16.0, rem: 16.0 }, &mut moved);
        }
        [x, y, z, turn] => apply("rotate3d", &[*x, *y, *z, *turn], Units { em: 16.0, rem: 16.0 }, &mut moved),
        _ => {}
    }
    moved
}
