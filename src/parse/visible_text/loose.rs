//! Text that may leave its place: other things may lie over it, or be what it stands on.

use super::computed::{Ink, Style};

/// Where such text begins, and what its letters are drawn with.
#[derive(Debug, Default)]
pub(super) struct Loose {
    start: usize,
    inks: Vec<Ink>,
    /// Other letters too, of which nothing is known.
    others: bool,
}

impl Loose {
    /// All text that begins here.
    pub(super) fn anything_from(start: usize) -> Self {
        Self { start, others: true, ..Self::default() }
    }

    /// Adds text that begins here.
    pub(super) fn add(loose: &mut Option<Self>, start: usize, ink: Ink) {
        let loose = loose.get_or_insert_with(|| Self { start, ..Self::default() });
        loose.start = loose.start.min(start);
        if !loose.inks.contains(&ink) {
            loose.inks.push(ink);
        }
    }

    /// Adds all of another.
    pub(super) fn join(loose: &mut Option<Self>, other: Self) {
        let loose = loose.get_or_insert_with(|| Self { start: other.start, ..Self::default() });
        loose.start = loose.start.min(other.start);
        loose.others |= other.others;
        loose.inks.extend(other.inks);
    }

    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// Whether all of it can be read on what an element paints.
    pub(super) fn is_readable_on(&self, style: &Style) -> bool {
        !self.others && self.inks.iter().all(|ink| ink.is_readable_on(style.backdrop()))
    }
}
