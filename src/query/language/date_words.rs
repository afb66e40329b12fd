//! Dates that are said in words: `yesterday`, `monday`, `last week`, `march 2024`, `10 march`, `3 days ago`.
//! What is said without a year means the latest one that has begun.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use super::calendar::Calendar;
use super::date_numbers::day;
use super::dates::{Period, before_now};

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// The period that these words name.
pub(super) fn period(text: &str, calendar: &Calendar) -> Option<Period> {
    let text = text.to_ascii_lowercase();
    let words: Vec<&str> = text.split([' ', ',', '_']).filter(|word| !word.is_empty()).collect();
    let today = calendar.now.date();
    match *words.as_slice() {
        ["today"] => Some(Period::Day(today)),
        ["yesterday"] => today.yesterday().ok().map(Period::Day),
        [name] => by_name(name, today, Which::Latest),
        ["this", name] => unit(name, today).or_else(|| by_name(name, today, Which::Latest)),
        ["last" | "past" | "previous", name] => last(name, today),
        ["last" | "past", count, unit] => {
            let now = calendar.now.timestamp().as_second();
            Some(Period::Seconds(before_now(count, unit, calendar)?, now.checked_add(1)?))
        }
        [count, unit, "ago"] => days_ago(count, unit, calendar),
        [one, other] => month_and(one, other, today).or_else(|| month_and(other, one, today)),
        [one, other, year] => dated(one, other, year).or_else(|| dated(other, one, year)),
        _ => None,
    }
}

/// Whether today or this month can be meant.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    Latest,
    Before,
}

fn by_name(name: &str, today: Date, which: Which) -> Option<Period> {
    weekday(name, today, which).or_else(|| {
        let month = i8::try_from(position(name, &MONTHS)? + 1).ok()?;
        let is_later = month > today.month() || which == Which::Before && month == today.month();
        let year = if is_later { today.year() - 1 } else { today.year() };
        Date::new(year, month, 1).ok().map(Period::Month)
    })
}

fn weekday(name: &str, today: Date, which: Which) -> Option<Period> {
    let number = i8::try_from(position(name, &WEEKDAYS)?).ok()?;
    let wanted = Weekday::from_monday_zero_offset(number).ok()?;
    if today.weekday() == wanted && which == Which::Latest {
        return Some(Period::Day(today));
    }
    today.nth_weekday(-1, wanted).ok().map(Period::Day)
}

/// The week, month or year that has begun.
fn unit(name: &str, today: Date) -> Option<Period> {
    match name {
        "week" => today.checked_sub(since_monday(today).days()).ok().map(Period::Week),
        "month" => Some(Period::Month(today.first_of_month())),
        "year" => Some(Period::Year(today.first_of_year())),
        _ => None,
    }
}

fn last(name: &str, today: Date) -> Option<Period> {
    let earlier = match name {
        "week" => today.checked_sub(1.week()),
        "month" => today.first_of_month().checked_sub(1.month()),
        "year" => today.first_of_year().checked_sub(1.year()),
        name => return by_name(name, today, Which::Before),
    };
    unit(name, earlier.ok()?)
}

/// A day so many days or weeks ago; so many months or years ago, the day of that month.
fn days_ago(count: &str, unit: &str, calendar: &Calendar) -> Option<Period> {
    let count = if matches!(count, "a" | "an" | "one") { "1" } else { count };
    let then = jiff::Timestamp::from_second(before_now(count, unit, calendar)?).ok()?;
    Some(Period::Day(then.to_zoned(calendar.now.time_zone().clone()).date()))
}

/// `march 2024`, or `march 10`.
fn month_and(month: &str, other: &str, today: Date) -> Option<Period> {
    let number = month_number(month)?;
    if other.len() == 4 && other.bytes().all(|byte| byte.is_ascii_digit()) {
        return day(other, &number, "1").map(Period::Month);
    }
    let year = today.year();
    let this_year = day(&year.to_string(), &number, of_month(other)).filter(|date| *date <= today);
    this_year.or_else(|| day(&(year - 1).to_string(), &number, of_month(other))).map(Period::Day)
}

/// `march 10 2024`.
fn dated(month: &str, of: &str, year: &str) -> Option<Period> {
    day(year, &month_number(month)?, of_month(of)).map(Period::Day)
}

fn month_number(name: &str) -> Option<String> {
    Some((position(name, &MONTHS)? + 1).to_string())
}

/// `10`, `10.`, `10th`.
fn of_month(text: &str) -> &str {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    if matches!(&text[digits.len()..], "" | "." | "st" | "nd" | "rd" | "th") { digits } else { text }
}

/// The name in full, or as much of it as is usual.
fn position(typed: &str, names: &[&str]) -> Option<usize> {
    let typed = typed.trim_end_matches('.');
    let is_name = |name: &&str| typed == *name || (3..=5).contains(&typed.len()) && name.starts_with(typed);
    names.iter().position(is_name)
}

fn since_monday(day: Date) -> i64 {
    i64::from(day.weekday().to_monday_zero_offset())
}
