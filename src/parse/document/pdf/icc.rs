//! Colour profiles (ICC.1): whether one leaves grays and colours about as light as their numbers say.

use std::ops::RangeInclusive;

/// Exponents of the curves of usual screens and papers.
pub(super) const GAMMAS: RangeInclusive<f32> = 1.7..=2.6;

/// Whether a profile of gray or of three colours is of the simple form, with curves and shares of light as they are usual.
/// One with tables may map anything to anything.
pub(super) fn is_usual(profile: &[u8]) -> bool {
    let Some(tags) = tags(profile) else { return false };
    let find = |name: &[u8]| tags.iter().find(|(known, _)| *known == name).map(|(_, data)| *data);
    let is_curve = |name: &[u8]| find(name).is_some_and(|data| is_usual_curve(data).unwrap_or(false));
    let light = |name: &[u8]| find(name).and_then(|data| fixed(data, 12)).unwrap_or(-1.0);
    let has_tables = tags.iter().any(|(name, _)| name.starts_with(b"A2B") || name.starts_with(b"D2B"));
    match profile.get(16..20) {
        _ if has_tables => false,
        Some(b"GRAY") => is_curve(b"kTRC"),
        Some(b"RGB ") => {
            [b"rTRC", b"gTRC", b"bTRC"].iter().all(|name| is_curve(*name))
                && are_shares([light(b"rXYZ"), light(b"gXYZ"), light(b"bXYZ")])
        }
        _ => false,
    }
}

/// Whether red, green and blue give about as much of the light as on usual screens.
pub(super) fn are_shares([red, green, blue]: [f32; 3]) -> bool {
    (0.15..=0.4).contains(&red)
        && (0.5..=0.8).contains(&green)
        && (0.02..=0.15).contains(&blue)
        && (0.9..=1.1).contains(&(red + green + blue))
}

type Tags<'a> = Vec<(&'a [u8], &'a [u8])>;

fn tags(profile: &[u8]) -> Option<Tags<'_>> {
    let count = usize::try_from(word(profile, 128)?).ok()?.min(100);
    (0..count)
        .map(|number| {
            let at = 132 + 12 * number;
            let (from, size) = (word(profile, at + 4)? as usize, word(profile, at + 8)? as usize);
            Some((profile.get(at..at + 4)?, profile.get(from..from.checked_add(size)?)?))
        })
        .collect()
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn half(bytes: &[u8], at: usize) -> Option<f32> {
    Some(f32::from(u16::from_be_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?)))
}

fn fixed(bytes: &[u8], at: usize) -> Option<f32> {
    Some(word(bytes, at)?.cast_signed() as f32 / 65_536.0)
}

fn is_usual_curve(data: &[u8]) -> Option<bool> {
    match data.get(..4)? {
        b"curv" => is_usual_table(data),
        b"para" => is_usual_formula(data),
        _ => Some(false),
    }
}

/// A list of values from black to white; a single one is an exponent.
fn is_usual_table(data: &[u8]) -> Option<bool> {
    let count = word(data, 8)? as usize;
    if count <= 1 {
        return Some(count == 1 && GAMMAS.contains(&(half(data, 12)? / 256.0)));
    }
    let value = |number: usize| Some(half(data, 12 + 2 * number)? / 65_535.0);
    let values = (0..count.min(5_000)).map(value).collect::<Option<Vec<f32>>>()?;
    let rises = values.windows(2).all(|pair| pair[0] <= pair[1]);
    Some(rises && count <= 5_000 && are_usual_points(values[0], values[count / 2], values[count - 1]))
}

fn is_usual_formula(data: &[u8]) -> Option<bool> {
    let gamma = fixed(data, 12)?;
    let parameter = |number: usize| fixed(data, 12 + 4 * number);
    let shape = half(data, 8)?;
    if shape == 0.0 {
        return Some(GAMMAS.contains(&gamma));
    }
    // The curve of sRGB: a line near black, and a power above it.
    let (a, b, c, d) = (parameter(1)?, parameter(2)?, parameter(3)?, parameter(4)?);
    let value = |x: f32| if x >= d { (a * x + b).powf(gamma) } else { c * x };
    let is_known = shape == 3.0 && GAMMAS.contains(&gamma) && (0.0..0.2).contains(&d);
    Some(is_known && are_usual_points(value(0.0), value(0.5), value(1.0)))
}

fn are_usual_points(black: f32, middle: f32, white: f32) -> bool {
    black.abs() < 0.02 && (0.1..=0.35).contains(&middle) && (0.98..=1.02).contains(&white)
}
