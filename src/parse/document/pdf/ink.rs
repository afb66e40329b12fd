//! Colours of PDF: the plain ones, and those whose functions and profiles are looked at. Any other may turn black into white,
//! so letters in it are in doubt.

use pdf_extract::{Dictionary, Document, Object};

use super::icc;
use super::plain;
use crate::parse::document::sight::Ink;

/// In what numbers colours are given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Space {
    Gray,
    Rgb,
    Cmyk,
    /// One ink on paper, from none to all of it.
    Tint(Tint),
    Unknown,
}

/// The colours of none and of all of one ink, in the numbers of a plain space; those between lie on a straight line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tint {
    parts: usize,
    none: [f32; 4],
    all: [f32; 4],
}

impl Space {
    /// The space with this name, on its own or among the resources. These may also say what the plain ones mean.
    pub(super) fn named(document: &Document, resources: &Dictionary, name: &[u8]) -> Self {
        let spaces = document.get_dict_in_dict(resources, b"ColorSpace").ok();
        let own = |name: &[u8]| spaces.and_then(|spaces| spaces.get_deref(name, document).ok());
        let plain_or = |plain: Self, usual: &[u8]| match own(usual).map(|space| Self::of(document, space)) {
            Some(other) if other != plain => Self::Unknown,
            _ => plain,
        };
        match name {
            b"DeviceGray" | b"G" => plain_or(Self::Gray, b"DefaultGray"),
            b"DeviceRGB" | b"RGB" => plain_or(Self::Rgb, b"DefaultRGB"),
            b"DeviceCMYK" | b"CMYK" => plain_or(Self::Cmyk, b"DefaultCMYK"),
            name => own(name).map_or(Self::Unknown, |space| Self::of(document, space)),
        }
    }

    fn of(document: &Document, space: &Object) -> Self {
        let parts = match space {
            Object::Array(parts) => parts.as_slice(),
            other => std::slice::from_ref(other),
        };
        let kind = parts.first().and_then(|kind| kind.as_name().ok()).unwrap_or_default();
        let part = |number: usize| Some(document.dereference(parts.get(number)?).ok()?.1);
        let values = || part(1).and_then(|values| values.as_dict().ok());
        match kind {
            b"DeviceGray" => Self::Gray,
            b"DeviceRGB" => Self::Rgb,
            b"DeviceCMYK" => Self::Cmyk,
            b"CalGray" if values().is_some_and(|values| is_usual(document, values)) => Self::Gray,
            b"CalRGB" if values().is_some_and(|values| is_usual(document, values)) => Self::Rgb,
            b"ICCBased" => part(1).map_or(Self::Unknown, |profile| Self::profiled(document, profile)),
            b"Separation" => {
                let tint = part(2).zip(part(3));
                tint.and_then(|(space, function)| Tint::of(document, space, function))
                    .map_or(Self::Unknown, Self::Tint)
            }
            _ => Self::Unknown,
        }
    }

    fn profiled(document: &Document, profile: &Object) -> Self {
        let Ok(profile) = profile.as_stream() else { return Self::Unknown };
        let space = match profile.dict.get_deref(b"N", document).and_then(Object::as_i64) {
            Ok(1) => Self::Gray,
            Ok(3) => Self::Rgb,
            _ => return Self::Unknown,
        };
        let other = profile.dict.get_deref(b"Alternate", document);
        let agrees = other.map_or(true, |other| Self::of(document, other) == space);
        if agrees && icc::is_usual(&plain(profile)) { space } else { Self::Unknown }
    }

    /// The colour that painting begins with.
    pub(super) fn first(self) -> Ink {
        match self {
            Self::Unknown => Ink::Unknown,
            Self::Tint(_) => self.color(&[1.0]),
            _ => Ink::rgb([0.0; 3]),
        }
    }

    /// The colour that these numbers mean.
    pub(super) fn color(self, numbers: &[f32]) -> Ink {
        match (self, numbers) {
            (Self::Gray, [gray]) => Ink::rgb([*gray; 3]),
            (Self::Tint(tint), [share]) => tint.color(share.clamp(0.0, 1.0)),
            (Self::Rgb, [r, g, b]) => Ink::rgb([*r, *g, *b]),
            (Self::Cmyk, [c, m, y, k]) => Ink::rgb([c, m, y].map(|part| (1.0 - part) * (1.0 - k))),
            _ => Ink::Unknown,
        }
    }
}

impl Tint {
    /// An ink that a straight function leads to a plain colour.
    fn of(document: &Document, space: &Object, function: &Object) -> Option<Self> {
        let parts = match Space::of(document, space) {
            Space::Gray => 1,
            Space::Rgb => 3,
            Space::Cmyk => 4,
            _ => return None,
        };
        let function = function.as_dict().ok()?;
        let number = |key: &[u8]| function.get_deref(key, document).and_then(Object::as_float).ok();
        let list = |key: &[u8]| {
            let list = function.get_deref(key, document).and_then(Object::as_array).ok()?;
            let mut ends = [0.0; 4];
            (list.len() == parts).then(|| {
                ends.iter_mut().zip(numbers(list)).for_each(|(end, value)| *end = value);
                ends
            })
        };
        // What is cut to a range is none of the functions that programs write for an ink.
        let is_straight = number(b"FunctionType") == Some(2.0) && number(b"N") == Some(1.0);
        let is_whole = function
            .get_deref(b"Domain", document)
            .and_then(Object::as_array)
            .is_ok_and(|domain| numbers(domain) == [0.0, 1.0]);
        (is_straight && is_whole).then_some(())?;
        Some(Self { parts, none: list(b"C0")?, all: list(b"C1")? })
    }

    fn color(&self, share: f32) -> Ink {
        let mut mixed = [0.0; 4];
        for (at, part) in mixed.iter_mut().enumerate() {
            *part = self.none[at] + share * (self.all[at] - self.none[at]);
        }
        match self.parts {
            1 => Space::Gray.color(&mixed[..1]),
            3 => Space::Rgb.color(&mixed[..3]),
            _ => Space::Cmyk.color(&mixed),
        }
    }
}

/// Whether calibrated colours look about as the plain ones of the same numbers.
fn is_usual(document: &Document, values: &Dictionary) -> bool {
    let list = |key: &[u8]| match values.get_deref(key, document) {
        Ok(Object::Array(list)) => Some(numbers(list)),
        Ok(number) => number.as_float().ok().map(|number| vec![number]),
        Err(_) => None,
    };
    let known = [b"WhitePoint".as_slice(), b"BlackPoint", b"Gamma", b"Matrix"];
    let is_white = list(b"WhitePoint").is_some_and(|white| {
        matches!(white[..], [x, y, z] if (0.9..=1.0).contains(&x) && y == 1.0 && (0.7..=1.2).contains(&z))
    });
    let is_matrix = list(b"Matrix").is_none_or(|matrix| {
        matches!(matrix[..], [_, red, _, _, green, _, _, blue, _] if icc::are_shares([red, green, blue]))
    });
    values.iter().all(|(key, _)| known.contains(&key.as_slice()))
        && is_white
        && is_matrix
        && list(b"BlackPoint").is_none_or(|black| black.iter().all(|part| part.abs() < 0.02))
        && list(b"Gamma").is_some_and(|gamma| gamma.iter().all(|gamma| icc::GAMMAS.contains(gamma)))
}

/// The numbers among the operands of an operation.
pub(super) fn numbers(operands: &[Object]) -> Vec<f32> {
    operands.iter().filter_map(|operand| operand.as_float().ok()).collect()
}
