//! Questions about words: ranked search, keywords with their number, patterns in headers.

use std::time::{Duration, Instant};

use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};

use crate::model::MessageKey;
use crate::query::QueryError;
use crate::query::analytics::selection::Mailboxes;
use crate::query::analytics::{Db, EmailRow, ItemType, MatchMode, row};
use crate::query::language::{Leaf, Query, Scope};
use crate::query::search::Page;
use crate::store::folded;

/// How long headers are looked through.
const HEADER_TIME: Duration = Duration::from_secs(2);
/// How much of a message's header counts.
const HEADER_BYTES: usize = 64 << 10;
/// Of how many messages keywords are counted: the best of those that have them.
const COUNTED: usize = 500;
/// So much of a text is looked through for keywords.
const LONGEST_TEXT: usize = 2 << 20;

/// Messages whose header has a pattern.
#[derive(Debug, Clone)]
pub struct HeadersFound {
    /// Newest first.
    pub rows: Vec<EmailRow>,
    /// Whether the time ran out before all messages were looked at.
    pub ran_out: bool,
}

impl Db<'_> {
    /// Searches by words, the best first; `score` grows the worse a message fits.
    pub fn search(
        &mut self,
        query: &str,
        item_types: &[ItemType],
        limit: usize,
    ) -> Result<Vec<EmailRow>, QueryError> {
        let limit = self.clamp(limit);
        let address = self.address()?;
        let tree = within(self.archive.understand(query, address.as_deref())?, item_types);
        let page = Page { limit, offset: 0 };
        let hits = self.archive.find(&tree, page)?.0.hits;
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

    /// Messages that hold keywords, those that hold them most often first.
    pub fn by_keywords(
        &mut self,
        keywords: &[String],
        mode: MatchMode,
        limit: usize,
    ) -> Result<Vec<EmailRow>, QueryError> {
        let keywords: Vec<String> =
            keywords.iter().map(|word| folded(word.trim())).filter(|w| !w.is_empty()).collect();
        if keywords.is_empty() {
            return Err(QueryError::Argument {
                name: "keywords",
                problem: "there is no keyword".to_owned(),
                hint: "give at least one, as in [\"invoice\"]".to_owned(),
            });
        }
        let limit = self.clamp(limit);
        let tree = self.of_keywords(&keywords, mode)?;
        let page = Page { limit: limit.max(COUNTED), offset: 0 };
        let hits = self.archive.find(&tree, page)?.0.hits;
        let mailboxes = self.mailboxes(None)?;
        let mut found = Vec::new();
        for hit in hits {
            if let Some(row) = self.first_row(hit.key, &mailboxes)? {
                found.extend(self.counted(row, hit.key, &keywords, mode)?);
            }
        }
        found.sort_by_key(|row| {
            let newest = std::cmp::Reverse(row.internaldate_epoch);
            (std::cmp::Reverse((row.keyword_match_score, row.keyword_match_count)), newest, row.id)
        });
        found.truncate(limit);
        Ok(found)
    }

    /// Messages whose header matches a regular expression, or holds the text when it is none; newest first.
    pub fn search_headers(&self, pattern: &str, limit: usize) -> Result<HeadersFound, QueryError> {
        const NEWEST: &str =
            "SELECT id, header_size FROM main.messages WHERE withheld = 0 ORDER BY epoch DESC, id DESC";
        let pattern = header_pattern(pattern)?;
        let mailboxes = self.mailboxes(None)?;
        let limit = self.clamp(limit);
        let started = Instant::now();
        let mut found = HeadersFound { rows: Vec::new(), ran_out: false };
        let mut statement = self.connection().prepare_cached(NEWEST)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if found.rows.len() >= limit {
                break;
            }
            if started.elapsed() > HEADER_TIME {
                found.ran_out = true;
                break;
            }
            let (message, size): (i64, usize) = (row.get(0)?, row.get(1)?);
            let header = self.archive.reader().raw_up_to(MessageKey(message), size.min(HEADER_BYTES))?;
            if pattern.is_match(&header) {
                self.add_rows(&mailboxes, message, &mut found.rows)?;
            }
        }
        found.rows.truncate(limit);
        found.rows = found.rows.into_iter().map(EmailRow::without_size).collect();
        Ok(found)
    }

    fn address(&self) -> Result<Option<String>, QueryError> {
        let accounts = self.archive.reader().accounts()?;
        let chosen = accounts.into_iter().find(|account| Some(account.key) == self.bounds.account);
        Ok(chosen.map(|account| account.address))
    }

    fn first_row(&self, key: MessageKey, mailboxes: &Mailboxes) -> Result<Option<EmailRow>, QueryError> {
        let rows = row::of_message(self.connection(), key.0)?;
        Ok(rows.into_iter().find(|(mailbox, _)| mailboxes.hold(*mailbox)).map(|(_, row)| row))
    }

    /// The keywords as a search: a single word by its stem, several as they stand.
    fn of_keywords(&self, keywords: &[String], mode: MatchMode) -> Result<Query, QueryError> {
        let words = keywords.iter().map(|word| {
            let exact = word.contains(char::is_whitespace);
            let leaf = |scope| Query::Leaf(Leaf::Text { scope, text: word.clone(), exact });
            Query::or(vec![leaf(Scope::Subject), leaf(Scope::Body)])
        });
        let words = match mode {
            MatchMode::Any => Query::or(words.collect()),
            MatchMode::All => Query::and(words.collect()),
        };
        let account = self.address()?.map(|address| Query::Leaf(Leaf::Account(address)));
        Ok(match account {
            Some(account) => Query::and(vec![words, account]),
            None => words,
        })
    }

    /// A message with the number of its keywords; `None` when they are only there in another form.
    fn counted(
        &self,
        row: EmailRow,
        key: MessageKey,
        keywords: &[String],
        mode: MatchMode,
    ) -> Result<Option<EmailRow>, QueryError> {
        let text = format!(
            "{}\n{}",
            folded(&row.subject),
            folded(&self.archive.reader().text_up_to(key, LONGEST_TEXT)?)
        );
        let counts: Vec<usize> =
            keywords.iter().map(|word| memmem::find_iter(text.as_bytes(), word.as_bytes()).count()).collect();
        let present = counts.iter().filter(|count| **count > 0).count();
        if present == 0 || mode == MatchMode::All && present < keywords.len() {
            return Ok(None);
        }
        let score = Some(counts.iter().sum());
        Ok(Some(EmailRow {
            keyword_match_count: Some(present),
            keyword_match_score: score,
            ..row.without_size()
        }))
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
    let pattern = pattern.trim();
    let problem = match pattern.len() {
        0 => "it is empty",
        1..=500 => "",
        _ => "it is longer than 500 characters",
    };
    let build = |text: &str| {
        RegexBuilder::new(text).case_insensitive(true).multi_line(true).size_limit(1 << 20).build()
    };
    let built = build(pattern).or_else(|_| build(&regex::escape(pattern)));
    match built {
        Ok(built) if problem.is_empty() => Ok(built),
        _ => Err(QueryError::Argument {
            name: "header_pattern",
            problem: if problem.is_empty() { "it is too complex".to_owned() } else { problem.to_owned() },
            hint: "write a word, or a regular expression such as ^List-Id:.*example".to_owned(),
        }),
    }
}
