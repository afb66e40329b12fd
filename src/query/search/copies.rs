//! Near-identical copies: the same sender, the same subject, nearly the same words. The best of them stands for all.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::index::Words;
use crate::model::{MessageKey, answered_subject};
use crate::query::browse::Row;
use crate::query::{Archive, QueryError};

/// So much of a text is compared.
const COMPARED: usize = 8 << 10;
/// So many words side by side are one piece.
const PIECE: usize = 3;
/// So large a share of all pieces must be in both.
const ALIKE: f64 = 0.9;

impl Archive {
    /// Leaves out what says nearly the same as a message before it, and notes it there.
    pub(super) fn without_copies(&self, rows: Vec<Row>) -> Result<Vec<Row>, QueryError> {
        let pieces = self.pieces_of_suspects(&rows)?;
        let mut kept: Vec<Row> = Vec::with_capacity(rows.len());
        for row in rows {
            let same = |first: &&mut Row| match (pieces.get(&first.key), pieces.get(&row.key)) {
                (Some(one), Some(other)) => head(first) == head(&row) && are_alike(one, other),
                _ => false,
            };
            match kept.iter_mut().find(same) {
                Some(first) => first.summary.matched.copies.push(row.summary.id),
                None => kept.push(row),
            }
        }
        Ok(kept)
    }

    /// The pieces of each text that shares sender and subject with another.
    fn pieces_of_suspects(&self, rows: &[Row]) -> Result<HashMap<MessageKey, Vec<u64>>, QueryError> {
        let mut heads: HashMap<_, usize> = HashMap::new();
        rows.iter().for_each(|row| *heads.entry(head(row)).or_default() += 1);
        let suspects = rows.iter().filter(|row| heads[&head(row)] > 1);
        let keys: Vec<_> = suspects.map(|row| row.key).collect();
        let pieces = self.reader.map_texts(&keys, |_, text| pieces(text))?;
        Ok(keys.into_iter().zip(pieces).collect())
    }
}

/// Sender and subject, whatever was put before it.
fn head(row: &Row) -> (String, String) {
    let subject = row.summary.subject.as_str();
    (row.summary.address.clone(), answered_subject(subject).unwrap_or(subject).trim().to_lowercase())
}

/// A text as the sorted hashes of its pieces.
fn pieces(text: &str) -> Vec<u64> {
    let end = (0..=COMPARED.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let mut words = Words::new(&text[..end]);
    let mut all = Vec::new();
    while words.advance().is_some() {
        let mut hasher = DefaultHasher::new();
        words.text().hash(&mut hasher);
        all.push(hasher.finish());
    }
    let piece = |window: &[u64]| window.iter().fold(0, |sum: u64, word| sum.rotate_left(21) ^ word);
    let mut pieces: Vec<u64> = all.chunks(1).take(PIECE - 1).chain(all.windows(PIECE)).map(piece).collect();
    pieces.sort_unstable();
    pieces.dedup();
    pieces
}

fn are_alike(one: &[u64], other: &[u64]) -> bool {
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
