//! Messages over time: a day, a month, a year, an hour of the week, a season. Read from the counts that the store keeps
//! by day and by hour; where a span begins or ends within one, that one is counted afresh.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use rusqlite::params;
use serde::Serialize;

use crate::query::QueryError;
use crate::query::analytics::selection::Mailboxes;
use crate::query::analytics::{Db, Period, Span};
use crate::query::search::iso_date;
use crate::text_safety::many_lines;

/// A day, month or year and how many messages it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PeriodCount {
    /// `YYYY-MM-DD`, `YYYY-MM` or `YYYY`.
    pub period: String,
    /// Messages.
    pub count: i64,
}

/// An hour of the week and how many messages it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeatmapCell {
    /// 0 to 23, UTC.
    pub hour: i64,
    /// `Sun` to `Sat`.
    pub day_of_week: &'static str,
    /// 0 for Sunday to 6 for Saturday.
    pub day_number: i64,
    /// Messages.
    pub count: i64,
}

/// A month and how many messages it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeasonalCount {
    /// Year.
    pub year: i64,
    /// 1 to 12.
    pub month: i64,
    /// `January` to `December`.
    pub month_name: &'static str,
    /// `Winter`, `Spring`, `Summer` or `Fall`, in the north.
    pub season: &'static str,
    /// Messages.
    pub count: i64,
}

/// How many messages a sender wrote in a period.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SenderPeriod {
    /// Sender as written.
    pub sender: String,
    /// `YYYY-MM-DD`, `YYYY-MM` or `YYYY`.
    pub period: String,
    /// Messages.
    pub count: i64,
}

const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAY: i64 = 86_400;
const HOUR: i64 = 3_600;

const BY_DAY: &str = "
    SELECT day, count FROM main.day_counts WHERE mailbox = ?1 AND day BETWEEN ?2 AND ?3 AND withheld = 0";
const BY_HOUR: &str = "
    SELECT hour, count FROM main.hour_counts WHERE mailbox = ?1 AND hour BETWEEN ?2 AND ?3 AND withheld = 0";
const WITHIN: &str = "
    SELECT count(*) FROM main.placements p INDEXED BY placements_by_epoch CROSS JOIN main.messages m ON m.id = p.message
    WHERE p.mailbox = ?1 AND p.epoch BETWEEN ?2 AND ?3 AND m.withheld = 0";

