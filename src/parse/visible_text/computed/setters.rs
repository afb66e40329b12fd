//! What each property does to the style that children take over. A value that browsers drop changes nothing; one
//! that is not understood leaves doubt.

use std::rc::Rc;

use super::super::css::color::{Colored, color};
use super::super::css::declaration::{Declaration, Property};
use super::super::css::length::{Length, Units, is_bare_number, number};
use super::super::css::tokens::{Tok, between_commas, solid};
use super::backdrop::is_strict_color;
use super::effect_setters::{is_one_sharp_shadow, is_text_shadow};
use super::frame::{Display, Frame};
use super::resets::is_of_box;
use super::values::{Outcome, Reading, is_math, one_of, only, word};
use super::{Custom, Style, WhiteSpace};

/// The words every property takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wide {
    Inherit,
    Initial,
    Unset,
    /// As the browser itself has it.
    Revert,
    /// As some other rule has it, which is not worked out.
    Unsure,
}

pub(super) fn wide(value: &[Tok]) -> Option<Wide> {
    let [Tok::Ident(word)] = value else { return None };
    match word.to_ascii_lowercase().as_str() {
        "inherit" => Some(Wide::Inherit),
        "initial" => Some(Wide::Initial),
        "unset" => Some(Wide::Unset),
        "revert" => Some(Wide::Revert),
        "revert-layer" | "revert-rule" => Some(Wide::Unsure),
        _ => None,
    }
}

/// Whether one of those words stands among others, where only families of fonts may have it (CSS Values 4, 2.1.1).
fn has_wide_word(property: &Property, value: &[Tok]) -> bool {
    let is_family = matches!(property, Property::Font | Property::FontFamily);
    !is_family && solid(value).any(|token| wide(std::slice::from_ref(token)).is_some())
}

/// Whether a property can have an element painted as a whole, after what floats and after lines before it.
fn may_stack(property: &Property) -> bool {
    matches!(
        property,
        Property::Backdrop
            | Property::Backface
            | Property::BlendMode
            | Property::ClipPath
            | Property::Contain
            | Property::ContentVisibility
            | Property::Filter
            | Property::Mask
            | Property::MaskBox
            | Property::OffsetPath
            | Property::Perspective
            | Property::Rotate
            | Property::Scale
            | Property::Transform
            | Property::TransformOrigin
            | Property::Translate
    )
}

/// Families whose letters have usual widths.
const USUAL: [&str; 24] = [
    "-apple-system",
    "arial",
    "blinkmacsystemfont",
    "calibri",
    "cambria",
    "georgia",
    "geneva",
    "helvetica",
    "helvetica neue",
    "inherit",
    "initial",
    "lato",
    "open sans",
    "roboto",
    "sans-serif",
    "segoe ui",
    "serif",
    "system-ui",
    "tahoma",
    "times",
    "times new roman",
    "trebuchet ms",
    "ubuntu",
    "verdana",
];

/// Whether every family that a font may be taken from has letters of usual widths.
pub(super) fn is_usual_family(names: &str) -> bool {
    names.split(',').all(|name| {
        let name = name.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
        USUAL.contains(&name.as_str())
    })
}

/// Whether letters are drawn with lines thinner than usual.
fn is_light(token: &Tok) -> bool {
    match token {
        Tok::Number(weight) => *weight < 300.0,
        Tok::Function(..) => true,
        token => token.is_ident("lighter"),
    }
}

/// Whether a family has a name of such letters.
fn has_thin_letters(value: &[Tok]) -> bool {
    let is_thin = |name: &str| ["light", "thin", "hair"].iter().any(|part| name.contains(part));
    value.iter().any(
        |token| matches!(token, Tok::Ident(name) | Tok::Text(name) if is_thin(&name.to_ascii_lowercase())),
    )
}

/// The same of a value. In the shorthand, what stands before the first one is no name of a font.
fn is_usual_font(value: &[Tok]) -> bool {
    let looks = ["bold", "italic", "normal", "bolder", "lighter", "oblique"];
    between_commas(value).all(|family| {
        let names = solid(family).filter_map(|token| match token {
            Tok::Ident(name) | Tok::Text(name) => Some(name.to_ascii_lowercase()),
            _ => None,
        });
        let words: Vec<String> = names.filter(|name| !looks.contains(&name.as_str())).collect();
        USUAL.contains(&words.join(" ").as_str())
    })
}

/// Whether a value is the word for nothing.
fn is_none(value: &[Tok]) -> bool {
    matches!(value, [token] if ["none", "normal", "visible", "initial", "unset", "revert", "flat"].iter().any(|word| token.is_ident(word)))
}

