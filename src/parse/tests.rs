//! The promises of the whole parser: what `tests/mails` expects, and that no bytes can break it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proptest::prelude::{ProptestConfig, Strategy, any, proptest};
use proptest::sample::select;
use serde_json::{Map, Value, json};

use super::{message, part_bytes};
use crate::model::{Address, Attachment, ContentHash, DateHints, DateSource, Defect, ParsedMessage};

fn read(bytes: &[u8]) -> ParsedMessage {
    message(bytes, &DateHints::default())
}

fn mails() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mails");
    let folders = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut mails: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    mails.retain(|path| path.extension().is_some_and(|extension| extension == "eml"));
    mails.sort();
    mails
}

fn shown(addresses: &[Address]) -> Value {
    addresses.iter().map(ToString::to_string).collect()
}

fn described(attachment: &Attachment) -> Value {
    json!({
        "part": attachment.part, "name": attachment.name, "type": attachment.content_type,
        "size": attachment.size, "counts": attachment.counts,
    })
}

fn described_message(parsed: &ParsedMessage) -> Value {
    json!({
        "message_id": parsed.message_id, "subject": parsed.subject, "from": shown(&parsed.from),
        "to": shown(&parsed.to), "cc": shown(&parsed.cc), "date": parsed.date.epoch,
        "date_source": format!("{:?}", parsed.date.source), "in_reply_to": parsed.in_reply_to,
        "references": parsed.references, "list_id": parsed.list_id, "gmail_thread": parsed.gmail_thread,
        "text": parsed.text.trim(), "attachments": parsed.attachments.iter().map(described).collect::<Value>(),
        "defects": parsed.defects.iter().map(|defect| defect.name()).collect::<Value>(),
    })
}

/// Keeps of `got` only what `expected` mentions, so that a mail's table names only its oddity.
fn narrowed(got: &Value, expected: &Value) -> Value {
    match (got, expected) {
        (Value::Object(got), Value::Object(wanted)) => {
            let keep = |key: &String| Some((key.clone(), narrowed(got.get(key)?, &wanted[key])));
            Value::Object(wanted.keys().filter_map(keep).collect::<Map<_, _>>())
        }
        (Value::Array(got), Value::Array(wanted)) if got.len() == wanted.len() => {
            got.iter().zip(wanted).map(|(got, wanted)| narrowed(got, wanted)).collect()
        }
        _ => got.clone(),
    }
}

