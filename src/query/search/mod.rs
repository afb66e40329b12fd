//! Search: a query of the search language in, a page of messages out.

mod compile;
mod facts;
mod missing;
pub(super) mod snippet;

use std::time::Instant;

use serde::Serialize;
use tantivy::Searcher;
use tantivy::query::{AllQuery, BooleanQuery, Occur, Query as IndexQuery};

use crate::index::{Best, Found, IdsQuery, Order};
use crate::model::MessageKey;
use crate::query::language::{self, Leaf, Query};
use crate::query::search::compile::Compiled;
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
    /// Messages within the query's filters that are kept from this audience, whatever their words; left out when
    /// there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub withheld: usize,
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
    /// Searches; `account` restricts it to one account.
    pub fn search(&mut self, text: &str, account: Option<&str>, page: Page) -> Result<Answer, QueryError> {
        let started = Instant::now();
        let query = self.understand(text, account)?;
        let (found, words) = self.find(&query, page)?;
        let results = self.items(&found, &words)?;
        let took_ms = started.elapsed().as_micros() as f64 / 1000.0;
        let not_indexed = self.waiting();
        let withheld = self.count_withheld(&query)?;
        Ok(Answer {
            query: text.to_owned(),
            mode: "lexical",
            total: found.total,
            took_ms,
            results,
            words,
            not_indexed,
            withheld,
        })
    }

    /// How many messages match.
    pub fn count(&mut self, text: &str, account: Option<&str>) -> Result<u64, QueryError> {
        let query = self.understand(text, account)?;
        Ok(self.find(&query, Page { limit: 0, offset: 0 })?.0.total)
    }

    /// The rows of all messages that match, in the order they were stored.
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

    pub(super) fn understand(&self, text: &str, account: Option<&str>) -> Result<Query, QueryError> {
        let query = language::parse(text, &self.clock)?;
        let Some(address) = account.filter(|_| !self.reader.is_stand_in()) else { return Ok(query) };
        self.account(address)?;
        if self.reader.accounts()?.len() == 1 {
            return Ok(query);
        }
        Ok(Query::and(vec![query, Query::Leaf(Leaf::Account(address.to_owned()))]))
    }

    /// Finds the hits of a page, and the words that a snippet should show.
    pub(super) fn find(
        &mut self,
        query: &Query,
        page: Page,
    ) -> Result<(Found, Vec<Vec<String>>), QueryError> {
        if *query == Query::All {
            return Ok((list::all(&self.reader, page)?, Vec::new()));
        }
        if let Query::Leaf(Leaf::In(name)) = query
            && !name.eq_ignore_ascii_case("gone")
            && let [mailbox] = facts::mailboxes(&self.reader, name)?.as_slice()
        {
            return Ok((list::mailbox(&self.reader, *mailbox, page)?, Vec::new()));
        }
        self.find_by_index(query, page)
    }

    fn find_by_index(&mut self, query: &Query, page: Page) -> Result<(Found, Vec<Vec<String>>), QueryError> {
        let change = self.refresh()?;
        let order = if query.is_ranked() { Order::Ranked } else { Order::Newest };
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
                found = found.join(tail.search(&*compiled.query, &best)?, best.limit);
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
        let message =
            self.reader.message(key)?.ok_or_else(|| QueryError::UnknownMessage { id: key.0.to_string() })?;
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A date as every answer prints it: UTC, to the second.
#[must_use]
pub(crate) fn iso_date(epoch: i64) -> String {
    jiff::Timestamp::from_second(epoch).unwrap_or_default().to_string()
}
