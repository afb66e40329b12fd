//! Dates and ages as people write them, as epoch seconds.
//! Days begin when they do in the person's time zone, also where a change of clocks moves midnight.
//! Refuses what the calendar does not have; guesses nothing about the order of day and month.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan, Zoned};

/// When the period this date names begins.
pub(super) fn start(text: &str, now: &Zoned) -> Option<i64> {
    Period::named(text, now)?.start(now.time_zone())
}

/// The first and the last-plus-one second of a period or of a range of them, `2023-01..2023-06`.
pub(super) fn bounds(text: &str, now: &Zoned) -> Option<(i64, i64)> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let from = start(first, now)?;
    let until = Period::named(last, now)?.end(now.time_zone())?;
    (from < until).then_some((from, until))
}

/// The moment that lies this long ago: `7d`, `3m`.
pub(super) fn ago(text: &str, now: &Zoned) -> Option<i64> {
    let unit_begins = text.find(|c: char| !c.is_ascii_digit())?;
    let (count, unit) = text.split_at(unit_begins);
    let count: i64 = count.parse().ok()?;
    let none = Span::new();
    let age = match unit.to_ascii_lowercase().as_str() {
        "h" => none.try_hours(count),
        "d" => none.try_days(count),
        "w" => none.try_weeks(count),
        "m" => none.try_months(count),
        "y" => none.try_years(count),
        _ => return None,
    };
    let then = now.checked_sub(age.ok()?).ok()?;
    Some(then.timestamp().as_second())
}

/// How this second is written so that [`start`] reads it back, whatever the time zone.
pub(super) fn written(second: i64) -> String {
    let nearest = if second < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_second(second).unwrap_or(nearest).to_string()
}

/// A stretch of time that a person can name.
enum Period {
    Day(Date),
    Month(Date),
    Year(Date),
    Second(i64),
}

impl Period {
    fn named(text: &str, now: &Zoned) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "today" => Some(Self::Day(now.date())),
            "yesterday" => now.date().yesterday().ok().map(Self::Day),
            written if written.contains('t') => Self::second(text),
            written => Self::numbered(written),
        }
    }

    fn second(text: &str) -> Option<Self> {
        let moment: Timestamp = text.parse().ok()?;
        Some(Self::Second(moment.as_second()))
    }

    fn numbered(text: &str) -> Option<Self> {
        let separator = if text.contains('/') { '/' } else { '-' };
        let parts: Vec<&str> = text.split(separator).collect();
        match *parts.as_slice() {
            [year] => date(year, "1", "1").map(Self::Year),
            [year, month] => date(year, month, "1").map(Self::Month),
            [year, month, day] => date(year, month, day).map(Self::Day),
            _ => None,
        }
    }

    fn start(&self, zone: &TimeZone) -> Option<i64> {
        match self {
            Self::Day(first) | Self::Month(first) | Self::Year(first) => midnight(*first, zone),
            Self::Second(second) => Some(*second),
        }
    }

    fn end(&self, zone: &TimeZone) -> Option<i64> {
        let (first, length) = match self {
            Self::Day(first) => (first, 1.day()),
            Self::Month(first) => (first, 1.month()),
            Self::Year(first) => (first, 1.year()),
            Self::Second(second) => return second.checked_add(1),
        };
        midnight(first.checked_add(length).ok()?, zone)
    }
}

fn date(year: &str, month: &str, day: &str) -> Option<Date> {
    let year = if year.len() == 4 {
        number(year)?
    } else {
        return None;
    };
    Date::new(year, number(month)?.try_into().ok()?, number(day)?.try_into().ok()?).ok()
}

fn number(digits: &str) -> Option<i16> {
    let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| all_digits)
}

