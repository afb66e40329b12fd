//! The shape around the letters of a text box: what it is filled with, and which colour it gives them.

use super::package::Theme;
use super::sight::{Ink, Letters};
use super::xml::Tag;

/// A shape while its properties are read.
#[derive(Default)]
pub(super) struct ShapeLook {
    in_properties: bool,
    /// In the line around it or its effects, which colour neither letters nor what is behind them.
    in_line: bool,
    colors: Target,
    /// Whether it says itself how it is filled.
    is_filled: bool,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Target {
    #[default]
    Nothing,
    Ground,
    Ink,
}

impl ShapeLook {
    /// Reads an element of a shape.
    pub(super) fn hear(&mut self, tag: &Tag<'_>, theme: &Theme, letters: &mut Letters) {
        match tag.name().as_ref() {
            "spPr" => self.in_properties = true,
            "ln" | "effectLst" => self.in_line = true,
            _ if self.in_line => {}
            "noFill" if self.in_properties => self.is_filled = true,
            "solidFill" | "gradFill" | "blipFill" | "pattFill" | "grpFill" if self.in_properties => {
                (self.is_filled, letters.ground) = (true, Ink::Unknown);
                self.colors = Target::Nothing;
                if tag.name() == "solidFill" {
                    self.colors = Target::Ground;
                }
            }
            // Only the first filling of a theme is of one colour.
            "fillRef" if !self.is_filled && tag.attribute("idx").is_none_or(|number| number != "0") => {
                letters.ground = Ink::Unknown;
                self.colors = if tag.number("idx") == Some(1.0) { Target::Ground } else { Target::Nothing };
            }
            "fontRef" => self.colors = Target::Ink,
            "lnRef" | "effectRef" | "fillRef" => self.colors = Target::Nothing,
            "srgbClr" => self.color(Ink::hex(&tag.attribute("val").unwrap_or_default()), letters),
            "schemeClr" => self.color(theme.color(&tag.attribute("val").unwrap_or_default()), letters),
            // A change of the colour, or one that is named in another way.
            _ => self.color(Ink::Unknown, letters),
        }
    }

    fn color(&self, color: Ink, letters: &mut Letters) {
        match self.colors {
            Target::Nothing => {}
            Target::Ground => letters.ground = color,
            Target::Ink => letters.ink = color,
        }
    }

    /// An element ends.
    pub(super) fn close(&mut self, name: &str) {
        match name {
            "spPr" => self.in_properties = false,
            "ln" | "effectLst" => self.in_line = false,
            "solidFill" | "fillRef" | "fontRef" => self.colors = Target::Nothing,
            _ => {}
        }
    }
}
