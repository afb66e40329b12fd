//! The style of an element: what it inherits, what rules and attributes set, and whether a person can read text in it.
//! Text is shown when everything that acts on it is understood and leaves it readable, hidden when something understood
//! hides it, and doubtful else.

mod attributes;
mod backdrop;
mod box_setters;
mod cascade;
mod effect_setters;
mod font_setters;
mod frame;
mod limits;
mod parts;
mod readable;
mod resets;
mod setters;
mod settle;
mod shapes;
mod values;
mod variables;

pub(super) use cascade::Styler;
pub(super) use frame::Display;
pub(super) use readable::verdict;
pub(in crate::parse) use readable::{Verdict, of_letters};

use std::rc::Rc;

use crate::model::Reason;

use super::css::color::{BLACK, Color, LINK};
use super::css::length::{Length, Units};
use super::css::tokens::Tok;
use backdrop::Backdrop;

/// How white space is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhiteSpace {
    Normal,
    NoWrap,
    Pre,
    PreWrap,
    PreLine,
}

/// A custom property and those known before it.
#[derive(Debug)]
pub(super) struct Custom {
    name: String,
    value: Vec<Tok>,
    outer: Option<Rc<Self>>,
}

/// A box of limited size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RoomSize {
    /// Pixels from the first line to the end; `None` when it grows.
    pub(super) height: Option<f32>,
    /// Pixels across, as far as they are known.
    pub(super) width: f32,
    pub(super) lines: Option<usize>,
    /// What is beside it has another colour, so that words which leave it cannot be read.
    pub(super) painted: bool,
    /// Whether words that are too long leave it.
    pub(super) is_narrow: bool,
    pub(super) clips: bool,
}

/// What an element may lie over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cover {
    /// The last lines before it.
    Before(usize),
    /// What follows it.
    After,
    /// The box that it is placed against.
    Container,
    /// Anything.
    All,
}

/// What an element's text looks like, and what its children start from.
#[derive(Debug, Clone)]
pub(super) struct Style {
    pub(super) display: Display,
    pub(super) white_space: WhiteSpace,
    /// Why neither the element nor anything in it can be seen.
    pub(super) hidden: Option<Reason>,
    /// What may hide the element and everything in it.
    pub(super) doubt: Option<&'static str>,
    pub(super) room: Option<RoomSize>,
    /// How far below the text before it the element begins, in pixels.
    pub(super) space_above: f32,
    /// What the element may lie over, if it paints.
    pub(super) covers: Option<Cover>,
    pub(super) reversed: bool,
    /// Whether it paints a background of its own.
    pub(super) paints: bool,
    pub(super) visible: bool,
    color: Color,
    /// What the page says its text and its links have.
    page_text: Color,
    link: Color,
    /// Something that is drawn over what is behind it: an image, a control.
    replaced: bool,
    /// `-webkit-text-fill-color`, which wins over the colour.
    fill: Option<Color>,
    /// Width and colour of lines along the letters' edges.
    stroke: (f32, Option<Color>),
    /// Its letters are drawn as others.
    masked: bool,
    /// It is moved from where it would be, so that what is painted in it may lie over other text.
    lifted: Option<Cover>,
    font_size: f32,
    /// Pixels, or a factor of the size.
    line_height: Option<(f32, bool)>,
    text_indent: Length,
    letter_spacing: f32,
    word_spacing: f32,
    rtl: bool,
    vertical: bool,
    combined: bool,
    custom: Option<Rc<Custom>>,
    backdrop: Backdrop,
    /// What is behind the block around, which blocks inside lines stand on.
    block_backdrop: Backdrop,
    /// What is behind the box that contains what floats.
    flow_backdrop: Backdrop,
    /// Whether it contains what floats in it.
    contains_floats: bool,
    opacity: f32,
    scale: f32,
    tinted: bool,
    darkens: bool,
    /// How far its text is from the left edge of the page.
    x: f32,
    /// The width it has at most, as far as it is known.
    width: Option<f32>,
    /// Something around it cuts off.
    clips: bool,
    fixed_table: bool,
    sized_tracks: bool,
    /// Whether something around it is seen in depth.
    deep: bool,
    /// Its box, for children that take something over from it.
    own: Option<Rc<frame::Frame>>,
    /// It is painted after what comes before it, and may lie over text that leaves its box.
    pub(super) over: bool,
    /// What follows may lie over it.
    pub(super) outside: bool,
    /// It takes no room, or only that of lines: blocks that follow may lie over it.
    pub(super) floats: bool,
    /// It may lie over what floats before it.
    pub(super) over_floats: bool,
    /// Words that the sheet puts before and behind its text.
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    /// Whether what is placed against it stays in it.
    pub(super) positioned: bool,
    rem: f32,
}

