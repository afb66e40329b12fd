//! Questions about words: ranked search, patterns in headers.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use regex::bytes::{Regex, RegexBuilder};
use roaring::RoaringTreemap;
use serde::Serialize;

use crate::model::MessageKey;
use crate::query::analytics::selection::Mailboxes;
use crate::query::analytics::walk::{Path, Step};
use crate::query::analytics::{Db, EmailRow, ItemType, Order, Span, Timeline};
use crate::query::{Indexed, MatchedBy, Mode, Page, QueryError, Question, SearchScope, Summary, as_text};

/// How long headers are looked through.
const HEADER_TIME: Duration = Duration::from_secs(2);
/// How much of a message's header counts.
const HEADER_BYTES: usize = 64 << 10;

/// What a search found, with what the rows have no field for.
#[derive(Debug, Clone)]
pub struct RowsFound {
    /// The best first.
    pub rows: Vec<EmailRow>,
    /// Why each is there, by its `id`.
    pub reasons: BTreeMap<i64, Reason>,
    /// How it was searched.
    pub mode: Mode,
    /// How much can be found by meaning; `None` where nothing can.
    pub indexed: Option<Indexed>,
    /// What whoever asked should know.
    pub notes: Vec<String>,
}

/// Why a row is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// What it was found by; nothing for pure filters.
    pub matched: Vec<MatchedBy>,
    /// The words that it lacks; none for a full match.
    pub missing: Vec<String>,
}

/// Messages whose header has a pattern.
#[derive(Debug, Clone)]
pub struct HeadersFound {
    /// Newest first.
    pub rows: Vec<EmailRow>,
    /// Whether the time ran out before all messages were looked at.
    pub ran_out: bool,
}

impl Db<'_> {
    /// Searches, the best first; `score` grows the worse a message fits. What is not in the search language is looked
    /// for as it stands.
    pub fn search(
        &mut self,
        query: &str,
        item_types: &[ItemType],
        limit: usize,
    ) -> Result<RowsFound, QueryError> {
        let address = self.address()?;
        let scope = SearchScope { account: address.as_deref(), item_types, without_drafts: true };
        let page = Page { limit: self.clamp(limit), offset: 0 };
        let question = |text| Question { scope, ..Question::of(text, page) };
        let results = match self.archive.search(&question(query)) {
            Err(QueryError::Language(_)) => self.archive.search(&question(&as_text(query)))?,
            results => results?,
        };
        let mailboxes = self.mailboxes(None)?;
        let (mut rows, mut reasons) = (Vec::new(), BTreeMap::new());
        for Summary { key, matched, .. } in results.items {
            let score = 1.0 / (1.0 + f64::from(matched.score.max(0.0)));
            let copies = matched.copies.iter().map(|id| self.archive.resolve(id));
            for key in std::iter::once(Ok(key)).chain(copies) {
                let Some(row) = self.first_row(key?, &mailboxes)? else { continue };
                let (matched, missing) = (matched.by.clone(), matched.missing.clone());
                reasons.insert(row.id, Reason { matched, missing });
                rows.push(EmailRow { score: Some(score), ..row.without_size() });
            }
        }
        Ok(RowsFound { rows, reasons, mode: results.mode, indexed: results.indexed, notes: results.notes })
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
