//! What holds inside a group of Rich Text Format and in a cell of its tables.

use super::sight::{Ink, Letters};
use crate::model::Reason;

/// What holds inside one group.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub(super) kind: Kind,
    pub(super) letters: Letters,
    pub(super) is_vanished: bool,
    pub(super) is_deleted: bool,
    /// What some programs paint behind letters, and others do not.
    pub(super) old_ground: Ink,
    pub(super) font: Option<i32>,
    /// How far letters are raised, and how high the lines of their paragraph are at any rate, in points.
    pub(super) raise: f32,
    pub(super) line: f32,
    pub(super) in_table: bool,
    /// Whether this is what a field gave.
    pub(super) is_given: bool,
    /// What the paragraph, the row and anything that is not understood do to letters.
    pub(super) paragraph: Option<&'static str>,
    pub(super) paragraph_ground: Ink,
    pub(super) row: Option<&'static str>,
    pub(super) unknown: Option<&'static str>,
    pub(super) hidden: Option<Reason>,
    /// Characters that repeat each Unicode character for old readers.
    pub(super) fallback: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    /// Not shown at all.
    Skipped,
    Colors,
    Fonts,
    Styles,
    /// What a field is to show.
    Instruction,
    /// The number before a paragraph, as old programs show it.
    Label,
}

impl Default for Group {
    fn default() -> Self {
        Self {
            kind: Kind::Text,
            letters: Letters::default(),
            is_vanished: false,
            is_deleted: false,
            old_ground: Ink::Automatic,
            font: None,
            raise: 0.0,
            line: f32::MAX,
            in_table: false,
            is_given: false,
            paragraph: None,
            paragraph_ground: Ink::Automatic,
            row: None,
            unknown: None,
            hidden: None,
            fallback: 1,
        }
    }
}

/// A cell of the row that is defined.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub(super) ground: Ink,
    /// Whether the cell above or before it goes on in it, so that its own text is not seen.
    pub(super) is_merged: bool,
    /// In points.
    pub(super) width: f32,
}

pub(super) const PLAIN_CELL: Cell = Cell { ground: Ink::Automatic, is_merged: false, width: 100.0 };
