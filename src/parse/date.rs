//! Dates in every sad form that mail carries. Reads day, month, year, time and zone wherever they stand and
//! refuses a date that does not exist; whether it is plausible is for the caller to say.

mod names;

use names::{month_number, zone_minutes};

/// What a Date field says, in seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) epoch: i64,
    /// The same with day and month the other way round, where figures leave that open.
    pub(super) swapped: Option<i64>,
}

impl Written {
    /// The reading that lies nearer to another date of the message.
    pub(super) fn nearest(self, other: i64) -> i64 {
        let distance = |epoch: i64| epoch.abs_diff(other);
        self.swapped.filter(|swapped| distance(*swapped) < distance(self.epoch)).unwrap_or(self.epoch)
    }
}

/// Reads a Date field's value.
pub(super) fn header(text: &str) -> Option<Written> {
    read(text)
}

/// Seconds since 1970 of a Received field's value: the date stands behind the last semicolon.
pub(super) fn received(text: &str) -> Option<i64> {
    read(text.rsplit_once(';')?.1).map(|written| written.epoch)
}

/// Longer texts are no dates.
const LONGEST: usize = 400;

fn read(text: &str) -> Option<Written> {
    let text = text.get(..LONGEST).unwrap_or(text).trim();
    if text.len() > LONGEST {
        return None;
    }
    let epoch = bare_epoch(text).map(|epoch| Written { epoch, swapped: None });
    epoch.or_else(|| Reading::of(text).written())
}

