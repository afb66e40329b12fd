//! The forms dates have been seen in.

use super::{Written, received};

fn header(text: &str) -> Option<i64> {
    super::header(text).map(|written| written.epoch)
}

const MOMENT: i64 = 1_231_150_272; // 2009-01-05T10:11:12Z

#[test]
fn one_moment_is_read_from_every_form() {
    for text in [
        "Mon, 05 Jan 2009 10:11:12 +0000",
        "5 Jan 2009 10:11:12 GMT",
        "Mon, 5 Jan 09 11:11:12 +0100",
        "Mon, 5 Jan 109 11:11:12 +0100",
        "Mon Jan  5 10:11:12 2009",
        "Mon Jan  5 02:11:12 PST 2009",
        "Mon Jan  5 02:11:12 2009 -0800",
        "Mon, 05 Jan 2009 12:11:12 (CEST)",
        "Mon, 05 Jan 2009 12:11:12 GMT+0200",
        "Mon, 05 Jan 2009 12:11:12 +0200 (CEST)",
        "Mon, 05 Jan 2009 11:11:12 +1:00",
        "Mon, 05 Jan 2009 11:11:12 +01:00",
        "Mon, 05 Jan 2009 10:11:12",
        "Mon, 05 Jan 2009 10.11.12",
        "Mon, 05 Jan 2009 10:11:12 +9999",
        "Mon, 05 Jan 2009 10:11:12 +1430",
        "Mon, 05 Jan 2009 10:11:12 -1500",
        "Mon, 05 Jan 2009 12:11:12 +2400 (CEST)",
        "Tue, 06 Jan 2009 00:11:12 +1400",
        "Mon, 05 Jan 0009 10:11:12 +0000",
        "0009-01-05T10:11:12Z",
        "Fri, 05 January 2009 10:11:12 UT",
        "Mo, 05 Jän 2009 10:11:12 +0000",
        "lun., 5 janv. 2009 10:11:12 +0000",
        "Mar, 5 Jan 2009 10:11:12 +0000",
        "January 5, 2009 10:11:12 AM",
        "2009-01-05T10:11:12Z",
        "2009-01-05 10:11:12.345 +00:00",
        "2009-01-05T11:11:12+01:00",
        "20090105T101112Z",
        "05.01.2009 10:11:12",
        "1/5/2009 10:11:12 AM",
        "05-Jan-2009 10:11:12 +0000",
        "Mon, 05 Jan 2009 11:11:12 0100",
        "Mon, 05 Jan 2009 12:11:12 MET DST",
        "Mon, 05 Jan 2009 14:11:12 +0400 (MSK DST)",
        "Mon,05Jan2009 10:11:12+0000",
        "1231150272",
    ] {
        assert_eq!(header(text), Some(MOMENT), "{text}");
    }
}

#[test]
fn missing_pieces_are_taken_as_zero() {
    assert_eq!(header("Mon, 05 Jan 2009 10:11"), Some(MOMENT - 12));
    assert_eq!(header("5 Jan 2009"), Some(MOMENT - MOMENT % 86_400));
    assert_eq!(header("5 Jan 2009 12:00:00 PM"), Some(MOMENT - MOMENT % 86_400 + 43_200));
    assert_eq!(header("31 Dec 1998 23:59:60 +0000"), Some(915_148_799));
    assert_eq!(header("29 Feb 2000 00:00:00 +0000"), Some(951_782_400));
}

#[test]
fn what_is_no_date_is_refused() {
    for text in [
        "",
        "yesterday",
        "Mon, 32 Jan 2009 10:11:12",
        "29 Feb 2009",
        "5 Foo 2009 10:11:12",
        "(5 Jan 2009)",
        "Mon, 01 Jan 0001 00:00:00 GMT",
    ] {
        assert_eq!(header(text), None, "{text}");
    }
    assert_eq!(header(&"1 ".repeat(100_000)), None);
}

#[test]
fn a_received_field_has_its_date_behind_the_semicolon() {
    let field = "from a (b [1.2.3.4]) by c; id 7; Mon, 5 Jan 2009 10:11:12 +0000 (UTC)";
    assert_eq!(received(field), Some(MOMENT));
    assert_eq!(received("from a by c"), None);
}

#[test]
fn years_written_with_zeros_are_of_this_century_or_the_last() {
    for (year, full) in
        [("0001", "2001"), ("0002", "2002"), ("0049", "2049"), ("0099", "1999"), ("1999", "1999")]
    {
        let at = |year: &str| header(&format!("Mon, 05 Feb {year} 10:11:12 +0000"));
        assert_eq!(at(year), at(full), "{year}");
    }
}

#[test]
fn figures_that_can_be_read_both_ways_are_decided_by_another_date() {
    let (may, january) = (header("1 May 2009").unwrap(), header("5 Jan 2009").unwrap());
    for text in ["05-01-2009", "05.01.2009", "5/1/2009"] {
        let written = super::header(text).unwrap();
        assert_eq!(
            (written.nearest(may + 86_400), written.nearest(january - 86_400)),
            (may, january),
            "{text}"
        );
    }
    for text in ["05-13-2009", "05-05-2009", "2009-05-01", "1 May 2009"] {
        assert!(matches!(super::header(text), Some(Written { swapped: None, .. })), "{text}");
    }
}
