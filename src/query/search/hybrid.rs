//! Search by meaning, alone or beside search by words. Both rankings are joined by the places that a message has in them
//! (reciprocal rank fusion), so that their scores need not be comparable; a partial match counts by how much it has of what was
//! asked for, lest words that hardly match take every other place. Operators, phrases and what must not be there hold for both.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use roaring::RoaringTreemap;

use crate::index::semantic::{Phase, SemanticIndex, Trouble, coverage};
use crate::index::vectors::Near;
use crate::index::{Hit, IndexError, Order};
use crate::model::MessageKey;
use crate::query::audience::Shown;
use crate::query::language::{Leaf, Query, Scope};
use crate::query::search::find::FoundPage;
use crate::query::search::forgive::{Loose, plain_word};
use crate::query::search::results::{Indexed, RankedHit, Ranking};
use crate::query::search::{MatchedBy, Mode, Page, Question, Results, order, within};
use crate::query::{Archive, QueryError};

/// So many of the best of each ranking are joined.
const POOL: usize = 100;
/// How much the first places count before the later ones: so much that a partial match with most of what was asked for stays
/// among the first ten, which with the usual 60 it does not.
const K: f32 = 10.0;
/// Meaning is asked without being told to once this share of the messages has vectors.
const ENOUGH: f64 = 0.9;

/// What is further away has nothing to do with the question.
const NEAR: f32 = 0.2;

/// How a question is to be searched, and what to say where that is not as it was asked for.
pub(super) struct Chosen {
    pub(super) mode: Mode,
    pub(super) indexed: Option<Indexed>,
    pub(super) note: Option<String>,
}

/// What was found by words, those with all of them first.
struct ByWords {
    hits: Vec<Hit>,
    /// So many have all words.
    full: usize,
    /// How much of what was asked for each has, from 0 to 1.
    shares: Vec<f32>,
}

impl Archive {
    /// How a question is searched: as it says; else by both, for words, once nearly all messages have vectors.
    pub(super) fn mode(&mut self, question: &Question<'_>, query: &Query) -> Result<Chosen, QueryError> {
        let phase = coverage(&self.vectors, &self.reader, &self.models)?;
        let indexed = Indexed::of(&phase);
        let lexical = |note| Ok(Chosen { mode: Mode::Lexical, indexed, note });
        let is_asked = matches!(question.mode, Some(Mode::Semantic | Mode::Hybrid));
        if question.mode == Some(Mode::Lexical) || !is_asked && !question.is_forgiving() {
            return lexical(None);
        }
        if let Some(reason) = self.only_by_words(question, query)? {
            return lexical(is_asked.then(|| format!("searched by words alone: {reason}")));
        }
        if let Phase::Unusable(error) = phase {
            return lexical(Some(words_alone(&error)));
        }
        let Some(share) = indexed.map(Indexed::share) else {
            let hint = "searched by words alone; `mailkeep reindex --semantic` lets mail be found by meaning";
            return lexical(is_asked.then(|| hint.to_owned()));
        };
        let mode = match question.mode {
            Some(mode) => mode,
            None if share >= ENOUGH && self.is_question(query)? => Mode::Hybrid,
            None => Mode::Lexical,
        };
        Ok(Chosen { mode, indexed, note: None })
    }

