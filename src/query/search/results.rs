//! What a search answers: messages as every list shows them, each with why it is there, and what to know about the answer
//! as a whole.

use std::collections::HashSet;
use std::ops::Range;

use serde::Serialize;

use crate::index::semantic::Phase;
use crate::index::{Hit, Order};
use crate::model::MessageKey;
use crate::query::audience::Shown;
use crate::query::language::Understood;
use crate::query::search::drafts::{DraftHit, FoundWithDrafts};
use crate::query::search::{Question, WordCount, copies, snippet};
use crate::query::{Archive, QueryError, Summary};

/// How a query is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// By words.
    Lexical,
    /// By meaning.
    Semantic,
    /// By both.
    Hybrid,
}

impl Mode {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Semantic => "semantic",
            Self::Hybrid => "hybrid",
        }
    }
}

/// What a message was found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MatchedBy {
    /// Its words.
    Words,
    /// What it means.
    Meaning,
}

/// Why a search shows a message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Match {
    /// How well it matches; 0 for pure filters. Only the order means something.
    pub score: f32,
    /// What it was found by; nothing for pure filters.
    pub by: Vec<MatchedBy>,
    /// The words of the query that it lacks; none for a full match.
    pub missing: Vec<String>,
    /// Ids of messages that say nearly the same and have no entry of their own.
    pub copies: Vec<String>,
}

/// The answer to a search.
#[derive(Debug, Clone)]
pub struct Results {
    /// How it was searched.
    pub mode: Mode,
    /// How many messages match: by all words in `lexical` and `hybrid`, by meaning in `semantic`.
    pub total: u64,
    /// How many entries of this page match in part only, or by meaning alone; they are not in `total`.
    pub partial: usize,
    /// Milliseconds it took.
    pub took_ms: f64,
    /// The page that was asked for.
    pub items: Vec<Summary>,
    /// How many messages the entries of this page stand for: copies have no entry of their own.
    pub covered: usize,
    /// Whether there are more behind them.
    pub more: bool,
    /// The words to show, each in all its forms.
    pub words: Vec<Vec<String>>,
    /// How many messages have each word, where that explains the answer.
    pub counts: Vec<WordCount>,
    /// Messages that could not be searched by their words yet.
    pub not_indexed: usize,
    /// Messages that this page would show if they were not kept from this audience.
    /// A query with words counts none of them, lest it answer guesses at what they say.
    pub withheld: usize,
    /// How much can be found by meaning; `None` where nothing can.
    pub indexed: Option<Indexed>,
    /// What whoever asked should know: how the query was read, names that do not exist, what may have been meant.
    pub notes: Vec<String>,
}

/// A message that was found.
#[derive(Debug, Clone)]
pub(super) struct RankedHit {
    pub(super) hit: Hit,
    pub(super) by: Vec<MatchedBy>,
    pub(super) missing: Vec<String>,
    /// Whether it has all that was asked for.
    pub(super) is_full: bool,
    /// Where in its text stands what is meant.
    pub(super) passages: Vec<Range<usize>>,
}

impl RankedHit {
    /// What was found by its words.
    pub(super) fn by_words(hit: Hit, is_full: bool) -> Self {
        Self { hit, by: vec![MatchedBy::Words], missing: Vec::new(), is_full, passages: Vec::new() }
    }
}

/// How many messages can be found by meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Indexed {
    /// So many.
    pub messages: u64,
    /// Of so many.
    pub of: u64,
}

impl Indexed {
    /// As semantic search stands; `None` when there are no vectors that can be used.
    pub(super) fn of(phase: &Phase) -> Option<Self> {
        match phase {
            Phase::There(coverage) => Some(Self { messages: coverage.indexed, of: coverage.total }),
            Phase::Off | Phase::NotBegun | Phase::Unusable(_) => None,
        }
    }

    /// The share, from 0 to 1.
    #[must_use]
    pub fn share(self) -> f64 {
        if self.of == 0 { 0.0 } else { self.messages as f64 / self.of as f64 }
    }
}

/// A page of what was found, in order.
pub(super) struct Ranking {
    pub(super) mode: Mode,
    /// Whether the best come first.
    pub(super) is_ranked: bool,
    pub(super) total: u64,
    pub(super) drafts: Vec<DraftHit>,
    pub(super) hits: Vec<RankedHit>,
    pub(super) more: bool,
    pub(super) words: Vec<Vec<String>>,
    pub(super) counts: Vec<WordCount>,
    pub(super) shown: Shown,
}

