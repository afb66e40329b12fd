//! Lists of messages: by date, by size, by thread.

use rusqlite::params;

use crate::model::ThreadKey;
use crate::query::QueryError;
use crate::query::analytics::selection::{Mailboxes, Selected};
use crate::query::analytics::walk::Path;
use crate::query::analytics::{Attachments, Db, EmailRow, Filter, Order, SizeCategory, Span, Timeline};

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
    /// The oldest messages by their Date field. Equal dates are ordered by when they came in, and those without come last.
    pub fn list_earliest(&self, limit: usize) -> Result<Vec<EmailRow>, QueryError> {
        let limit = self.clamp(limit);
        let mailboxes = self.mailboxes(None)?;
        let mut dated = self.earliest_dated(&self.mailbox_list(&mailboxes)?, limit)?;
        dated.sort_by_key(|(epoch, row)| (*epoch, row.internaldate_epoch, row.id));
        let mut rows: Vec<_> = dated.into_iter().take(limit).map(|(_, row)| row).collect();
        if rows.len() < limit {
            let mut undated = self.undated(&mailboxes)?;
            undated.sort_by_key(|row| (row.internaldate_epoch, row.id));
            rows.extend(undated.into_iter().take(limit - rows.len()));
        }
        Ok(rows)
    }

    /// At least so many of the earliest with their dates, all of the last date among them.
    fn earliest_dated(&self, mailboxes: &[i64], limit: usize) -> Result<Vec<(i64, EmailRow)>, QueryError> {
        let path = Path { mailboxes, span: Span::ALL, by: Timeline::Written, order: Order::DateAsc };
        let (mut rows, mut last) = (Vec::new(), i64::MIN);
        path.walk(self.connection(), &mut |step| {
            if rows.len() >= limit && step.epoch != last {
                return Ok(false);
            }
            let row = self.row_at(step.message, step.placement)?.filter(|row| row.date.is_some());
            if let Some(row) = row {
                rows.push((step.epoch, row.plain()));
                last = step.epoch;
            }
            Ok(true)
        })?;
        Ok(rows)
    }

    fn undated(&self, mailboxes: &Mailboxes) -> Result<Vec<EmailRow>, QueryError> {
        let mut rows = Vec::new();
        for message in self.numbers(UNDATED, [])? {
            self.add_rows(mailboxes, message, &mut rows)?;
        }
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

    /// The messages of a thread, named by its number here or by Gmail's, which may be written in hexadecimal digits.
    pub fn thread(&self, thread: &str, order: Order) -> Result<Vec<EmailRow>, QueryError> {
        let mailboxes = self.mailboxes(None)?;
        let mut rows = Vec::new();
        for message in self.messages_of_thread(thread.trim())? {
            self.add_rows(&mailboxes, message, &mut rows)?;
        }
        rows.sort_by_key(|row| (row.internaldate_epoch, row.id));
        if order == Order::DateDesc {
            rows.reverse();
        }
        rows.truncate(self.bounds.max_limit);
        Ok(rows)
    }

    fn messages_of_thread(&self, thread: &str) -> Result<Vec<i64>, QueryError> {
        let digits = thread.strip_prefix(['t', 'T']).unwrap_or(thread);
        let (decimal, hexadecimal) = (digits.parse::<u64>().ok(), hexadecimal(thread));
        if decimal.is_none() && hexadecimal.is_none() {
            return Err(QueryError::Argument {
                name: "thread_id",
                problem: "it must be a number, or Gmail's hexadecimal id".to_owned(),
                hint: "take `thread_id` or `x_gm_thrid` of a message".to_owned(),
            });
        }
        for gmail in [decimal, hexadecimal].into_iter().flatten() {
            let found = self.numbers(OF_GMAIL_THREAD, [gmail.cast_signed()])?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        let number = decimal.unwrap_or_default().cast_signed();
        match self.archive.reader.current_thread(ThreadKey(number))? {
            Some(root) => self.numbers(OF_THREAD, [root.0]),
            None => Ok(Vec::new()),
        }
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
            if self.fits(selected, message)? {
                let rows = self.rows_of(message)?.into_iter();
                let here = rows.filter(|placed| selected.mailboxes.hold(placed.mailbox));
                found.extend(here.map(|placed| placed.row));
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

/// Gmail's ids as its web address and its API write them.
fn hexadecimal(id: &str) -> Option<u64> {
    let digits = id.strip_prefix("0x").unwrap_or(id);
    u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() >= 10)
}

pub(super) const UNDATED: &str = "SELECT id FROM messages WHERE date_source <> 0";
pub(super) const OF_THREAD: &str = "SELECT id FROM messages WHERE thread = ?1";
pub(super) const OF_GMAIL_THREAD: &str = "SELECT id FROM messages WHERE x_gm_thrid = ?1";
pub(super) const BY_SIZE: &str =
    "SELECT id FROM messages WHERE size BETWEEN ?1 AND ?2 ORDER BY size DESC, id";
pub(super) const SIZES_OF_SENDER: &str = "SELECT size, id FROM messages WHERE sender = ?1";
pub(super) const SIZES_IN_MAILBOX: &str = "
    SELECT m.size, m.id FROM placements p CROSS JOIN messages m ON m.id = p.message WHERE p.mailbox = ?1";