impl Db<'_> {
    /// Messages a period, oldest first.
    pub fn by_date_range(
        &self,
        period: Period,
        span: Span,
        limit: usize,
    ) -> Result<Vec<PeriodCount>, QueryError> {
        let mut counts = self.periods(&self.mailboxes(None)?, span, period)?;
        counts.truncate(self.clamp(limit));
        Ok(counts)
    }

    /// Messages by hour of the week, Sunday first; hours without any are left out.
    pub fn heatmap(&self, span: Span) -> Result<Vec<HeatmapCell>, QueryError> {
        self.heatmap_of(&self.mailboxes(None)?, span)
    }

    /// Messages a month since the month that is so many years ago.
    pub fn seasonal(&self, years_back: i64) -> Result<Vec<SeasonalCount>, QueryError> {
        let now = self.archive.clock.now().to_zoned(TimeZone::UTC);
        let first = now
            .checked_sub(years_back.clamp(0, 5000).years())
            .ok()
            .and_then(|then| then.first_of_month().ok());
        let from =
            first.and_then(|day| day.start_of_day().ok()).map_or(i64::MIN, |day| day.timestamp().as_second());
        let months = self.periods(&self.mailboxes(None)?, Span { from, until: i64::MAX }, Period::Monthly)?;
        Ok(months
            .into_iter()
            .rev()
            .take(self.bounds.max_limit)
            .rev()
            .filter_map(|found| season(&found))
            .collect())
    }

    /// Messages a sender and period, by sender and period.
    pub fn frequency(
        &self,
        sender: Option<&str>,
        period: Period,
        limit: usize,
    ) -> Result<Vec<SenderPeriod>, QueryError> {
        const NAMES: &str = "SELECT id, display FROM senders ORDER BY display";
        let chosen = self.senders(sender, None)?;
        let mailboxes = self.mailboxes(None)?;
        let limit = self.clamp(limit);
        let mut found = Vec::new();
        let mut statement = self.connection().prepare_cached(NAMES)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if found.len() >= limit {
                break;
            }
            let id: i64 = row.get(0)?;
            if chosen.as_ref().is_none_or(|senders| senders.contains(&id)) {
                let name = many_lines(&row.get::<_, String>(1)?);
                let counts = self.periods_of(id, period, &mailboxes)?.into_iter();
                found.extend(counts.map(|(period, count)| SenderPeriod {
                    sender: name.clone(),
                    period,
                    count,
                }));
            }
        }
        found.truncate(limit);
        Ok(found)
    }

    /// Messages of a sender, by period.
    fn periods_of(
        &self,
        sender: i64,
        period: Period,
        mailboxes: &Mailboxes,
    ) -> Result<BTreeMap<String, i64>, QueryError> {
        const SELECT: &str = "
            SELECT m.epoch, p.mailbox FROM main.messages m CROSS JOIN main.placements p ON p.message = m.id
            WHERE m.sender = ?1 AND m.withheld = 0 ORDER BY m.epoch";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let mut rows = statement.query([sender])?;
        let mut counts: BTreeMap<String, i64> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            if mailboxes.hold(row.get(1)?) {
                *counts.entry(period_of(row.get(0)?, period)).or_default() += 1;
            }
        }
        Ok(counts)
    }

    pub(super) fn periods(
        &self,
        mailboxes: &Mailboxes,
        span: Span,
        period: Period,
    ) -> Result<Vec<PeriodCount>, QueryError> {
        let mut counts: Vec<PeriodCount> = Vec::new();
        for (day, count) in self.days(mailboxes, span)? {
            let period = period_of(day * DAY, period);
            match counts.last_mut() {
                Some(last) if last.period == period => last.count += count,
                _ => counts.push(PeriodCount { period, count }),
            }
        }
        Ok(counts)
    }

    pub(super) fn heatmap_of(
        &self,
        mailboxes: &Mailboxes,
        span: Span,
    ) -> Result<Vec<HeatmapCell>, QueryError> {
        let mut week = [0_i64; 168];
        self.each_unit((BY_HOUR, HOUR), mailboxes, span, &mut |hour, count| {
            // 1970 began on a Thursday.
            let place = (hour + 4 * 24).rem_euclid(168);
            week[usize::try_from(place).unwrap_or_default()] += count;
        })?;
        let cells = (0_i64..).zip(week).filter(|(_, count)| *count > 0);
        Ok(cells
            .map(|(place, count)| HeatmapCell {
                hour: place % 24,
                day_of_week: DAYS[usize::try_from(place / 24).unwrap_or_default()],
                day_number: place / 24,
                count,
            })
            .collect())
    }

    /// Messages a day since 1970; days without any are left out.
    pub(super) fn days(&self, mailboxes: &Mailboxes, span: Span) -> Result<BTreeMap<i64, i64>, QueryError> {
        let mut days = BTreeMap::new();
        self.each_unit((BY_DAY, DAY), mailboxes, span, &mut |day, count| {
            *days.entry(day).or_default() += count
        })?;
        days.retain(|_, count| *count > 0);
        Ok(days)
    }

    /// Goes through the days or hours of a span, mailbox by mailbox.
    fn each_unit(
        &self,
        (sql, unit): (&str, i64),
        mailboxes: &Mailboxes,
        span: Span,
        found: &mut dyn FnMut(i64, i64),
    ) -> Result<(), QueryError> {
        let (first, last) = (span.from.div_euclid(unit), span.until.div_euclid(unit));
        let mut statement = self.connection().prepare_cached(sql)?;
        for mailbox in self.mailbox_list(mailboxes)? {
            let mut rows = statement.query(params![mailbox, first, last])?;
            while let Some(row) = rows.next()? {
                let at: i64 = row.get(0)?;
                let (begin, end) = (at * unit, at * unit + unit - 1);
                let whole = span.from <= begin && end <= span.until;
                found(at, if whole { row.get(1)? } else { self.within(mailbox, span, begin, end)? });
            }
        }
        Ok(())
    }

    fn within(&self, mailbox: i64, span: Span, begin: i64, end: i64) -> Result<i64, QueryError> {
        let mut statement = self.connection().prepare_cached(WITHIN)?;
        let values = params![mailbox, span.from.max(begin), span.until.min(end)];
        Ok(statement.query_row(values, |row| row.get(0))?)
    }
}

fn period_of(epoch: i64, period: Period) -> String {
    let mut date = iso_date(epoch);
    date.truncate(date.len().saturating_sub(20) + period.length());
    date
}

fn season(found: &PeriodCount) -> Option<SeasonalCount> {
    let (year, month) = found.period.rsplit_once('-')?;
    let month: i64 = month.parse().ok()?;
    let season = match month {
        12 | 1 | 2 => "Winter",
        3..=5 => "Spring",
        6..=8 => "Summer",
        _ => "Fall",
    };
    let month_name = MONTHS.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
    Some(SeasonalCount { year: year.parse().ok()?, month, month_name, season, count: found.count })
}

/// The second a day begins, for those who count from now.
pub(super) fn days_before(now: Timestamp, days: i64) -> i64 {
    now.as_second().saturating_sub(days.saturating_mul(DAY))
}
