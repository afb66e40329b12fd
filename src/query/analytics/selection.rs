//! Which messages a list or a count is about, found along the index that fits.
//!
//! Text is looked for where it stands once: senders in the table of senders, subjects in their packed blocks. What is
//! found is a set of rows. A small set is sorted by date; a large one is tested along the dates until the list is full.

use std::collections::HashSet;

use memchr::memmem::Finder;
use roaring::RoaringTreemap;
use rusqlite::{OptionalExtension, params};

use crate::query::QueryError;
use crate::query::analytics::{Attachments, Db, EmailRow, Order, Span, row};
use crate::store::{each_subject, folded};

/// What messages must be like. What is left out does not matter.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// The sender as written contains this, in small or capital letters.
    pub from_contains: Option<String>,
    /// The sender's domain, with or without `@`.
    pub from_domain: Option<String>,
    /// The subject contains this, in small or capital letters.
    pub subject_contains: Option<String>,
    /// The mailbox has this name.
    pub mailbox: Option<String>,
    /// When it was written.
    pub span: Option<Span>,
    /// Whether it has attachments.
    pub attachments: Attachments,
}

/// The mailboxes that count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mailboxes {
    All,
    Only(Vec<i64>),
}

impl Mailboxes {
    pub(super) fn hold(&self, mailbox: i64) -> bool {
        match self {
            Self::All => true,
            Self::Only(list) => list.contains(&mailbox),
        }
    }
}

/// A filter whose names have been looked up.
pub(super) struct Selected {
    pub(super) mailboxes: Mailboxes,
    pub(super) senders: Option<HashSet<i64>>,
    pub(super) subjects: Option<RoaringTreemap>,
    pub(super) span: Span,
    pub(super) attachments: Attachments,
}

impl Selected {
    /// Whether text has to be looked at.
    pub(super) fn is_textual(&self) -> bool {
        self.senders.is_some() || self.subjects.is_some()
    }
}

/// From so many messages on, testing along the dates beats sorting.
const MANY_MESSAGES: u64 = 30_000;
/// From so many senders on, their messages are taken for many.
const MANY_SENDERS: usize = 2_000;