/// Some programs write the seconds since 1970 themselves.
fn bare_epoch(text: &str) -> Option<i64> {
    let digits = matches!(text.len(), 9 | 10) && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// A run of digits outside time and zone.
#[derive(Debug, Clone, Copy)]
struct Number {
    value: i64,
    digits: usize,
    /// The character behind it, which tells `05.01.2009` from `01/05/2009`.
    next: u8,
}

/// What has been read of a date so far.
#[derive(Debug, Default)]
struct Reading {
    numbers: Vec<Number>,
    month: Option<i64>,
    seconds: Option<i64>,
    zone: Option<i64>,
    zone_in_comment: Option<i64>,
    daylight: bool,
}

impl Reading {
    fn of(text: &str) -> Self {
        let mut reading = Self::default();
        let bytes = text.as_bytes();
        let (mut at, mut comment) = (0, 0_usize);
        while at < bytes.len() {
            let length = match bytes[at] {
                b'(' => {
                    comment += 1;
                    1
                }
                b')' => {
                    comment = comment.saturating_sub(1);
                    1
                }
                byte if byte.is_ascii_digit() && comment == 0 => reading.take_digits(bytes, at),
                byte if is_letter(byte) => reading.take_word(text, at, comment > 0),
                b'+' | b'-' if comment == 0 => reading.take_sign(bytes, at),
                _ => 1,
            };
            at += length;
        }
        reading
    }

    fn take_digits(&mut self, bytes: &[u8], at: usize) -> usize {
        if self.seconds.is_none()
            && let Some((seconds, length)) = self.time_at(&bytes[at..])
        {
            self.seconds = Some(seconds);
            return length;
        }
        let digits = count_digits(&bytes[at..]);
        self.push_number(&bytes[at..at + digits], bytes.get(at + digits).copied().unwrap_or(b' '));
        digits
    }

    fn push_number(&mut self, digits: &[u8], next: u8) {
        match digits.len() {
            // 20090105T101112Z
            8 => {
                for part in [&digits[..4], &digits[4..6], &digits[6..]] {
                    self.numbers.push(Number { value: number(part), digits: part.len(), next: b'-' });
                }
            }
            6 if self.seconds.is_none() && self.numbers.len() == 3 => {
                self.seconds = clock(number(&digits[..2]), number(&digits[2..4]), number(&digits[4..]));
            }
            1..=4 => self.numbers.push(Number { value: number(digits), digits: digits.len(), next }),
            _ => {}
        }
    }

    /// `10:11`, `10:11:12`, `10:11:12.345`; with dots only once a whole date has been read.
    fn time_at(&self, bytes: &[u8]) -> Option<(i64, usize)> {
        let hour_digits = count_digits(bytes);
        let separator = *bytes.get(hour_digits)?;
        let dotted = separator == b'.' && self.numbers.len() + usize::from(self.month.is_some()) >= 3;
        if hour_digits > 2 || !(separator == b':' || dotted) {
            return None;
        }
        let mut length = hour_digits;
        let mut fields = [number(&bytes[..hour_digits]), 0, 0];
        for field in &mut fields[1..] {
            let digits = count_digits(bytes.get(length + 1..).unwrap_or_default());
            if bytes.get(length) != Some(&separator) || !(1..=2).contains(&digits) {
                break;
            }
            *field = number(&bytes[length + 1..length + 1 + digits]);
            length += 1 + digits;
        }
        if length == hour_digits {
            return None;
        }
        let fraction = match bytes.get(length) {
            Some(b'.' | b',') => count_digits(&bytes[length + 1..]),
            _ => 0,
        };
        length += if fraction > 0 { fraction + 1 } else { 0 };
        Some((clock(fields[0], fields[1], fields[2])?, length))
    }

    fn take_word(&mut self, text: &str, at: usize, in_comment: bool) -> usize {
        let length = text.as_bytes()[at..].iter().take_while(|byte| is_letter(**byte)).count();
        let word = text.get(at..at + length).unwrap_or_default().to_lowercase();
        match (word.as_str(), self.seconds) {
            ("am", Some(seconds)) if seconds / 3600 == 12 => self.seconds = Some(seconds - 12 * 3600),
            ("pm", Some(seconds)) if seconds / 3600 < 12 => self.seconds = Some(seconds + 12 * 3600),
            ("dst", Some(_)) if !in_comment => self.daylight = true,
            // The last one counts: "Mar" is a Tuesday in some languages.
            _ if !in_comment && month_number(&word).is_some() => self.month = month_number(&word),
            (_, Some(_)) if in_comment => self.zone_in_comment = self.zone_in_comment.or(zone_minutes(&word)),
            (_, Some(_)) => self.zone = self.zone.or(zone_minutes(&word)),
            _ => {}
        }
        length
    }

    /// A zone such as `+0200`, `-8`, `+1:00`, behind the time.
    fn take_sign(&mut self, bytes: &[u8], at: usize) -> usize {
        let digits = count_digits(&bytes[at + 1..]);
        if self.seconds.is_none() || digits == 0 {
            return 1;
        }
        let value = number(&bytes[at + 1..at + 1 + digits.min(4)]);
        let mut length = 1 + digits;
        let (hours, mut minutes) = match digits {
            1 | 2 => (value, 0),
            _ => (value / 100, value % 100),
        };
        if digits <= 2 && bytes.get(at + length) == Some(&b':') {
            let more = count_digits(&bytes[at + length + 1..]);
            minutes = number(&bytes[at + length + 1..at + length + 1 + more.min(2)]);
            length += 1 + more;
        }
        let offset = hours * 60 + minutes;
        // `GMT+0200` means +0200; a zone's name before a number says less than the number, unless that is nowhere.
        if minutes < 60 && offset <= FARTHEST_ZONE {
            self.zone = Some(if bytes[at] == b'-' { -offset } else { offset });
        }
        length
    }

    fn written(mut self) -> Option<Written> {
        self.take_unsigned_zone();
        if self.numbers.len() > 3 {
            return None;
        }
        let day = self.day()?;
        // The first moment of some calendars: a program's way to say that it knows no date.
        let is_year_one = self.numbers.iter().any(|number| number.digits == 4 && number.value == 1);
        if is_year_one && (day.month, day.day, self.seconds.unwrap_or(0)) == (1, 1, 0) {
            return None;
        }
        let swapped = self.day_and_month_are_open().then_some(Day { month: day.day, day: day.month, ..day });
        let swapped = swapped.filter(|swapped| swapped.month != swapped.day);
        Some(Written { epoch: self.epoch(day)?, swapped: swapped.and_then(|day| self.epoch(day)) })
    }

    fn epoch(&self, day: Day) -> Option<i64> {
        let daylight = if self.daylight { 60 } else { 0 };
        let zone = self.zone.or(self.zone_in_comment).unwrap_or(0) + daylight;
        Some(day.since_1970()? * 86_400 + self.seconds.unwrap_or(0) - zone * 60)
    }

    /// Whether the date is all figures and does not start with its year.
    fn day_and_month_are_open(&self) -> bool {
        self.month.is_none() && self.numbers.first().is_some_and(|first| first.digits <= 2)
    }

    /// `5 Jan 2009 10:11:12 0200`: a fourth number where day, month and year are known is a zone without sign.
    fn take_unsigned_zone(&mut self) {
        let needed = if self.month.is_some() { 2 } else { 3 };
        if self.numbers.len() == needed + 1
            && let Some(Number { value, digits: 4, .. }) = self.numbers.last().copied()
            && self.zone.is_none()
            && value / 100 <= 14
        {
            self.zone = Some(value / 100 * 60 + value % 100);
            self.numbers.pop();
        }
    }

    fn day(&self) -> Option<Day> {
        let of =
            |year: &Number, month: i64, day: &Number| Day { year: full_year(*year), month, day: day.value };
        match (self.month, self.numbers.as_slice()) {
            (Some(month), [year, day, ..]) if year.digits >= 3 && day.digits <= 2 => {
                Some(of(year, month, day))
            }
            (Some(month), [day, year, ..]) if day.digits <= 2 => Some(of(year, month, day)),
            (None, [year, month, day, ..]) if year.digits == 4 => Some(of(year, month.value, day)),
            (None, [first, second, year, ..]) => {
                let american = first.next == b'/' && first.value <= 12 || second.value > 12;
                let (day, month) = if american { (second, first) } else { (first, second) };
                Some(of(year, month.value, day))
            }
            _ => None,
        }
    }
}

/// The greatest distance of a zone from Greenwich, in minutes; what claims more is no zone.
const FARTHEST_ZONE: i64 = 14 * 60;

/// A day of the calendar, which may not exist.
#[derive(Debug, Clone, Copy)]
struct Day {
    year: i64,
    month: i64,
    day: i64,
}

impl Day {
    fn since_1970(self) -> Option<i64> {
        days_since_1970(self.year, self.month, self.day)
    }
}

/// Bytes beyond ASCII belong to words, as in `août`.
fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0x80
}

