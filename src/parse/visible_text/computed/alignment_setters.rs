//! What each property does to where things stand in the box of an element.

use super::super::css::declaration::Property;
use super::super::css::length::number;
use super::super::css::sheet::is_long_text;
use super::super::css::tokens::{Tok, solid};
use super::backdrop;
use super::setters::Setting;
use super::values::{Outcome, only};

impl Setting<'_> {
    /// Alignment moves what has room inside its box, so it hides nothing until there is too much in the box: `limits` and
    /// `rooms` look for that.
    pub(super) fn set_alignment(&mut self, property: &Property, value: &[Tok]) -> Result<(), Outcome> {
        let is_word = |word: &str| matches!(only(value), Ok([token]) if token.is_ident(word));
        let is_away = || solid(value).any(|token| token.ident().is_some_and(is_away_from_start));
        match property {
            Property::VerticalAlign => return self.vertical_align(value),
            Property::Align => self.frame.aligned |= is_away(),
            Property::AlignLines => self.frame.aligned_lines = is_away(),
            Property::AlignSelf => self.frame.ordered |= is_away() || solid(value).any(is_other_place),
            Property::GridPlace => self.frame.placed |= !is_word("auto"),
            Property::Scrolls => self.frame.scrolls |= !is_word("none"),
            // An image of the message may be of any size; a gradient is as large as a letter.
            Property::ListStyle if value.iter().any(backdrop::may_be_picture) => return Err(Outcome::Doubt),
            Property::ListStyle if solid(value).any(|token| token.is_ident("inside")) => {
                self.style.marks_inside = true
            }
            Property::ListStyle | Property::Quotes => self.frame.long_marks |= value.iter().any(is_long_mark),
            // Below what floats, and beside what is not there: nobody knows how far down.
            Property::Clear => {
                self.frame.clears |= !is_word("none");
                self.frame.odd |= self.frame.clears;
            }
            Property::CornerShape => self.frame.round |= !is_word("round"),
            Property::MarginTrim => {
                let sides =
                    ["none", "block", "inline", "block-start", "block-end", "inline-start", "inline-end"];
                let is_side = |token: &Tok| sides.iter().any(|side| token.is_ident(side));
                if !solid(value).all(is_side) {
                    return Err(Outcome::Invalid);
                }
                self.frame.long_marks |= !is_word("none");
            }
            Property::BackgroundBlend => self.frame.paint.unknown |= !is_word("normal"),
            Property::UnderlineOffset => {
                self.style.far_line = self.is_within(value, -3.0, 6.0).is_err() && !is_word("auto")
            }
            Property::WordBreak => {
                let breaks = ["break-all", "anywhere", "break-word", "auto-phrase"];
                self.style.breaks_words |= breaks.iter().any(|word| is_word(word));
                // Text of ideographs is broken anywhere else.
                self.style.fickle |= is_word("keep-all");
            }
            Property::ShapeOutside => self.frame.shaped = !is_word("none"),
            Property::BoxOrient => self.frame.stacks_items = is_word("vertical") || is_word("block-axis"),
            Property::ClipMargin => {
                let is_nothing = |token: &Tok| matches!(token, Tok::Number(0.0)) || token.ident().is_some();
                self.frame.clips_beyond = !solid(value).all(is_nothing);
            }
            Property::Shifts if !["none", "auto", "normal"].iter().any(|word| is_word(word)) => {
                self.style.fickle = true;
            }
            Property::TextOverflow => self.frame.ellipsis = !is_word("clip"),
            Property::Stacks => self.frame.stacks |= !is_word("auto") && !is_word("none"),
            Property::TextBox => return self.text_box(value),
            Property::Rule => self.frame.wide_rule |= value.iter().any(is_wide_line),
            Property::Break => self.frame.breaks |= !is_word("auto") && !is_word("avoid"),
            // With its prefix it aligns blocks too.
            Property::TextAlign => {
                let is_prefixed = |token: &Tok| token.ident().is_some_and(|word| word.starts_with('-'));
                self.frame.centers |= value.iter().any(is_prefixed);
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes away what is free above capitals and below the line that letters stand on, and no more.
    fn text_box(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        for token in solid(value) {
            match token.ident().map(str::to_ascii_lowercase).as_deref() {
                Some("auto" | "normal" | "none" | "text" | "cap" | "alphabetic") => {}
                Some("trim-start" | "trim-end" | "trim-both") => self.frame.trims = true,
                Some("ex" | "ideographic" | "ideographic-ink") | None => return Err(Outcome::Doubt),
                Some(_) => return Err(Outcome::Invalid),
            }
        }
        Ok(())
    }

    fn vertical_align(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        match only(value) {
            Ok([Tok::Ident(word)]) => {
                self.frame.uneven = !word.eq_ignore_ascii_case("baseline");
                self.frame.raised = !["baseline", "middle"].iter().any(|at| word.eq_ignore_ascii_case(at));
                Ok(())
            }
            _ => {
                self.frame.raised = true;
                // On paper a line grows with what is raised in it.
                let most = if self.parent.grows_freely() { 400.0 } else { 60.0 };
                self.is_within(value, -most, most)
            }
        }
    }

    pub(super) fn zoom(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        match only(value) {
            Ok([token]) if token.is_ident("normal") => self.frame.zoom = None,
            // Browsers take none at all for the usual size.
            Ok([Tok::Number(0.0) | Tok::Percent(0.0)]) => self.frame.zoom = None,
            Ok([Tok::Number(share) | Tok::Percent(share)]) if *share > 0.0 => self.frame.zoom = Some(*share),
            Ok([Tok::Number(_) | Tok::Percent(_)]) | Err(_) => return Err(Outcome::Invalid),
            Ok([Tok::Ident(_) | Tok::Dimension(..)]) => return Err(Outcome::Invalid),
            // What is worked out to be less than nothing is nothing.
            Ok([token @ Tok::Function(name, _)])
                if name == "sign" && number(token).is_some_and(|sign| sign <= 0.0) =>
            {
                self.frame.zoom = None;
            }
            Ok([Tok::Function(name, _)]) if backdrop::is_never_image(name) => return Err(Outcome::Invalid),
            _ => return Err(Outcome::Doubt),
        }
        Ok(())
    }
}

/// Whether a mark of a list, or a quote, is more than a few letters, or may be.
fn is_long_mark(token: &Tok) -> bool {
    is_long_text(token) || matches!(token, Tok::Function(name, _) if name == "symbols")
}

/// Whether a line has a width: many thin ones beside each other are as wide as any.
fn is_wide_line(token: &Tok) -> bool {
    match token {
        Tok::Dimension(width, _) => *width > 0.0,
        // Of the usual width, or of one that is said elsewhere.
        Tok::Ident(word) => !matches!(
            word.to_ascii_lowercase().as_str(),
            "none" | "hidden" | "initial" | "unset" | "inherit" | "revert"
        ),
        Tok::Function(name, _) => !matches!(name.as_str(), "rgb" | "rgba" | "hsl" | "hsla"),
        _ => false,
    }
}

/// `order` in any form but that of the document.
fn is_other_place(token: &Tok) -> bool {
    matches!(token, Tok::Number(place) if *place != 0.0) || matches!(token, Tok::Function(..))
}

/// Whether a word of alignment or direction puts things elsewhere than at the beginning.
fn is_away_from_start(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["end", "center", "right", "bottom", "last", "unsafe", "reverse", "space-", "baseline"]
        .iter()
        .any(|away| word.contains(away))
}