impl Db<'_> {
    /// Looks up the names of a filter.
    pub(super) fn select(&self, filter: &Filter) -> Result<Selected, QueryError> {
        Ok(Selected {
            mailboxes: self.mailboxes(filter.mailbox.as_deref())?,
            senders: self.senders(filter.from_contains.as_deref(), filter.from_domain.as_deref())?,
            subjects: filter.subject_contains.as_deref().map(|text| self.subjects(text)).transpose()?,
            span: filter.span.unwrap_or(Span::ALL),
            attachments: filter.attachments,
        })
    }

    /// The rows that are selected, by date.
    pub(super) fn rows_by_date(
        &self,
        selected: &Selected,
        order: Order,
        limit: usize,
    ) -> Result<Vec<EmailRow>, QueryError> {
        let mut found = Vec::new();
        let candidates = self.candidates(selected, order)?;
        for dated in [true, false] {
            let mut take = |message: i64| {
                if self.fits(selected, message, Some(dated))? {
                    self.add_rows(&selected.mailboxes, message, &mut found)?;
                }
                Ok(found.len() < limit)
            };
            match &candidates {
                Some(list) => each(list, &mut take)?,
                None => self.walk(&stream(selected, order, dated), selected.span, &mut take)?,
            }
            if found.len() >= limit {
                break;
            }
        }
        found.truncate(limit);
        Ok(found)
    }

    /// Adds the rows of a message that are in these mailboxes.
    pub(super) fn add_rows(
        &self,
        mailboxes: &Mailboxes,
        message: i64,
        found: &mut Vec<EmailRow>,
    ) -> Result<(), QueryError> {
        let rows = row::of_message(self.connection(), message)?;
        found.extend(
            rows.into_iter().filter(|(mailbox, _)| mailboxes.hold(*mailbox)).map(|(_, row)| row.plain()),
        );
        Ok(())
    }

    /// Whether a message has what is asked for; `dated` says whether its own Date must or must not be readable.
    pub(super) fn fits(
        &self,
        selected: &Selected,
        message: i64,
        dated: Option<bool>,
    ) -> Result<bool, QueryError> {
        const SELECT: &str = "
            SELECT sender, date_source = 0, has_attachments FROM main.messages WHERE id = ?1 AND withheld = 0";
        if selected.subjects.as_ref().is_some_and(|rows| !rows.contains(message.cast_unsigned())) {
            return Ok(false);
        }
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let head: Option<(i64, bool, bool)> =
            statement.query_row([message], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
        let Some((sender, is_dated, attached)) = head else { return Ok(false) };
        let by_sender = selected.senders.as_ref().is_none_or(|senders| senders.contains(&sender));
        let by_attachment = match selected.attachments {
            Attachments::Any => true,
            Attachments::With => attached,
            Attachments::Without => !attached,
        };
        Ok(by_sender && by_attachment && dated.is_none_or(|wanted| wanted == is_dated))
    }

    /// The mailboxes with this name, in the account that is asked about.
    pub(super) fn mailboxes(&self, name: Option<&str>) -> Result<Mailboxes, QueryError> {
        const SELECT: &str = "
            SELECT id FROM mailboxes
            WHERE (?1 IS NULL OR name = ?1 COLLATE NOCASE) AND (?2 IS NULL OR account = ?2)";
        let name = name.map(str::trim).filter(|name| !name.is_empty());
        let account = self.bounds.account.map(|account| account.0);
        let all: usize =
            self.connection().query_row("SELECT count(*) FROM mailboxes", [], |row| row.get(0))?;
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let rows = statement.query_map(params![name, account], |row| row.get(0))?;
        let found = rows.collect::<Result<Vec<i64>, _>>()?;
        Ok(if found.len() == all { Mailboxes::All } else { Mailboxes::Only(found) })
    }

    /// The senders that a text and a domain leave; `None` when neither is given.
    pub(super) fn senders(
        &self,
        contains: Option<&str>,
        domain: Option<&str>,
    ) -> Result<Option<HashSet<i64>>, QueryError> {
        let domain = domain.map(|text| folded(text.trim().trim_start_matches('@')));
        let Some(contains) = contains.map(folded) else {
            let Some(domain) = domain else { return Ok(None) };
            let mut statement =
                self.connection().prepare_cached("SELECT id FROM senders WHERE domain = ?1")?;
            let rows = statement.query_map([domain], |row| row.get(0))?;
            return Ok(Some(rows.collect::<Result<_, _>>()?));
        };
        let finder = Finder::new(contains.as_bytes());
        let mut statement = self.connection().prepare_cached("SELECT id, display, domain FROM senders")?;
        let mut rows = statement.query([])?;
        let mut found = HashSet::new();
        while let Some(row) = rows.next()? {
            let in_domain =
                domain.as_deref().is_none_or(|domain| row.get_ref(2).is_ok_and(|d| d.as_str() == Ok(domain)));
            let display = row.get_ref(1)?.as_str().unwrap_or_default();
            if in_domain && finder.find(folded(display).as_bytes()).is_some() {
                found.insert(row.get(0)?);
            }
        }
        Ok(Some(found))
    }

    /// The messages whose subject contains a text.
    fn subjects(&self, contains: &str) -> Result<RoaringTreemap, QueryError> {
        let needle = folded(contains);
        let finder = Finder::new(needle.as_bytes());
        let mut found = RoaringTreemap::new();
        each_subject(self.archive.reader(), &mut |row, subject| {
            if finder.find(subject).is_some() {
                found.insert(row.cast_unsigned());
            }
        })?;
        Ok(found)
    }

    /// The messages that text leaves, by date; `None` when there are too many, or no text is asked for.
    fn candidates(&self, selected: &Selected, order: Order) -> Result<Option<Vec<i64>>, QueryError> {
        let few_subjects = selected.subjects.as_ref().filter(|rows| rows.len() <= MANY_MESSAGES);
        let dates = match (few_subjects, &selected.senders) {
            (Some(rows), _) => Some(self.dates_of(rows)?),
            (None, Some(senders)) => self.dates_of_senders(senders, selected.span)?,
            (None, None) => None,
        };
        let Some(mut dates) = dates else { return Ok(None) };
        dates.retain(|(epoch, _)| (selected.span.from..=selected.span.until).contains(epoch));
        dates.sort_unstable();
        if order == Order::DateDesc {
            dates.reverse();
        }
        Ok(Some(dates.into_iter().map(|(_, message)| message).collect()))
    }

    fn dates_of(&self, rows: &RoaringTreemap) -> Result<Vec<(i64, i64)>, QueryError> {
        let mut statement =
            self.connection().prepare_cached("SELECT epoch FROM main.messages WHERE id = ?1")?;
        let mut dates = Vec::new();
        for message in rows.iter().map(u64::cast_signed) {
            if let Some(epoch) = statement.query_row([message], |row| row.get(0)).optional()? {
                dates.push((epoch, message));
            }
        }
        Ok(dates)
    }

    fn dates_of_senders(
        &self,
        senders: &HashSet<i64>,
        span: Span,
    ) -> Result<Option<Vec<(i64, i64)>>, QueryError> {
        const SELECT: &str =
            "SELECT epoch, id FROM main.messages WHERE sender = ?1 AND epoch BETWEEN ?2 AND ?3";
        if senders.len() > MANY_SENDERS {
            return Ok(None);
        }
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let mut dates = Vec::new();
        for sender in senders {
            let mut rows = statement.query(params![sender, span.from, span.until])?;
            while let Some(row) = rows.next()? {
                dates.push((row.get(0)?, row.get(1)?));
            }
            if dates.len() as u64 > MANY_MESSAGES {
                return Ok(None);
            }
        }
        Ok(Some(dates))
    }

    /// Goes along an index until `take` says that it is enough.
    fn walk(
        &self,
        sql: &str,
        span: Span,
        take: &mut dyn FnMut(i64) -> Result<bool, QueryError>,
    ) -> Result<(), QueryError> {
        let mut statement = self.connection().prepare_cached(sql)?;
        let mut rows = statement.query(params![span.from, span.until])?;
        let mut last = None;
        while let Some(row) = rows.next()? {
            let message: i64 = row.get(0)?;
            // A message in two mailboxes comes twice in a row.
            if last.replace(message) != Some(message) && !take(message)? {
                break;
            }
        }
        Ok(())
    }
}

