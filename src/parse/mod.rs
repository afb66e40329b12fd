//! Bytes to [`ParsedMessage`]: pure and total. Any bytes give a reading and a list of what is wrong with them,
//! in time linear in their length; nothing is refused, nothing is fetched, nothing panics.
//!
//! The structure is read by our own one-pass scanner (`tree`), since limits, part numbers and damaged
//! boundaries are ours to decide; charsets come from `mail-parser`.

mod addresses;
mod agreement;
mod alternative;
pub mod authentication;
pub mod automatic;
mod body;
pub mod bounce;
mod charset;
mod date;
pub mod document;
mod envelope;
mod file_name;
mod header;
mod inline_references;
mod markup;
mod parameters;
pub mod quotation;
mod references;
pub mod shield;
mod site;
mod suspicion;
mod texts;
mod transfer;
mod tree;
pub mod unsubscribe;
pub mod visible_text;
mod words;

use std::borrow::Cow;
use std::panic::catch_unwind;

use crate::model::{DateHints, Defect, ParsedMessage};

pub use site::{is_host_name, site};
pub use suspicion::{is_one_letter_off, look_of, spelt_out};
pub use texts::texts;

use header::{Header, Owner};
use tree::{Tree, TreePosition};

/// Reads a message's bytes.
#[must_use]
pub fn message(bytes: &[u8], hints: &DateHints) -> ParsedMessage {
    // A panic would be a mistake in a decoder; the message is kept with as much as can be read without it.
    catch_unwind(|| whole(bytes, hints))
        .or_else(|_| catch_unwind(|| header_only(bytes, hints)))
        .unwrap_or_else(|_| unreadable(hints))
}

/// The same with what its senders' names and addresses make suspicious: for who reads it now, because it is not stored.
#[must_use]
pub fn judged(bytes: &[u8], hints: &DateHints) -> ParsedMessage {
    let mut message = message(bytes, hints);
    let flags = catch_unwind(|| suspicion::of_senders(&message.from, &message.reply_to));
    message.findings.flags.extend(flags.unwrap_or_default());
    message
}

/// The decoded bytes of a part by its IMAP number, such as `2` or `1.3`; a message inside the message comes raw.
#[must_use]
pub fn part_bytes(bytes: &[u8], part: &str) -> Option<Vec<u8>> {
    let read = || body::part_bytes(&with_line_feeds(bytes), part, TreePosition::default());
    catch_unwind(read).ok().flatten().filter(|_| !part.is_empty())
}

/// A part of a message that is content of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// IMAP part number.
    pub part: String,
    /// Lower-case media type.
    pub content_type: String,
}

/// The parts of a message that are content of their own, in their order.
#[must_use]
pub fn leaves(bytes: &[u8]) -> Vec<Leaf> {
    let read = || {
        let bytes = with_line_feeds(bytes);
        let parts = tree::read(&bytes, TreePosition::default()).parts;
        let leaves = parts.into_iter().filter(|part| part.kind == tree::Kind::Leaf);
        leaves.map(|part| Leaf { part: part.number, content_type: part.content_type.value }).collect()
    };
    catch_unwind(read).unwrap_or_default()
}

fn whole(bytes: &[u8], hints: &DateHints) -> ParsedMessage {
    let bytes = with_line_feeds(bytes);
    let tree = tree::read(&bytes, TreePosition::default());
    let body = body::read(&tree);
    let mut message = envelope_of(&tree, &bytes, hints);
    message.text = body.text;
    message.attachments = body.attachments;
    message.findings = body.findings;
    message.doubtful = body.doubtful;
    message.secret = shield::secret(&message.subject, &message.text);
    finish(message, &bytes, body.defects)
}

/// Reads the root's header. Raw bytes that are not UTF-8 are in the charset of the text, as old mailers wrote them.
fn envelope_of(tree: &Tree<'_>, bytes: &[u8], hints: &DateHints) -> ParsedMessage {
    let Some(root) = tree.parts.first() else { return ParsedMessage::default() };
    let block = &bytes[..root.header.body_start.min(bytes.len()).min(header::MAX_HEADER)];
    let declared = tree.parts.iter().find_map(|part| part.content_type.plain("charset"));
    let (Some(declared), Err(_)) = (declared, std::str::from_utf8(block)) else {
        return envelope::read(&root.header, hints);
    };
    let legible = charset::legible_block(block, declared);
    let header = Header::read(legible.as_bytes(), Owner::Message, |_| false);
    ParsedMessage { header_length: root.header.body_start, ..envelope::read(&header, hints) }
}

fn header_only(bytes: &[u8], hints: &DateHints) -> ParsedMessage {
    let bytes = with_line_feeds(bytes);
    let header = Header::read(&bytes, Owner::Message, |_| false);
    finish(envelope::read(&header, hints), &bytes, vec![Defect::Encoding])
}

fn unreadable(hints: &DateHints) -> ParsedMessage {
    let mut message = envelope::read(&Header::default(), hints);
    message.defects.push(Defect::Encoding);
    message
}

/// Sorts the defects, each once.
fn finish(mut message: ParsedMessage, bytes: &[u8], more: Vec<Defect>) -> ParsedMessage {
    message.defects.extend(more);
    envelope::byte_defects(&bytes[..message.header_length.min(bytes.len())], &mut message.defects);
    if bytes.is_empty() {
        message.defects.push(Defect::Empty);
    }
    message.defects.sort_unstable();
    message.defects.dedup();
    message
}

/// Messages of old Macintosh programs end their lines with CR alone.
fn with_line_feeds(bytes: &[u8]) -> Cow<'_, [u8]> {
    let start = &bytes[..bytes.len().min(header::MAX_HEADER)];
    let old = memchr::memchr(b'\n', start).is_none() && memchr::memchr(b'\r', start).is_some();
    match old {
        false => Cow::Borrowed(bytes),
        true => Cow::Owned(bytes.iter().map(|byte| if *byte == b'\r' { b'\n' } else { *byte }).collect()),
    }
}

#[cfg(test)]
mod tests;
