//! How often senders write: messages a sender and day, month or year, from the counts that the store keeps by sender and
//! day of arrival. Whoever cannot be among the busiest, by what is kept of all days together, is not looked at.

use std::collections::{BTreeMap, BinaryHeap, HashSet};
use std::ops::Range;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use rusqlite::params;
use serde::Serialize;

use crate::query::QueryError;
use crate::query::analytics::counts::SenderCounts;
use crate::query::analytics::series::{DAY, period_of};
use crate::query::analytics::{Db, Period};
use crate::text_safety::many_lines;

/// How many messages a sender wrote in a period.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SenderPeriod {
    /// Sender as written; null for messages that name none.
    pub sender: Option<String>,
    /// `YYYY-MM-DD`, `YYYY-MM` or `YYYY`.
    pub period: String,
    /// Messages.
    pub count: i64,
}

pub(super) const TOTALS: &str = "SELECT sender, count, peak FROM sender_counts WHERE mailbox = ?1";
pub(super) const DAYS_OF_SENDER: &str =
    "SELECT day, count FROM sender_days WHERE mailbox = ?1 AND sender = ?2";

/// A sender, and more than which no period of theirs can have. The one that may have the most is the greatest.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    most: i64,
    sender: i64,
}

impl Db<'_> {
    /// Messages a sender and period by when they came in, the most first; equal ones by sender, then by period.
    pub fn frequency(
        &self,
        sender: Option<&str>,
        period: Period,
        limit: usize,
    ) -> Result<Vec<SenderPeriod>, QueryError> {
        let chosen = self.senders(sender, None)?;
        let mailboxes = self.mailbox_list(&self.mailboxes(None)?)?;
        let mut candidates = self.candidates_of(&mailboxes, chosen.as_ref(), period)?;
        let mut best = Busiest::new(self.clamp(limit));
        while let Some(candidate) = candidates.pop().filter(|candidate| best.may_take(candidate.most)) {
            let name = self.sender_name(candidate.sender)?;
            for (first_day, count) in self.periods_of(candidate.sender, period, &mailboxes)? {
                if !best.may_take(count) {
                    continue;
                }
                let period = period_of(first_day, period);
                best.add(SenderPeriod { sender: name.clone(), period, count });
            }
        }
        Ok(best.finish())
    }

    /// Nobody can have more in a period than in all of them, nor more than the busiest day as often as it has days.
    fn candidates_of(
        &self,
        mailboxes: &[i64],
        chosen: Option<&HashSet<i64>>,
        period: Period,
    ) -> Result<BinaryHeap<Candidate>, QueryError> {
        let (mut totals, mut peaks) = (SenderCounts::default(), SenderCounts::default());
        let mut statement = self.connection().prepare_cached(TOTALS)?;
        for mailbox in mailboxes {
            let mut rows = statement.query([mailbox])?;
            while let Some(row) = rows.next()? {
                let sender = row.get(0)?;
                if chosen.is_none_or(|senders| senders.contains(&sender)) {
                    totals.add(sender, row.get(1)?);
                    peaks.add(sender, row.get(2)?);
                }
            }
        }
        let most = |sender, total: i64| total.min(peaks.of(sender).saturating_mul(period.most_days()));
        Ok(totals.iter().map(|(sender, total)| Candidate { most: most(sender, total), sender }).collect())
    }

    fn sender_name(&self, sender: i64) -> Result<Option<String>, QueryError> {
        let mut statement = self.connection().prepare_cached("SELECT display FROM senders WHERE id = ?1")?;
        let name: String = statement.query_row([sender], |row| row.get(0))?;
        Ok(Some(many_lines(&name)).filter(|name| !name.is_empty()))
    }

    /// Messages of a sender, by the first day of a period.
    fn periods_of(
        &self,
        sender: i64,
        period: Period,
        mailboxes: &[i64],
    ) -> Result<BTreeMap<i64, i64>, QueryError> {
        let mut statement = self.connection().prepare_cached(DAYS_OF_SENDER)?;
        let mut counts: BTreeMap<i64, i64> = BTreeMap::new();
        // Days come in order, so that most of them lie in the period of the one before.
        let mut around = 0..0;
        for mailbox in mailboxes {
            let mut rows = statement.query(params![mailbox, sender])?;
            while let Some(row) = rows.next()? {
                let day: i64 = row.get(0)?;
                if !around.contains(&day) {
                    around = period_around(day, period);
                }
                *counts.entry(around.start).or_default() += row.get::<_, i64>(1)?;
            }
        }
        Ok(counts)
    }
}

/// The days of the period that a day lies in. What is beyond the calendar is a period of its own.
fn period_around(day: i64, period: Period) -> Range<i64> {
    let found = || {
        let date = Timestamp::from_second(day.checked_mul(DAY)?).ok()?.to_zoned(TimeZone::UTC).date();
        let (first, length) = match period {
            Period::Daily => return None,
            Period::Monthly => (date.first_of_month(), 1.month()),
            Period::Yearly => (date.first_of_year(), 1.year()),
        };
        let next = first.checked_add(length).ok()?;
        let number =
            |date: jiff::civil::Date| Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second() / DAY);
        Some(number(first)?..number(next)?)
    };
    found().unwrap_or(day..day + 1)
}

/// The highest counts so far.
struct Busiest {
    rows: Vec<SenderPeriod>,
    limit: usize,
    /// No row below this count can be among the first.
    least: i64,
}

impl Busiest {
    fn new(limit: usize) -> Self {
        Self { rows: Vec::new(), limit, least: 0 }
    }

    /// Whether a row of this count may be among the first.
    fn may_take(&self, count: i64) -> bool {
        self.limit > 0 && count >= self.least
    }

    fn add(&mut self, row: SenderPeriod) {
        if row.count >= self.least {
            self.rows.push(row);
        }
        if self.rows.len() >= self.limit.saturating_mul(2).max(1000) {
            self.shorten();
        }
    }

    /// Leaves out what cannot be among the first.
    fn shorten(&mut self) {
        self.rows.sort_by(|a, b| {
            let count = b.count.cmp(&a.count);
            count.then_with(|| a.sender.cmp(&b.sender)).then_with(|| a.period.cmp(&b.period))
        });
        self.rows.truncate(self.limit);
        if self.rows.len() == self.limit {
            self.least = self.rows.last().map_or(0, |row| row.count);
        }
    }

    fn finish(mut self) -> Vec<SenderPeriod> {
        self.shorten();
        self.rows
    }
}
