//! Dates that are all numbers: `2024-03-10`, `10.03.2024`, `3/10/2024`, `2024`, and seconds since 1970.
//! With the year at the end, dots put the day first; slashes and dashes leave it to the person's locale.

use jiff::civil::Date;

use super::calendar::Calendar;
use super::dates::Period;
use crate::clock::DateOrder;

/// The period that these numbers name.
pub(super) fn period(text: &str, calendar: &Calendar) -> Option<Period> {
    let separator = ['/', '-', '.'].into_iter().find(|separator| text.contains(*separator)).unwrap_or('-');
    let parts: Vec<&str> = text.split(separator).collect();
    match *parts.as_slice() {
        [digits] => undivided(digits),
        [year, month] if year.len() == 4 => day(year, month, "1").map(Period::Month),
        [month, year] if year.len() == 4 => day(year, month, "1").map(Period::Month),
        [first, second, third] => {
            let (year, month, of_month) = arranged([first, second, third], separator, calendar)?;
            day(&year, month, of_month).map(Period::Day)
        }
        _ => None,
    }
}

/// How numbers were read that another locale reads differently.
pub(super) fn reading(text: &str, calendar: &Calendar) -> Option<String> {
    let is_slash = text.contains('/');
    let separator = if is_slash { '/' } else { '-' };
    let parts: Vec<&str> = text.split(separator).collect();
    let [first, second, third] = *parts.as_slice() else { return None };
    if first.len() == 4 || number(first)? > 12 || number(second)? > 12 || number(first) == number(second) {
        return None;
    }
    let (year, month, of_month) = arranged([first, second, third], separator, calendar)?;
    let (date, other) = (day(&year, month, of_month)?, day(&year, of_month, month)?);
    let order = match calendar.order {
        DateOrder::DayFirst => "day",
        DateOrder::MonthFirst => "month",
    };
    Some(format!("`{text}` is read as {date}, the {order} first as in your locale; the other day is {other}"))
}

/// A year, a day without separators, or seconds or milliseconds since 1970.
fn undivided(digits: &str) -> Option<Period> {
    let count: i64 = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    match digits.len() {
        4 => day(digits, "1", "1").map(Period::Year),
        8 => day(&digits[..4], &digits[4..6], &digits[6..]).map(Period::Day),
        9..=11 => Period::second(count),
        12..=14 => Period::second(count / 1000),
        _ => None,
    }
}

/// Year, month and day of three numbers.
fn arranged<'a>(
    [first, second, third]: [&'a str; 3],
    separator: char,
    calendar: &Calendar,
) -> Option<(String, &'a str, &'a str)> {
    if first.len() == 4 {
        return (separator != '.').then(|| (first.to_owned(), second, third));
    }
    let year = full_year(third, calendar)?;
    let by_month = separator != '.' && calendar.order == DateOrder::MonthFirst;
    let (mut month, mut of_month) = if by_month { (first, second) } else { (second, first) };
    // A number that can be no month decides for itself.
    if separator != '.' && number(month)? > 12 {
        (month, of_month) = (of_month, month);
    }
    Some((year, month, of_month))
}

/// Two digits mean the century in which the year is nearest, and not further than next year.
fn full_year(digits: &str, calendar: &Calendar) -> Option<String> {
    let year = number(digits)?;
    match digits.len() {
        4 => Some(digits.to_owned()),
        2 if 2000 + year <= calendar.now.year() + 1 => Some((2000 + year).to_string()),
        2 => Some((1900 + year).to_string()),
        _ => None,
    }
}

/// A day by its numbers, if there is such a day.
pub(super) fn day(year: &str, month: &str, of_month: &str) -> Option<Date> {
    let year = number(year).filter(|_| year.len() == 4)?;
    Date::new(year, number(month)?.try_into().ok()?, number(of_month)?.try_into().ok()?).ok()
}

fn number(digits: &str) -> Option<i16> {
    let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| all_digits)
}
