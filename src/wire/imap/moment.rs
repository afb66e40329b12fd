//! INTERNALDATE: `17-Jul-1996 02:44:25 -0700`.

use jiff::civil::DateTime;
use jiff::tz::Offset;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Seconds since 1970; `None` when it cannot be read.
pub(super) fn parse(text: &str) -> Option<i64> {
    let mut words = text.split_ascii_whitespace();
    let (date, time, zone) = (words.next()?, words.next()?, words.next()?);
    let mut date = date.splitn(3, '-');
    let (day, month, year) =
        (date.next()?.parse().ok()?, date.next()?.to_lowercase(), date.next()?.parse().ok()?);
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let mut time = time.splitn(3, ':').map(|part| part.parse::<i8>().ok());
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    let local = DateTime::new(year, i8::try_from(month).ok()?, day, hour, minute, second.min(59), 0).ok()?;
    let zone: i32 = zone.parse().ok()?;
    let offset = Offset::from_seconds((zone / 100 * 60 + zone % 100) * 60).ok()?;
    Some(offset.to_timestamp(local).ok()?.as_second())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn dates_of_servers_are_read() {
        assert_eq!(parse("17-Jul-1996 02:44:25 -0700"), Some(837_596_665));
        assert_eq!(parse(" 1-Jan-1970 00:00:00 +0000"), Some(0));
        assert_eq!(parse("01-Jan-2026 01:30:00 +0130"), Some(1_767_225_600));
        for odd in ["", "31-Feb-2026 00:00:00 +0000", "1-Jan-2026", "x-y-z 1:2:3 +0", "1-Jan-2026 9:9 +0000"]
        {
            assert_eq!(parse(odd), None, "{odd}");
        }
    }
}
