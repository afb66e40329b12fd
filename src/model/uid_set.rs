//! Sets of uids as ranges: short on the wire, and safe to take from a server that names four billion of them.

use std::fmt;

/// Ranges of uids, both ends included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UidSet(Vec<(u32, u32)>);

impl UidSet {
    /// The set of these uids, which must ascend.
    pub fn of_sorted(uids: impl IntoIterator<Item = u32>) -> Self {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for uid in uids {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == uid => *last = uid,
                _ => ranges.push((uid, uid)),
            }
        }
        Self(ranges)
    }

    /// Reads `1,5:9`; `None` when it is anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| text.parse::<u32>().ok().filter(|uid| *uid > 0);
        let range = |text: &str| match text.split_once(':') {
            Some((a, b)) => number(a).zip(number(b)).map(|(a, b)| (a.min(b), a.max(b))),
            None => number(text).map(|n| (n, n)),
        };
        text.split(',').map(range).collect::<Option<Vec<_>>>().map(Self::joined)
    }

    /// Ranges in order, without overlaps.
    fn joined(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.sort_unstable();
        ranges.dedup_by(|(first, last), (_, before)| {
            let touches = *first <= before.saturating_add(1);
            if touches {
                *before = (*before).max(*last);
            }
            touches
        });
        Self(ranges)
    }

    /// Whether a uid is in it.
    #[must_use]
    pub fn contains(&self, uid: u32) -> bool {
        let place = self.0.partition_point(|(first, _)| *first <= uid);
        self.0[..place].last().is_some_and(|(_, last)| uid <= *last)
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many uids it holds.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.iter().map(|(first, last)| u64::from(last - first) + 1).sum()
    }

    /// All uids in it, ascending. Ask how many there are first: there may be four billion.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().flat_map(|(first, last)| *first..=*last)
    }

    /// Its ranges, both ends included, in order.
    #[must_use]
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    /// Takes in another set.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
        *self = Self::joined(std::mem::take(&mut self.0));
    }
}

impl fmt::Display for UidSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (first, last)) in self.0.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            if first == last { write!(f, "{comma}{first}")? } else { write!(f, "{comma}{first}:{last}")? }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::UidSet;

    #[test]
    fn neighbours_become_ranges_and_read_back() {
        let set = UidSet::of_sorted([1, 2, 3, 7, 9, 10]);
        assert_eq!(set.to_string(), "1:3,7,9:10");
        assert_eq!(UidSet::parse("9:10,7,3:1"), Some(set.clone()));
        assert!(set.contains(2) && !set.contains(8));
        assert_eq!(UidSet::parse("1:*"), None);
        assert_eq!(UidSet::parse(""), None);
    }

    #[test]
    fn a_range_of_four_billion_costs_nothing() {
        let set = UidSet::parse("5,1:4294967295,7").unwrap();
        assert!(set.contains(3_000_000_000) && !set.contains(0));
    }
}