    /// Why meaning cannot be asked, if it cannot.
    fn only_by_words(
        &self,
        question: &Question<'_>,
        query: &Query,
    ) -> Result<Option<&'static str>, QueryError> {
        Ok(if meaning(query).is_empty() {
            Some("there are no words whose meaning could be looked for")
        } else if order(query, question.sort) != Order::Ranked {
            Some("only the best match can come first by meaning")
        } else if question.scope.item_types.len() == 1 {
            Some("meaning is known of whole messages only")
        } else if !question.scope.without_drafts && self.drafts_asked_for(query)?.is_some() {
            Some("drafts have no vectors")
        } else {
            None
        })
    }

    /// Whether a query asks for something in words: not a name, and not one word that is found as it is.
    fn is_question(&mut self, query: &Query) -> Result<bool, QueryError> {
        if self.bare_name(query)?.is_some() {
            return Ok(false);
        }
        let words = query.positive_leaves().into_iter().filter(|leaf| leaf.is_text()).count();
        Ok(words > 1 || self.find_sorted(query, Order::Newest, super::NONE)?.0.total == 0)
    }

    /// Searches by meaning; by words alone where the vectors, the model or its server fail, and says why. Somebody who looks
    /// for a message wants it, whatever happened to what is derived from it.
    pub(super) fn by_meaning_if_possible(
        &mut self,
        question: &Question<'_>,
        query: &Query,
        mode: Mode,
    ) -> Result<(Ranking, Option<String>), QueryError> {
        match self.by_meaning(question, query, mode) {
            Err(QueryError::Index(error)) if error.is_of_meaning() => {
                self.semantic = None;
                Trouble::of(&error).note(&self.vectors);
                Ok((self.ranking(question, query)?, Some(words_alone(&error))))
            }
            found => {
                let ranking = found?;
                Trouble::clear(&self.vectors);
                Ok((ranking, None))
            }
        }
    }

    /// Searches by meaning, and by words too in `hybrid`.
    fn by_meaning(
        &mut self,
        question: &Question<'_>,
        query: &Query,
        mode: Mode,
    ) -> Result<Ranking, QueryError> {
        let near = self.nearest(query)?;
        if mode == Mode::Semantic {
            let words = self.find_page(query, Order::Newest, super::NONE)?.words;
            let hits = self.ranked(&near, None)?;
            return Ok(paged(mode, question.page, hits, words, None));
        }
        let scoped = |query: Query| within(query, question.scope.item_types);
        let end = question.page.limit.saturating_add(question.page.offset).saturating_add(1);
        let page = Page { limit: end.max(POOL), offset: 0 };
        let FoundPage { messages, words, .. } =
            self.find_page(&scoped(query.clone()), Order::Ranked, page)?;
        let total = messages.total;
        let loose = Loose::of(query, &scoped).filter(|_| messages.hits.len() < POOL);
        let by_words = self.with_partial(messages.hits, loose.as_ref())?;
        let hits = self.ranked(&near, Some(&by_words))?;
        let mut ranking = paged(mode, question.page, hits, words, Some(total));
        if let Some(loose) = loose.filter(|_| total < question.page.limit as u64) {
            self.tell_missing(&mut ranking, &loose)?;
        }
        Ok(ranking)
    }

    /// Lets partial matches follow, as far as there is room for them.
    fn with_partial(&mut self, full: Vec<Hit>, loose: Option<&Loose>) -> Result<ByWords, QueryError> {
        let shares = vec![1.0; full.len()];
        let mut found = ByWords { full: full.len(), hits: full, shares };
        if let Some(loose) = loose {
            let keys: Vec<_> = found.hits.iter().map(|hit| hit.key).collect();
            let partial = self.partial_hits(loose, &keys, POOL - keys.len())?;
            found.shares.extend(self.shares_held(loose, &partial)?);
            found.hits.extend(partial);
        }
        Ok(found)
    }

    /// The messages that mean what this one means.
    pub fn similar(
        &mut self,
        key: MessageKey,
        question: &Question<'_>,
    ) -> Result<Option<Results>, QueryError> {
        let understood = self.read_query(question.text, question.scope.account)?;
        let allowed = self.allowed(&understood.query)?;
        let near = match self.semantic()? {
            Some((index, reader)) => index.similar(reader, key, POOL, allowed.as_ref())?,
            None => None,
        };
        let Some(near) = near else { return Ok(None) };
        let hits = self.ranked(&near, None)?;
        let ranking = paged(Mode::Semantic, question.page, hits, Vec::new(), None);
        let indexed = Indexed::of(&coverage(&self.vectors, &self.reader, &self.models)?);
        Ok(Some(Results { more: false, indexed, ..self.results(question, &understood, ranking)? }))
    }

    /// The messages whose passages are nearest to what the words mean.
    fn nearest(&mut self, query: &Query) -> Result<Vec<Near>, QueryError> {
        let strict = strict_part(query);
        let allowed = self.allowed(&strict)?;
        let asked = meaning(query);
        match self.semantic()? {
            Some((index, reader)) => {
                let near = index.nearest(reader, &asked, POOL, allowed.as_ref())?;
                Ok(near.into_iter().filter(|near| near.score >= NEAR).collect())
            }
            None => Ok(Vec::new()),
        }
    }

    /// The rows that a query leaves; `None` when that is all of them.
    fn allowed(&mut self, query: &Query) -> Result<Option<RoaringTreemap>, QueryError> {
        if *query == Query::All {
            return Ok(None);
        }
        let everything = Page { limit: usize::MAX >> 2, offset: 0 };
        let hits = self.find_sorted(query, Order::Newest, everything)?.0.hits;
        Ok(Some(hits.into_iter().map(|hit| hit.key.0.cast_unsigned()).collect()))
    }

    /// The vectors, opened when they are first asked for.
    fn semantic(&mut self) -> Result<Option<(&mut SemanticIndex, &crate::store::Reader)>, QueryError> {
        if self.semantic.is_none() {
            self.semantic = SemanticIndex::open(&self.vectors, &self.reader, &self.models)?;
        }
        let reader = &self.reader;
        Ok(self.semantic.as_mut().map(|index| (index, reader)))
    }

    /// Joins both rankings, the best first. Where meaning alone was asked for, every neighbour is a full match.
    fn ranked(&self, near: &[Near], by_words: Option<&ByWords>) -> Result<Vec<RankedHit>, QueryError> {
        let is_alone = by_words.is_none();
        let lexical = by_words.map_or(&[][..], |found| &found.hits);
        let full = by_words.map_or(0, |found| found.full);
        let mut all: HashMap<MessageKey, RankedHit> = HashMap::new();
        for (place, hit) in lexical.iter().take(POOL).enumerate() {
            let held = by_words.and_then(|found| found.shares.get(place)).copied().unwrap_or(1.0);
            let hit = Hit { score: held * share(place), ..*hit };
            all.insert(hit.key, RankedHit::by_words(hit, place < full));
        }
        for (place, near) in near.iter().enumerate() {
            match all.get_mut(&near.message) {
                Some(found) => {
                    found.hit.score += share(place);
                    found.by.push(MatchedBy::Meaning);
                    found.passages = ranges(near);
                }
                None => {
                    let Some(epoch) = self.epoch(near.message)? else { continue };
                    let score = if is_alone { near.score } else { share(place) };
                    let hit = Hit { score, epoch, key: near.message, at: None };
                    let by = vec![MatchedBy::Meaning];
                    let found =
                        RankedHit { hit, by, missing: Vec::new(), is_full: is_alone, passages: ranges(near) };
                    all.insert(near.message, found);
                }
            }
        }
        let mut joined: Vec<_> = all.into_values().collect();
        joined.sort_unstable_by(|one, two| {
            let newest = (two.hit.epoch, two.hit.key).cmp(&(one.hit.epoch, one.hit.key));
            two.hit.score.total_cmp(&one.hit.score).then(newest)
        });
        let shown: HashSet<_> = joined.iter().map(|found| found.hit.key).collect();
        let rest = lexical.iter().enumerate().skip(POOL).filter(|(_, hit)| !shown.contains(&hit.key));
        let rest = rest.map(|(place, hit)| RankedHit::by_words(Hit { score: 0.0, ..*hit }, place < full));
        joined.extend(rest);
        Ok(joined)
    }

    /// The date of a message that this audience may see.
    fn epoch(&self, key: MessageKey) -> Result<Option<i64>, QueryError> {
        use rusqlite::OptionalExtension;
        const EPOCH: &str = "SELECT epoch FROM messages WHERE id = ?1";
        Ok(self.reader.connection().prepare_cached(EPOCH)?.query_row([key.0], |row| row.get(0)).optional()?)
    }
}

