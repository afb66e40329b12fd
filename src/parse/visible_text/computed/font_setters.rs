//! The size of letters, by itself and in the shorthand for fonts.

use super::super::css::length::Units;
use super::super::css::tokens::{Tok, solid};
use super::setters::Setting;
use super::values::{Outcome, Read, Reading, only};

impl Setting<'_> {
    pub(super) fn font_size(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let [token] = only(value)?;
        // Not every reader shows a message in its own mode.
        if matches!(token, Tok::Number(size) if *size < 6.0 && *size > 0.0) && !self.quirks {
            return Err(Outcome::Doubt);
        }
        self.style.font_size = self.read_font_size(token)?.clamp(0.0, 10_000.0);
        Ok(())
    }

    pub(super) fn read_font_size(&self, token: &Tok) -> Result<f32, Outcome> {
        let parent = self.parent.font_size;
        if let Tok::Ident(word) = token {
            return Ok(match word.to_ascii_lowercase().as_str() {
                "xx-small" => 9.0,
                "x-small" => 10.0,
                "small" => 13.0,
                "medium" => 16.0,
                "large" => 18.0,
                "x-large" => 24.0,
                "xx-large" => 32.0,
                "xxx-large" | "-webkit-xxx-large" => 48.0,
                "smaller" => parent / 1.2,
                "larger" => parent * 1.2,
                "math" => return Err(Outcome::Doubt),
                _ => return Err(Outcome::Invalid),
            });
        }
        let lh = self.parent.line_height.is_none().then_some(1.15 * parent);
        let units = Units { em: parent, rem: self.parent.rem, usual: self.parent.grown == 1.0, lh };
        let read = Reading { units, quirks: self.quirks };
        match read.size(std::slice::from_ref(token), &[], false)? {
            Some(size) => Ok(size.of(parent)),
            None => Err(Outcome::Invalid),
        }
    }

    /// `font`: what comes before the size must be words or a weight, and a family must come behind it.
    pub(super) fn font(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let tokens: Vec<&Tok> = solid(value).collect();
        if let [Tok::Ident(word)] = tokens.as_slice() {
            let system = ["caption", "icon", "menu", "message-box", "small-caption", "status-bar"];
            let known = system.iter().any(|name| word.eq_ignore_ascii_case(name));
            return if known { self.system_font() } else { Err(Outcome::Invalid) };
        }
        let at = tokens.iter().position(|token| !is_font_word(token)).ok_or(Outcome::Invalid)?;
        // An angle that letters lean by, or a weight that is worked out.
        let is_angle = |unit: &str| matches!(unit, "deg" | "grad" | "rad" | "turn");
        if matches!(tokens[at], Tok::Function(..))
            || matches!(tokens[at], Tok::Dimension(_, unit) if is_angle(unit))
        {
            return Err(Outcome::Doubt);
        }
        let strict = Reading { quirks: false, ..self.reading() };
        if matches!(strict.length(tokens[at]), Read::Not) && tokens[at].ident().is_none() {
            return Err(if matches!(tokens[at], Tok::Function(..)) {
                Outcome::Doubt
            } else {
                Outcome::Invalid
            });
        }
        if matches!(tokens[at], Tok::Number(value) if *value != 0.0) {
            return Err(Outcome::Invalid);
        }
        let size = self.read_font_size(tokens[at])?;
        let (height, family) = match tokens.get(at + 1) {
            Some(Tok::Delim('/')) => (tokens.get(at + 2), tokens.get(at + 3..).unwrap_or_default()),
            _ => (None, tokens.get(at + 1..).unwrap_or_default()),
        };
        let is_family = |token: &&Tok| matches!(token, Tok::Ident(_) | Tok::Text(_) | Tok::Comma);
        if family.is_empty() || !family.iter().all(is_family) || matches!(family.last(), Some(Tok::Comma)) {
            return Err(Outcome::Invalid);
        }
        self.style.font_size = size.clamp(0.0, 10_000.0);
        self.style.line_height = None;
        match height {
            Some(token) => self.line_height(std::slice::from_ref(*token)),
            None => Ok(()),
        }
    }

    pub(super) fn system_font(&mut self) -> Result<(), Outcome> {
        self.style.font_size = 13.0;
        self.style.line_height = None;
        Ok(())
    }
}

fn is_font_word(token: &Tok) -> bool {
    match token {
        Tok::Number(weight) => (1.0..=1000.0).contains(weight),
        Tok::Ident(word) => matches!(
            word.to_ascii_lowercase().as_str(),
            "normal"
                | "italic"
                | "oblique"
                | "bold"
                | "bolder"
                | "lighter"
                | "small-caps"
                | "condensed"
                | "expanded"
                | "semi-condensed"
                | "semi-expanded"
                | "extra-condensed"
                | "extra-expanded"
                | "ultra-condensed"
                | "ultra-expanded"
        ),
        _ => false,
    }
}
