//! Near-identical copies: the same sender, the same subject, nearly the same words. The best of them stands for all. Pure.

use std::collections::{HashMap, HashSet};

use crate::model::{MessageKey, answered_subject};
use crate::query::Summary;

/// So much of a text is compared.
const COMPARED: usize = 4 << 10;
/// So many words side by side are one piece.
const PIECE: usize = 3;
/// So large a share of all pieces must be in both.
const ALIKE: f64 = 0.9;

/// Those that share sender and subject with another: only their texts are worth comparing.
pub(super) fn suspects<'a>(items: impl Iterator<Item = &'a Summary> + Clone) -> HashSet<MessageKey> {
    let mut heads: HashMap<_, usize> = HashMap::new();
    items.clone().for_each(|item| *heads.entry(head(item)).or_default() += 1);
    items.filter(|item| heads[&head(item)] > 1).map(|item| item.key).collect()
}

/// Leaves out what says nearly the same as a message before it, and notes it there. Each comes with the pieces of its
/// text, if it is a suspect.
pub(super) fn folded(items: Vec<(Summary, Option<Vec<u64>>)>) -> Vec<Summary> {
    let mut kept: Vec<(Summary, Option<Vec<u64>>)> = Vec::with_capacity(items.len());
    for (item, pieces) in items {
        let same = |first: &&mut (Summary, Option<Vec<u64>>)| match (&first.1, &pieces) {
            (Some(one), Some(other)) => are_alike(one, other) && head(&first.0) == head(&item),
            _ => false,
        };
        match kept.iter_mut().find(same) {
            Some((first, _)) => first.matched.copies.push(item.id),
            None => kept.push((item, pieces)),
        }
    }
    kept.into_iter().map(|(item, _)| item).collect()
}

/// Sender and subject, whatever was put before it.
fn head(item: &Summary) -> (&str, &str) {
    let subject = item.subject.as_str();
    (&item.address, answered_subject(subject).unwrap_or(subject).trim())
}

/// A text as the sorted hashes of its pieces.
pub(super) fn pieces(text: &str) -> Vec<u64> {
    let words = text[..text.floor_char_boundary(COMPARED)].split_ascii_whitespace().map(hashed);
    let words: Vec<u64> = words.collect();
    let piece = |window: &[u64]| window.iter().fold(0, |sum: u64, word| sum.rotate_left(21) ^ word);
    let mut pieces: Vec<u64> =
        words.chunks(1).take(PIECE - 1).chain(words.windows(PIECE)).map(piece).collect();
    pieces.sort_unstable();
    pieces.dedup();
    pieces
}

/// FNV-1a: short words need no better.
fn hashed(word: &str) -> u64 {
    word.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn are_alike(one: &[u64], other: &[u64]) -> bool {
    if one.len().min(other.len()) * 10 < one.len().max(other.len()) * 9 {
        return false;
    }
    let common = one.iter().filter(|piece| other.binary_search(piece).is_ok()).count();
    let all = one.len() + other.len() - common;
    all == 0 || common as f64 / all as f64 >= ALIKE
}

#[cfg(test)]
mod tests {
    use super::{are_alike, pieces};

    #[test]
    fn a_word_in_fifty_makes_no_difference_and_other_words_do() {
        let text: String = (0..80).map(|number| format!("word{number} ")).collect();
        let alike = |other: &str| are_alike(&pieces(&text), &pieces(other));

        assert!(alike(&text.replace("word40 ", "another ")));
        assert!(!alike(&text.replace("word4", "other")));
        assert!(are_alike(&pieces(""), &pieces("")));
        assert!(!are_alike(&pieces("yes"), &pieces("no")));
    }
}