fn words_alone(error: &IndexError) -> String {
    format!("searched by words alone: {error}")
}

/// What a place counts.
fn share(place: usize) -> f32 {
    1.0 / (K + place as f32 + 1.0)
}

fn ranges(near: &Near) -> Vec<Range<usize>> {
    near.passages.iter().map(|passage| passage.range.clone()).collect()
}

/// A page of a whole ranking; without a total, all of it matches.
fn paged(
    mode: Mode,
    page: Page,
    mut hits: Vec<RankedHit>,
    words: Vec<Vec<String>>,
    total: Option<u64>,
) -> Ranking {
    let total = total.unwrap_or(hits.len() as u64);
    hits.drain(..page.offset.min(hits.len()));
    let more = hits.len() > page.limit;
    hits.truncate(page.limit);
    Ranking {
        mode,
        is_ranked: true,
        total,
        drafts: Vec::new(),
        hits,
        more,
        words,
        counts: Vec::new(),
        shown: Shown::default(),
    }
}

/// The words whose meaning is looked for, in the order they were written.
fn meaning(query: &Query) -> String {
    let words = query.positive_leaves().into_iter().filter_map(|leaf| match leaf {
        Leaf::Text { scope: Scope::Anywhere | Scope::Subject | Scope::Body, text, .. } => {
            Some(text.trim_end_matches('*'))
        }
        _ => None,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// What holds for meaning too: all but plain words.
fn strict_part(query: &Query) -> Query {
    match query {
        Query::And(parts) => {
            Query::and(parts.iter().filter(|part| plain_word(part).is_none()).cloned().collect())
        }
        other if plain_word(other).is_some() => Query::All,
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::{meaning, strict_part};
    use crate::clock::Clock;
    use crate::query::language::parse;

    #[test]
    fn words_are_meant_and_the_rest_holds_for_both() {
        let clock = Clock::frozen("2024-07-10T12:00:00Z".parse().unwrap());
        let parts = |search: &str| {
            let query = parse(search, &clock).unwrap();
            (meaning(&query), strict_part(&query).to_string())
        };
        let of = |one: &str, other: &str| (one.to_owned(), other.to_owned());

        assert_eq!(parts("who broke the lens from:ada -draft"), of("who broke the lens", "from:ada -draft"));
        assert_eq!(parts("lens"), of("lens", ""));
        assert_eq!(parts("\"old lens\" coat"), of("old lens coat", "\"old lens\""));
        assert_eq!(parts("is:unread").0, "");
    }
}
