//! The `From ` line that opens each message of an mbox: which lines are one, and the date they carry.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::detect::{is_field, is_known_field};

/// How far behind a `From ` we look when deciding. A line longer than this is never a separator.
pub(super) const WINDOW: usize = 2048;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Whether the line at `at`, which starts with `From `, opens a message.
///
/// `text` holds what stands before the line (at least three bytes, or all there is) and
/// [`WINDOW`] bytes from `at` on (or all there is), so that the answer does not depend on how the file was cut into chunks.
pub(super) fn is_separator(text: &[u8], at: usize) -> bool {
    let window = &text[at..text.len().min(at + WINDOW)];
    let Some(end) = memchr::memchr(b'\n', window) else {
        return false;
    };
    let after_blank = follows_blank_line(&text[..at]);
    let next = &window[end + 1..];
    if is_dated(&window[..end]) {
        return after_blank || is_field(next);
    }
    after_blank && is_known_field(next)
}

/// Whether the `From ` line at the start of a file opens a message, rather than a letter from somebody's desk.
pub(super) fn is_first(text: &[u8]) -> bool {
    let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
    is_dated(&text[..end]) || text.get(end + 1..).is_some_and(is_field)
}

/// Whether the text ends in a blank line, or is empty.
pub(super) fn follows_blank_line(before: &[u8]) -> bool {
    blank_line_at_end(before).is_some() || before.is_empty()
}

/// Length of the blank line (`\n` or `\r\n`) that ends the text.
pub(super) fn blank_line_at_end(text: &[u8]) -> Option<usize> {
    let rest = text.strip_suffix(b"\n")?;
    let rest = rest.strip_suffix(b"\r").unwrap_or(rest);
    (rest.is_empty() || rest.ends_with(b"\n")).then_some(text.len() - rest.len())
}

fn is_dated(line: &[u8]) -> bool {
    words(line).any(|word| month(word).is_some()) && words(line).any(|word| clock(word).is_some())
}

/// The date of a `From ` line in seconds since 1970: `Www Mmm dd hh:mm[:ss] [zone] yyyy [zone]`.
///
/// Public archives write the epoch itself where they know nothing, so exactly 0 is no date.
pub(super) fn date(line: &[u8]) -> Option<i64> {
    let words: Vec<&[u8]> = words(line).collect();
    (0..words.len()).rev().find_map(|at| date_at(&words[at..])).filter(|epoch| *epoch != 0)
}

