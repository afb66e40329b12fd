//! Gathers the best hits of a search and counts all of them in one pass, in an order that never depends
//! on how the index happens to be cut into segments.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use roaring::RoaringTreemap;
use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::Column;
use tantivy::{DocAddress, DocId, Score, SegmentOrdinal, SegmentReader};

use crate::model::MessageKey;

/// Which hits come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The best match, then the newest.
    Ranked,
    /// The newest.
    Newest,
    /// The oldest.
    Oldest,
}

impl Order {
    /// `Greater` for the hit that comes first.
    fn compare(self, one: &Hit, other: &Hit) -> Ordering {
        let newest = one.epoch.cmp(&other.epoch).then(one.key.cmp(&other.key));
        match self {
            Self::Ranked => one.score.total_cmp(&other.score).then(newest),
            Self::Newest => newest,
            Self::Oldest => newest.reverse(),
        }
    }
}

/// A message that matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// How well it matches; 0 when not ranked.
    pub score: Score,
    /// Its date.
    pub epoch: i64,
    /// Its row.
    pub key: MessageKey,
    /// Where the index that found it has it.
    pub at: Option<DocAddress>,
}

/// A hit among others, the one that comes first being the smallest.
#[derive(Clone, Copy)]
struct Placed(Order, Hit);

impl Ord for Placed {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.compare(&other.1, &self.1)
    }
}

impl PartialOrd for Placed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Placed {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Placed {}

/// What a search found.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// How many messages match.
    pub total: u64,
    /// The first ones, in order.
    pub hits: Vec<Hit>,
}

impl Found {
    /// Joins two disjoint finds, keeping the best.
    #[must_use]
    pub fn join(mut self, other: Self, best: &Best) -> Self {
        self.total += other.total;
        self.hits.extend(other.hits);
        self.hits.sort_unstable_by(|one, two| best.order.compare(two, one));
        self.hits.truncate(best.limit);
        self
    }
}

/// Collects the first `limit` hits and the number of all.
pub struct Best {
    /// How many to keep.
    pub limit: usize,
    /// Which come first.
    pub order: Order,
    /// Rows that are neither kept nor counted; `None` when there are none.
    pub hidden: Option<Arc<RoaringTreemap>>,
    /// The date from which age is counted: of two messages that match as well, the younger counts a little more.
    pub newest: i64,
}

/// How much more a message of today counts than one of long ago.
const FRESHNESS: f32 = 0.1;
/// After so long, half of that is left.
const HALF_LIFE: f32 = 365.0 * 86_400.0;

/// What a match counts at its age.
fn aged(score: Score, epoch: i64, newest: i64) -> Score {
    let age = newest.saturating_sub(epoch).max(0) as f32;
    score * (1.0 + FRESHNESS / (1.0 + age / HALF_LIFE))
}

impl Collector for Best {
    type Fruit = Found;
    type Child = BestOfSegment;

    fn for_segment(
        &self,
        ordinal: SegmentOrdinal,
        segment: &SegmentReader,
    ) -> tantivy::Result<BestOfSegment> {
        Ok(BestOfSegment {
            ordinal,
            newest: self.newest,
            limit: self.limit,
            order: self.order,
            total: 0,
            hidden: self.hidden.clone(),
            best: BinaryHeap::with_capacity(self.limit.min(1024) + 1),
            ids: segment.fast_fields().u64("id")?,
            epochs: segment.fast_fields().i64("epoch")?,
        })
    }

    fn requires_scoring(&self) -> bool {
        self.order == Order::Ranked && self.limit > 0
    }

    fn merge_fruits(&self, fruits: Vec<Found>) -> tantivy::Result<Found> {
        Ok(fruits.into_iter().fold(Found::default(), |all, found| all.join(found, self)))
    }
}

/// The part of `Best` that looks at one segment.
pub struct BestOfSegment {
    ordinal: SegmentOrdinal,
    newest: i64,
    limit: usize,
    order: Order,
    total: u64,
    hidden: Option<Arc<RoaringTreemap>>,
    best: BinaryHeap<Placed>,
    ids: Column<u64>,
    epochs: Column<i64>,
}

impl BestOfSegment {
    fn row(&self, doc: DocId) -> u64 {
        self.ids.first(doc).unwrap_or_default()
    }

    fn offer(&mut self, doc: DocId, score: Score) {
        let full = self.best.len() >= self.limit;
        let worst = self.best.peek().map(|placed| placed.1);
        let at_best = score * (1.0 + FRESHNESS);
        if full && worst.is_none_or(|worst| self.order == Order::Ranked && at_best < worst.score) {
            return;
        }
        let epoch = self.epochs.first(doc).unwrap_or_default();
        let score = if self.order == Order::Ranked { aged(score, epoch, self.newest) } else { score };
        if full && worst.is_none_or(|worst| self.is_behind(score, epoch, &worst)) {
            return;
        }
        let key = MessageKey(self.row(doc).cast_signed());
        let at = Some(DocAddress::new(self.ordinal, doc));
        self.best.push(Placed(self.order, Hit { score, epoch, key, at }));
        if full {
            self.best.pop();
        }
    }

    /// Whether a hit comes after `worst`, whatever its row is.
    fn is_behind(&self, score: Score, epoch: i64, worst: &Hit) -> bool {
        match self.order {
            Order::Ranked => score < worst.score || score == worst.score && epoch < worst.epoch,
            Order::Newest => epoch < worst.epoch,
            Order::Oldest => epoch > worst.epoch,
        }
    }
}

impl SegmentCollector for BestOfSegment {
    type Fruit = Found;

    fn collect(&mut self, doc: DocId, score: Score) {
        if self.hidden.as_ref().is_some_and(|rows| rows.contains(self.row(doc))) {
            return;
        }
        self.total += 1;
        self.offer(doc, score);
    }

    fn harvest(self) -> Found {
        let hits = self.best.into_sorted_vec().into_iter().map(|placed| placed.1).collect();
        Found { total: self.total, hits }
    }
}