impl Style {
    /// Black text of usual size on white paper.
    pub(super) fn paper() -> Self {
        Self {
            display: Display::Block,
            white_space: WhiteSpace::Normal,
            hidden: None,
            doubt: None,
            room: None,
            space_above: 0.0,
            covers: None,
            reversed: false,
            paints: false,
            visible: true,
            color: BLACK,
            page_text: BLACK,
            link: LINK,
            replaced: false,
            fill: None,
            stroke: (0.0, None),
            masked: false,
            lifted: None,
            font_size: 16.0,
            line_height: None,
            text_indent: Length::default(),
            letter_spacing: 0.0,
            word_spacing: 0.0,
            rtl: false,
            vertical: false,
            combined: false,
            custom: None,
            backdrop: Backdrop::paper(),
            block_backdrop: Backdrop::paper(),
            flow_backdrop: Backdrop::paper(),
            contains_floats: true,
            opacity: 1.0,
            scale: 1.0,
            tinted: false,
            darkens: false,
            x: 0.0,
            width: None,
            clips: false,
            fixed_table: false,
            sized_tracks: false,
            deep: false,
            own: None,
            over: false,
            outside: false,
            floats: false,
            over_floats: false,
            before: None,
            after: None,
            positioned: false,
            rem: 16.0,
        }
    }

    /// What children take over from it.
    fn inherited(&self) -> Self {
        Self {
            display: Display::Inline,
            hidden: None,
            room: None,
            space_above: 0.0,
            reversed: false,
            covers: None,
            own: None,
            before: None,
            after: None,
            positioned: false,
            over: false,
            over_floats: false,
            paints: false,
            replaced: false,
            sized_tracks: false,
            ..self.clone()
        }
    }

    /// The same with what surrounds another, which no declaration resets.
    fn with_surroundings(self, other: &Self) -> Self {
        let other = other.clone();
        Self {
            hidden: None,
            doubt: other.doubt,
            room: None,
            covers: None,
            page_text: other.page_text,
            link: other.link,
            replaced: other.replaced,
            lifted: other.lifted,
            floats: other.floats,
            backdrop: other.backdrop,
            block_backdrop: other.block_backdrop,
            flow_backdrop: other.flow_backdrop,
            contains_floats: other.contains_floats,
            opacity: other.opacity,
            scale: other.scale,
            tinted: other.tinted,
            darkens: other.darkens,
            x: other.x,
            width: other.width,
            clips: other.clips,
            rem: other.rem,
            ..self
        }
    }

    fn units(&self) -> Units {
        Units { em: self.font_size, rem: self.rem }
    }

    /// Pixels from line to line.
    pub(super) fn line(&self) -> f32 {
        match self.line_height {
            None => 1.2 * self.font_size,
            Some((factor, true)) => factor * self.font_size,
            Some((pixels, false)) => pixels,
        }
    }

    /// The size of the letters, before anything is scaled.
    pub(super) fn letters(&self) -> f32 {
        self.font_size
    }

    /// Whether lines break only where the text says so.
    pub(super) fn keeps_lines(&self) -> bool {
        matches!(self.white_space, WhiteSpace::NoWrap | WhiteSpace::Pre)
    }

    /// Leaves doubt, if there was none.
    pub(super) fn doubt(&mut self, reason: &'static str) {
        self.doubt.get_or_insert(reason);
    }
}