impl Ranking {
    /// What was found by words, or by filters alone.
    pub(super) fn lexical(found: FoundWithDrafts, order: Order) -> Self {
        let by_words = |hit: Hit| RankedHit::by_words(hit, true);
        let by_filters = |hit: Hit| RankedHit { by: Vec::new(), ..by_words(hit) };
        let hits = found.messages.hits.into_iter();
        let hits = if found.words.is_empty() {
            hits.map(by_filters).collect()
        } else {
            hits.map(by_words).collect()
        };
        Self {
            mode: Mode::Lexical,
            is_ranked: order == Order::Ranked,
            total: found.total,
            drafts: found.drafts,
            hits,
            more: found.more,
            words: found.words,
            counts: Vec::new(),
            shown: found.shown,
        }
    }

    /// How many entries there are.
    pub(super) fn entries(&self) -> usize {
        self.drafts.len() + self.hits.len()
    }

    /// The rows of its messages.
    pub(super) fn keys(&self) -> Vec<MessageKey> {
        self.hits.iter().map(|found| found.hit.key).collect()
    }

    /// Adds partial matches. None of them scores as high as what matches in full.
    pub(super) fn follow(&mut self, partial: Vec<Hit>) {
        let least = self.hits.last().map_or(f32::INFINITY, |found| found.hit.score * 0.99);
        let partial = partial.into_iter().map(|hit| Hit { score: hit.score.min(least), ..hit });
        self.hits.extend(partial.map(|hit| RankedHit::by_words(hit, false)));
    }
}

impl Archive {
    /// Reads what a list shows of the messages that were found.
    pub(super) fn results(
        &mut self,
        question: &Question<'_>,
        understood: &Understood,
        ranking: Ranking,
    ) -> Result<Results, QueryError> {
        let withheld = self.withheld_among(&understood.query, ranking.shown)?;
        let notes = self.notes(understood, ranking.total, &ranking.counts)?;
        let covered = ranking.entries();
        let found = self.found_items(&ranking, question)?;
        let mut items: Vec<_> = ranking.drafts.into_iter().map(DraftHit::summary).collect();
        items.extend(found);
        Ok(Results {
            mode: ranking.mode,
            total: ranking.total,
            partial: ranking.hits.iter().filter(|found| !found.is_full).count(),
            took_ms: 0.0,
            items,
            covered,
            more: ranking.more,
            words: ranking.words,
            counts: ranking.counts,
            not_indexed: self.waiting(),
            withheld,
            indexed: None,
            notes,
        })
    }

    fn found_items(&self, ranking: &Ranking, question: &Question<'_>) -> Result<Vec<Summary>, QueryError> {
        let (hits, words) = (&ranking.hits, &ranking.words);
        let _snapshot = self.reader.connection().unchecked_transaction()?;
        let keys: Vec<_> = hits.iter().map(|found| found.hit.key).collect();
        let rows = self.rows_in(&keys, question.scope.account)?;
        let found = rows.into_iter().zip(hits).filter_map(|(row, hit)| Some((row?.summary, hit)));
        let found: Vec<(Summary, &RankedHit)> = found.collect();
        let is_folded = ranking.is_ranked && question.is_forgiving();
        let items = found.iter().map(|(item, _)| item);
        let suspects = if is_folded { copies::suspects(items) } else { HashSet::new() };
        let keys: Vec<_> = found.iter().map(|(item, _)| item.key).collect();
        let read = self.reader.map_texts(&keys, |number, text| {
            let snippet = snippet::shown(text, words, &found[number].1.passages, question.passages);
            (snippet, suspects.contains(&keys[number]).then(|| copies::pieces(text)))
        })?;
        let items = found.into_iter().zip(read).map(|((item, found), (snippet, pieces))| {
            let RankedHit { hit, by, missing, .. } = found;
            let (by, missing) = (by.clone(), missing.clone());
            let matched = Match { score: hit.score, by, missing, copies: Vec::new() };
            (Summary { snippet, matched, ..item }, pieces)
        });
        Ok(copies::folded(items.collect()))
    }
}
