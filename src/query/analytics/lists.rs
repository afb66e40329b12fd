//! Lists of messages: by date, by size, by thread.

use rusqlite::params;

use crate::model::ThreadKey;
use crate::query::QueryError;
use crate::query::analytics::selection::{Mailboxes, Selected};
use crate::query::analytics::{Attachments, Db, EmailRow, Filter, Order, SizeCategory, Span, row};

/// How many messages of the very same second are put in order where a list ends.
const EQUAL_DATES: usize = 100;

/// What `get_largest_emails` takes.
#[derive(Debug, Clone, Default)]
pub struct Largest {
    /// How many.
    pub limit: usize,
    /// With or without attachments.
    pub attachments: Attachments,
    /// Only in this mailbox.
    pub mailbox: Option<String>,
    /// Only from this domain.
    pub from_domain: Option<String>,
}

impl Db<'_> {
    /// The oldest messages. Equal dates are ordered by when they came in.
    pub fn list_earliest(&self, limit: usize) -> Result<Vec<EmailRow>, QueryError> {
        let selected = self.select(&Filter::default())?;
        let limit = self.clamp(limit);
        let mut rows = self.rows_by_date(&selected, Order::DateAsc, limit.saturating_add(EQUAL_DATES))?;
        rows.sort_by_cached_key(|row| (row.date.is_none(), row.date.clone(), row.internaldate_epoch, row.id));
        rows.truncate(limit);
        Ok(rows)
    }

    /// The messages that a filter leaves.
    pub fn filter(&self, filter: &Filter, order: Order, limit: usize) -> Result<Vec<EmailRow>, QueryError> {
        self.rows_by_date(&self.select(filter)?, order, self.clamp(limit))
    }

    /// Messages with attachments, newest first.
    pub fn with_attachments(
        &self,
        mailbox: Option<String>,
        span: Span,
        limit: usize,
    ) -> Result<Vec<EmailRow>, QueryError> {
        let attachments = Attachments::With;
        self.filter(
            &Filter { mailbox, span: Some(span), attachments, ..Filter::default() },
            Order::DateDesc,
            limit,
        )
    }

    /// The messages of a thread, named by its number here or by Gmail's.
    pub fn thread(&self, thread: &str, order: Order) -> Result<Vec<EmailRow>, QueryError> {
        let messages = self.messages_of_thread(thread.trim())?;
        let mailboxes = self.mailboxes(None)?;
        let mut found = Vec::new();
        for dated in [true, false] {
            let mut rows = Vec::new();
            for message in &messages {
                self.add_rows(&mailboxes, *message, &mut rows)?;
            }
            rows.retain(|row: &EmailRow| row.date.is_some() == dated);
            if order == Order::DateDesc {
                rows.reverse();
            }
            found.extend(rows);
        }
        found.truncate(self.bounds.max_limit);
        Ok(found)
    }

    /// Oldest first.
    fn messages_of_thread(&self, thread: &str) -> Result<Vec<i64>, QueryError> {
        const OF_THREAD: &str = "SELECT id FROM main.messages WHERE thread = ?1 ORDER BY epoch, id";
        const OF_GMAIL: &str = "SELECT id FROM main.messages WHERE x_gm_thrid = ?1 ORDER BY epoch, id";
        let digits = thread.strip_prefix(['t', 'T']).unwrap_or(thread);
        let Ok(number) = digits.parse::<u64>() else {
            return Err(QueryError::Argument {
                name: "thread_id",
                problem: "it must be a number".to_owned(),
                hint: "take `thread_id` or `x_gm_thrid` of a message".to_owned(),
            });
        };
        let number = number.cast_signed();
        let gmail = self.keys(OF_GMAIL, number)?;
        if !gmail.is_empty() {
            return Ok(gmail);
        }
        match self.archive.reader().current_thread(ThreadKey(number))? {
            Some(root) => self.keys(OF_THREAD, root.0),
            None => Ok(Vec::new()),
        }
    }

    pub(super) fn keys(&self, sql: &str, value: i64) -> Result<Vec<i64>, QueryError> {
        let mut statement = self.connection().prepare_cached(sql)?;
        let rows = statement.query_map([value], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The largest messages.
    pub fn largest(&self, asked: &Largest) -> Result<Vec<EmailRow>, QueryError> {
        let filter = Filter {
            mailbox: asked.mailbox.clone(),
            from_domain: asked.from_domain.clone(),
            attachments: asked.attachments,
            ..Filter::default()
        };
        self.rows_by_size(&self.select(&filter)?, (0, i64::MAX), self.clamp(asked.limit))
    }

    /// Messages of a size, the largest first.
    pub fn of_size(&self, size: SizeCategory, limit: usize) -> Result<Vec<EmailRow>, QueryError> {
        let selected = self.select(&Filter::default())?;
        let rows = self.rows_by_size(&selected, size.range(), self.clamp(limit))?;
        Ok(rows.into_iter().map(EmailRow::by_size).collect())
    }

    fn rows_by_size(
        &self,
        selected: &Selected,
        (least, most): (i64, i64),
        limit: usize,
    ) -> Result<Vec<EmailRow>, QueryError> {
        let mut found = Vec::new();
        let mut take = |message: i64| {
            if self.fits(selected, message, None)? {
                let rows = row::of_message(self.connection(), message)?;
                let here = rows.into_iter().filter(|(mailbox, _)| selected.mailboxes.hold(*mailbox));
                found.extend(here.map(|(_, row)| row));
            }
            Ok::<_, QueryError>(found.len() < limit)
        };
        match self.few_by_size(selected, least..=most)? {
            Some(list) => {
                for message in list {
                    if !take(message)? {
                        break;
                    }
                }
            }
            None => {
                let mut statement = self.connection().prepare_cached(BY_SIZE)?;
                let mut rows = statement.query(params![least, most])?;
                while let Some(row) = rows.next()? {
                    if !take(row.get(0)?)? {
                        break;
                    }
                }
            }
        }
        found.truncate(limit);
        Ok(found)
    }

    /// The messages of a few senders or of one small mailbox, the largest first; `None` when there are many.
    fn few_by_size(
        &self,
        selected: &Selected,
        sizes_asked: std::ops::RangeInclusive<i64>,
    ) -> Result<Option<Vec<i64>>, QueryError> {
        const MANY: usize = 30_000;
        let (sql, values): (&str, Vec<i64>) = match (&selected.senders, &selected.mailboxes) {
            (Some(senders), _) => (SIZES_OF_SENDER, senders.iter().copied().collect()),
            (None, Mailboxes::Only(list)) => (SIZES_IN_MAILBOX, list.clone()),
            (None, Mailboxes::All) => return Ok(None),
        };
        let mut sizes: Vec<(i64, i64)> = Vec::new();
        let mut statement = self.connection().prepare_cached(sql)?;
        for value in values {
            let mut rows = statement.query([value])?;
            while let Some(row) = rows.next()? {
                sizes.push((row.get(0)?, row.get(1)?));
                if sizes.len() > MANY {
                    return Ok(None);
                }
            }
        }
        sizes.sort_unstable_by_key(|(size, message)| (std::cmp::Reverse(*size), *message));
        sizes.dedup();
        sizes.retain(|(size, _)| sizes_asked.contains(size));
        Ok(Some(sizes.into_iter().map(|(_, message)| message).collect()))
    }
}

const BY_SIZE: &str = "
    SELECT id FROM main.messages INDEXED BY messages_by_size WHERE size BETWEEN ?1 AND ?2 ORDER BY size DESC, id";
const SIZES_OF_SENDER: &str = "SELECT size, id FROM main.messages WHERE sender = ?1";
const SIZES_IN_MAILBOX: &str = "
    SELECT m.size, m.id FROM main.placements p CROSS JOIN main.messages m ON m.id = p.message WHERE p.mailbox = ?1";
