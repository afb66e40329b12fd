//! Search: a query of the search language in, a page of messages out.

mod compile;
pub(super) mod drafts;
mod facts;
mod me;
mod notes;
mod phrase;
pub(super) mod snippet;
mod suggest;

use std::time::Instant;

use serde::Serialize;
use tantivy::Searcher;
use tantivy::query::{AllQuery, BooleanQuery, Occur, Query as IndexQuery};

use crate::index::{Best, Found, IdsQuery, Order};
use crate::model::{MessageKey, NotFound};
use crate::query::audience::Shown;
use crate::query::language::{self, Leaf, Query, Understood};
use crate::query::search::compile::Compiled;
use crate::query::search::drafts::{DraftHit, FoundWithDrafts};
use crate::query::search::phrase::Phrase;
use crate::query::{Archive, QueryError, list};
use crate::text_safety::one_line;

/// Which part of the results is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// How many.
    pub limit: usize,
    /// How many to leave out before them.
    pub offset: usize,
}

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

/// A search, and how its answer is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The query.
    pub text: &'a str,
    /// The one account to look in; all when there is none.
    pub account: Option<&'a str>,
    /// What comes first; left open, the best for words and the newest for filters.
    pub sort: Option<Sort>,
    /// Which part of the results is wanted.
    pub page: Page,
}

impl<'a> Question<'a> {
    /// A search of all accounts, in the order that suits the query.
    #[must_use]
    pub fn of(text: &'a str, page: Page) -> Self {
        Self { text, account: None, sort: None, page }
    }
}

/// The answer to a search, as `search --json` prints it.
#[derive(Debug, Clone, Serialize)]
pub struct Answer {
    /// The query as given.
    pub query: String,
    /// How it was searched.
    pub mode: &'static str,
    /// How many messages match.
    pub total: u64,
    /// Milliseconds it took.
    pub took_ms: f64,
    /// The page that was asked for.
    pub results: Vec<Item>,
    /// The words to show, each in all its forms.
    #[serde(skip)]
    pub words: Vec<Vec<String>>,
    /// Messages that could not be searched by their words yet; left out when there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_indexed: usize,
    /// Messages that this page would show if they were not kept from this audience; left out when there are none.
    /// A query with words counts none of them, lest it answer guesses at what they say.
    #[serde(skip_serializing_if = "is_zero")]
    pub withheld: usize,
    /// What whoever asked should know: how the query was read, names that do not exist, what may have been meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One message of an answer.
#[derive(Debug, Clone, Serialize)]
pub struct Item {
    /// Short id.
    pub id: String,
    /// Message-ID without angle brackets.
    pub message_id: Option<String>,
    /// Address of the account that holds it.
    pub account: String,
    /// Mailbox that holds it, or did last.
    pub mailbox: String,
    /// Since when no server shows it any more, in UTC; left out while one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone: Option<String>,
    /// Date in UTC.
    pub date: String,
    /// Sender as written.
    pub from: String,
    /// Subject.
    pub subject: String,
    /// Text around the hit.
    pub snippet: String,
    /// How well it matches; 0 for pure filters.
    pub score: f32,
}

impl Archive {
    /// Searches. Drafts that were written here come first, where the query asks for drafts.
    pub fn search(&mut self, question: &Question<'_>) -> Result<Answer, QueryError> {
        let started = Instant::now();
        let understood = self.read_query(question.text, question.account)?;
        let order = order(&understood.query, question.sort);
        let found = self.find_with_drafts(&understood.query, order, question.page)?;
        Ok(Answer { query: question.text.to_owned(), ..self.answer(&understood, found, started)? })
    }

    /// The same, without drafts that were written here.
    pub fn search_messages(&mut self, question: &Question<'_>) -> Result<Answer, QueryError> {
        let started = Instant::now();
        let understood = self.read_query(question.text, question.account)?;
        let order = order(&understood.query, question.sort);
        let found =
            FoundWithDrafts::without_drafts(self.find_page(&understood.query, order, question.page)?);
        Ok(Answer { query: question.text.to_owned(), ..self.answer(&understood, found, started)? })
    }

    fn answer(
        &mut self,
        understood: &Understood,
        found: FoundWithDrafts,
        started: Instant,
    ) -> Result<Answer, QueryError> {
        let mut results: Vec<_> = found.drafts.into_iter().map(DraftHit::item).collect();
        results.extend(self.items(&found.messages, &found.words)?);
        Ok(Answer {
            query: String::new(),
            mode: "lexical",
            total: found.total,
            took_ms: started.elapsed().as_micros() as f64 / 1000.0,
            results,
            words: found.words,
            not_indexed: self.waiting(),
            withheld: self.withheld_among(&understood.query, found.shown)?,
            notes: self.notes(understood, found.total)?,
        })
    }

