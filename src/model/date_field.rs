//! The `Date` of a message that is written here. It says when a message is handed over (RFC 5322, 3.6.1), so the frozen
//! bytes have none: who hands one over puts it in, always in the same place, and everything else stays as it was frozen.

use jiff::Timestamp;

const FORMAT: &str = "Date: %a, %-d %b %Y %H:%M:%S +0000\r\n";

/// The message with the one line that says when, in UTC, behind its first field: `From` in all that is frozen here.
#[must_use]
pub fn dated(frozen: &[u8], epoch: i64) -> Vec<u8> {
    let at = end_of_first_field(frozen);
    let line = Timestamp::from_second(epoch).unwrap_or(Timestamp::UNIX_EPOCH).strftime(FORMAT).to_string();
    [&frozen[..at], line.as_bytes(), &frozen[at..]].concat()
}

/// The message that [`dated`] made this of, when it was made with this time; `None` for all else.
#[must_use]
pub fn undated(message: &[u8], epoch: i64) -> Option<Vec<u8>> {
    let at = end_of_first_field(message);
    let line = memchr::memmem::find(&message[at..], b"\r\n")? + 2;
    let frozen = [&message[..at], &message[at + line..]].concat();
    (dated(&frozen, epoch) == message).then_some(frozen)
}

/// Where the second field begins: lines that begin with a blank still belong to the first.
fn end_of_first_field(message: &[u8]) -> usize {
    let ends = memchr::memmem::find_iter(message, b"\r\n").map(|end| end + 2);
    let mut ends = ends.filter(|end| !matches!(message.get(*end), Some(b' ' | b'\t')));
    ends.next().unwrap_or(message.len())
}

#[cfg(test)]
mod tests {
    use super::{dated, undated};

    const LUNCH: i64 = 1_781_524_800;

    #[test]
    fn the_date_stands_behind_from_and_nothing_else_is_different() {
        for (frozen, expected) in [
            ("From: <a@x.example>\r\nTo: b\r\n\r\nHi\r\n", "From: <a@x.example>\r\nDATETo: b\r\n\r\nHi\r\n"),
            ("From: A\r\n <a@x.example>\r\nTo: b\r\n\r\n", "From: A\r\n <a@x.example>\r\nDATETo: b\r\n\r\n"),
            ("From: <a@x.example>\r\n\r\nTo: b\r\n", "From: <a@x.example>\r\nDATE\r\nTo: b\r\n"),
        ] {
            let expected = expected.replace("DATE", "Date: Mon, 15 Jun 2026 12:00:00 +0000\r\n");

            let message = dated(frozen.as_bytes(), LUNCH);

            assert_eq!(String::from_utf8(message.clone()).unwrap(), expected);
            assert_eq!(undated(&message, LUNCH).unwrap(), frozen.as_bytes());
        }
    }

    #[test]
    fn only_the_date_that_was_put_in_is_taken_out() {
        let message = dated(b"From: <a@x.example>\r\nTo: b\r\n\r\nHi\r\n", LUNCH);

        assert_eq!(undated(&message, LUNCH + 1), None);
        assert_eq!(undated(b"From: <a@x.example>\r\nTo: b\r\n\r\nHi\r\n", LUNCH), None);
        for bytes in [&b""[..], b"x", b"\r\n", b"From: x"] {
            assert_eq!(undated(bytes, LUNCH), None);
        }
    }

    #[test]
    fn any_time_is_a_time() {
        let text = |epoch| String::from_utf8(dated(b"From: x\r\n\r\n", epoch)).unwrap();

        assert!(text(1_780_315_200).contains("Date: Mon, 1 Jun 2026 12:00:00 +0000\r\n"));
        assert!(text(i64::MAX).contains("Date: Thu, 1 Jan 1970 00:00:00 +0000\r\n"));
    }
}
