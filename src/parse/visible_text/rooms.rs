//! Boxes of limited size around a text: whether it surely has room in all of them. Letters are taken to be wide, lines to
//! be broken early, and what cannot be worked out to be full.

use ego_tree::NodeId;

use super::computed::{RoomSize, Style};

/// The width of letters in a line, and of the letters of one word, as shares of their size.
const LETTER: f32 = 0.5;
const WIDE_LETTER: f32 = 0.62;

struct Room {
    node: NodeId,
    size: RoomSize,
    first_line: usize,
    characters: usize,
    /// Pixels of empty space inside so far.
    empty: f32,
}

/// How a text fits into the boxes around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    Inside,
    /// It leaves a box, so that something else may lie over it.
    Outside,
    /// It may be cut off, or leave the colour that it stands on.
    Cut,
}

/// The boxes that are open.
#[derive(Default)]
pub(super) struct Rooms {
    open: Vec<Room>,
}

impl Rooms {
    pub(super) fn enter(&mut self, node: NodeId, size: RoomSize, first_line: usize) {
        self.open.push(Room { node, size, first_line, characters: 0, empty: 0.0 });
    }

    pub(super) fn leave(&mut self, node: NodeId) {
        if self.open.last().is_some_and(|room| room.node == node) {
            self.open.pop();
        }
    }

    /// Puts empty space before what comes next.
    pub(super) fn push_down(&mut self, pixels: f32) {
        self.open.iter_mut().for_each(|room| room.empty += pixels);
    }

    /// Whether a text has room in every box around it. What was found to have none is not counted.
    pub(super) fn fit(&mut self, text: &str, style: &Style, line: usize) -> Fit {
        if self.open.is_empty() || text.trim().is_empty() {
            return Fit::Inside;
        }
        let characters = text.split_whitespace().map(|word| word.chars().count() + 1).sum();
        let longest = text.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0);
        let mut fit = Fit::Inside;
        for room in &self.open {
            if !room.holds(characters, longest, style, line) {
                fit = fit.max(if room.size.clips || room.size.painted { Fit::Cut } else { Fit::Outside });
            }
        }
        if fit == Fit::Inside {
            self.open.iter_mut().for_each(|room| room.characters += characters);
        }
        fit
    }
}

impl Room {
    fn holds(&self, characters: usize, longest: usize, style: &Style, line: usize) -> bool {
        let size = style.letters().max(1.0);
        let across = |letters: usize, share: f32| letters as f32 * share * size;
        if self.size.is_narrow && across(longest, WIDE_LETTER) > self.size.width {
            return false;
        }
        if self.size.clips
            && style.keeps_lines()
            && across(self.characters + characters, LETTER) > self.size.width
        {
            return false;
        }
        let per_line = (self.size.width / (LETTER * size)).max(1.0) as usize;
        let lines = line.saturating_sub(self.first_line)
            + (self.characters + characters).saturating_sub(2) / per_line;
        let end = self.empty + lines as f32 * style.line() + 0.5 * style.line() + 0.4 * size;
        self.size.lines.is_none_or(|most| lines < most)
            && self.size.height.is_none_or(|height| end <= height + 2.0)
    }
}
