//! Messages over time: a day, a month, a year, an hour of the week, a season. Read from the counts that the store keeps
//! by day and by hour; where a span begins or ends within one, that one is counted afresh.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use rusqlite::params;
use serde::Serialize;

use crate::query::QueryError;
use crate::query::analytics::selection::Scope;
use crate::query::analytics::{Db, Period, Span, Timeline};
use crate::query::search::iso_date;

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
pub(super) const DAY: i64 = 86_400;
const HOUR: i64 = 3_600;

pub(super) const WRITTEN_BY_DAY: &str = "
    SELECT day, sum(count) FROM day_counts WHERE mailbox = ?1 AND day BETWEEN ?2 AND ?3 GROUP BY day";
pub(super) const WRITTEN_BY_HOUR: &str = "
    SELECT hour, sum(count) FROM hour_counts WHERE mailbox = ?1 AND hour BETWEEN ?2 AND ?3 GROUP BY hour";
pub(super) const ARRIVED_BY_HOUR: &str = "
    SELECT hour, sum(count) FROM arrival_counts WHERE mailbox = ?1 AND hour BETWEEN ?2 AND ?3 GROUP BY hour";
pub(super) const ARRIVED_BY_DAY: &str = "
    SELECT day, sum(count) FROM arrival_days WHERE mailbox = ?1 AND day BETWEEN ?2 AND ?3 GROUP BY day";
pub(super) const WRITTEN_WITHIN: &str =
    "SELECT count(*) FROM placements WHERE mailbox = ?1 AND epoch BETWEEN ?2 AND ?3";
pub(super) const ARRIVED_WITHIN: &str =
    "SELECT count(*) FROM placements WHERE mailbox = ?1 AND internal_epoch BETWEEN ?2 AND ?3";
const IN_MAILBOX: &str = "SELECT coalesce(sum(count), 0) FROM mailbox_counts WHERE mailbox = ?1";
/// Counts that are kept by a unit of time, and how to count within one.
struct Kept {
    sql: &'static str,
    unit: i64,
    within: &'static str,
}

const WRITTEN_DAYS: Kept = Kept { sql: WRITTEN_BY_DAY, unit: DAY, within: WRITTEN_WITHIN };
const WRITTEN_HOURS: Kept = Kept { sql: WRITTEN_BY_HOUR, unit: HOUR, within: WRITTEN_WITHIN };
const ARRIVED_DAYS: Kept = Kept { sql: ARRIVED_BY_DAY, unit: DAY, within: ARRIVED_WITHIN };
const ARRIVED_HOURS: Kept = Kept { sql: ARRIVED_BY_HOUR, unit: HOUR, within: ARRIVED_WITHIN };

impl Db<'_> {
    /// Messages a period by when they came in: the newest periods, oldest first.
    pub fn by_date_range(
        &self,
        period: Period,
        span: Span,
        limit: usize,
    ) -> Result<Vec<PeriodCount>, QueryError> {
        let mailboxes = self.mailboxes(None)?;
        let mut counts =
            self.periods(&Scope { mailboxes: &mailboxes, span, by: Timeline::Arrival }, period)?;
        counts.drain(..counts.len().saturating_sub(self.clamp(limit)));
        Ok(counts)
    }

    /// Messages by hour of the week, Sunday first; hours without any are left out.
    pub fn heatmap(&self, span: Span) -> Result<Vec<HeatmapCell>, QueryError> {
        let mailboxes = self.mailboxes(None)?;
        self.heatmap_of(&Scope { mailboxes: &mailboxes, span, by: Timeline::Arrival })
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
        let (mailboxes, span) = (self.mailboxes(None)?, Span { from, until: i64::MAX });
        let scope = Scope { mailboxes: &mailboxes, span, by: Timeline::Arrival };
        let months = self.periods(&scope, Period::Monthly)?;
        Ok(months
            .into_iter()
            .rev()
            .take(self.bounds.max_limit)
            .rev()
            .filter_map(|found| season(&found))
            .collect())
    }

    pub(super) fn periods(&self, scope: &Scope<'_>, period: Period) -> Result<Vec<PeriodCount>, QueryError> {
        let mut counts: Vec<PeriodCount> = Vec::new();
        for (day, count) in self.days(scope)? {
            let period = period_of(day, period);
            match counts.last_mut() {
                Some(last) if last.period == period => last.count += count,
                _ => counts.push(PeriodCount { period, count }),
            }
        }
        Ok(counts)
    }

    pub(super) fn heatmap_of(&self, scope: &Scope<'_>) -> Result<Vec<HeatmapCell>, QueryError> {
        let kept = if scope.by == Timeline::Arrival { ARRIVED_HOURS } else { WRITTEN_HOURS };
        let mut week = [0_i64; 168];
        self.each_unit(&kept, scope, &mut |hour, count| {
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

    /// How many messages there are.
    pub(super) fn count_within(&self, scope: &Scope<'_>) -> Result<i64, QueryError> {
        if !scope.span.is_all() {
            return Ok(self.days(scope)?.values().sum());
        }
        let count = |mailbox| self.numbers(IN_MAILBOX, [mailbox]);
        let counts =
            self.mailbox_list(scope.mailboxes)?.into_iter().map(count).collect::<Result<Vec<_>, _>>()?;
        Ok(counts.concat().into_iter().sum())
    }

    /// Messages a day since 1970; days without any are left out.
    fn days(&self, scope: &Scope<'_>) -> Result<BTreeMap<i64, i64>, QueryError> {
        let kept = if scope.by == Timeline::Arrival { ARRIVED_DAYS } else { WRITTEN_DAYS };
        let mut days = BTreeMap::new();
        self.each_unit(&kept, scope, &mut |day, count| *days.entry(day).or_default() += count)?;
        days.retain(|_, count| *count > 0);
        Ok(days)
    }

    /// Goes through the days or hours of a span, mailbox by mailbox. One that the span cuts is counted afresh.
    fn each_unit(
        &self,
        kept: &Kept,
        scope: &Scope<'_>,
        found: &mut dyn FnMut(i64, i64),
    ) -> Result<(), QueryError> {
        let (Kept { sql, unit, within }, span) = (kept, scope.span);
        let (first, last) = (span.from.div_euclid(*unit), span.until.div_euclid(*unit));
        let mut statement = self.connection().prepare_cached(sql)?;
        for mailbox in self.mailbox_list(scope.mailboxes)? {
            let mut rows = statement.query(params![mailbox, first, last])?;
            while let Some(row) = rows.next()? {
                let at: i64 = row.get(0)?;
                let (begin, end) = (at * unit, at * unit + unit - 1);
                let count = if span.from <= begin && end <= span.until {
                    row.get(1)?
                } else {
                    let part = params![mailbox, span.from.max(begin), span.until.min(end)];
                    self.connection().prepare_cached(within)?.query_row(part, |row| row.get(0))?
                };
                found(at, count);
            }
        }
        Ok(())
    }
}

/// The name of the period that a day since 1970 lies in.
pub(super) fn period_of(day: i64, period: Period) -> String {
    let mut date = iso_date(day * DAY);
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
