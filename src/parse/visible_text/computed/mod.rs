//! The style of an element: what it inherits, what rules and attributes set, and whether a person can read text in it.

mod attributes;
mod backdrop;
mod cascade;
mod frame;
mod readable;
mod setters;
mod shapes;

pub(super) use cascade::Styler;
pub(super) use frame::Display;
pub(super) use readable::text_reason;

use std::rc::Rc;

use crate::model::Reason;

use super::css::color::{BLACK, Color};
use super::css::length::{Length, Units};
use super::css::tokens::Tok;
use backdrop::Backdrop;

/// How white space is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhiteSpace {
    Normal,
    NoWrap,
    Pre,
    PreLine,
}

/// A custom property and those known before it.
#[derive(Debug)]
pub(super) struct Custom {
    name: String,
    value: Vec<Tok>,
    outer: Option<Rc<Self>>,
}

/// What an element's text looks like, and what its children start from.
#[derive(Debug, Clone)]
pub(super) struct Style {
    pub(super) display: Display,
    pub(super) white_space: WhiteSpace,
    /// Why neither the element nor anything in it can be seen.
    pub(super) hidden: Option<Reason>,
    /// Lines and characters that have room in the element; `None` when it grows with its content.
    pub(super) room: Option<(usize, usize)>,
    /// How far below the text before it the element begins, in pixels.
    pub(super) space_above: f32,
    visible: bool,
    color: Color,
    /// `-webkit-text-fill-color`, which wins over the colour.
    fill: Option<Color>,
    color_unknown: bool,
    font_size: f32,
    line_height: Option<f32>,
    text_indent: Length,
    letter_spacing: f32,
    custom: Option<Rc<Custom>>,
    backdrop: Backdrop,
    opacity: f32,
    scale: f32,
    shift: (f32, f32),
    pub(super) reversed: bool,
    clips: bool,
    rem: f32,
}

impl Style {
    /// Black text of usual size on white paper.
    pub(super) fn paper() -> Self {
        Self {
            display: Display::Block,
            white_space: WhiteSpace::Normal,
            hidden: None,
            room: None,
            space_above: 0.0,
            visible: true,
            color: BLACK,
            fill: None,
            color_unknown: false,
            font_size: 16.0,
            line_height: None,
            text_indent: Length::default(),
            letter_spacing: 0.0,
            custom: None,
            backdrop: Backdrop::paper(),
            opacity: 1.0,
            scale: 1.0,
            shift: (0.0, 0.0),
            reversed: false,
            clips: false,
            rem: 16.0,
        }
    }

    fn units(&self) -> Units {
        Units { em: self.font_size, rem: self.rem }
    }
}