fn midnight(day: Date, zone: &TimeZone) -> Option<i64> {
    let begins = day.to_zoned(zone.clone()).ok()?;
    Some(begins.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use jiff::Zoned;
    use jiff::civil::DateTime;
    use jiff::tz::TimeZone;

    use super::{ago, bounds, start, written};

    /// Rules spelled out, so that the tests need no time zone database.
    fn at(local: &str, rules: &str) -> Zoned {
        let local: DateTime = local.parse().unwrap();
        local.to_zoned(TimeZone::posix(rules).unwrap()).unwrap()
    }

    fn berlin(local: &str) -> Zoned {
        at(local, "CET-1CEST,M3.5.0,M10.5.0/3")
    }

    /// Its clocks go forward at midnight.
    fn sao_paulo(local: &str) -> Zoned {
        at(local, "<-03>3<-02>,M11.1.0/0,M2.3.0/0")
    }

    fn shown(second: Option<i64>) -> String {
        second.map_or_else(|| "refused".to_owned(), written)
    }

    #[test]
    fn a_day_begins_in_the_persons_time_zone() {
        let now = berlin("2024-07-10T00:30:00");
        let days = [
            ("2024-03-01", "2024-02-29T23:00:00Z"),
            ("2024/03/01", "2024-02-29T23:00:00Z"),
            ("2024/3/1", "2024-02-29T23:00:00Z"),
            ("2024-07", "2024-06-30T22:00:00Z"),
            ("2024/07", "2024-06-30T22:00:00Z"),
            ("2024", "2023-12-31T23:00:00Z"),
            ("today", "2024-07-09T22:00:00Z"),
            ("Yesterday", "2024-07-08T22:00:00Z"),
            ("2024-03-01T10:20:30Z", "2024-03-01T10:20:30Z"),
            ("2024-03-01T10:20:30+02:00", "2024-03-01T08:20:30Z"),
        ];
        for (text, expected) in days {
            assert_eq!(shown(start(text, &now)), expected, "{text}");
        }
    }

    #[test]
    fn a_period_ends_where_the_next_one_begins() {
        let now = berlin("2024-07-10T12:00:00");
        let hours = |text| bounds(text, &now).map(|(from, until)| (until - from) / 3600);

        assert_eq!(hours("2024-07-10"), Some(24));
        assert_eq!(hours("2024-03-31"), Some(23), "the night the clocks go forward");
        assert_eq!(hours("2024-10-27"), Some(25), "the night the clocks go back");
        assert_eq!(hours("2023-02"), Some(28 * 24));
        assert_eq!(hours("2024"), Some(366 * 24));
        assert_eq!(hours("2023-02..2023-02-28"), Some(28 * 24));
        assert_eq!(hours("yesterday..today"), Some(48));
        assert_eq!(bounds("2024-03-01T00:00:00Z", &now), Some((1_709_251_200, 1_709_251_201)));
        assert_eq!(bounds("2024-03..2024-02", &now), None);
    }

    #[test]
    fn a_day_without_midnight_begins_when_its_clocks_do() {
        let now = sao_paulo("2018-11-10T12:00:00");

        assert_eq!(shown(start("2018-11-04", &now)), "2018-11-04T03:00:00Z");
    }

    #[test]
    fn ages_follow_the_calendar() {
        let now = berlin("2024-03-31T12:00:00");
        let ages = [
            ("1h", "2024-03-31T09:00:00Z"),
            ("1d", "2024-03-30T11:00:00Z"),
            ("1W", "2024-03-24T11:00:00Z"),
            ("1m", "2024-02-29T11:00:00Z"),
            ("1y", "2023-03-31T10:00:00Z"),
            ("0d", "2024-03-31T10:00:00Z"),
        ];
        for (text, expected) in ages {
            assert_eq!(shown(ago(text, &now)), expected, "{text}");
        }
    }

    #[test]
    fn what_the_calendar_does_not_have_is_refused() {
        let now = berlin("2024-07-10T12:00:00");
        let dates = [
            "",
            "tomorrow",
            "24",
            "20240301",
            "2023-02-29",
            "2024-13",
            "2024-00",
            "2024-03-01-01",
            "2024-03/01",
            "03/01/2024",
            "2024-",
            "-2024",
            "+024",
            "2024-+3",
            "２０２４",
            "2024-03-01T10:20",
            "T",
            "99999-01-01T00:00:00Z",
        ];
        let ages = ["", "7", "d", "7x", "7dd", "-7d", "7 d", "99999y", "99999999999999999999d", "1.5d"];

        for text in dates {
            assert_eq!(start(text, &now), None, "{text}");
        }
        for text in ages {
            assert_eq!(ago(text, &now), None, "{text}");
        }
        assert_eq!(bounds("9999-12-31", &now), None);
        assert_eq!(bounds("2024..", &now), None);
    }
}