fn date_at(words: &[&[u8]]) -> Option<i64> {
    let [month_name, day, time, rest @ ..] = words else {
        return None;
    };
    let (month, day) = (month(month_name)?, number(day)?);
    let (hour, minute, second) = clock(time)?;
    let year = rest.iter().take(3).find_map(|word| year(word))?;
    let zone = rest.iter().take(3).find_map(|word| zone(word)).unwrap_or(0);
    let civil = DateTime::new(year, month, i8::try_from(day).ok()?, hour, minute, second, 0).ok()?;
    let utc = civil.to_zoned(TimeZone::UTC).ok()?;
    Some(utc.timestamp().as_second() - zone)
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

fn month(word: &[u8]) -> Option<i8> {
    let position = MONTHS.iter().position(|name| word.eq_ignore_ascii_case(name.as_bytes()))?;
    i8::try_from(position + 1).ok()
}

/// `hh:mm` or `hh:mm:ss`; a leap second is taken for the one before it.
fn clock(word: &[u8]) -> Option<(i8, i8, i8)> {
    let mut parts = word.split(|byte| *byte == b':').map(|part| match part.len() {
        1 | 2 => number(part).and_then(|value| i8::try_from(value).ok()),
        _ => None,
    });
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next().unwrap_or(Some(0))?.min(59);
    (parts.next().is_none() && hour < 24 && minute < 60).then_some((hour, minute, second))
}

fn year(word: &[u8]) -> Option<i16> {
    (word.len() == 4).then(|| number(word))?.and_then(|value| i16::try_from(value).ok())
}

/// Seconds east of Greenwich of `+hhmm` or `-hhmm`. Names of zones are not unique and count as UTC.
fn zone(word: &[u8]) -> Option<i64> {
    let (sign, digits) = match word {
        [b'+', digits @ ..] => (1, digits),
        [b'-', digits @ ..] => (-1, digits),
        _ => return None,
    };
    let value = (digits.len() == 4).then(|| number(digits))??;
    Some(sign * i64::from(value / 100 * 3600 + value % 100 * 60))
}

fn number(digits: &[u8]) -> Option<u32> {
    let all_digits = !digits.is_empty() && digits.len() < 9 && digits.iter().all(u8::is_ascii_digit);
    all_digits.then(|| digits.iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::{blank_line_at_end, date, is_separator};

    fn splits(text: &str) -> bool {
        is_separator(text.as_bytes(), text.find("From ").unwrap())
    }

    #[test]
    fn dated_lines_after_a_blank_line_or_before_a_field_open_a_message() {
        for text in [
            "x\n\nFrom a@b Thu Jan  1 00:00:00 1970\n",
            "x\r\n\r\nFrom a@b Thu Jan  1 00:00 1970\r\nno field\r\n",
            "x\nFrom - Tue Jan 05 10:00:00 2016\nOdd: field\n",
            "x\n\nFrom john doe Thu Feb 29 10:30:00 MET 2024\n\n",
        ] {
            assert!(splits(text), "{text:?}");
        }
    }

    #[test]
    fn an_undated_line_needs_a_blank_line_before_and_a_mail_field_behind() {
        assert!(splits("x\n\nFrom somebody\nReceived: by x\n"));
        assert!(splits("x\n\nFrom somebody\nX-Odd: y\n"));
        assert!(!splits("x\nFrom somebody\nReceived: by x\n"));
        assert!(!splits("x\n\nFrom somebody\nreceived it.\n"));
    }

    #[test]
    fn sentences_that_begin_with_from_are_body_text() {
        for text in [
            "x\n\nFrom here on we meet at 10:30\nat the usual place.\n",
            "x\n\nFrom here on we meet at 10:30\nNote: bring cake\n",
            "x\n\nFrom now on see\nhttps://example.org/\n",
            "x\nFrom 10:30 in Jan\nwe meet.\n",
            "x\n\nFrom cut off at the end of the file, Jan 10:30",
        ] {
            assert!(!splits(text), "{text:?}");
        }
    }

    #[test]
    fn the_date_is_read_with_and_without_a_zone() {
        for (line, epoch) in [
            ("From a@b Tue Jan  5 10:00:00 2016", Some(1_451_988_000)),
            ("From a@b Tue Jan 05 10:00:00 +0100 2016\r", Some(1_451_984_400)),
            ("From a@b Tue Jan 05 10:00:00 2016 -0130", Some(1_451_993_400)),
            ("From a@b Tue Jan 05 10:00:00 EST 2016", Some(1_451_988_000)),
            ("From May Sun Tue Jan 5 10:00 2016", Some(1_451_988_000)),
            ("From mboxrd@z Thu Jan  1 00:00:00 1970", None),
            ("From a@b Tue Feb 30 10:00:00 2016", None),
            ("From a@b", None),
        ] {
            assert_eq!(date(line.as_bytes()), epoch, "{line}");
        }
    }

    #[test]
    fn only_a_whole_empty_line_is_blank() {
        assert_eq!(blank_line_at_end(b"a\n\n"), Some(1));
        assert_eq!(blank_line_at_end(b"a\r\n\r\n"), Some(2));
        assert_eq!(blank_line_at_end(b"\n"), Some(1));
        assert_eq!(blank_line_at_end(b"a\n"), None);
        assert_eq!(blank_line_at_end(b"\n\r"), None);
        assert_eq!(blank_line_at_end(b""), None);
    }
}
