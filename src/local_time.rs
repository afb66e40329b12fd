//! Moments as a person reads them: in their own time zone, the same in every command.

use jiff::Timestamp;
use jiff::fmt::strtime;

use crate::clock::Clock;

/// How wide `local_time` is.
pub const TIME_COLUMNS: usize = 16;

/// `2024-01-08 10:12` of a moment as answers carry it (in UTC); what cannot be read stays as it is.
#[must_use]
pub fn local_time(moment: &str, clock: &Clock) -> String {
    formatted("%Y-%m-%d %H:%M", moment, clock)
}

/// Only the day on the person's calendar, which is the one that `on:` and `after:` go by.
#[must_use]
pub fn local_day(moment: &str, clock: &Clock) -> String {
    formatted("%Y-%m-%d", moment, clock)
}

fn formatted(format: &str, moment: &str, clock: &Clock) -> String {
    let Ok(timestamp) = moment.parse::<Timestamp>() else { return moment.to_owned() };
    strtime::format(format, &timestamp.to_zoned(clock.zone().clone())).unwrap_or_else(|_| moment.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{TIME_COLUMNS, local_day, local_time};
    use crate::clock::Clock;

    #[test]
    fn a_moment_is_told_to_the_minute() {
        let clock = Clock::frozen(jiff::Timestamp::UNIX_EPOCH);

        assert_eq!(local_time("2024-01-08T09:12:47Z", &clock), "2024-01-08 09:12");
        assert_eq!(local_time("2024-01-08T23:30:00-02:00", &clock), "2024-01-09 01:30");
        assert_eq!(local_day("2024-01-08T09:12:47Z", &clock), "2024-01-08");
        assert_eq!(local_time("2024-01-08T09:12:47Z", &clock).len(), TIME_COLUMNS);
    }

    #[test]
    fn what_is_no_moment_stays_as_it_is() {
        assert_eq!(local_time("someday", &Clock::frozen(jiff::Timestamp::UNIX_EPOCH)), "someday");
    }
}
