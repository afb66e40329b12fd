//! Search: a query of the search language in, a page of messages out. [`Archive::search`] is the one door, for commands,
//! tools and pages alike.

mod compile;
mod copies;
pub(super) mod drafts;
mod facts;
mod find;
mod forgive;
mod hybrid;
mod me;
mod names;
mod notes;
mod phrase;
mod results;
pub(super) mod snippet;
mod suggest;

use std::time::Instant;

use crate::clock::Clock;
use crate::index::Order;
use crate::model::MessageKey;
use crate::query::analytics::ItemType;
use crate::query::language::{self, LanguageError, Leaf, Query, Scope, Understood};
use crate::query::search::drafts::FoundWithDrafts;
use crate::query::search::forgive::Loose;
use crate::query::search::phrase::Phrase;
use crate::query::search::results::Ranking;
use crate::query::{Archive, QueryError};

pub use forgive::WordCount;
pub use results::{Indexed, Match, MatchedBy, Mode, Results};

/// Which part of the results is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// How many.
    pub limit: usize,
    /// How many to leave out before them.
    pub offset: usize,
}

/// A longer page is a list for a program, which wants every message that matches and no other.
const LONGEST_PAGE: usize = 100;

/// For who wants to know how many there are.
const NONE: Page = Page { limit: 0, offset: 0 };

/// The words of a text and where they stand in it, each in its usual spelling.
pub(super) fn phrase_words(text: &str) -> Vec<(usize, String)> {
    let parts = Phrase::exact(text).parts.into_iter();
    parts.filter_map(|part| Some((part.at, part.spellings.into_iter().next()?))).collect()
}

/// Which of the messages that match come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// The newest.
    Newest,
    /// The oldest.
    Oldest,
    /// The best match; where a query has no words to match by, the newest.
    Relevance,
}

/// What a search looks at.
#[derive(Debug, Clone, Copy, Default)]
pub struct SearchScope<'a> {
    /// The one account to look in; all when there is none.
    pub account: Option<&'a str>,
    /// Where plain words are looked for; everywhere when there are none.
    pub item_types: &'a [ItemType],
    /// Whether drafts that were written here are left out, even where the query asks for drafts.
    pub without_drafts: bool,
}

/// How matches are shown and what counts as one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Leniency {
    /// Where all words find less than a page, partial matches follow; near-identical copies are one entry. Not on pages
    /// of more than 100: those are lists for programs.
    #[default]
    Forgiving,
    /// All words must match, and each message is an entry.
    Strict,
}

/// A search, and how its answer is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The query.
    pub text: &'a str,
    /// What it looks at.
    pub scope: SearchScope<'a>,
    /// How it is searched; left open, as suits the query and what is indexed.
    pub mode: Option<Mode>,
    /// What comes first; left open, the best for words and the newest for filters.
    pub sort: Option<Sort>,
    /// Whether words may be missing.
    pub leniency: Leniency,
    /// Whether snippets show several passages.
    pub passages: bool,
    /// Which part of the results is wanted.
    pub page: Page,
}

impl<'a> Question<'a> {
    /// A search of all accounts, in the order that suits the query.
    #[must_use]
    pub fn of(text: &'a str, page: Page) -> Self {
        Self {
            text,
            scope: SearchScope::default(),
            mode: None,
            sort: None,
            leniency: Leniency::default(),
            passages: false,
            page,
        }
    }

    /// What it asks for. Only who shows what was found may read on where the language stops: who counts, exports or deletes
    /// must not act on a guess.
    fn read(&self, clock: &Clock) -> Result<Understood, LanguageError> {
        match self.leniency {
            Leniency::Forgiving => language::read_leniently(self.text, clock),
            Leniency::Strict => language::read(self.text, clock),
        }
    }

    /// Whether words may be missing and copies are one entry.
    fn is_forgiving(&self) -> bool {
        self.leniency == Leniency::Forgiving && self.page.limit <= LONGEST_PAGE
    }

