//! Keywords: messages that hold them, and how often. One rule finds and counts: a keyword stands where its words stand
//! next to each other in subject or visible text, whole and in this form, whatever the case and the accents. All messages
//! are counted, from the text index, before the best are chosen.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use roaring::RoaringTreemap;
use tantivy::Searcher;

use crate::index::{IndexError, Occurrence, PlacedWord, occurrences};
use crate::model::MessageKey;
use crate::query::QueryError;
use crate::query::analytics::{Db, EmailRow, MatchMode};
use crate::query::language::Leaf;
use crate::query::search::phrase_words;

/// How many different keywords of a message were found, and how often all of them.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    epoch: i64,
    occurrences: u32,
    keywords: u16,
    /// The keyword that was counted last, from 1.
    last: u16,
}

/// What comes first: the most often, the most keywords, the newest.
type Rank = (u32, u16, i64, Reverse<u64>);

/// The rows that count.
struct Seen {
    of_account: Option<Arc<RoaringTreemap>>,
    hidden: Option<Arc<RoaringTreemap>>,
}

impl Db<'_> {
    /// Messages that hold keywords, those that hold them most often first; equal ones newest first.
    pub fn by_keywords(
        &mut self,
        keywords: &[String],
        mode: MatchMode,
        limit: usize,
    ) -> Result<Vec<EmailRow>, QueryError> {
        let keywords = cut(keywords)?;
        let limit = self.clamp(limit);
        let wanted = if mode == MatchMode::All { keywords.len() } else { 1 };
        let change = self.archive.refresh()?;
        let seen = self.seen(change)?;
        let tallies = self.tallies(&keywords)?;
        let mailboxes = self.mailboxes(None)?;
        let mut found = Vec::new();
        for (occurrences, keywords, _, Reverse(row)) in best(&tallies, wanted, &seen, limit) {
            let row = self.first_row(MessageKey(row.cast_signed()), &mailboxes)?;
            found.extend(row.map(|row| EmailRow {
                keyword_match_count: Some(keywords),
                keyword_match_score: Some(occurrences),
                ..row.without_size()
            }));
        }
        Ok(found)
    }

    fn seen(&mut self, change: i64) -> Result<Seen, QueryError> {
        let of_account = match self.address()? {
            Some(address) => self.archive.rows(&Leaf::Account(address), change)?,
            None => None,
        };
        Ok(Seen { of_account, hidden: self.archive.withheld(change)?.rows.clone() })
    }

    /// What the index and its tail count, by the rows of messages.
    fn tallies(&self, keywords: &[Vec<PlacedWord>]) -> Result<Vec<Tally>, QueryError> {
        let mut tallies = Vec::new();
        if let Some(text) = &self.archive.text {
            self.count_in(&text.searcher(), keywords, &mut tallies)?;
        }
        if let Some(tail) = &self.archive.tail {
            for row in &tail.changed {
                if let Some(old) = usize::try_from(row).ok().and_then(|row| tallies.get_mut(row)) {
                    *old = Tally::default();
                }
            }
            self.count_in(tail.searcher(), keywords, &mut tallies)?;
        }
        Ok(tallies)
    }

    fn count_in(
        &self,
        searcher: &Searcher,
        keywords: &[Vec<PlacedWord>],
        tallies: &mut Vec<Tally>,
    ) -> Result<(), QueryError> {
        let fields = &self.archive.fields;
        for (number, words) in (1..).zip(keywords) {
            for field in [fields.subject, fields.body] {
                occurrences(searcher, field, words, &mut |found| add(tallies, number, found))
                    .map_err(|error| IndexError::searching(&error))?;
            }
        }
        Ok(())
    }
}

/// Counts what was found of a keyword. Rows of messages are dense, so that a list beats a map.
fn add(tallies: &mut Vec<Tally>, keyword: u16, found: Occurrence) {
    let Ok(row) = usize::try_from(found.row) else { return };
    if row >= tallies.len() {
        tallies.resize(row + 1, Tally::default());
    }
    let tally = &mut tallies[row];
    tally.epoch = found.epoch;
    tally.occurrences = tally.occurrences.saturating_add(found.count);
    tally.keywords += u16::from(tally.last != keyword);
    tally.last = keyword;
}

/// The first so many, the best first.
fn best(tallies: &[Tally], wanted: usize, seen: &Seen, limit: usize) -> Vec<Rank> {
    let mut best: BinaryHeap<Reverse<Rank>> = BinaryHeap::new();
    for (row, tally) in (0_u64..).zip(tallies) {
        if tally.occurrences == 0 || usize::from(tally.keywords) < wanted || !seen.shows(row) {
            continue;
        }
        best.push(Reverse((tally.occurrences, tally.keywords, tally.epoch, Reverse(row))));
        if best.len() > limit {
            best.pop();
        }
    }
    best.into_sorted_vec().into_iter().map(|Reverse(rank)| rank).collect()
}

impl Seen {
    fn shows(&self, row: u64) -> bool {
        self.of_account.as_ref().is_none_or(|rows| rows.contains(row))
            && !self.hidden.as_ref().is_some_and(|rows| rows.contains(row))
    }
}

/// Keywords as the index cuts text, each once.
fn cut(keywords: &[String]) -> Result<Vec<Vec<PlacedWord>>, QueryError> {
    let mut cut: Vec<Vec<PlacedWord>> =
        keywords.iter().map(|keyword| phrase_words(keyword)).filter(|words| !words.is_empty()).collect();
    cut.sort_unstable();
    cut.dedup();
    if cut.is_empty() {
        return Err(QueryError::Argument {
            name: "keywords",
            problem: "there is no keyword".to_owned(),
            hint: "give at least one word, as in [\"invoice\"]".to_owned(),
        });
    }
    Ok(cut)
}