fn each(list: &[i64], take: &mut dyn FnMut(i64) -> Result<bool, QueryError>) -> Result<(), QueryError> {
    for message in list {
        if !take(*message)? {
            break;
        }
    }
    Ok(())
}

/// The index to go along. Several mailboxes are merged by SQLite as their own indexes give them.
fn stream(selected: &Selected, order: Order, dated: bool) -> String {
    let up = order == Order::DateAsc;
    let along = if up { "ORDER BY 2, 1" } else { "ORDER BY 2 DESC, 1 DESC" };
    let source = match (&selected.mailboxes, selected.attachments, dated) {
        (_, _, false) => UNDATED.to_owned(),
        (Mailboxes::All, Attachments::With, _) => WITH_ATTACHMENTS.to_owned(),
        (Mailboxes::All, ..) => ALL.to_owned(),
        (Mailboxes::Only(list), ..) if list.is_empty() => format!("{ALL} AND FALSE"),
        (Mailboxes::Only(list), ..) => {
            let parts: Vec<_> = list.iter().map(|mailbox| format!("{IN_MAILBOX} {mailbox}")).collect();
            parts.join(" UNION ALL ")
        }
    };
    format!("{source} {along}")
}

const ALL: &str =
    "SELECT id, epoch FROM main.messages INDEXED BY messages_by_epoch WHERE epoch BETWEEN ?1 AND ?2";
const WITH_ATTACHMENTS: &str = "
    SELECT id, epoch FROM main.messages INDEXED BY messages_with_attachments
    WHERE has_attachments = 1 AND epoch BETWEEN ?1 AND ?2";
const UNDATED: &str = "
    SELECT id, epoch FROM main.messages INDEXED BY messages_undated WHERE date_source <> 0 AND epoch BETWEEN ?1 AND ?2";
const IN_MAILBOX: &str = "
    SELECT message, epoch FROM main.placements INDEXED BY placements_by_epoch
    WHERE epoch BETWEEN ?1 AND ?2 AND mailbox =";
