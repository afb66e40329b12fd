//! Matches that lack some of the words: what follows when all words together find too little. Operators, phrases and
//! what must not be there stay as strict as they are; only plain words may be missing.

use std::collections::HashMap;

use crate::index::{Hit, IndexError, Order, holding};
use crate::model::MessageKey;
use crate::query::language::{Leaf, Query, Scope};
use crate::query::search::phrase::Phrase;
use crate::query::search::results::Ranking;
use crate::query::search::{NONE, Page};
use crate::query::{Archive, QueryError};

/// So many words are told how often they occur, the rarest first.
const MOST_COUNTED: usize = 8;
/// More words are not looked at: a mail is found by far fewer.
const MOST_WORDS: usize = 32;
/// A word that more than one in so many messages have tells them apart too little, once there are many messages.
const FREQUENT: u64 = 4;
const MANY: u64 = 1_000;

/// Words that stand in any question and say nothing about what is looked for.
pub(super) const EMPTY_WORDS: [&str; 78] = [
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by",
    "can", "could", "did", "do", "does", "for", "from", "get", "got", "had", "has", "have", "he", "her",
    "his", "how", "i", "if", "in", "is", "it", "its", "just", "me", "my", "no", "not", "of", "on", "or",
    "our", "out", "she", "should", "so", "than", "that", "the", "their", "them", "there", "these", "they",
    "this", "to", "up", "us", "was", "we", "were", "what", "when", "where", "which", "who", "whom", "why",
    "will", "with", "would", "you", "your", "yours",
];

/// How many messages have a word.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct WordCount {
    /// The word as it was typed.
    pub word: String,
    /// How many messages have it.
    pub messages: u64,
}

/// A query that can be forgiven: two plain words or more, and what stays strict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Loose {
    /// The words that are worth looking for, and how each is looked for.
    pub(super) words: Vec<(String, Query)>,
    strict: Vec<Query>,
}

impl Loose {
    /// Takes a query apart; `scoped` says where a plain word is looked for. `None` where all must match.
    pub(super) fn of(query: &Query, scoped: &dyn Fn(Query) -> Query) -> Option<Self> {
        let Query::And(parts) = query else { return None };
        let (mut words, mut strict, mut plain): (Vec<(String, Query)>, _, _) = (Vec::new(), Vec::new(), 0);
        for part in parts {
            let Some(word) = plain_word(part) else {
                strict.push(part.clone());
                continue;
            };
            plain += 1;
            let is_known = words.iter().any(|(known, _)| known.eq_ignore_ascii_case(word));
            if !is_known && !EMPTY_WORDS.contains(&word.to_lowercase().as_str()) {
                words.push((word.to_owned(), scoped(part.clone())));
            }
        }
        words.truncate(MOST_WORDS);
        (plain > 1 && !words.is_empty()).then_some(Self { words, strict })
    }

    /// Messages with any of the words.
    fn any(&self) -> Query {
        let words = Query::or(self.words.iter().map(|(_, word)| word.clone()).collect());
        Query::and(std::iter::once(words).chain(self.strict.iter().cloned()).collect())
    }
}

/// The plain word that a part of a query is.
pub(super) fn plain_word(part: &Query) -> Option<&str> {
    match part {
        Query::Leaf(Leaf::Text { scope: Scope::Anywhere, text, exact: false }) if !text.ends_with('*') => {
            Some(text)
        }
        _ => None,
    }
}

impl Archive {
    /// The best that have some of the words, without those that have all.
    pub(super) fn partial_hits(
        &mut self,
        loose: &Loose,
        strict: &[MessageKey],
        most: usize,
    ) -> Result<Vec<Hit>, QueryError> {
        let loose = self.without_frequent(loose);
        let page = Page { limit: most + strict.len(), offset: 0 };
        let mut hits = self.find_sorted(&loose.any(), Order::Ranked, page)?.0.hits;
        hits.retain(|hit| !strict.contains(&hit.key));
        hits.truncate(most);
        Ok(hits)
    }

    /// Says of each partial match which words it lacks, and how often each word occurs.
    pub(super) fn tell_missing(&mut self, ranking: &mut Ranking, loose: &Loose) -> Result<(), QueryError> {
        let hits: Vec<Hit> = ranking.hits.iter().map(|found| found.hit).collect();
        let missing = self.missing_words(loose, &hits)?;
        for (found, missing) in ranking.hits.iter_mut().zip(missing).filter(|(found, _)| !found.is_full) {
            found.missing = missing;
        }
        if ranking.total == 0 || ranking.hits.iter().any(|found| !found.is_full) {
            ranking.counts = self.word_counts(loose)?;
        }
        Ok(())
    }

