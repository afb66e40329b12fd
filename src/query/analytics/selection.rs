//! Which messages a list or a count is about, found along the index that fits.
//!
//! Text is looked for where it stands once: senders in the table of senders, subjects in their packed blocks. What is
//! found is a set of messages. A small set is sorted by date; a large one is tested along the dates until the list is full.

use std::collections::HashSet;

use memchr::memmem::Finder;
use roaring::RoaringTreemap;
use rusqlite::{OptionalExtension, Params, params};

use crate::query::QueryError;
use crate::query::analytics::walk::{Path, Step};
use crate::query::analytics::{Attachments, Db, EmailRow, Order, Span, Timeline};
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
    /// Its date.
    pub span: Option<Span>,
    /// Which date that is.
    pub by: Timeline,
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
    pub(super) by: Timeline,
    pub(super) attachments: Attachments,
}

/// The mailboxes and the time that figures are about.
pub(super) struct Scope<'a> {
    pub(super) mailboxes: &'a Mailboxes,
    pub(super) span: Span,
    pub(super) by: Timeline,
}

impl Selected {
    /// The same without what text and attachments leave out.
    pub(super) fn scope(&self) -> Scope<'_> {
        Scope { mailboxes: &self.mailboxes, span: self.span, by: self.by }
    }

    /// Whether text has to be looked at.
    pub(super) fn is_textual(&self) -> bool {
        self.senders.is_some() || self.subjects.is_some()
    }
}

/// From so many messages on, testing along the dates beats sorting.
const MANY_MESSAGES: usize = 10_000;
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
            by: filter.by,
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
        let mut take = |step: Step| {
            if found.len() < limit && self.fits(selected, step.message)? {
                found.extend(self.row_at(step.message, step.placement)?.map(EmailRow::plain));
            }
            Ok(found.len() < limit)
        };
        match self.candidates(selected, order)? {
            Some(steps) => each(&steps, &mut take)?,
            None => {
                let mailboxes = self.mailbox_list(&selected.mailboxes)?;
                let path = Path { mailboxes: &mailboxes, span: selected.span, by: selected.by, order };
                path.walk(self.connection(), &mut take)?;
            }
        }
        Ok(found)
    }

    /// Adds the rows of a message that are in these mailboxes.
    pub(super) fn add_rows(
        &self,
        mailboxes: &Mailboxes,
        message: i64,
        found: &mut Vec<EmailRow>,
    ) -> Result<(), QueryError> {
        let rows = self.rows_of(message)?.into_iter().filter(|placed| mailboxes.hold(placed.mailbox));
        found.extend(rows.map(|placed| placed.row.plain()));
        Ok(())
    }

    /// Whether a message has what is asked for.
    pub(super) fn fits(&self, selected: &Selected, message: i64) -> Result<bool, QueryError> {
        const SELECT: &str = "SELECT sender, has_attachments FROM messages WHERE id = ?1";
        if selected.subjects.as_ref().is_some_and(|rows| !rows.contains(message.cast_unsigned())) {
            return Ok(false);
        }
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let head: Option<(i64, bool)> =
            statement.query_row([message], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let Some((sender, attached)) = head else { return Ok(false) };
        let by_sender = selected.senders.as_ref().is_none_or(|senders| senders.contains(&sender));
        Ok(by_sender
            && match selected.attachments {
                Attachments::Any => true,
                Attachments::With => attached,
                Attachments::Without => !attached,
            })
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
        each_subject(&self.archive.reader, &mut |row, subject| {
            if finder.find(subject).is_some() {
                found.insert(row.cast_unsigned());
            }
        })?;
        Ok(found)
    }

    /// The placements that text or a rare attachment leaves, by date; `None` when there are too many, or neither is asked
    /// for.
    fn candidates(&self, selected: &Selected, order: Order) -> Result<Option<Vec<Step>>, QueryError> {
        let few_subjects = selected.subjects.as_ref().filter(|rows| rows.len() <= MANY_MESSAGES as u64);
        let steps = match (few_subjects, &selected.senders, selected.attachments) {
            (Some(rows), ..) => self.steps(OF_MESSAGE, rows.iter().map(u64::cast_signed), selected)?,
            (None, Some(senders), _) if senders.len() <= MANY_SENDERS => {
                self.steps(OF_SENDER, senders.iter().copied(), selected)?
            }
            (None, None, Attachments::With) if self.with_attachments_at_all()? <= MANY_MESSAGES as i64 => {
                self.steps(WITH_ATTACHMENTS, [1], selected)?
            }
            _ => None,
        };
        Ok(steps.map(|mut steps| {
            steps.sort_unstable();
            if order == Order::DateDesc {
                steps.reverse();
            }
            steps
        }))
    }

    /// How many messages have attachments.
    fn with_attachments_at_all(&self) -> Result<i64, QueryError> {
        const COUNT: &str = "SELECT coalesce(sum(with_attachments), 0) FROM message_counts";
        Ok(self.numbers(COUNT, [])?.into_iter().sum())
    }

    /// The placements that a statement gives for each of these values, within what is selected; `None` when they are many.
    fn steps(
        &self,
        sql: &str,
        values: impl IntoIterator<Item = i64>,
        selected: &Selected,
    ) -> Result<Option<Vec<Step>>, QueryError> {
        let mut statement = self.connection().prepare_cached(sql)?;
        let (mut steps, mut looked_at) = (Vec::new(), 0);
        for value in values {
            let mut rows = statement.query([value])?;
            while let Some(row) = rows.next()? {
                looked_at += 1;
                if looked_at > MANY_MESSAGES {
                    return Ok(None);
                }
                let epoch = row.get(if selected.by == Timeline::Arrival { 0 } else { 1 })?;
                if selected.span.holds(epoch) && selected.mailboxes.hold(row.get(4)?) {
                    steps.push(Step { epoch, message: row.get(2)?, placement: row.get(3)? });
                }
            }
        }
        Ok(Some(steps))
    }

    /// Numbers that a statement gives.
    pub(super) fn numbers(&self, sql: &str, values: impl Params) -> Result<Vec<i64>, QueryError> {
        let mut statement = self.connection().prepare_cached(sql)?;
        let rows = statement.query_map(values, |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn each(steps: &[Step], take: &mut dyn FnMut(Step) -> Result<bool, QueryError>) -> Result<(), QueryError> {
    for step in steps {
        if !take(*step)? {
            break;
        }
    }
    Ok(())
}

/// The placements of messages that a condition names, with both their dates.
macro_rules! placements {
    ($condition:literal) => {
        concat!(
            "SELECT p.internal_epoch, p.epoch, p.message, p.id, p.mailbox
             FROM messages m CROSS JOIN placements p ON p.message = m.id WHERE ",
            $condition
        )
    };
}

pub(super) const OF_MESSAGE: &str = placements!("m.id = ?1");
pub(super) const OF_SENDER: &str = placements!("m.sender = ?1");
pub(super) const WITH_ATTACHMENTS: &str = placements!("m.has_attachments = 1 AND ?1 = 1");
