//! What must hold for any bytes, one function a target. The fuzz targets call these, and so does `cargo test`.

#![allow(dead_code, clippy::allow_attributes, reason = "each fuzz target uses one of them")]

use std::io::Write;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use mailkeep::clock::Clock;
use mailkeep::model::{ContentHash, DateHints, ParsedMessage};
use mailkeep::model::{Flags, UidSet};
use mailkeep::parse;
use mailkeep::query::language;
use mailkeep::query::{GuardedSql, SqlOptions};
use mailkeep::source::files::{FileSource, MboxWriter};
use mailkeep::store::{NewMessage, NewPlacement, Reader, Store};
use mailkeep::text_safety::{self, Nonce, fence};
use mailkeep::wire::imap::{Response, mailbox_name};

/// Any bytes are a message; reading them twice gives the same; what is listed as attached can be fetched.
pub(crate) fn message(bytes: &[u8]) {
    let parsed = read(bytes);
    for attachment in &parsed.attachments {
        let part = parse::part_bytes(bytes, &attachment.part)
            .unwrap_or_else(|| panic!("part {} is listed but not there", attachment.part));
        assert_eq!(part.len() as u64, attachment.size, "part {}", attachment.part);
        assert_eq!(ContentHash::of(&part), attachment.hash, "part {}", attachment.part);
        let name = attachment.name.as_deref().unwrap_or("x");
        assert!(!name.contains(['/', '\0']), "{name:?} leads out of a directory");
    }
}

/// Any bytes are a header; single-line fields come out on one line, ids without their brackets.
pub(crate) fn headers(bytes: &[u8]) {
    let parsed = read(&[bytes, b"\n\nbody\n"].concat());
    assert!(!parsed.subject.contains(['\n', '\r']), "{:?}", parsed.subject);
    let ids = parsed.message_id.iter().chain(&parsed.in_reply_to).chain(&parsed.references);
    for id in ids {
        assert!(!id.is_empty() && !id.contains('\n') && !id.starts_with('<') && !id.ends_with('>'), "{id:?}");
    }
    for address in parsed.from.iter().chain(&parsed.to).chain(&parsed.cc) {
        assert!(!address.to_string().contains(['\n', '\r']), "{address:?}");
    }
}

fn read(bytes: &[u8]) -> ParsedMessage {
    let hints = DateHints { mbox_line: Some(7), file_time: None };
    let parsed = parse::message(bytes, &hints);
    assert_eq!(parsed, parse::message(bytes, &hints), "two readings differ");
    assert!(parsed.header_length <= bytes.len());
    assert!(parsed.defects.is_sorted_by(|a, b| a < b), "defects are sorted, each once");
    parsed
}

/// Any text is HTML: it is refused or read, and what is read holds nothing unseen and can close no fence.
pub(crate) fn visible_text(bytes: &[u8]) {
    let html = String::from_utf8_lossy(bytes);
    let Some(visible) = parse::visible_text::from_html(&html) else { return };
    assert!(text_safety::is_clean(&visible.text) || text_safety::visible(&visible.text).0 == visible.text);
    assert_eq!(parse::visible_text::from_html(&html).as_ref(), Some(&visible), "two readings differ");
    let nonce = Nonce::from(0x1234);
    assert_eq!(fence(&visible.text, &nonce).matches(&nonce.to_string()).count(), 2);
    let _ = parse::shield::secret(&visible.text, &visible.text);
}

/// What is read from an mbox and written to another is read from that one the same.
pub(crate) fn mbox(bytes: &[u8]) {
    let bytes = [b"From a@b.example Mon Mar  2 10:00:00 2026\n", bytes].concat();
    let messages = messages_of(&bytes);
    let mut writer = MboxWriter::new(Vec::new());
    for message in &messages {
        writer.append(message, "a@b.example", 1_772_445_600).expect("memory takes everything");
    }
    let written = writer.finish().expect("memory takes everything");
    assert_eq!(messages_of(&written), messages);
}

fn messages_of(mbox: &[u8]) -> Vec<Vec<u8>> {
    let mut file = tempfile::Builder::new().suffix(".mbox").tempfile().expect("a temporary file");
    file.write_all(mbox).expect("room for a small file");
    FileSource::open(file.path())
        .expect("an mbox by its name and first line")
        .map(|message| message.expect("nothing here is too large").bytes)
        .collect()
}