fn count_digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn number(digits: &[u8]) -> i64 {
    digits.iter().take(9).fold(0, |value, digit| value * 10 + i64::from(digit - b'0'))
}

/// Seconds of the day; a leap second counts as the one before, 24:00 is the next day.
fn clock(hour: i64, minute: i64, second: i64) -> Option<i64> {
    (hour <= 24 && minute < 60 && second <= 60).then(|| hour * 3600 + minute * 60 + second.min(59))
}

/// Two digits by RFC 5322, three by adding 1900, as programs did after 1999; others wrote `0002` for 2002.
fn full_year(year: Number) -> i64 {
    match (year.digits, year.value) {
        (1 | 2 | 4, value @ 0..50) => value + 2000,
        (1 | 2 | 4, value @ 50..100) => value + 1900,
        (1..=3, value) => value + 1900,
        (_, value) => value,
    }
}

/// Days from 1970-01-01 in the Gregorian calendar; `None` for a day that does not exist.
fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=last).contains(&day) {
        return None;
    }
    let before =
        (0..month - 1).map(|at| [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30][at as usize]).sum::<i64>();
    let leap_day = i64::from(leap && month > 2);
    let past = year - 1;
    let days = past * 365 + past / 4 - past / 100 + past / 400 + before + leap_day + day - 1;
    Some(days - 719_162)
}

#[cfg(test)]
mod tests;
