//! Colours of PDF, as far as they can be worked out without profiles and functions.

use pdf_extract::{Dictionary, Document, Object};

use crate::parse::document::sight::Ink;

/// In what numbers colours are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Gray,
    Rgb,
    Cmyk,
    /// One ink on paper, from none to all of it.
    Separation,
    Unknown,
}

impl Space {
    /// The space with this name, on its own or among the resources.
    pub(super) fn named(document: &Document, resources: &Dictionary, name: &[u8]) -> Self {
        match name {
            b"DeviceGray" | b"G" | b"CalGray" => return Self::Gray,
            b"DeviceRGB" | b"RGB" | b"CalRGB" => return Self::Rgb,
            b"DeviceCMYK" | b"CMYK" => return Self::Cmyk,
            b"Pattern" => return Self::Unknown,
            _ => {}
        }
        let spaces = document.get_dict_in_dict(resources, b"ColorSpace");
        let space = spaces.ok().and_then(|spaces| spaces.get_deref(name, document).ok());
        space.map_or(Self::Unknown, |space| Self::of(document, space))
    }

    fn of(document: &Document, space: &Object) -> Self {
        let Ok(parts) = space.as_array() else {
            return match space.as_name() {
                Ok(b"DeviceGray" | b"CalGray") => Self::Gray,
                Ok(b"DeviceRGB" | b"CalRGB") => Self::Rgb,
                Ok(b"DeviceCMYK") => Self::Cmyk,
                _ => Self::Unknown,
            };
        };
        let kind = parts.first().and_then(|kind| kind.as_name().ok()).unwrap_or_default();
        match kind {
            b"CalGray" | b"DeviceGray" => Self::Gray,
            b"CalRGB" | b"DeviceRGB" => Self::Rgb,
            b"DeviceCMYK" => Self::Cmyk,
            b"ICCBased" => {
                let profile = parts.get(1).and_then(|object| document.dereference(object).ok());
                let profile = profile.and_then(|(_, object)| object.as_stream().ok());
                match profile.and_then(|stream| stream.dict.get(b"N").ok()?.as_i64().ok()) {
                    Some(1) => Self::Gray,
                    Some(3) => Self::Rgb,
                    Some(4) => Self::Cmyk,
                    _ => Self::Unknown,
                }
            }
            b"Separation"
                if parts.get(1).is_some_and(|name| matches!(name.as_name(), Ok(b"Black" | b"All"))) =>
            {
                Self::Separation
            }
            _ => Self::Unknown,
        }
    }

    /// The colour that painting begins with.
    pub(super) fn first(self) -> Ink {
        match self {
            Self::Unknown => Ink::Unknown,
            _ => Ink::rgb([0.0; 3]),
        }
    }

    /// The colour that these numbers mean.
    pub(super) fn color(self, numbers: &[f32]) -> Ink {
        match (self, numbers) {
            (Self::Gray, [gray]) => Ink::rgb([*gray; 3]),
            (Self::Separation, [share]) => Ink::rgb([1.0 - share; 3]),
            (Self::Rgb, [r, g, b]) => Ink::rgb([*r, *g, *b]),
            (Self::Cmyk, [c, m, y, k]) => Ink::rgb([c, m, y].map(|part| (1.0 - part) * (1.0 - k))),
            _ => Ink::Unknown,
        }
    }
}

/// The numbers among the operands of an operation.
pub(super) fn numbers(operands: &[Object]) -> Vec<f32> {
    operands.iter().filter_map(|operand| operand.as_float().ok()).collect()
}