    /// The same in one account; `None` is all of them.
    #[must_use]
    pub fn within(self, account: Option<&'a str>) -> Self {
        Self { scope: SearchScope { account, ..self.scope }, ..self }
    }
}

impl Archive {
    /// Searches. Drafts that were written here come first, where the query asks for drafts.
    pub fn search(&mut self, question: &Question<'_>) -> Result<Results, QueryError> {
        self.held(|archive| archive.answer(question))
    }

    fn answer(&mut self, question: &Question<'_>) -> Result<Results, QueryError> {
        let started = Instant::now();
        let understood = self.resolved(question.read(&self.clock)?, question.scope.account)?;
        let chosen = self.mode(question, &understood.query)?;
        let (ranking, trouble) = match chosen.mode {
            Mode::Lexical => (self.ranking(question, &understood.query)?, None),
            mode => self.by_meaning_if_possible(question, &understood.query, mode)?,
        };
        let mut results = self.results(question, &understood, ranking)?;
        results.notes.extend(chosen.note.into_iter().chain(trouble));
        results.indexed = chosen.indexed;
        results.took_ms = started.elapsed().as_micros() as f64 / 1000.0;
        Ok(results)
    }

    /// What was found, in order; nothing of it has been read yet.
    fn ranking(&mut self, question: &Question<'_>, query: &Query) -> Result<Ranking, QueryError> {
        let scoped = |query: Query| within(query, question.scope.item_types);
        let strict = scoped(query.clone());
        let order = order(query, question.sort);
        let found = if question.scope.without_drafts {
            FoundWithDrafts::without_drafts(self.find_page(&strict, order, question.page)?)
        } else {
            self.find_with_drafts(&strict, order, question.page)?
        };
        let mut ranking = Ranking::lexical(found, order);
        if question.is_forgiving() && order == Order::Ranked {
            self.forgive(&mut ranking, query, &scoped, question.page)?;
        }
        Ok(ranking)
    }

    /// Lets partial matches follow where all words find less than a page.
    fn forgive(
        &mut self,
        ranking: &mut Ranking,
        query: &Query,
        scoped: &dyn Fn(Query) -> Query,
        page: Page,
    ) -> Result<(), QueryError> {
        let room = page.limit.saturating_sub(ranking.entries());
        if room == 0 || page.offset > 0 || ranking.total >= page.limit as u64 {
            return Ok(());
        }
        let Some(loose) = Loose::of(query, scoped) else { return Ok(()) };
        let partial = self.partial_hits(&loose, &ranking.keys(), room)?;
        ranking.follow(partial);
        self.tell_missing(ranking, &loose)
    }

    /// How many messages match, and drafts where the query asks for them.
    pub fn count(&mut self, text: &str, account: Option<&str>) -> Result<u64, QueryError> {
        let query = self.understand(text, account)?;
        Ok(self.find_with_drafts(&query, order(&query, None), NONE)?.total)
    }

    /// The rows of all messages that match, in the order they were stored; copies on servers of drafts that were written
    /// here among them.
    pub fn matching(&mut self, text: &str, account: Option<&str>) -> Result<Vec<MessageKey>, QueryError> {
        let query = self.understand(text, account)?;
        let page = Page { limit: usize::MAX >> 1, offset: 0 };
        let mut keys: Vec<_> = self.find(&query, page)?.0.hits.into_iter().map(|hit| hit.key).collect();
        keys.sort_unstable();
        Ok(keys)
    }

    /// What matches and came in at this moment or later, and when, the first first: as servers tell it, whatever date a
    /// sender wrote.
    pub fn arrived(&mut self, text: &str, since: i64) -> Result<Vec<(MessageKey, i64)>, QueryError> {
        let mut arrived = self.reader.arrived_since(since)?;
        if !arrived.is_empty() {
            let matching = self.matching(text, None)?;
            arrived.retain(|(key, _)| matching.binary_search(key).is_ok());
        }
        Ok(arrived)
    }

