//! The promises of cutting an mbox up, whatever the chunks it arrives in.

use std::io::{self, Read};

use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};

use super::{MboxReader, Step};
use crate::source::files::MboxWriter;

const FROM: &str = "From a@b Tue Jan  5 10:00:00 2016\n";

/// Gives at most `step` bytes per call, and fails at the end when told to.
struct Drip<'a> {
    rest: &'a [u8],
    step: usize,
    fails: bool,
}

impl Read for Drip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() && self.fails {
            return Err(io::Error::other("torn"));
        }
        let count = self.step.min(buffer.len());
        self.rest.read(&mut buffer[..count])
    }
}

fn steps(mbox: &[u8], chunk: usize, limit: usize) -> Vec<String> {
    let input = Drip { rest: mbox, step: chunk, fails: false };
    describe(MboxReader::with_chunk(input, limit, chunk))
}

fn describe<R: Read>(mut reader: MboxReader<R>) -> Vec<String> {
    std::iter::from_fn(|| reader.step())
        .map(|step| match step {
            Step::Message { bytes, .. } => bytes.escape_ascii().to_string(),
            Step::TooLarge { offset } => format!("too large at {offset}"),
            Step::Failed { offset, error } => format!("{error} at {offset}"),
        })
        .collect()
}

fn messages(mbox: &str) -> Vec<String> {
    steps(mbox.as_bytes(), 64, 1 << 20)
}

#[test]
fn messages_lose_their_from_line_and_one_blank_line() {
    assert_eq!(
        messages(&format!("{FROM}A: b\n\nx\n\n{FROM}C: d\n\n\n\n")),
        ["A: b\\n\\nx\\n", "C: d\\n\\n\\n"]
    );
    assert_eq!(messages(&format!("{FROM}A: b\r\n\r\nx\r\n\r\n{FROM}y")), ["A: b\\r\\n\\r\\nx\\r\\n", "y"]);
}

#[test]
fn a_cut_or_missing_end_still_gives_the_last_message() {
    assert_eq!(messages(&format!("{FROM}A: b\n\ncut he")), ["A: b\\n\\ncut he"]);
    assert_eq!(messages(FROM), [""]);
    assert_eq!(messages("From a@b"), [""]);
}

#[test]
fn a_missing_blank_line_before_a_dated_separator_is_forgiven() {
    assert_eq!(
        messages(&format!("{FROM}A: b\n\nx\n{FROM}C: d\n\ny\n")),
        ["A: b\\n\\nx\\n", "C: d\\n\\ny\\n"]
    );
}

#[test]
fn an_unquoted_sentence_stays_in_its_message() {
    let body = "A: b\n\nhello\n\nFrom here on we meet at 10:30\nat home\n";

    assert_eq!(messages(&format!("{FROM}{body}\n{FROM}C: d\n\n")).len(), 2);
}

#[test]
fn blank_lines_and_a_byte_order_mark_before_the_first_line_are_passed_over() {
    let mbox = format!("\u{feff}\r\n\n\n{FROM}A: b\n");
    let mut reader = MboxReader::with_chunk(mbox.as_bytes(), 100, 1);

    let step = reader.step();

    assert!(matches!(step, Some(Step::Message { offset: 7, .. })), "{step:?}");
}

#[test]
fn the_first_line_opens_a_message_whatever_it_says() {
    assert_eq!(messages("From nowhere\njust text\n"), ["just text\\n"]);
    assert_eq!(messages("\n\n"), Vec::<String>::new());
    assert_eq!(messages(""), Vec::<String>::new());
}

#[test]
fn a_first_line_without_end_is_kept_as_text() {
    let line = format!("From {}", "x".repeat(5000));

    assert_eq!(messages(&format!("{line}\n")), [format!("{line}\\n")]);
}

#[test]
fn quoted_lines_lose_one_mark() {
    let mbox = format!("{FROM}>From a\n>>From b\nx >From c\n> From d\n>From: e\n>>>>From f");

    assert_eq!(messages(&mbox), ["From a\\n>From b\\nx >From c\\n> From d\\n>From: e\\n>>>From f"]);
}