#[test]
fn every_awkward_mail_reads_as_its_table_says() {
    let mails = mails();
    assert!(mails.len() > 30);
    let mut wrong = Vec::new();
    for path in mails {
        let table = fs::read_to_string(path.with_extension("json")).unwrap();
        let mut expected: Value = serde_json::from_str(&table).unwrap();
        let piece = expected.as_object_mut().unwrap().remove("text_contains");

        let parsed = read(&fs::read(&path).unwrap());

        let got = narrowed(&described_message(&parsed), &expected);
        let piece = piece.as_ref().and_then(Value::as_str).unwrap_or_default();
        if got != expected || !parsed.text.contains(piece) {
            wrong.push(format!("{}\n  {got}\n  {expected} {piece}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_listed_attachment_can_be_fetched_by_its_number() {
    for path in mails() {
        let bytes = fs::read(&path).unwrap();
        for attachment in read(&bytes).attachments {
            let fetched = part_bytes(&bytes, &attachment.part).unwrap();
            assert_eq!(ContentHash::of(&fetched), attachment.hash, "{}", path.display());
            assert_eq!(fetched.len() as u64, attachment.size);
        }
    }
}

#[test]
fn body_parts_can_be_fetched_too() {
    let single = b"Content-Transfer-Encoding: base64\n\nSGVsbG8=\n";
    assert_eq!(part_bytes(single, "1"), Some(b"Hello".to_vec()));
    assert_eq!(part_bytes(single, "2"), None);
    assert_eq!(part_bytes(b"", ""), None);
}

#[test]
fn a_message_without_date_takes_the_hints_in_order() {
    let hints = DateHints { mbox_line: Some(700_000), file_time: Some(800_000) };
    assert_eq!(message(b"Subject: x\n\n", &hints).date.source, DateSource::MboxLine);
    let hints = DateHints { mbox_line: None, ..hints };
    assert_eq!(message(b"Subject: x\n\n", &hints).date.epoch, 800_000);
}

#[test]
fn no_bytes_are_a_message_too() {
    let parsed = read(b"");
    assert!(parsed.defects.contains(&Defect::Empty));
    assert_eq!(parsed.header_length, 0);
}

#[test]
fn the_header_length_includes_the_blank_line() {
    let text = b"From: a@b\r\nSubject: x\r\n\r\nbody";
    assert_eq!(&text[read(text).header_length..], b"body");
}

#[test]
fn hostile_sizes_are_read_in_time() {
    let started = Instant::now();
    for bytes in [
        b"X-A: b\n".repeat(500_000),
        [&b"Subject: "[..], &vec![b'x'; 4_000_000]].concat(),
        [&b"To: "[..], &b"(".repeat(1_000_000)].concat(),
        [&b"To: "[..], &b"\\\"(".repeat(300_000)].concat(),
        [&b"References: "[..], &b"(<".repeat(300_000)].concat(),
        [&b"In-Reply-To: from a <b> "[..], &b"(from <a@b> c ".repeat(50_000)].concat(),
        [&b"To: "[..], &b"a, <b,".repeat(100_000), b">"].concat(),
        [&b"To: "[..], &b"<<a@b>,".repeat(100_000), b"\nReferences: ", &b"<a@b>".repeat(60_000)].concat(),
        [&b"Content-Transfer-Encoding: x-uuencode\n\nbegin 644 a\n"[..], &b"M\n".repeat(1_000_000)].concat(),
        [
            &b"Content-Type: multipart/related; boundary=b; start=x\n\n"[..],
            &b"--b\nContent-ID: y\n\n".repeat(50_000),
        ]
        .concat(),
        [&b"X: \xff\nContent-Type: text/plain; charset=gbk\nSubject: "[..], &b"\xc3\xa9\xff".repeat(200_000)]
            .concat(),
        [&b"Content-Type: text/plain; a="[..], &b"\"\\".repeat(300_000)].concat(),
        [&b"Content-Type: multipart/mixed; boundary=b\n\n"[..], &b"--b\n".repeat(200_000)].concat(),
        b"Content-Type: message/rfc822\n\n".repeat(10_000),
        vec![0; 2_000_000],
    ] {
        read(&bytes);
    }
    assert!(started.elapsed() < Duration::from_secs(60), "took {:?}", started.elapsed());
}

/// A sample mail with some of its bytes changed, removed or repeated.
fn damaged_mail() -> impl Strategy<Value = Vec<u8>> {
    let mails: Vec<Vec<u8>> = mails().iter().map(|path| fs::read(path).unwrap()).collect();
    let damage = proptest::collection::vec((any::<usize>(), any::<u8>(), 0..4_u8), 0..12);
    (select(mails), damage, any::<usize>()).prop_map(|(mut bytes, damage, cut)| {
        for (at, byte, kind) in damage {
            let at = at % bytes.len().max(1);
            match kind {
                0 if !bytes.is_empty() => bytes[at] = byte,
                1 if !bytes.is_empty() => drop(bytes.remove(at)),
                2 => bytes.extend_from_within(at.min(bytes.len())..),
                _ => bytes.insert(at.min(bytes.len()), b"\n\r\"<>=?;:-"[usize::from(byte) % 10]),
            }
        }
        bytes.truncate(cut % (bytes.len() * 2 + 1));
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn no_bytes_can_break_the_parser(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        super::whole(&bytes, &DateHints::default());
    }

    #[test]
    fn a_damaged_mail_is_still_read_and_its_parts_found(bytes in damaged_mail()) {
        for attachment in super::whole(&bytes, &DateHints::default()).attachments {
            assert!(part_bytes(&bytes, &attachment.part).is_some(), "{}", attachment.part);
        }
    }
}