    /// Whether a query leaves nothing out: it is empty, or nothing in it can be searched for.
    pub fn means_everything(&self, text: &str) -> Result<bool, QueryError> {
        Ok(language::parse(text, &self.clock)? == Query::All)
    }

    /// What a text asks for, and what to say about how it was read.
    pub(super) fn read_query(&self, text: &str, account: Option<&str>) -> Result<Understood, QueryError> {
        self.resolved(language::read(text, &self.clock)?, account)
    }

    /// The same with what only the store knows: within an account, and who `me` is.
    fn resolved(&self, understood: Understood, account: Option<&str>) -> Result<Understood, QueryError> {
        let query = match account.filter(|_| !self.reader.is_stand_in()) {
            Some(address) => self.within_account(understood.query, address)?,
            None => understood.query,
        };
        let own: Vec<String> = self.reader.accounts()?.into_iter().map(|account| account.address).collect();
        Ok(Understood { query: me::resolved(query, &own), notes: understood.notes })
    }

    pub(super) fn understand(&self, text: &str, account: Option<&str>) -> Result<Query, QueryError> {
        Ok(self.read_query(text, account)?.query)
    }

    fn within_account(&self, query: Query, address: &str) -> Result<Query, QueryError> {
        self.account(address)?;
        if self.reader.accounts()?.len() == 1 {
            return Ok(query);
        }
        Ok(Query::and(vec![query, Query::Leaf(Leaf::Account(address.to_owned()))]))
    }
}

/// What comes first in an answer to this query.
pub(super) fn order(query: &Query, sort: Option<Sort>) -> Order {
    match sort {
        Some(Sort::Newest) => Order::Newest,
        Some(Sort::Oldest) => Order::Oldest,
        Some(Sort::Relevance) | None if query.is_ranked() => Order::Ranked,
        Some(Sort::Relevance) | None => Order::Newest,
    }
}

/// A text in which nothing is an operator: every word that could be one stands in quotes. For texts that the search
/// language refuses.
#[must_use]
pub fn as_text(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c == '"');
    let words = words.filter(|word| word.chars().any(char::is_alphanumeric));
    let is_plain = |word: &str| {
        word.chars().all(char::is_alphanumeric) && !["OR", "AND", "NOT", "AROUND"].contains(&word)
    };
    let words = words.map(|word| if is_plain(word) { word.to_owned() } else { format!("\"{word}\"") });
    words.collect::<Vec<_>>().join(" ")
}

/// Lets plain words look only where the caller wants.
fn within(query: Query, item_types: &[ItemType]) -> Query {
    if item_types.is_empty() {
        return query;
    }
    match query {
        Query::Leaf(Leaf::Text { scope: Scope::Anywhere, text, exact }) => {
            let leaf = |scope| Query::Leaf(Leaf::Text { scope, text: text.clone(), exact });
            Query::or(item_types.iter().map(|kind| leaf(kind.scope())).collect())
        }
        Query::And(parts) => Query::And(parts.into_iter().map(|part| within(part, item_types)).collect()),
        Query::Or(parts) => Query::Or(parts.into_iter().map(|part| within(part, item_types)).collect()),
        Query::Not(part) => Query::Not(Box::new(within(*part, item_types))),
        other => other,
    }
}

/// A date as every answer prints it: UTC, to the second.
#[must_use]
pub(crate) fn iso_date(epoch: i64) -> String {
    jiff::Timestamp::from_second(epoch).unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::as_text;

    #[test]
    fn text_is_searched_for_word_by_word() {
        assert_eq!(as_text("form:bob \"open (quote -- a:b:c OR"), r#""form:bob" open "(quote" "a:b:c" "OR""#);
        assert_eq!(as_text("\" ( ) :"), "");
    }
}
