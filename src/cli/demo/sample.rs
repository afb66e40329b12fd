//! The sample mailbox, with its dates moved so that the newest message is less than a day old. All but the newest week
//! is moved by whole weeks, so that people at work do not write on Sundays.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// The accounts, and the mail of each.
pub(super) const SAMPLES: [(&str, &str, &[u8]); 2] = [
    ("ada.berg@example.org", "personal.mbox", include_bytes!("../../../demo/personal.mbox")),
    ("a.berg@northwind-optics.example", "work.mbox", include_bytes!("../../../demo/work.mbox")),
];

/// The Message-ID of the newest message.
pub(super) const NEWEST_ID: &str = "6fe78d49e0603e66@cirrus-backup.example";
/// Its date as it stands in the sample.
const NEWEST_EPOCH: i64 = 1_789_434_763;
const DAY: i64 = 86_400;

/// How dates are written in fields, and where answers quote a message.
const FIELD: (&str, usize) = ("%a, %d %b %Y", 16);
/// How they are written in the line before each message.
const ENVELOPE: (&str, usize) = ("%a %b %e %H:%M:%S %Y", 24);
/// How invitations write when something begins and ends.
const EVENT: &str = "%Y%m%dT%H%M%SZ";

/// By how many days the newest message is moved so that it is less than a day old.
pub(super) fn days_until(now: i64) -> i64 {
    (now - NEWEST_EPOCH).div_euclid(DAY)
}

/// By how many days a sample was moved whose newest message has this date.
pub(super) fn days_moved(newest: i64) -> i64 {
    (newest - NEWEST_EPOCH).div_euclid(DAY)
}

/// A date of the sample where it is when the newest message is moved by so many days.
fn moved_date(date: Date, days: i64) -> Option<Date> {
    let newest = newest_date()?;
    let is_of_newest_week = newest.checked_sub(1.week()).is_ok_and(|week_before| date > week_before);
    let days = if is_of_newest_week { days } else { days.div_euclid(7) * 7 };
    date.checked_add(days.days()).ok()
}

/// What is yet to come stays on its weekday, and is still to come.
fn moved_event(at: DateTime, days: i64) -> Option<DateTime> {
    let weeks = -(-days).div_euclid(7);
    if at.date() > newest_date()? { at.checked_add(weeks.weeks()).ok() } else { None }
}

fn newest_date() -> Option<Date> {
    Some(Timestamp::from_second(NEWEST_EPOCH).ok()?.to_zoned(TimeZone::UTC).date())
}

/// The mbox with its dates moved; every line stays as long as it is. Texts keep the dates they speak of.
pub(super) fn moved(mbox: &[u8], days: i64) -> Vec<u8> {
    let mut moved = mbox.to_vec();
    let mut start = 0;
    for line in mbox.split_inclusive(|byte| *byte == b'\n') {
        move_line(&mut moved[start..start + line.len()], days);
        start += line.len();
    }
    moved
}

fn move_line(line: &mut [u8], days: i64) {
    let end = line.len() - usize::from(line.ends_with(b"\n"));
    if line.starts_with(b"From ") && end > ENVELOPE.1 {
        let date = &mut line[end - ENVELOPE.1..end];
        rewrite(date, |text| {
            let moment = DateTime::strptime(ENVELOPE.0, text).ok()?;
            let moved = moved_date(moment.date(), days)?.to_datetime(moment.time());
            Some(moved.strftime(ENVELOPE.0).to_string())
        });
    }
    if line.starts_with(b"DTSTART:") || line.starts_with(b"DTEND:") {
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(end);
        rewrite(&mut line[colon + 1..end], |text| {
            Some(moved_event(DateTime::strptime(EVENT, text).ok()?, days)?.strftime(EVENT).to_string())
        });
    }
    for at in 0..line.len().saturating_sub(FIELD.1 - 1) {
        if line[at + 3] == b',' {
            let date = &mut line[at..at + FIELD.1];
            rewrite(date, |text| {
                Some(moved_date(Date::strptime(FIELD.0, text).ok()?, days)?.strftime(FIELD.0).to_string())
            });
        }
    }
}

