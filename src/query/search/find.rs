//! Runs a query against the index and the tail it has not seen, or along a list by date; ranks what has words. Here, and
//! nowhere else, what the audience may not see is left out of what an index finds.

use tantivy::Searcher;
use tantivy::query::{AllQuery, BooleanQuery, Occur, Query as IndexQuery};

use crate::index::{Best, Found, FullText, Hit, IdsQuery, IndexError, Order, closeness};
use crate::query::audience::Shown;
use crate::query::language::{Leaf, Query};
use crate::query::search::compile::{self, Compiled};
use crate::query::search::{Page, facts, names, order};
use crate::query::{Archive, QueryError, list};

/// So many of the best are put in order anew by how close their words stand, whatever page is asked for.
const SHARPENED: usize = 64;
/// How much more neighbours count than words that are far apart.
const CLOSENESS: f32 = 0.5;

/// A page of messages that were found.
pub(super) struct FoundPage {
    pub(super) messages: Found,
    /// The words that a snippet should show.
    pub(super) words: Vec<Vec<String>>,
    /// The dates that the page covers.
    pub(super) shown: Shown,
    /// Whether there are more behind it.
    pub(super) more: bool,
}

impl Archive {
    /// Finds the hits of a page.
    pub(super) fn find_page(
        &mut self,
        query: &Query,
        order: Order,
        page: Page,
    ) -> Result<FoundPage, QueryError> {
        let one_more = Page { limit: page.limit.saturating_add(1), ..page };
        let (mut found, words) = self.find_sorted(query, order, one_more)?;
        let first = found.hits.first().map(|hit| hit.epoch).filter(|_| page.offset > 0);
        let next = found.hits.get(page.limit).map(|hit| hit.epoch);
        found.hits.truncate(page.limit);
        let shown = Shown::page(first, next, order);
        Ok(FoundPage { messages: found, words, shown, more: next.is_some() })
    }

    /// Finds the hits of a page in the order that suits the query, and the words that a snippet should show.
    pub(in crate::query) fn find(
        &mut self,
        query: &Query,
        page: Page,
    ) -> Result<(Found, Vec<Vec<String>>), QueryError> {
        self.find_sorted(query, order(query, None), page)
    }

    /// The same in an order of the caller's.
    pub(in crate::query) fn find_sorted(
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
        let name = if order == Order::Ranked && page.limit > 0 { self.bare_name(query)? } else { None };
        let is_sharpened = order == Order::Ranked && page.limit > 0 && has_several_words(query);
        let best = self.best(order, page, is_sharpened)?;
        let mut found = Found::default();
        let mut words = Vec::new();
        let index = self.text.as_ref().map(FullText::searcher);
        let tail = self.tail.as_ref().map(|tail| tail.searcher().clone());
        for (searcher, is_index) in index.map(|it| (it, true)).into_iter().chain(tail.map(|it| (it, false))) {
            let Compiled { query, words: known } = self.compile(query, &searcher, change)?;
            let query = match &name {
                Some(name) => names::first(query, self.compile(name, &searcher, change)?.query),
                None => query,
            };
            let query = if is_index { self.without_changed(query) } else { query };
            let mut here = searcher.search(&*query, &best).map_err(|error| IndexError::searching(&error))?;
            if is_sharpened {
                self.sharpen(&searcher, &known, &mut here.hits)?;
            }
            found = found.join(here, &best);
            words.extend(known);
        }
        words.sort_unstable();
        words.dedup();
        found.hits.drain(..page.offset.min(found.hits.len()));
        found.hits.truncate(page.limit);
        Ok((found, words))
    }

    /// What is kept of what an index finds.
    fn best(&mut self, order: Order, page: Page, is_sharpened: bool) -> Result<Best, QueryError> {
        let change = self.reader.newest_change()?;
        let hidden = self.withheld(change)?.rows.clone();
        let asked = page.limit.saturating_add(page.offset);
        let limit = if is_sharpened { asked.max(SHARPENED) } else { asked };
        let newest = if order == Order::Ranked && page.limit > 0 { self.newest()? } else { 0 };
        Ok(Best { limit, order, hidden, newest })
    }

    /// The date of the newest message that is not of the future.
    fn newest(&self) -> Result<i64, QueryError> {
        const NEWEST: &str = "SELECT coalesce(max(epoch), 0) FROM messages WHERE epoch <= ?1";
        let now = self.clock.now().as_second();
        Ok(self.reader.connection().prepare_cached(NEWEST)?.query_row([now], |row| row.get(0))?)
    }

    /// Counts words that stand close together. Nothing loses by it, so that the best stay before the rest.
    fn sharpen(
        &self,
        searcher: &Searcher,
        words: &[Vec<String>],
        hits: &mut [Hit],
    ) -> Result<(), QueryError> {
        let best = hits.len().min(SHARPENED);
        let hits = &mut hits[..best];
        if words.len() < 2 || best < 2 {
            return Ok(());
        }
        let places: Vec<_> = hits.iter().filter_map(|hit| hit.at).collect();
        let mut close = vec![0.0_f32; places.len()];
        for field in [self.fields.body, self.fields.subject] {
            let here = closeness(searcher, field, words, &places);
            let here = here.map_err(|error| IndexError::searching(&error))?;
            close.iter_mut().zip(here).for_each(|(most, here)| *most = most.max(here));
        }
        for (hit, close) in hits.iter_mut().zip(close) {
            hit.score *= 1.0 + CLOSENESS * close;
        }
        Ok(())
    }

    pub(super) fn compile(
        &mut self,
        query: &Query,
        searcher: &Searcher,
        change: i64,
    ) -> Result<Compiled, QueryError> {
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
}

/// Whether a query looks for words that can stand close together.
fn has_several_words(query: &Query) -> bool {
    query.positive_leaves().into_iter().filter(|leaf| leaf.is_text()).nth(1).is_some()
}
