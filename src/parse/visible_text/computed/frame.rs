//! The box of an element: what it takes to know where it is and how much of it can be seen.

use crate::model::Reason;

use super::super::css::length::Length;
use super::backdrop::Paint;

/// How an element takes part in the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Display {
    None,
    Inline,
    InlineBlock,
    Block,
    /// Its children are blocks whatever they are.
    Flex,
    /// A table, a row, a group of rows.
    TablePart,
    Cell,
    Contents,
}

impl Display {
    /// Whether it begins on a line of its own.
    pub(in super::super) fn is_block(self) -> bool {
        matches!(self, Self::Block | Self::Flex | Self::TablePart)
    }

    /// Whether it clips what is larger than itself: lines do not, and parts of tables grow.
    pub(super) fn can_clip(self) -> bool {
        matches!(self, Self::Block | Self::Flex | Self::InlineBlock)
    }
}

/// How an element is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Position {
    #[default]
    Static,
    Relative,
    /// Out of the flow: absolute and fixed.
    Out,
}

/// Top, right, bottom, left.
pub(super) type Sides = [Option<Length>; 4];

/// What is set on an element and not inherited.
#[derive(Debug, Clone, Default)]
pub(super) struct Frame {
    pub(super) position: Position,
    pub(super) inset: Sides,
    pub(super) margin: Sides,
    pub(super) padding: Sides,
    pub(super) width: Option<Length>,
    pub(super) height: Option<Length>,
    pub(super) max_width: Option<Length>,
    pub(super) max_height: Option<Length>,
    pub(super) clip_x: bool,
    pub(super) clip_y: bool,
    pub(super) floats: bool,
    pub(super) line_clamp: Option<usize>,
    pub(super) opacity: Option<f32>,
    pub(super) zoom: Option<f32>,
    pub(super) negative_layer: bool,
    pub(super) paint: Paint,
    pub(super) clip: Option<Reason>,
    pub(super) clip_path: Option<Reason>,
    pub(super) mask: Option<Reason>,
    pub(super) filter: Filter,
    pub(super) blend: Option<Reason>,
    pub(super) content: Option<Reason>,
    pub(super) transform: Moved,
    pub(super) translate: Moved,
    pub(super) scale: Moved,
    pub(super) rotate: Moved,
}

/// What filters leave of an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Filter {
    pub(super) opacity: f32,
    pub(super) hidden: Option<Reason>,
}

impl Default for Filter {
    fn default() -> Self {
        Self { opacity: 1.0, hidden: None }
    }
}

/// What a transformation does to an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moved {
    pub(super) shift: (Length, Length),
    /// The smaller of the two factors.
    pub(super) scale: f32,
    pub(super) hidden: Option<Reason>,
}

impl Default for Moved {
    fn default() -> Self {
        Self { shift: Default::default(), scale: 1.0, hidden: None }
    }
}
