//! What the questions take: dates that have been checked, and the few words that are allowed.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span as Length, Timestamp};
use serde::Deserialize;

use crate::query::QueryError;
use crate::query::language::Scope;

/// In which order messages come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Oldest first.
    DateAsc,
    /// Newest first.
    #[default]
    DateDesc,
}

/// Which date of a message counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Timeline {
    /// When it came into the mailbox: INTERNALDATE.
    #[default]
    Arrival,
    /// When its sender says that it was written: the Date field, or what was chosen in its place.
    Written,
}

/// How time is cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Period {
    /// `YYYY-MM-DD`
    Daily,
    /// `YYYY-MM`
    #[default]
    Monthly,
    /// `YYYY`
    Yearly,
}

impl Period {
    /// How many days it has at most.
    pub(super) const fn most_days(self) -> i64 {
        match self {
            Self::Daily => 1,
            Self::Monthly => 31,
            Self::Yearly => 366,
        }
    }

    /// How many characters of a day name the period.
    pub(super) const fn length(self) -> usize {
        match self {
            Self::Daily => 10,
            Self::Monthly => 7,
            Self::Yearly => 4,
        }
    }
}

/// Whether messages must have attachments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attachments {
    /// It does not matter.
    #[default]
    Any,
    /// They must.
    With,
    /// They must not.
    Without,
}

/// Sizes by name. A kilobyte has 1,024 bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SizeCategory {
    /// Under 10 KB.
    Small,
    /// 10 KB to 100 KB.
    Medium,
    /// Over 100 KB.
    #[default]
    Large,
    /// Over 1 MB.
    Huge,
}

impl SizeCategory {
    /// The smallest and the largest size.
    pub(super) const fn range(self) -> (i64, i64) {
        const KB: i64 = 1024;
        match self {
            Self::Small => (0, 10 * KB - 1),
            Self::Medium => (10 * KB, 100 * KB),
            Self::Large => (100 * KB + 1, i64::MAX),
            Self::Huge => (1024 * KB + 1, i64::MAX),
        }
    }
}

/// What makes messages duplicates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Similarity {
    /// The same subject.
    #[default]
    Subject,
    /// The same Message-ID.
    MessageId,
}

/// Where a search looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemType {
    /// In subjects.
    Subject,
    /// In visible texts.
    Body,
}

impl ItemType {
    /// The same in the search language.
    pub(in crate::query) fn scope(self) -> Scope {
        match self {
            Self::Subject => Scope::Subject,
            Self::Body => Scope::Body,
        }
    }
}

/// How many of several keywords must be there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchMode {
    /// One is enough.
    #[default]
    Any,
    /// All of them.
    All,
}

/// A span of time in seconds since 1970; both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first second.
    pub from: i64,
    /// The last second.
    pub until: i64,
}

impl Span {
    /// All of time.
    pub const ALL: Self = Self { from: i64::MIN, until: i64::MAX };

    /// From the beginning of one date to the end of another; either may be left out.
    pub fn between(from: Option<&str>, to: Option<&str>) -> Result<Self, QueryError> {
        let from = from.map(|text| read("date_from", text)).transpose()?.map_or(i64::MIN, |span| span.from);
        let until = to.map(|text| read("date_to", text)).transpose()?.map_or(i64::MAX, |span| span.until);
        Ok(Self { from, until })
    }

    /// The year, month, day or second that a date names.
    pub fn of(date: &str) -> Result<Self, QueryError> {
        read("date", date)
    }

    pub(super) fn is_all(self) -> bool {
        self == Self::ALL
    }

    pub(super) fn holds(self, epoch: i64) -> bool {
        (self.from..=self.until).contains(&epoch)
    }
}

fn read(name: &'static str, text: &str) -> Result<Span, QueryError> {
    let text = text.trim();
    period(text).or_else(|| moment(text)).ok_or_else(|| QueryError::Argument {
        name,
        problem: format!("`{}` is not a date", crate::text_safety::one_line(text)),
        hint: "write 2024-05-31, 2024-05, 2024 or 2024-05-31T12:00:00Z; dates are UTC".to_owned(),
    })
}

fn period(text: &str) -> Option<Span> {
    let (first, length): (Date, Length) = match text.len() {
        4 => (format!("{text}-01-01").parse().ok()?, Length::new().years(1)),
        7 => (format!("{text}-01").parse().ok()?, Length::new().months(1)),
        10 => (text.parse().ok()?, Length::new().days(1)),
        _ => return None,
    };
    let next = first.checked_add(length).ok()?;
    Some(Span { from: midnight(first)?, until: midnight(next)? - 1 })
}

fn midnight(date: Date) -> Option<i64> {
    Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second())
}

fn moment(text: &str) -> Option<Span> {
    let local = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    let second = text.parse::<Timestamp>().ok().or_else(local)?.as_second();
    Some(Span { from: second, until: second })
}

#[cfg(test)]
mod tests {
    use super::Span;

    #[test]
    fn a_date_is_a_whole_day_month_or_year_in_utc() {
        let span = |text| Span::of(text).map(|span| (span.from, span.until)).ok();

        assert_eq!(span("2024-02-29"), Some((1_709_164_800, 1_709_251_199)));
        assert_eq!(span("2024-02"), Some((1_706_745_600, 1_709_251_199)));
        assert_eq!(span("2024"), Some((1_704_067_200, 1_735_689_599)));
        assert_eq!(span("2024-02-29T01:00:00+01:00"), Some((1_709_164_800, 1_709_164_800)));
        assert_eq!(span("2024-02-29 00:00:00"), Some((1_709_164_800, 1_709_164_800)));
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in ["", "yesterday", "2024-13", "2023-02-29", "24-01-01", "2024-1-1", "'; DROP TABLE x"] {
            assert!(Span::of(text).is_err(), "{text}");
        }
    }
}
