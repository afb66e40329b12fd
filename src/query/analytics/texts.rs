//! Questions about words: ranked search, patterns in headers.

use std::time::{Duration, Instant};

use regex::bytes::{Regex, RegexBuilder};
use roaring::RoaringTreemap;

use crate::model::MessageKey;
use crate::query::QueryError;
use crate::query::analytics::selection::Mailboxes;
use crate::query::analytics::walk::{Path, Step};
use crate::query::analytics::{Db, EmailRow, ItemType, Order, Span, Timeline};
use crate::query::language::{Leaf, Query, Scope};
use crate::query::search::Page;

/// How long headers are looked through.
const HEADER_TIME: Duration = Duration::from_secs(2);
/// How much of a message's header counts.
const HEADER_BYTES: usize = 64 << 10;

/// Messages whose header has a pattern.
#[derive(Debug, Clone)]
pub struct HeadersFound {
    /// Newest first.
    pub rows: Vec<EmailRow>,
    /// Whether the time ran out before all messages were looked at.
    pub ran_out: bool,
}

impl Db<'_> {
    /// Searches by words, the best first; `score` grows the worse a message fits. What is not in the search language is
    /// looked for as it stands.
    pub fn search(
        &mut self,
        query: &str,
        item_types: &[ItemType],
        limit: usize,
    ) -> Result<Vec<EmailRow>, QueryError> {
        let limit = self.clamp(limit);
        let address = self.address()?;
        let tree = match self.archive.understand(query, address.as_deref()) {
            Err(QueryError::Language(_)) => self.as_words(query)?,
            understood => understood?,
        };
        let page = Page { limit, offset: 0 };
        let hits = self.archive.find(&within(tree, item_types), page)?.0.hits;
        let mailboxes = self.mailboxes(None)?;
        let mut found = Vec::new();
        for hit in hits {
            if let Some(row) = self.first_row(hit.key, &mailboxes)? {
                let score = 1.0 / (1.0 + f64::from(hit.score.max(0.0)));
                found.push(EmailRow { score: Some(score), ..row.without_size() });
            }
        }
        Ok(found)
    }

    /// Every word of a text, none of which means anything but itself.
    fn as_words(&self, text: &str) -> Result<Query, QueryError> {
        let words = text.split_whitespace().map(|word| {
            Query::Leaf(Leaf::Text { scope: Scope::Anywhere, text: word.to_owned(), exact: false })
        });
        let account = self.address()?.map(|address| Query::Leaf(Leaf::Account(address)));
        Ok(Query::and(words.chain(account).collect()))
    }

    /// Messages whose header matches a regular expression, newest first.
    pub fn search_headers(&self, pattern: &str, limit: usize) -> Result<HeadersFound, QueryError> {
        let pattern = header_pattern(pattern)?;
        let mailboxes = self.mailbox_list(&self.mailboxes(None)?)?;
        let limit = self.clamp(limit);
        let started = Instant::now();
        let mut found = HeadersFound { rows: Vec::new(), ran_out: false };
        let mut known = [RoaringTreemap::new(), RoaringTreemap::new()];
        let path =
            Path { mailboxes: &mailboxes, span: Span::ALL, by: Timeline::Arrival, order: Order::DateDesc };
        path.walk(self.connection(), &mut |Step { message, placement, .. }| {
            if found.rows.len() >= limit {
                return Ok(false);
            }
            found.ran_out = started.elapsed() > HEADER_TIME;
            if !found.ran_out && self.header_matches(&pattern, message, &mut known)? {
                found.rows.extend(self.row_at(message, placement)?.map(EmailRow::without_size));
            }
            Ok(!found.ran_out)
        })?;
        Ok(found)
    }

    /// Whether a message's header matches; one that is in several mailboxes is looked at once.
    fn header_matches(
        &self,
        pattern: &Regex,
        message: i64,
        [other, matching]: &mut [RoaringTreemap; 2],
    ) -> Result<bool, QueryError> {
        const SIZE: &str = "SELECT header_size FROM messages WHERE id = ?1";
        let key = message.cast_unsigned();
        if matching.contains(key) || other.contains(key) {
            return Ok(matching.contains(key));
        }
        let size: usize = self.connection().prepare_cached(SIZE)?.query_row([message], |row| row.get(0))?;
        let header = self.archive.reader.raw_up_to(MessageKey(message), size.min(HEADER_BYTES))?;
        let matches = pattern.is_match(&header);
        if matches { matching } else { other }.insert(key);
        Ok(matches)
    }

    /// The account that is asked about.
    pub(super) fn address(&self) -> Result<Option<String>, QueryError> {
        let accounts = self.archive.reader.accounts()?;
        let chosen = accounts.into_iter().find(|account| Some(account.key) == self.bounds.account);
        Ok(chosen.map(|account| account.address))
    }

    /// The first row of a message in these mailboxes.
    pub(super) fn first_row(
        &self,
        key: MessageKey,
        mailboxes: &Mailboxes,
    ) -> Result<Option<EmailRow>, QueryError> {
        let mut rows = self.rows_of(key.0)?.into_iter();
        Ok(rows.find(|placed| mailboxes.hold(placed.mailbox)).map(|placed| placed.row))
    }
}

/// Lets plain words look only where the caller wants.
fn within(query: Query, item_types: &[ItemType]) -> Query {
    if item_types.is_empty() {
        return query;
    }
    match query {
        Query::Leaf(Leaf::Text { scope: Scope::Anywhere, text, exact }) => {
            let leaf = |scope| Query::Leaf(Leaf::Text { scope, text: text.clone(), exact });
            Query::or(item_types.iter().map(|kind| leaf(scope_of(*kind))).collect())
        }
        Query::And(parts) => Query::And(parts.into_iter().map(|part| within(part, item_types)).collect()),
        Query::Or(parts) => Query::Or(parts.into_iter().map(|part| within(part, item_types)).collect()),
        Query::Not(part) => Query::Not(Box::new(within(*part, item_types))),
        other => other,
    }
}

fn scope_of(kind: ItemType) -> Scope {
    match kind {
        ItemType::Subject => Scope::Subject,
        ItemType::Body => Scope::Body,
    }
}

fn header_pattern(pattern: &str) -> Result<Regex, QueryError> {
    let refused = |problem: String| {
        QueryError::Argument {
        name: "header_pattern",
        problem,
        hint: "write a word, or a regular expression such as ^List-Id:.*example; a backslash before ( [ { . * + ? makes \
               them plain characters"
            .to_owned(),
    }
    };
    let pattern = pattern.trim();
    match pattern.len() {
        0 => return Err(refused("it is empty".to_owned())),
        1..=500 => {}
        _ => return Err(refused("it is longer than 500 characters".to_owned())),
    }
    let built =
        RegexBuilder::new(pattern).case_insensitive(true).multi_line(true).size_limit(1 << 20).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => refused("it is too complex".to_owned()),
        other => refused(format!("it is no regular expression: {}", reason(&other.to_string()))),
    })
}

/// The last line of what the library says, which names the mistake; the others draw it.
fn reason(text: &str) -> &str {
    let last = text.lines().next_back().unwrap_or(text);
    last.trim().trim_start_matches("error: ")
}
