//! The message that came back: where it begins inside a text, its ids, and whom it was for.

use super::super::addresses;
use super::super::header::{Header, Owner};
use super::super::references;
use super::MOST;
use super::pieces::Pieces;

/// Where the id of the message that was sent stands: its own field, and those in which providers that give a new id
/// keep the old one.
const ID_FIELDS: [&str; 4] =
    ["Message-ID", references::ORIGINALS[0], references::ORIGINALS[1], "Original-Message-ID"];

/// So many ids are taken.
const MOST_IDS: usize = 16;

/// The ids of what is returned, else those that the text names.
pub(super) fn ids(pieces: &Pieces) -> Vec<String> {
    let mut ids = Vec::new();
    for block in &pieces.returned {
        let header = Header::read(block.as_bytes(), Owner::Message, |_| false);
        let found = ID_FIELDS.iter().filter_map(|name| header.first(name).and_then(references::message_id));
        let known = ids.len();
        ids.extend(found.filter(|id| id.contains('@') || id.len() > 8));
        // A header whose folds were lost ends too early for a careful reader.
        if ids.len() == known {
            ids.extend(in_text(block));
        }
    }
    if ids.is_empty() {
        ids.extend(pieces.texts().flat_map(in_text));
    }
    each_once(ids)
}

fn each_once(mut ids: Vec<String>) -> Vec<String> {
    ids.truncate(MOST_IDS);
    let all = ids.clone();
    let mut number = 0;
    ids.retain(|id| {
        number += 1;
        !all[..number - 1].contains(id)
    });
    ids
}

/// Ids behind the words `Message-ID`, however a system writes them.
fn in_text(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let mut ids = Vec::new();
    for name in ["message-id", "message id", "messageid", "msgid"] {
        let mut from = 0;
        while let Some(at) = lower[from..].find(name).filter(|_| ids.len() < MOST_IDS) {
            from += at + name.len();
            ids.extend(id_behind(&text[from..]));
        }
    }
    ids
}

/// The id behind its label: between brackets on this line or the next, or one word with an `@`.
fn id_behind(text: &str) -> Option<String> {
    let near = &text[..text.floor_char_boundary(1000)];
    let near = near.trim_start_matches([' ', '\t', '"', '*', '=', ':', '\n', '\r']);
    let near = near.strip_prefix("&lt;").or_else(|| near.strip_prefix('<')).unwrap_or(near);
    let end = near.find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | ',' | '&' | ')'));
    let id = &near[..end.unwrap_or(near.len())];
    (id.contains('@') && id.len() > 3).then(|| id.to_owned())
}

/// Where in a text the header of a returned message begins.
pub(super) fn start_in(text: &str) -> Option<usize> {
    let mut at = 0;
    let mut fresh = true;
    for line in text.split_inclusive('\n') {
        if fresh && field_name(line).is_some() && is_message_header(&text[at..]) {
            return Some(at);
        }
        // A block begins behind a blank line or a line of words; never in the middle of other fields.
        fresh = field_name(line).is_none() && !line.starts_with([' ', '\t']) || line.trim().is_empty();
        at += line.len();
    }
    None
}

/// Whether fields of a message follow each other here, of which at least one tells that it was on its way.
fn is_message_header(text: &str) -> bool {
    let lines = text.lines().take(60).take_while(|line| !line.trim().is_empty());
    let names: Vec<String> = lines
        .take_while(|line| line.starts_with([' ', '\t']) || field_name(line).is_some())
        .filter_map(|line| field_name(line))
        .map(str::to_ascii_lowercase)
        .collect();
    let has = |name: &str| names.iter().any(|known| known == name);
    let travelled = ["received", "message-id", "return-path", "mime-version"].into_iter().any(has);
    names.len() >= 3 && (travelled || has("from") && has("to") && (has("date") || has("subject")))
        || names.len() >= 2 && has("message-id") && !has("final-recipient")
}

fn field_name(line: &str) -> Option<&str> {
    let (name, _) = line.split_once(':')?;
    let fits = name.len() >= 2
        && name.len() < 60
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    fits.then_some(name)
}

/// Whom the returned message was addressed to.
pub(super) fn recipients(pieces: &Pieces) -> Vec<String> {
    let of_block = |block: &String| {
        let header = Header::read(block.as_bytes(), Owner::Message, |_| false);
        let named = ["To", "Cc"].into_iter().flat_map(|name| header.all(name).collect::<Vec<_>>());
        let all = named.flat_map(addresses::list).map(|to| to.address).filter(|to| to.contains('@'));
        all.take(MOST).collect::<Vec<_>>()
    };
    pieces.returned.iter().map(of_block).find(|all| !all.is_empty()).unwrap_or_default()
}
