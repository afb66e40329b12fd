//! A set of rows of messages that can be asked a million times in a moment.

use crate::model::MessageKey;

/// Rows, one bit each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    words: Vec<u64>,
    count: u64,
}

impl Rows {
    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether a message is among them.
    #[must_use]
    pub fn contains(&self, key: MessageKey) -> bool {
        let (word, bit) = place(key);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = MessageKey> + '_ {
        let bits = |word: u64| (0..64).filter(move |bit| word & (1 << bit) != 0);
        self.words.iter().enumerate().flat_map(move |(at, word)| bits(*word).map(move |bit| row(at, bit)))
    }

    /// Adds a message; whether it is new.
    pub fn insert(&mut self, key: MessageKey) -> bool {
        let (word, bit) = place(key);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        self.count += u64::from(is_new);
        is_new
    }

    /// Takes a message out; whether it was among them.
    pub fn remove(&mut self, key: MessageKey) -> bool {
        let is_there = self.contains(key);
        if is_there {
            let (word, bit) = place(key);
            self.words[word] &= !bit;
            self.count -= 1;
        }
        is_there
    }
}

impl FromIterator<MessageKey> for Rows {
    fn from_iter<T: IntoIterator<Item = MessageKey>>(keys: T) -> Self {
        let mut rows = Self::default();
        for key in keys {
            rows.insert(key);
        }
        rows
    }
}

fn row(word: usize, bit: usize) -> MessageKey {
    MessageKey(i64::try_from(word * 64 + bit).unwrap_or(i64::MAX))
}

/// Rows are numbered from 1 without gaps worth mentioning.
fn place(key: MessageKey) -> (usize, u64) {
    let row = usize::try_from(key.0).unwrap_or(0);
    (row / 64, 1 << (row % 64))
}

#[cfg(test)]
mod tests {
    use super::Rows;
    use crate::model::MessageKey;

    #[test]
    fn a_row_is_in_the_set_until_it_is_taken_out() {
        let mut rows: Rows = [1, 63, 64, 1000, 64].map(MessageKey).into_iter().collect();

        assert_eq!(rows.len(), 4);
        assert!(rows.contains(MessageKey(1000)) && !rows.contains(MessageKey(999)));
        assert!(
            rows.remove(MessageKey(64)) && !rows.remove(MessageKey(64)) && !rows.remove(MessageKey(1 << 40))
        );
        assert_eq!(rows.len(), 3);
        assert_eq!(rows.iter().map(|key| key.0).collect::<Vec<_>>(), [1, 63, 1000]);
        assert!(!rows.contains(MessageKey(-5)));
    }
}
