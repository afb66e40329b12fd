//! The header fields that become columns: sender, recipients, subject, ids, date. Refuses to judge the body.

use std::ops::Range;

use crate::model::{Address, DateHints, DateSource, Defect, MessageDate, ParsedMessage};

use super::addresses;
use super::charset;
use super::date::{self, Written};
use super::header::Header;
use super::references;
use super::words;

/// 1970-01-02 to 2101-01-01: dates outside say more about a clock than about a message.
const PLAUSIBLE: Range<i64> = 86_400..4_133_980_800;

/// Fills everything a header tells.
pub(super) fn read(header: &Header<'_>, hints: &DateHints) -> ParsedMessage {
    let mut defects = Vec::new();
    let from: Vec<_> = header.all("From").flat_map(addresses::senders).collect();
    let (to, cc) = (all_addresses(header, "To"), all_addresses(header, "Cc"));
    let people = || [&from, &to, &cc].into_iter().flat_map(|list| list.iter().take(MANY));
    let in_reply_to = without_people(references::answered(header.all("In-Reply-To")), people);
    let references = without_people(references::ids(header.all("References")), people);
    if header.is_empty() {
        defects.push(Defect::NoHeaders);
    }
    if from.iter().all(|sender| sender.address.is_empty() && sender.name.is_empty()) {
        defects.push(Defect::NoSender);
    }
    ParsedMessage {
        message_id: header.first("Message-ID").and_then(references::message_id),
        subject: header.first("Subject").map(words::unstructured).unwrap_or_default(),
        in_reply_to,
        references,
        original_ids: references::originals(header),
        from,
        to,
        cc,
        bcc: all_addresses(header, "Bcc"),
        reply_to: all_addresses(header, "Reply-To"),
        date: date_of(header, hints, &mut defects),
        thread_index: header.first("Thread-Index").and_then(references::thread_index),
        list_id: header.first("List-Id").and_then(references::list_id),
        gmail_thread: header.first("X-GM-THRID").and_then(references::gmail_thread),
        header_length: header.body_start,
        defects,
        ..ParsedMessage::default()
    }
}

/// What is wrong with the bytes of a header block.
pub(super) fn byte_defects(block: &[u8], defects: &mut Vec<Defect>) {
    if std::str::from_utf8(block).is_err() {
        defects.push(Defect::HeaderBytes);
    }
    if memchr::memchr(0, block).is_some() {
        defects.push(Defect::NulBytes);
    }
}

fn all_addresses(header: &Header<'_>, name: &str) -> Vec<Address> {
    header.all(name).flat_map(addresses::list).collect()
}

/// So many recipients are compared with the ids that a message names.
const MANY: usize = 20;

/// Leaves out what is the address of somebody who writes or gets the message: free text and careless mailers put
/// addresses where ids belong, and all mail with a person would become one thread.
fn without_people<'a, P: Iterator<Item = &'a Address>>(
    mut ids: Vec<String>,
    people: impl Fn() -> P,
) -> Vec<String> {
    ids.retain(|id| people().all(|person| !person.address.eq_ignore_ascii_case(id)));
    ids
}

fn date_of(header: &Header<'_>, hints: &DateHints, defects: &mut Vec<Defect>) -> MessageDate {
    let plausible = |epoch: &i64| PLAUSIBLE.contains(epoch);
    let written: Vec<Written> = header.all("Date").filter_map(|value| date::header(&text(value))).collect();
    // The topmost field is the last server's; whatever stands below may be the sender's invention.
    let received = || header.all("Received").filter_map(|value| date::received(&text(value))).find(plausible);
    let decided = |written: &Written| match written.swapped.and_then(|_| received().or(hints.mbox_line)) {
        Some(other) => written.nearest(other),
        None => written.epoch,
    };
    if let Some(epoch) = written.iter().map(decided).find(plausible) {
        return MessageDate { epoch, source: DateSource::Header };
    }
    defects.push(match (header.first("Date"), written.is_empty()) {
        (None, _) => Defect::DateMissing,
        (Some(_), true) => Defect::DateUnreadable,
        (Some(_), false) => Defect::DateImplausible,
    });
    let places = [
        (received(), DateSource::Received),
        (hints.mbox_line.filter(plausible), DateSource::MboxLine),
        (hints.file_time.filter(plausible), DateSource::FileTime),
    ];
    let found = places.into_iter().find_map(|(epoch, source)| Some(MessageDate { epoch: epoch?, source }));
    found.unwrap_or_default()
}

fn text(value: &[u8]) -> String {
    let text = charset::decode_unlabelled(value);
    words::encoded_words(&words::unfolded(&text)).into_owned()
}
