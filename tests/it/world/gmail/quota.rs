//! What a user may ask for in a minute, and what each method costs.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Units that each method costs, as Google lists them.
pub(crate) const COSTS: [(&str, u64); 27] = [
    ("getProfile", 1),
    ("messages.list", 5),
    ("messages.get", 20),
    ("messages.modify", 5),
    ("messages.batchModify", 50),
    ("messages.trash", 5),
    ("messages.untrash", 5),
    ("messages.insert", 25),
    ("messages.import", 25),
    ("messages.delete", 10),
    ("labels.list", 1),
    ("labels.get", 1),
    ("labels.create", 5),
    ("labels.update", 5),
    ("labels.patch", 5),
    ("labels.delete", 5),
    ("history.list", 2),
    ("drafts.list", 5),
    ("drafts.get", 5),
    ("drafts.create", 10),
    ("drafts.update", 15),
    ("drafts.delete", 10),
    ("threads.get", 10),
    ("threads.list", 10),
    ("messages.batchDelete", 50),
    ("messages.send", 100),
    ("drafts.send", 100),
];

/// A sliding window over what was used.
#[derive(Debug)]
pub(crate) struct Quota {
    /// Units a user may use in a minute.
    pub(crate) limit: u64,
    /// How long a minute is.
    pub(crate) minute: Duration,
    used: VecDeque<(Instant, u64)>,
    /// The most that was used, or asked for, in any minute.
    pub(crate) highest: u64,
    /// How often somebody asked for more.
    pub(crate) refused: u64,
    /// All that was used.
    pub(crate) total: u64,
}

impl Quota {
    pub(crate) const fn new(limit: u64, minute: Duration) -> Self {
        Self { limit, minute, used: VecDeque::new(), highest: 0, refused: 0, total: 0 }
    }

    /// Takes what a method costs; `false` when that is more than is left.
    pub(crate) fn take(&mut self, method: &str) -> bool {
        let cost = COSTS.iter().find(|(name, _)| *name == method).map_or(1, |(_, cost)| *cost);
        let now = Instant::now();
        while self.used.front().is_some_and(|(then, _)| now.duration_since(*then) >= self.minute) {
            self.used.pop_front();
        }
        let sum = self.used.iter().map(|(_, units)| units).sum::<u64>() + cost;
        self.highest = self.highest.max(sum);
        if sum > self.limit {
            self.refused += 1;
            return false;
        }
        self.total += cost;
        self.used.push_back((now, cost));
        true
    }
}
