//! What was probably meant when nothing is found: words of the index that are spelt nearly like those of the query.
//! Only what the audience can find is ever named.

use tantivy::Searcher;

use crate::index::{IndexError, Lookalike, words_like};
use crate::query::language::{Leaf, Query, Scope};
use crate::query::search::Page;
use crate::query::search::compile::fields_of;
use crate::query::search::forgive::EMPTY_WORDS;
use crate::query::search::phrase::Phrase;
use crate::query::{Archive, QueryError};

/// How many lookalikes of a word are tried.
const TRIED: usize = 8;
/// How many words of a query are looked at.
const MOST_WORDS: usize = 10;

impl Archive {
    /// Sentences about a query that finds nothing; partial matches speak for themselves.
    pub(super) fn suggestions(
        &mut self,
        query: &Query,
        has_partial: bool,
    ) -> Result<Vec<String>, QueryError> {
        let words = words(query);
        let mut notes = Vec::new();
        let mut missing = 0;
        for (scope, spellings) in &words {
            let word = &spellings[0];
            if self.is_there(*scope, word)? {
                continue;
            }
            missing += 1;
            if let Some(meant) = self.meant(*scope, spellings)? {
                let spelt = |text: &str| Leaf::Text { scope: *scope, text: text.to_owned(), exact: false };
                notes.push(format!("no message has `{}`; did you mean `{}`?", spelt(word), spelt(&meant)));
            }
        }
        let plain = words.iter().filter(|(scope, _)| *scope == Scope::Anywhere).count();
        if missing == 0 && plain > 1 && !has_partial {
            notes.push(
                "each of these words is found, but not all in one message; `OR` finds any of them".to_owned(),
            );
        }
        Ok(notes)
    }

    fn is_there(&mut self, scope: Scope, word: &str) -> Result<bool, QueryError> {
        let leaf = Query::Leaf(Leaf::Text { scope, text: word.to_owned(), exact: false });
        Ok(self.find(&leaf, Page { limit: 0, offset: 0 })?.0.total > 0)
    }

    /// The most alike and most frequent word that can be found here.
    fn meant(&mut self, scope: Scope, spellings: &[String]) -> Result<Option<String>, QueryError> {
        let mut alike: Vec<Lookalike> = Vec::new();
        for searcher in self.searchers() {
            let found = words_like(&searcher, &fields_of(&self.fields, scope), spellings);
            alike.extend(found.map_err(|error| IndexError::searching(&error))?);
        }
        alike.retain(|one| !EMPTY_WORDS.contains(&one.word.as_str()));
        alike.sort_by_key(|one| (one.distance, std::cmp::Reverse(one.frequency)));
        for one in alike.into_iter().take(TRIED) {
            if self.is_there(scope, &one.word)? {
                return Ok(Some(one.word));
            }
        }
        Ok(None)
    }

    /// The index and the tail, as far as they are there.
    pub(super) fn searchers(&self) -> Vec<Searcher> {
        let index = self.text.as_ref().map(crate::index::FullText::searcher);
        let tail = self.tail.as_ref().map(|tail| tail.searcher().clone());
        index.into_iter().chain(tail).collect()
    }
}

/// The single words that a match must have, and where, as the index spells them.
fn words(query: &Query) -> Vec<(Scope, Vec<String>)> {
    let mut found: Vec<(Scope, Vec<String>)> = Vec::new();
    for leaf in query.positive_leaves() {
        let Leaf::Text { scope, text, .. } = leaf else { continue };
        let phrase = Phrase::typed(text);
        let parts = phrase.parts.iter().filter(|_| !phrase.is_open);
        found.extend(parts.map(|part| (*scope, part.spellings.clone())));
    }
    found.dedup();
    found.truncate(MOST_WORDS);
    found
}