    /// How many messages match, and drafts where the query asks for them.
    pub fn count(&mut self, text: &str, account: Option<&str>) -> Result<u64, QueryError> {
        let query = self.understand(text, account)?;
        Ok(self.find_with_drafts(&query, order(&query, None), Page { limit: 0, offset: 0 })?.total)
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

    /// Whether a query leaves nothing out: it is empty, or nothing in it can be searched for.
    pub fn means_everything(&self, text: &str) -> Result<bool, QueryError> {
        Ok(language::parse(text, &self.clock)? == Query::All)
    }

    /// What a text asks for, and what to say about how it was read.
    pub(super) fn read_query(&self, text: &str, account: Option<&str>) -> Result<Understood, QueryError> {
        let understood = language::read(text, &self.clock)?;
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

    /// Finds the hits of a page, the words that a snippet should show, and the dates the page covers.
    pub(super) fn find_page(
        &mut self,
        query: &Query,
        order: Order,
        page: Page,
    ) -> Result<(Found, Vec<Vec<String>>, Shown), QueryError> {
        let one_more = Page { limit: page.limit.saturating_add(1), ..page };
        let (mut found, words) = self.find_sorted(query, order, one_more)?;
        let first = found.hits.first().map(|hit| hit.epoch).filter(|_| page.offset > 0);
        let next = found.hits.get(page.limit).map(|hit| hit.epoch);
        found.hits.truncate(page.limit);
        Ok((found, words, Shown::page(first, next, order)))
    }

    /// Finds the hits of a page in the order that suits the query, and the words that a snippet should show.
    pub(super) fn find(
        &mut self,
        query: &Query,
        page: Page,
    ) -> Result<(Found, Vec<Vec<String>>), QueryError> {
        self.find_sorted(query, order(query, None), page)
    }

    /// The same in an order of the caller's.
    pub(super) fn find_sorted(
        &mut self,
        query: &Query,
        order: Order,
        page: Page,
    ) -> Result<(Found, Vec<Vec<String>>), QueryError> {
        if *query == Query::All {
            return Ok((list::all(&self.reader, order, page)?, Vec::new()));
        }
        if let Query::Leaf(Leaf::In(name)) = query
            && !name.eq_ignore_ascii_case("gone")
            && let [mailbox] = facts::mailboxes(&self.reader, name)?.as_slice()
        {
            return Ok((list::mailbox(&self.reader, *mailbox, order, page)?, Vec::new()));
        }
        self.find_by_index(query, order, page)
    }

    fn find_by_index(
        &mut self,
        query: &Query,
        order: Order,
        page: Page,
    ) -> Result<(Found, Vec<Vec<String>>), QueryError> {
        let change = self.refresh()?;
        let hidden = self.withheld(change)?.rows.clone();
        let best = Best { limit: page.limit.saturating_add(page.offset), order, hidden };
        let mut found = Found::default();
        let mut words = Vec::new();
        if let Some(searcher) = self.text.as_ref().map(crate::index::FullText::searcher) {
            let compiled = self.compile(query, &searcher, change)?;
            let fresh = self.without_changed(compiled.query);
            if let Some(text) = &self.text {
                found = text.search(&*fresh, &best)?;
            }
            words = compiled.words;
        }
        if let Some(searcher) = self.tail.as_ref().map(|tail| tail.searcher().clone()) {
            let compiled = self.compile(query, &searcher, change)?;
            if let Some(tail) = &self.tail {
                found = found.join(tail.search(&*compiled.query, &best)?, &best);
            }
            words.extend(compiled.words);
        }
        words.sort_unstable();
        words.dedup();
        found.hits.drain(..page.offset.min(found.hits.len()));
        Ok((found, words))
    }

    fn compile(&mut self, query: &Query, searcher: &Searcher, change: i64) -> Result<Compiled, QueryError> {
        compile::compile(self, query, searcher, change)
    }

    /// Leaves out what the tail knows better.
    fn without_changed(&self, query: Box<dyn IndexQuery>) -> Box<dyn IndexQuery> {
        match &self.tail {
            Some(tail) => {
                let changed: Box<dyn IndexQuery> = Box::new(IdsQuery::new(tail.changed.clone().into()));
                Box::new(BooleanQuery::new(vec![
                    (Occur::Must, query),
                    (Occur::Must, Box::new(AllQuery)),
                    (Occur::MustNot, changed),
                ]))
            }
            None => query,
        }
    }

    fn items(&self, found: &Found, words: &[Vec<String>]) -> Result<Vec<Item>, QueryError> {
        let _snapshot = self.reader.connection().unchecked_transaction()?;
        let keys: Vec<_> = found.hits.iter().map(|hit| hit.key).collect();
        let snippets = self.reader.map_texts(&keys, |text| snippet::around(text, words))?;
        let hits = found.hits.iter().zip(snippets);
        hits.map(|(hit, snippet)| self.item(hit.key, hit.score, snippet)).collect()
    }

    fn item(&self, key: MessageKey, score: f32, snippet: String) -> Result<Item, QueryError> {
        let message = self.reader.message(key)?.ok_or_else(|| NotFound::Message { id: key.0.to_string() })?;
        let place = self.reader.first_placement(key)?.unwrap_or_default();
        Ok(Item {
            id: message.id.to_string(),
            message_id: message.message_id,
            account: place.account,
            mailbox: place.mailbox,
            gone: place.gone.map(iso_date),
            date: iso_date(message.date.epoch),
            from: one_line(&message.from),
            subject: one_line(&message.subject),
            snippet,
            score,
        })
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A date as every answer prints it: UTC, to the second.
#[must_use]
pub(crate) fn iso_date(epoch: i64) -> String {
    jiff::Timestamp::from_second(epoch).unwrap_or_default().to_string()
}
