//! Dates as people write them, read where clocks change.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::{Calendar, ago, bounds, may_go_on, reading, start, written};
use crate::clock::DateOrder;

/// Rules spelled out, so that the tests need no time zone database.
fn at(local: &str, rules: &str) -> Calendar {
    let local: DateTime = local.parse().unwrap();
    let now = local.to_zoned(TimeZone::posix(rules).unwrap()).unwrap();
    Calendar { now, order: DateOrder::DayFirst }
}

fn berlin(local: &str) -> Calendar {
    at(local, "CET-1CEST,M3.5.0,M10.5.0/3")
}

/// Its clocks go forward at midnight.
fn sao_paulo(local: &str) -> Calendar {
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
fn dates_in_words_are_counted_from_today() {
    // A Wednesday.
    let now = berlin("2024-07-10T12:00:00");
    let first_day = |text| start(text, &now).map(|second| written(second + 7200)[..10].to_owned());
    let days = |text| bounds(text, &now).map(|(from, until)| (until - from) / 86_400);
    let periods = [
        ("monday", "2024-07-08", 1),
        ("Wednesday", "2024-07-10", 1),
        ("last wednesday", "2024-07-03", 1),
        ("thu", "2024-07-04", 1),
        ("this week", "2024-07-08", 7),
        ("last week", "2024-07-01", 7),
        ("Last_Week", "2024-07-01", 7),
        ("this month", "2024-07-01", 31),
        ("last month", "2024-06-01", 30),
        ("this year", "2024-01-01", 366),
        ("last year", "2023-01-01", 365),
        ("june", "2024-06-01", 30),
        ("july", "2024-07-01", 31),
        ("last july", "2023-07-01", 31),
        ("august", "2023-08-01", 31),
        ("february 2024", "2024-02-01", 29),
        ("2023 Feb", "2023-02-01", 28),
        ("10 june", "2024-06-10", 1),
        ("june 10th", "2024-06-10", 1),
        ("10. june", "2024-06-10", 1),
        ("11 july", "2023-07-11", 1),
        ("june 1st, 2020", "2020-06-01", 1),
        ("1 june 2020", "2020-06-01", 1),
        ("sept 2023", "2023-09-01", 30),
        ("3 days ago", "2024-07-07", 1),
        ("a week ago", "2024-07-03", 1),
        ("2 months ago", "2024-05-10", 1),
        ("last 7 days", "2024-07-03", 7),
        ("past 2 weeks", "2024-06-26", 14),
    ];
    for (text, first, length) in periods {
        assert_eq!(first_day(text).as_deref(), Some(first), "{text}");
        assert_eq!(days(text), Some(length), "{text}");
    }
}

#[test]
fn numbers_are_read_in_the_order_of_the_locale_which_is_said_where_it_matters() {
    let here = berlin("2024-07-10T12:00:00");
    let there = Calendar { order: DateOrder::MonthFirst, ..here.clone() };
    let day = |text, calendar| start(text, calendar).map(|second| written(second + 7200)[..10].to_owned());
    let dates = [
        ("10.03.2024", "2024-03-10", "2024-03-10"),
        ("10.3.24", "2024-03-10", "2024-03-10"),
        ("1.2.99", "1999-02-01", "1999-02-01"),
        ("3/10/2024", "2024-10-03", "2024-03-10"),
        ("03-10-2024", "2024-10-03", "2024-03-10"),
        ("13/2/2024", "2024-02-13", "2024-02-13"),
        ("2/13/2024", "2024-02-13", "2024-02-13"),
        ("03/2024", "2024-03-01", "2024-03-01"),
        ("20240301", "2024-03-01", "2024-03-01"),
    ];

    for (text, by_day, by_month) in dates {
        assert_eq!(day(text, &here).as_deref(), Some(by_day), "{text}");
        assert_eq!(day(text, &there).as_deref(), Some(by_month), "{text}");
    }
    assert_eq!(
        reading("3/10/2024", &there).as_deref(),
        Some(
            "`3/10/2024` is read as 2024-03-10, the month first as in your locale; the other day is 2024-10-03"
        )
    );
    assert!(reading("3/10/2024", &here).unwrap().contains("2024-10-03, the day first"));
    for clear in ["10.03.2024", "2024-03-10", "3/3/2024", "13/2/2024", "march 2024", "2024/3/10"] {
        assert_eq!(reading(clear, &here), None, "{clear}");
    }
}

#[test]
fn seconds_since_1970_and_times_of_day_are_moments() {
    let now = berlin("2024-07-10T12:00:00");

    assert_eq!(shown(start("1709251200", &now)), "2024-03-01T00:00:00Z");
    assert_eq!(shown(start("1709251200000", &now)), "2024-03-01T00:00:00Z");
    assert_eq!(bounds("1709251200", &now), Some((1_709_251_200, 1_709_251_201)));
    assert_eq!(shown(start("2024-03-01T10:20", &now)), "2024-03-01T09:20:00Z");
    assert_eq!(shown(start("2024-03-01 10:20", &now)), "2024-03-01T09:20:00Z");
}

#[test]
fn only_a_date_that_may_go_on_takes_more_words() {
    assert!(["last", "march", "10", "1st", "10th", "monday"].into_iter().all(may_go_on));
    assert!(!["2024", "2024-03-10", "10.3.2024", "", "\"", "1709251200"].into_iter().any(may_go_on));
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
        "2023-02-29",
        "2024-13",
        "2024-00",
        "2024-03-01-01",
        "2024-03/01",
        "2024-",
        "32.1.2024",
        "1.13.2024",
        "13/13/2024",
        "2024.03.01",
        "0.1.2024",
        "1/2/024",
        "20241301",
        "99999999999999999999",
        "march 32",
        "march 2024 10 1",
        "last",
        "last fortnight",
        "ma",
        "mayor",
        "mon 2024",
        "3 moons ago",
        "-3 days ago",
        "-2024",
        "+024",
        "2024-+3",
        "２０２４",
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