/// A search is refused or understood; what was understood is printed so that it is understood again.
pub(crate) fn query(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let clock = Clock::frozen(jiff::Timestamp::from_second(1_720_612_800).expect("a time in 2024"));
    if let Ok(query) = language::parse(&text, &clock) {
        let printed = query.to_string();
        assert_eq!(language::parse(&printed, &clock), Ok(query), "{text:?} is printed as {printed:?}");
    }
}

/// What only a withheld message holds.
const WITHHELD: &str = "xyzzy-forty-two";

/// Any text that is run as SQL is refused, stopped or answered; no answer holds what is withheld or how the gate is
/// built, and the store stays as it was.
pub(crate) fn sql(bytes: &[u8]) {
    static GATE: OnceLock<Mutex<(tempfile::TempDir, GuardedSql)>> = OnceLock::new();
    let gate = GATE.get_or_init(|| {
        let place = tempfile::tempdir().expect("a temporary directory");
        let gate = guarded(&place);
        Mutex::new((place, gate))
    });
    let mut gate = gate.lock().unwrap_or_else(PoisonError::into_inner);
    let text = String::from_utf8_lossy(bytes);
    let before = std::fs::read(gate.0.path().join("mail.db")).expect("the store");
    let started = Instant::now();
    let told = match gate.1.run(&text, 50, Duration::from_millis(200)) {
        Ok(answer) => serde_json::to_string(&answer.rows).expect("rows are JSON"),
        Err(error) => format!("{error} {}", error.hint()),
    };
    assert!(started.elapsed() < Duration::from_secs(20), "{text:?} takes {:?}", started.elapsed());
    assert!(!told.contains(WITHHELD) && !told.contains("hidden_"), "{text:?} tells {told:?}");
    let after = std::fs::read(gate.0.path().join("mail.db")).expect("the store");
    assert!(after == before, "{text:?} changes the store");
}

fn guarded(place: &tempfile::TempDir) -> GuardedSql {
    let path = place.path().join("mail.db");
    let mut store = Store::open(&path).expect("a new store");
    for (id, words) in [("one", "budget"), ("two", "holidays"), ("three", WITHHELD)] {
        let raw = format!(
            "From: {words} <{words}@example.org>\nSubject: {words}\nMessage-ID: <{id}@x>\n\n{words}\n"
        );
        keep(&mut store, raw.as_bytes());
    }
    let hide = "UPDATE messages SET withheld = 1 WHERE subject = 'xyzzy-forty-two'";
    store.connection().execute_batch(hide).expect("the store can be changed");
    store.checkpoint();
    drop(store);
    let reader = Reader::open(&path).expect("the store can be read");
    GuardedSql::new(&reader, &SqlOptions::for_person(None)).expect("the gate")
}

fn keep(store: &mut Store, raw: &[u8]) {
    let parsed = parse::message(raw, &DateHints::default());
    let codec = store.codec().clone();
    let frame =
        codec.encoder().and_then(|mut encoder| encoder.pack(b"{}", &parsed.subject, raw)).expect("a frame");
    let (hash, size) = (ContentHash::of_message(raw), raw.len());
    let message = NewMessage { hash, size, parsed: &parsed, frame: &frame, gmail_id: None };
    let mut batch = store.begin().expect("a transaction");
    let account = batch.account("ada@example.org", 0).expect("an account");
    let mailbox = batch.mailbox(account, "INBOX").expect("a mailbox");
    let place = NewPlacement { mailbox, flags: Flags::default(), labels: &[], on_server: None };
    batch.store(&message, &place).expect("the message is stored");
    batch.commit().expect("the commit");
}

/// What a server says is read without a panic, and a set of uids that was read prints as itself.
pub(crate) fn imap(bytes: &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let behind = bytes.get(end + 1..).unwrap_or_default();
    if let Response::Vanished(_, uids) = Response::parse(&bytes[..end], behind) {
        assert_eq!(UidSet::parse(&uids.to_string()), Some(uids));
    }
    let name = String::from_utf8_lossy(bytes);
    assert_eq!(mailbox_name::decode(mailbox_name::encode(&name).as_bytes()), name);
}