#[test]
fn the_line_date_and_the_offset_come_with_the_message() {
    let mbox = format!("{FROM}A: b\n\n{FROM}C: d\n");
    let mut reader = MboxReader::new(mbox.as_bytes(), 100);

    let (first, second) = (reader.step(), reader.step());

    assert!(matches!(first, Some(Step::Message { offset: 0, date: Some(1_451_988_000), .. })));
    assert!(matches!(second, Some(Step::Message { offset: 40, .. })), "{second:?}");
}

#[test]
fn a_message_over_the_limit_is_passed_by_and_the_next_one_is_read() {
    let mbox = format!("{FROM}A: b\n\n{}\n\n{FROM}C: d\n\n{FROM}{}", "x".repeat(9000), "y".repeat(5000));

    for chunk in [1, 7, 100, 4096, 100_000] {
        let found = steps(mbox.as_bytes(), chunk, 4000);
        assert_eq!(found, ["too large at 0", "C: d\\n", "too large at 9082"], "chunk {chunk}");
    }
}

#[test]
fn the_limit_is_exact() {
    let mbox = format!("{FROM}{}", "x".repeat(4000));

    assert_eq!(steps(mbox.as_bytes(), 50, 4000)[0].len(), 4000);
    assert_eq!(steps(mbox.as_bytes(), 50, 3999), ["too large at 0"]);
}

/// 300 MB that exist nowhere, then another message.
#[test]
fn a_message_of_300_mb_is_refused_without_being_held() {
    let tail = format!("\n\n{FROM}C: d\n");
    let input = FROM.as_bytes().chain(io::repeat(b'x').take(300 << 20)).chain(tail.as_bytes());
    let mut reader = MboxReader::new(input, 8 << 20);

    let refused = reader.step();
    let largest = reader.buffer.capacity();

    assert!(matches!(refused, Some(Step::TooLarge { offset: 0 })));
    assert!(largest <= 32 << 20, "{largest}");
    assert_eq!(describe(reader), ["C: d\\n"]);
}

#[test]
fn a_large_message_is_given_whole_and_reading_goes_on() {
    let large = format!("A: b\n\n{}\n>From me\n", "x".repeat(3 << 20));
    let mbox = format!("{FROM}C: d\n\n{FROM}{large}\n{FROM}E: f\n");

    let found = steps(mbox.as_bytes(), 1 << 16, 8 << 20);

    assert_eq!(found.len(), 3);
    assert_eq!(found[1].len(), large.escape_default().count() - 1);
    assert_eq!(found[2], "E: f\\n");
}

#[test]
fn a_torn_input_gives_what_was_there_and_then_one_error() {
    let mbox = format!("{FROM}A: b\n\n{FROM}C: d\n\nhalf a li");
    let input = Drip { rest: mbox.as_bytes(), step: 10, fails: true };

    let found = describe(MboxReader::new(input, 100));

    assert_eq!(
        found,
        ["A: b\\n".to_owned(), "C: d\\n\\nhalf a li".to_owned(), format!("torn at {}", mbox.len())]
    );
}

fn any_message() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just("From ".to_owned()),
        Just(">From ".to_owned()),
        Just(">".to_owned()),
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("\r".to_owned()),
        Just(FROM.to_owned()),
        Just("Subject: x".to_owned()),
        Just("x".repeat(900)),
        "[ -~]{0,6}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #[test]
    fn what_the_writer_wrote_is_read_back_the_same(
        mut messages in prop::collection::vec(any_message(), 0..6),
        epoch in any::<i64>(),
        chunk in 1..80_usize,
    ) {
        let mut writer = MboxWriter::new(Vec::new());
        for message in &messages {
            writer.append(message, "ada@example.org", epoch).unwrap();
        }
        let mbox = writer.finish().unwrap();
        let last = messages.len().saturating_sub(1);
        for message in messages.iter_mut().take(last) {
            if !message.is_empty() && !message.ends_with(b"\n") {
                message.push(b'\n');
            }
        }

        let expected: Vec<String> = messages.iter().map(|message| message.escape_ascii().to_string()).collect();
        prop_assert_eq!(steps(&mbox, chunk, 1 << 20), expected);
    }

    #[test]
    fn chunks_do_not_change_what_is_found(
        mbox in any_message(),
        chunk in 1..80_usize,
        limit in 0..200_usize,
    ) {
        prop_assert_eq!(steps(&mbox, chunk, limit), steps(&mbox, 1 << 16, limit));
    }
}