    /// How much each of these messages has of what was asked for, from 0 to 1: the rarer a word is, the more it says.
    pub(super) fn shares_held(&mut self, loose: &Loose, hits: &[Hit]) -> Result<Vec<f32>, QueryError> {
        let documents = self.text.as_ref().map_or(1, crate::index::FullText::documents).max(1) as f32;
        let says = |word: &str| (1.0 + documents / (1.0 + self.frequency(word) as f32)).ln();
        let told: HashMap<&str, f32> =
            loose.words.iter().map(|(word, _)| (word.as_str(), says(word))).collect();
        let all: f32 = told.values().sum();
        let missing = self.missing_words(loose, hits)?;
        let lost = |words: Vec<String>| words.iter().filter_map(|word| told.get(word.as_str())).sum::<f32>();
        Ok(missing.into_iter().map(|words| (1.0 - lost(words) / all).clamp(0.0, 1.0)).collect())
    }

    /// How many messages have each of the rarest words.
    pub(super) fn word_counts(&mut self, loose: &Loose) -> Result<Vec<WordCount>, QueryError> {
        let mut words: Vec<_> = loose.words.iter().map(|word| (self.frequency(&word.0), word)).collect();
        words.sort_by_key(|(frequency, _)| *frequency);
        words.truncate(MOST_COUNTED);
        let count = |(_, (word, query)): (u64, &(String, Query))| {
            let messages = self.find_sorted(query, Order::Newest, NONE)?.0.total;
            Ok(WordCount { word: word.clone(), messages })
        };
        words.into_iter().map(count).collect()
    }

    /// The same without words that nearly every message has, as long as any other is left.
    fn without_frequent(&self, loose: &Loose) -> Loose {
        let documents = self.text.as_ref().map_or(0, crate::index::FullText::documents);
        let is_rare = |(word, _): &&(String, Query)| self.frequency(word) * FREQUENT <= documents.max(MANY);
        let rare: Vec<_> = loose.words.iter().filter(is_rare).cloned().collect();
        if rare.is_empty() { loose.clone() } else { Loose { words: rare, strict: loose.strict.clone() } }
    }

    /// In about how many texts of the index a word stands: for ranking, never for an answer, because it also counts what
    /// the audience may not see.
    fn frequency(&self, word: &str) -> u64 {
        let Some(text) = &self.text else { return 0 };
        let phrase = Phrase::exact(word);
        let spellings = phrase.parts.iter().filter_map(|part| part.spellings.first());
        let term = |word: &String| tantivy::Term::from_field_text(self.fields.body, word);
        spellings.map(|word| text.searcher().doc_freq(&term(word)).unwrap_or(0)).min().unwrap_or(0)
    }

    /// The words that each of these messages lacks.
    fn missing_words(&mut self, loose: &Loose, hits: &[Hit]) -> Result<Vec<Vec<String>>, QueryError> {
        let change = self.refresh()?;
        let changed = self.tail.as_ref().map(|tail| tail.changed.clone()).unwrap_or_default();
        let in_tail = |hit: &&Hit| changed.contains(hit.key.0.cast_unsigned());
        let mut missing = vec![Vec::new(); hits.len()];
        for (number, searcher) in self.searchers().into_iter().enumerate() {
            let is_tail = number > 0 || self.text.is_none();
            let here: Vec<usize> = (0..hits.len())
                .filter(|at| in_tail(&&hits[*at]) == is_tail && hits[*at].at.is_some())
                .collect();
            let places: Vec<_> = here.iter().filter_map(|at| hits[*at].at).collect();
            for (word, query) in &loose.words {
                let compiled = self.compile(query, &searcher, change)?.query;
                let held = holding(&searcher, &*compiled, &places);
                let held = held.map_err(|error| IndexError::searching(&error))?;
                here.iter()
                    .zip(held)
                    .filter(|(_, held)| !held)
                    .for_each(|(at, _)| missing[*at].push(word.clone()));
            }
        }
        Ok(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::Loose;
    use crate::clock::Clock;
    use crate::query::language::parse;

    fn loose(search: &str) -> Option<(Vec<String>, String)> {
        let clock = Clock::frozen("2024-07-10T12:00:00Z".parse().unwrap());
        let loose = Loose::of(&parse(search, &clock).unwrap(), &|query| query)?;
        let any = loose.any().to_string();
        Some((loose.words.into_iter().map(|(word, _)| word).collect(), any))
    }

    #[test]
    fn only_plain_words_may_be_missing() {
        let (words, any) = loose("who is the economist from:ada -draft \"old kitchen\" lens").unwrap();

        assert_eq!(words, ["economist", "lens"]);
        assert_eq!(any, "(economist OR lens) from:ada -draft \"old kitchen\"");
    }

    #[test]
    fn a_query_without_two_plain_words_stays_as_it_is() {
        for search in
            ["", "lens", "lens from:ada", "a OR b", "\"a b\" lens", "in:inbox is:unread", "to be or"]
        {
            assert_eq!(loose(search), None, "{search}");
        }
    }
}
