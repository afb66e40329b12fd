//! Dates and ages as people write them, as epoch seconds.
//! Days begin when they do in the person's time zone, also where a change of clocks moves midnight; weeks begin on
//! Monday. Refuses what the calendar does not have.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan};

use super::calendar::Calendar;
use super::date_numbers;
use super::date_words;
use super::tree::{Leaf, Query, Scope};

/// When the period this date names begins.
pub(super) fn start(text: &str, calendar: &Calendar) -> Option<i64> {
    Period::named(text, calendar)?.start(calendar)
}

/// The first and the last-plus-one second of a period or of a range of them, `2023-01..2023-06`.
pub(super) fn bounds(text: &str, calendar: &Calendar) -> Option<(i64, i64)> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let from = start(first, calendar)?;
    let until = Period::named(last, calendar)?.end(calendar)?;
    (from < until).then_some((from, until))
}

/// The moment that lies this long ago: `7d`, `3m`.
pub(super) fn ago(text: &str, calendar: &Calendar) -> Option<i64> {
    let unit_begins = text.find(|c: char| !c.is_ascii_digit())?;
    let (count, unit) = text.split_at(unit_begins);
    before_now(count, unit, calendar)
}

/// The moment so many `d` or `days` ago.
pub(super) fn before_now(count: &str, unit: &str, calendar: &Calendar) -> Option<i64> {
    let all_digits = count.bytes().all(|byte| byte.is_ascii_digit());
    let count: i64 = count.parse().ok().filter(|_| all_digits)?;
    let none = Span::new();
    let age = match unit.to_ascii_lowercase().as_str() {
        "h" | "hour" | "hours" => none.try_hours(count),
        "d" | "day" | "days" => none.try_days(count),
        "w" | "week" | "weeks" => none.try_weeks(count),
        "m" | "month" | "months" => none.try_months(count),
        "y" | "year" | "years" => none.try_years(count),
        _ => return None,
    };
    let then = calendar.now.checked_sub(age.ok()?).ok()?;
    Some(then.timestamp().as_second())
}

/// How this second is written so that [`start`] reads it back, whatever the time zone.
pub(super) fn written(second: i64) -> String {
    let nearest = if second < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_second(second).unwrap_or(nearest).to_string()
}

/// What to say of words that are looked for as words and name a time: `last week`, `march 2024`, `3 days ago`.
pub(super) fn said_as_words(query: &Query, calendar: &Calendar) -> Option<String> {
    let Query::And(parts) = query else { return None };
    let words: Vec<&str> = parts.iter().map(|part| plain_word(part).unwrap_or("")).collect();
    let named = |length: usize| {
        let beside = words.windows(length).filter(|words| !words.contains(&""));
        beside.map(|words| words.join(" ")).find(|text| date_words::period(text, calendar).is_some())
    };
    let time = named(3).or_else(|| named(2))?;
    Some(format!("`{time}` is looked for as words; `on:\"{time}\"` finds mail of that time"))
}

fn plain_word(query: &Query) -> Option<&str> {
    match query {
        Query::Leaf(Leaf::Text { scope: Scope::Anywhere, text, exact: false }) => Some(text),
        _ => None,
    }
}

/// How a date was read that could be read in another way.
pub(super) fn reading(text: &str, calendar: &Calendar) -> Option<String> {
    text.split("..").find_map(|date| date_numbers::reading(date.trim(), calendar))
}

/// Whether the date may have more words than this one: `last`, `march`, `10`, but not `2024-03-10`.
pub(super) fn may_go_on(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text.starts_with(|c: char| c.is_ascii_alphabetic()) || matches!(digits, 1 | 2) && text.len() <= 4
}

/// A stretch of time that a person can name.
#[derive(Debug, Clone, Copy)]
pub(super) enum Period {
    /// A day.
    Day(Date),
    /// The week that begins on this day.
    Week(Date),
    /// The month that begins on this day.
    Month(Date),
    /// The year that begins on this day.
    Year(Date),
    /// From one second up to another.
    Seconds(i64, i64),
}

impl Period {
    /// Reads a date in any of the ways that people write one.
    fn named(text: &str, calendar: &Calendar) -> Option<Self> {
        let text = text.trim();
        moment(text, calendar)
            .or_else(|| date_numbers::period(text, calendar))
            .or_else(|| date_words::period(text, calendar))
    }

    /// One second.
    pub(super) fn second(second: i64) -> Option<Self> {
        Timestamp::from_second(second).ok()?;
        Some(Self::Seconds(second, second.checked_add(1)?))
    }

    fn start(self, calendar: &Calendar) -> Option<i64> {
        match self {
            Self::Day(first) | Self::Week(first) | Self::Month(first) | Self::Year(first) => {
                midnight(first, calendar.now.time_zone())
            }
            Self::Seconds(from, _) => Some(from),
        }
    }

    fn end(self, calendar: &Calendar) -> Option<i64> {
        let (first, length) = match self {
            Self::Day(first) => (first, 1.day()),
            Self::Week(first) => (first, 1.week()),
            Self::Month(first) => (first, 1.month()),
            Self::Year(first) => (first, 1.year()),
            Self::Seconds(_, until) => return Some(until),
        };
        midnight(first.checked_add(length).ok()?, calendar.now.time_zone())
    }
}

/// `2024-03-09T10:00:00Z`; without an offset, in the person's time zone, and then a space will do.
fn moment(text: &str, calendar: &Calendar) -> Option<Period> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+')) || text.len() < 12 {
        return None;
    }
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Period::second(moment.as_second());
    }
    let is_local = text.contains(':') && text.contains(['T', 't', ' ']);
    let local: DateTime = text.parse().ok().filter(|_| is_local)?;
    let moment = local.to_zoned(calendar.now.time_zone().clone()).ok()?;
    Period::second(moment.timestamp().as_second())
}

fn midnight(day: Date, zone: &TimeZone) -> Option<i64> {
    let begins = day.to_zoned(zone.clone()).ok()?;
    Some(begins.timestamp().as_second())
}

#[cfg(test)]
#[path = "dates_tests.rs"]
mod tests;