/// A style being put together: what the element inherits, and what it is before anything is set.
pub(super) struct Setting<'s> {
    pub(super) style: &'s mut Style,
    pub(super) frame: &'s mut Frame,
    pub(super) parent: &'s Style,
    /// The element before any rule.
    pub(super) fresh: &'s (Style, Frame),
    pub(super) quirks: bool,
    /// Whether the document may hold shapes that cut off, or filters.
    pub(super) has_drawings: bool,
    /// Whether nothing sets the height of its lines, nor of those around it.
    pub(super) has_usual_lines: bool,
    /// Whether attributes of the element say how it looks.
    pub(super) has_hints: bool,
}

impl Setting<'_> {
    /// Applies one declaration whose variables are put in; says whether that is a value the property takes.
    pub(super) fn apply(&mut self, property: &Property, value: &[Tok], had_variables: bool) -> bool {
        let outcome = match wide(value) {
            // Nothing that could be put in was there.
            _ if had_variables && has_bad(value) => Outcome::Invalid,
            _ if had_variables && *property == Property::All => Outcome::Doubt,
            Some(Wide::Unsure) => Outcome::Doubt,
            Some(word) => self.reset(property, word),
            None if has_wide_word(property, value) => Outcome::Invalid,
            None if is_anchor(value) => self.anchor(property, value),
            None => self.set(property, value),
        };
        let is_taken = outcome != Outcome::Invalid;
        let outcome = match outcome {
            // What turns out to be nothing once variables are put in is as if nothing had been set.
            Outcome::Invalid if had_variables => self.reset(property, Wide::Unset),
            outcome => outcome,
        };
        if outcome != Outcome::Invalid {
            self.frame.stacks |= may_stack(property) && !is_none(value);
            self.frame.doubts.retain(|doubted| doubted != property);
            if is_of_box(property) || matches!(property, Property::Background | Property::Mask) {
                self.frame.declared.push(property.clone());
            }
        }
        if outcome == Outcome::Doubt {
            self.frame.doubts.push(property.clone());
        }
        is_taken
    }

    /// A size or place of something else, which only what stands out of the flow can have: browsers that know it take it as
    /// nothing here, and others drop it, which is the same where nothing was set before.
    fn anchor(&mut self, property: &Property, value: &[Tok]) -> Outcome {
        let frame = &*self.frame;
        let is_size = matches!(only(value), Ok([Tok::Function(name, _)]) if name == "anchor-size");
        let was_set = match property {
            Property::Inset(_) => frame.inset.iter().any(Option::is_some),
            Property::Margin(_) if is_size => frame.margin.iter().any(Option::is_some),
            Property::Width if is_size => frame.width.is_some(),
            Property::Height if is_size => frame.height.is_some(),
            Property::MinWidth if is_size => frame.min_width.is_some(),
            Property::MinHeight if is_size => frame.min_height.is_some(),
            Property::MaxWidth if is_size => frame.max_width.is_some(),
            Property::MaxHeight if is_size => frame.max_height.is_some(),
            _ => return Outcome::Invalid,
        };
        self.frame.anchored = true;
        if was_set { Outcome::Doubt } else { Outcome::Invalid }
    }

    /// Leaves doubt about a property.
    pub(super) fn doubt(&mut self, property: &Property) {
        self.frame.doubts.push(property.clone());
    }

    /// Remembers a custom property.
    pub(super) fn custom(&mut self, name: &str, value: &[Tok]) {
        let outer = self.style.custom.take();
        self.style.custom = Some(Rc::new(Custom { name: name.to_owned(), value: value.to_vec(), outer }));
    }

    /// Leaves doubt about sides of a text that does not run as usual.
    pub(super) fn doubt_sides(&mut self, declarations: &[&Declaration]) {
        let is_turned = |style: &Style| style.rtl || style.vertical;
        if (is_turned(self.style) || is_turned(self.parent)) && declarations.iter().any(|one| one.logical) {
            self.doubt(&Property::Strange);
        }
    }

    /// What is free above and below paragraphs, lists and headings by itself is so many of their own letters.
    pub(super) fn grow_usual_margins(&mut self, declarations: &[&Declaration], name: &str) {
        let factor = self.style.font_size / self.fresh.0.font_size.max(1.0);
        if matches!(name, "body" | "form" | "fieldset") || factor == 1.0 {
            return;
        }
        for side in [0, 2] {
            let is_set = |one: &&&Declaration| match one.property {
                Property::Margin(own) => own.places()[side],
                Property::All => true,
                _ => false,
            };
            if !declarations.iter().any(|one| is_set(&one)) {
                self.frame.margin[side] =
                    self.fresh.1.margin[side].map(|usual| Length::px(usual.px * factor));
            }
        }
    }

    pub(super) fn reading(&self) -> Reading {
        // Lines of the usual fonts are 1.12 to 1.2 times as high as their letters.
        let lh = self.has_usual_lines.then_some(1.15 * self.style.font_size);
        // Where something is cut off, it matters how wide letters are.
        let usual = self.style.grown == 1.0 && !self.parent.clips;
        Reading { units: Units { lh, usual, ..self.style.units() }, quirks: self.quirks }
    }

    /// What children take over: letters are held against their bounds by `readable`, the rest only changes how lines run.
    #[expect(clippy::too_many_lines, reason = "one arm for each")]
    fn set(&mut self, property: &Property, value: &[Tok]) -> Outcome {
        let result = match property {
            Property::FontSize => self.font_size(value),
            Property::Font => {
                self.style.thin = value.iter().any(is_light) || has_thin_letters(value);
                self.style.odd_font = !is_usual_font(value);
                self.font(value)
            }
            Property::Color => self.color(value),
            Property::Fill => self.fill(value),
            Property::Display => self.display(value),
            Property::Visibility => self.visibility(value),
            Property::WhiteSpace => self.white_space(value),
            Property::LineHeight => self.line_height(value),
            Property::TextIndent => self.text_indent(value),
            Property::LetterSpacing => self.spacing(value).map(|size| self.style.letter_spacing = size),
            Property::WordSpacing => self.spacing(value).map(|size| self.style.word_spacing = size),
            Property::TextSecurity => one_of(value, &["none", "disc", "circle", "square"])
                .map(|word| self.style.masked = word != "none"),
            Property::Bidi => word(value).map(|word| {
                self.style.reversed = word.contains("override");
                self.style.bidi |= word == "plaintext";
            }),
            Property::Direction => one_of(value, &["ltr", "rtl"]).map(|word| self.style.rtl = word == "rtl"),
            Property::WritingMode => self.writing_mode(value),
            Property::TextCombine => {
                one_of(value, &["none", "all", "digits"]).map(|word| self.style.combined = word != "none")
            }
            Property::Stroke => self.stroke(value),
            Property::StrokeColor => self.stroke_color(value),
            Property::StrokeWidth => self.stroke_width(value),
            Property::FontSizeAdjust => match only(value) {
                Ok([token]) if token.is_ident("none") => {
                    self.style.grown = 1.0;
                    Ok(())
                }
                Ok([Tok::Ident(_) | Tok::Dimension(..) | Tok::Percent(_)]) => Err(Outcome::Invalid),
                Ok([Tok::Function(name, _)]) if !is_math(name) => Err(Outcome::Invalid),
                // Before a number stands what it is the height of.
                Err(_) if solid(value).next().is_none_or(|first| first.ident().is_none()) => {
                    Err(Outcome::Invalid)
                }
                _ => Err(Outcome::Doubt),
            },
            Property::FontWeight => {
                self.style.thin = value.iter().any(is_light);
                Ok(())
            }
            Property::FontFamily => {
                self.style.thin |= has_thin_letters(value);
                self.style.odd_font = !is_usual_font(value);
                Ok(())
            }
            Property::TextTransform => {
                let large = |token: &Tok| !["none", "lowercase"].iter().any(|plain| token.is_ident(plain));
                self.style.capitals = solid(value).any(large);
                Ok(())
            }
            Property::TextShadow if !is_text_shadow(value, self.reading()) => Err(Outcome::Invalid),
            Property::TextShadow => {
                self.style.far_shadow = self.is_far_shadow(value);
                self.style.shadows = if is_none(value) {
                    0
                } else {
                    value.iter().filter(|token| **token == Tok::Comma).count() + 1
                };
                self.style.drops = self.drops_far(value);
                self.style.thrown = self.style.far_shadow && is_one_sharp_shadow(value, self.reading());
                Ok(())
            }
            // It takes those words only.
            Property::All => Err(Outcome::Invalid),
            property => return self.set_frame(property, value),
        };
        result.err().unwrap_or(Outcome::Done)
    }

    fn read_color(&self, token: &Tok) -> Result<Colored, Outcome> {
        match color(token) {
            Colored::Not => Err(Outcome::Invalid),
            _ if !is_strict_color(token) && !self.quirks => Err(Outcome::Invalid),
            Colored::Unknown => Err(Outcome::Doubt),
            colored => Ok(colored),
        }
    }

    fn color(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let [token] = only(value)?;
        self.style.color = match self.read_color(token)? {
            Colored::Is(color) => color,
            _ => self.parent.color,
        };
        Ok(())
    }

    fn fill(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let [token] = only(value)?;
        self.style.fill = match self.read_color(token)? {
            Colored::Is(color) => Some(color),
            _ => None,
        };
        Ok(())
    }

    /// `-webkit-text-stroke`: lines along the edges of the letters, thin enough or not understood.
    fn stroke(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let tokens: Vec<&Tok> = solid(value).collect();
        let (mut width, mut colored, mut unknown) = (0.0, None, false);
        for token in tokens.iter().take(3) {
            match self.read_width(token) {
                Ok(read) => width = read,
                Err(Outcome::Doubt) => return Err(Outcome::Doubt),
                Err(_) => match self.read_color(token) {
                    Ok(Colored::Is(color)) => colored = Some(color),
                    Ok(_) => colored = None,
                    Err(Outcome::Doubt) => unknown = true,
                    Err(other) => return Err(other),
                },
            }
        }
        if tokens.len() > 2 {
            return Err(Outcome::Invalid);
        }
        self.style.stroke = (width, colored);
        if unknown && width > 0.0 { Err(Outcome::Doubt) } else { Ok(()) }
    }

    fn stroke_color(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let [token] = only(value)?;
        self.style.stroke.1 = match self.read_color(token)? {
            Colored::Is(color) => Some(color),
            _ => None,
        };
        Ok(())
    }

    fn stroke_width(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let [token] = only(value)?;
        self.style.stroke.0 = self.read_width(token)?;
        Ok(())
    }

    /// The width of a line.
    pub(super) fn read_width(&self, token: &Tok) -> Result<f32, Outcome> {
        match token.ident().map(str::to_ascii_lowercase).as_deref() {
            Some("thin") => return Ok(1.0),
            Some("medium") => return Ok(3.0),
            Some("thick") => return Ok(5.0),
            _ => {}
        }
        match self.reading().size(std::slice::from_ref(token), &[], false)? {
            Some(Length { px, share: 0.0 }) => Ok(px),
            _ => Err(Outcome::Invalid),
        }
    }

    fn display(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let words: Vec<String> = match solid(value).map(Tok::ident).collect::<Option<Vec<_>>>() {
            Some(words) => words.into_iter().map(str::to_ascii_lowercase).collect(),
            None => return Err(Outcome::Invalid),
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.frame.flow_root = words.contains(&"flow-root");
        self.frame.is_item = words.contains(&"list-item");
        self.frame.is_column = matches!(words.as_slice(), ["table-column" | "table-column-group"]);
        self.style.display = match words.as_slice() {
            ["none" | "table-column" | "table-column-group"] => Display::None,
            // Without a text above it, what ruby holds is a line.
            ["inline" | "ruby"] | ["inline", "flow"] => Display::Inline,
            ["table-caption"] => {
                (self.frame.is_outside_group, self.frame.is_caption, self.frame.odd) = (true, true, true);
                Display::Block
            }
            ["block" | "list-item" | "flow-root"] | ["block", "flow" | "flow-root"] => Display::Block,
            ["inline-flex" | "inline-grid" | "-webkit-inline-flex" | "-webkit-inline-box"] => {
                Display::InlineItems
            }
            // Elements of HTML have no layout of formulas; how much room they take is not worked out.
            ["math"] => {
                self.frame.odd = true;
                Display::InlineBlock
            }
            ["inline-block" | "inline-table"] | ["inline", "flow-root"] => Display::InlineBlock,
            ["flex" | "-webkit-flex"] => Display::Flex,
            ["-webkit-box"] => Display::OldFlex,
            ["grid"] => Display::Grid,
            ["table"] => Display::Table,
            ["table-cell"] => Display::Cell,
            ["table-row" | "table-row-group" | "table-header-group" | "table-footer-group"] => {
                self.style.is_css_row = true;
                Display::TablePart
            }
            ["contents"] => Display::Contents,
            ["ruby-text" | "ruby-base" | "flow" | "grid-lanes" | "inline-grid-lanes"] => {
                return Err(Outcome::Doubt);
            }
            [_] => return Err(Outcome::Invalid),
            words if words.iter().all(|word| is_display_word(word)) => return Err(Outcome::Doubt),
            _ => return Err(Outcome::Invalid),
        };
        Ok(())
    }

    fn visibility(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let word = one_of(value, &["visible", "hidden", "collapse"])?;
        self.style.visible = word == "visible";
        self.style.collapses = word == "collapse";
        Ok(())
    }

    fn white_space(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let usual = ["normal", "nowrap", "pre", "pre-wrap", "pre-line", "break-spaces"];
        self.style.odd_blanks =
            !matches!(only(value), Ok([token]) if usual.iter().any(|word| token.is_ident(word)));
        for token in solid(value) {
            let Tok::Ident(word) = token else {
                return Err(Outcome::Invalid);
            };
            self.style.white_space = match word.to_ascii_lowercase().as_str() {
                "normal" | "collapse" | "wrap" => WhiteSpace::Normal,
                "nowrap" => WhiteSpace::NoWrap,
                "pre" => WhiteSpace::Pre,
                "pre-wrap" | "break-spaces" | "preserve" => WhiteSpace::PreWrap,
                "pre-line" | "preserve-breaks" => WhiteSpace::PreLine,
                "balance" | "pretty" | "stable" | "auto" | "preserve-spaces" => continue,
                _ => return Err(Outcome::Invalid),
            };
        }
        Ok(())
    }

    pub(super) fn line_height(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let [token] = only(value)?;
        let em = self.style.font_size;
        self.style.line_height = match token {
            token if token.is_ident("normal") => None,
            Tok::Number(factor) if *factor >= 0.0 => Some((*factor, true)),
            Tok::Number(_) => return Err(Outcome::Invalid),
            // A number that is worked out is a factor too.
            Tok::Function(..) if is_bare_number(token) => Some((number(token).unwrap_or(0.0).max(0.0), true)),
            token => {
                self.reading().size(std::slice::from_ref(token), &[], false)?.map(|size| (size.of(em), false))
            }
        };
        Ok(())
    }

    fn text_indent(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let tokens: Vec<&Tok> = solid(value).collect();
        let is_known = |token: &&Tok| token.is_ident("hanging") || token.is_ident("each-line");
        let (words, sizes): (Vec<&Tok>, Vec<&Tok>) = tokens.iter().partition(|token| is_known(token));
        let [token] = sizes.as_slice() else { return Err(Outcome::Invalid) };
        let size = self.reading().size(std::slice::from_ref(*token), &[], true)?.ok_or(Outcome::Invalid)?;
        // Which lines it moves to the right makes no difference: any are taken to begin there.
        if !words.is_empty() && (size.px < 0.0 || size.share < 0.0) {
            return Err(Outcome::Doubt);
        }
        self.style.text_indent = size;
        Ok(())
    }

    fn spacing(&self, value: &[Tok]) -> Result<f32, Outcome> {
        let size = self.reading().size(value, &["normal"], true)?;
        Ok(size.map_or(0.0, |size| size.of(self.style.font_size)))
    }

    fn writing_mode(&mut self, value: &[Tok]) -> Result<(), Outcome> {
        let word = word(value)?;
        self.style.vertical = match word.as_str() {
            "horizontal-tb" | "lr" | "lr-tb" | "rl" | "rl-tb" => false,
            "vertical-rl" | "vertical-lr" | "sideways-rl" | "sideways-lr" | "tb" | "tb-rl" => true,
            _ => return Err(Outcome::Invalid),
        };
        Ok(())
    }
}

/// Whether a value holds something that was not there to be put in.
fn has_bad(value: &[Tok]) -> bool {
    value.iter().any(|token| match token {
        Tok::Bad => true,
        Tok::Function(_, inner) | Tok::Parens(inner) => has_bad(inner),
        _ => false,
    })
}

/// Whether a value is a size or place of something else, without another for where there is none.
fn is_anchor(value: &[Tok]) -> bool {
    matches!(only(value), Ok([Tok::Function(name, inner)])
        if matches!(name.as_str(), "anchor" | "anchor-size") && !inner.contains(&Tok::Comma))
}

fn is_display_word(word: &str) -> bool {
    matches!(
        word,
        "block"
            | "inline"
            | "flow"
            | "flow-root"
            | "table"
            | "flex"
            | "grid"
            | "ruby"
            | "list-item"
            | "math"
            | "run-in"
    )
}

/// A number between 0 and 1, or a share.
pub(super) fn share(value: &[Tok]) -> Result<f32, Outcome> {
    match only(value)? {
        [Tok::Number(share) | Tok::Percent(share)] => Ok(*share),
        [Tok::Function(name, _)] if super::values::is_math(name) => Err(Outcome::Doubt),
        _ => Err(Outcome::Invalid),
    }
}