/// Puts something of the same length in a place, if it can be made of what stands there.
fn rewrite(place: &mut [u8], made: impl Fn(&str) -> Option<String>) {
    let new = std::str::from_utf8(place).ok().and_then(made);
    if let Some(new) = new.filter(|new| new.len() == place.len()) {
        place.copy_from_slice(new.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::DateTime;
    use jiff::tz::TimeZone;

    use super::{DAY, ENVELOPE, NEWEST_EPOCH, NEWEST_ID, SAMPLES, days_until, moved};

    fn moved_text(text: &str, days: i64) -> String {
        String::from_utf8(moved(text.as_bytes(), days)).unwrap()
    }

    #[test]
    fn dates_in_fields_quotations_and_between_messages_move_together() {
        let text = "From a@example.org Mon Sep 11 10:30:34 2023\nReceived: x; Mon, 11 Sep 2023 12:30:37 +0200\n\
                    Date: Mon, 11 Sep 2023 12:30:34 +0200\n\nOn Mon, 11 Sep 2023 at 12:30, A wrote:\n";
        let later = "From a@example.org Mon Oct  2 10:30:34 2023\nReceived: x; Mon, 02 Oct 2023 12:30:37 +0200\n\
                     Date: Mon, 02 Oct 2023 12:30:34 +0200\n\nOn Mon, 02 Oct 2023 at 12:30, A wrote:\n";

        assert_eq!(moved_text(text, 21), later);
        assert_eq!(moved_text(later, -21), text);
    }

    #[test]
    fn weekdays_stay_except_in_the_newest_week_and_nothing_overtakes() {
        let moved = |date: &str| moved_text(&format!("{date}\n"), 10);

        assert_eq!(moved("Tue, 15 Sep 2026"), "Fri, 25 Sep 2026\n");
        assert_eq!(moved("Wed, 09 Sep 2026"), "Sat, 19 Sep 2026\n");
        assert_eq!(moved("Tue, 08 Sep 2026"), "Tue, 15 Sep 2026\n");
    }

    #[test]
    fn what_is_yet_to_come_stays_on_its_weekday_and_ahead() {
        let event = |days: i64| moved_text("DTSTART:20260921T120000Z\nDTEND:20240308T140000Z\n", days);

        assert_eq!(event(7), "DTSTART:20260928T120000Z\nDTEND:20240308T140000Z\n");
        assert_eq!(event(8), "DTSTART:20261005T120000Z\nDTEND:20240308T140000Z\n");
        assert_eq!(event(-8), "DTSTART:20260914T120000Z\nDTEND:20240308T140000Z\n");
    }

    #[test]
    fn texts_of_the_newest_month_name_no_day_of_the_sample() {
        let samples = SAMPLES.map(|(.., bytes)| String::from_utf8_lossy(bytes).into_owned()).concat();
        let newest = samples.split("\nFrom ").filter(|mail| {
            let line = mail.lines().next().unwrap_or_default();
            line.ends_with("2026") && (line.contains(" Sep ") || line.contains(" Aug 3"))
        });

        let texts: Vec<&str> =
            newest.filter_map(|mail| mail.split_once("\n\n")).map(|(_, text)| text).collect();

        assert!(texts.len() > 10, "{}", texts.len());
        for text in texts {
            for day in [" September", " October", "week 3", "the 21st", "the 25th"] {
                assert!(!text.contains(day), "{day}: {text}");
            }
        }
    }

    #[test]
    fn everything_else_stays() {
        for text in
            ["Dear all, 12 of 14 agree, Mon, 31 Feb 2023 is no day", "From here on it is easy\n", ",", ""]
        {
            assert_eq!(moved_text(text, 7), text);
        }
    }

    #[test]
    fn the_newest_message_is_the_one_that_is_named() {
        let epoch = |line: &str| {
            let date =
                DateTime::strptime(ENVELOPE.0, line.get(line.len().checked_sub(ENVELOPE.1)?..)?).ok()?;
            Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second())
        };
        let samples = SAMPLES.map(|(.., bytes)| String::from_utf8_lossy(bytes).into_owned()).concat();

        let (newest, rest) = samples
            .match_indices("\nFrom ")
            .filter_map(|(at, _)| Some((epoch(samples[at + 1..].lines().next()?)?, &samples[at..])))
            .max_by_key(|(epoch, _)| *epoch)
            .unwrap();

        assert_eq!(newest, NEWEST_EPOCH);
        assert!(rest.split("\n\n").next().unwrap().contains(NEWEST_ID));
    }

    #[test]
    fn the_newest_is_never_in_the_future_and_less_than_a_day_old() {
        for now in [0, NEWEST_EPOCH - 1, NEWEST_EPOCH, NEWEST_EPOCH + 12_345_678] {
            let newest = NEWEST_EPOCH + days_until(now) * DAY;
            assert!((now - DAY + 1..=now).contains(&newest), "{now} {newest}");
        }
    }
}
