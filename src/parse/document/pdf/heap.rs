//! Words that are painted upon each other.

use super::matrix::Matrix;
use super::state::Words;
use crate::parse::document::sight::{Area, Ink};
use crate::parse::visible_text::Verdict;

/// Pieces that a line which is not upright is cut into.
const MOST_PIECES: usize = 60;
/// How much of words may lie under or on others: their lines touch, and accents stand on letters.
const MOST_SHARED: f32 = 0.3;
/// How light a ground is on which others can be read.
const LIGHT: f32 = 0.75;

/// Where all the words of a page stand, in pieces.
#[derive(Default)]
pub(super) struct Heap {
    pieces: Vec<(usize, Area)>,
}

/// The areas of a line of letters: one where it is upright, and else one for every few letters.
pub(super) fn pieces(whole: &Matrix, count: usize, (width, low, high): (f32, f32, f32)) -> Vec<Area> {
    let pieces = if whole.is_upright() { 1 } else { count.clamp(1, MOST_PIECES) };
    let step = width / pieces as f32;
    let corners = |from: f32| [(from, low), (from + step, low), (from, high), (from + step, high)];
    (0..pieces).filter_map(|number| whole.around(corners(step * number as f32))).collect()
}

impl Heap {
    pub(super) fn add(&mut self, words: usize, pieces: Vec<Area>) {
        self.pieces.extend(pieces.into_iter().map(|area| (words, area)));
    }

    /// Leaves in doubt what lies on others or under them, and says how many were compared: no more than this.
    pub(super) fn settle(&mut self, words: &mut [Words], most: usize) -> usize {
        self.pieces.sort_by(|(_, one), (_, other)| one.top.total_cmp(&other.top));
        let mut shared = vec![0.0_f32; words.len()];
        let mut compared = 0;
        for (index, (one, area)) in self.pieces.iter().enumerate() {
            let below = self.pieces[index + 1..].iter().take_while(|(_, other)| other.top < area.bottom);
            for (other, place) in below {
                compared += 1;
                if compared > most {
                    return compared;
                }
                let over = area.overlap(place);
                if one != other && over.right > over.left && over.bottom > over.top {
                    share(words, (*one, *other), size(&over), &mut shared);
                }
            }
        }
        for (words, shared) in words.iter_mut().zip(shared) {
            if words.verdict == Verdict::Shown && shared > MOST_SHARED * size(&words.area) {
                words.verdict = Verdict::Doubtful("something over it");
            }
        }
        compared
    }
}

/// Adds what two pieces of text have in common to those who suffer from it.
fn share(words: &[Words], (one, other): (usize, usize), common: f32, shared: &mut [f32]) {
    let (below, above) = (one.min(other), one.max(other));
    let (Some(ink), Some(_)) = (words[below].ink, words[above].ink) else { return };
    if are_the_same(&words[below], &words[above]) {
        return;
    }
    // Letters that come later hide those below; these are seen between them unless they are pale.
    shared[below] += common;
    if !matches!(ink, Ink::Is(color) if color.over(crate::parse::visible_text::WHITE).luma() > LIGHT) {
        shared[above] += common;
    }
}

/// Whether the same words are painted twice in one place, as some programs do to make them bold.
fn are_the_same(one: &Words, other: &Words) -> bool {
    let near = 0.08 * (one.area.bottom - one.area.top);
    one.mark == other.mark
        && (one.area.left - other.area.left).abs() <= near
        && (one.area.top - other.area.top).abs() <= near
        && (one.area.right - other.area.right).abs() <= 3.0 * near
}

fn size(area: &Area) -> f32 {
    (area.right - area.left) * (area.bottom - area.top)
}
