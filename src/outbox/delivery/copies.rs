//! Looks through new sent mail for copies of what was sent here: what a provider changed on the way, and the Message-ID that
//! it gave to it. Where it got to is written together with what was found.

use serde_json::json;

use crate::clock::Clock;
use crate::home::Home;
use crate::model::{ContentHash, DateHints};
use crate::outbox::OutboxError;
use crate::outbox::delivery::{Looked, comparison};
use crate::parse;
use crate::store::{AuditEntry, Item, ProviderChange, Reader, SentMessage, Store, WriteTransaction};

/// So many changes are looked at in one step: others want to write too.
const CHANGES: i64 = 20_000;

/// A copy of an item.
struct Copy {
    message: SentMessage,
    item: Item,
    /// The Message-ID that the provider gave to it.
    alias: Option<String>,
    hash: ContentHash,
    changes: Vec<ProviderChange>,
}

/// Looks at the next changes; says whether there are more.
pub(super) fn step(
    home: &Home,
    clock: &Clock,
    reader: &Reader,
    looked: &mut Looked,
) -> Result<bool, OutboxError> {
    let cursor = reader.copy_cursor()?;
    if cursor.seen >= cursor.newest {
        return Ok(false);
    }
    let mut until = cursor.newest;
    let mut copies = Vec::new();
    if reader.has_left_anything()? {
        until = until.min(cursor.seen + CHANGES);
        for message in reader.sent_mail_of_changes(cursor.seen, until)? {
            copies.extend(read(reader, message)?);
        }
    }
    let mut store = Store::open_existing(&home.store())?;
    let tx = store.begin()?;
    // Where another process was faster, what it has seen is done.
    if tx.note_copies_seen(cursor.seen, until)? {
        for copy in &copies {
            looked.changed_copies += usize::from(note(&tx, copy, clock)?);
        }
        tx.commit()?;
    }
    Ok(true)
}

/// What a message is a copy of, and how it differs; `None` for one that was not sent here.
fn read(reader: &Reader, message: SentMessage) -> Result<Option<Copy>, OutboxError> {
    let named = message.message_id.as_deref().map(|id| left(reader, &message, id)).transpose()?.flatten();
    if named.is_none() && !reader.has_left_around(message.account, message.epoch)? {
        return Ok(None);
    }
    let raw = reader.raw(message.key)?;
    let (item, alias) = match named {
        Some(item) => (item, None),
        None => match renamed(reader, &message, &raw)? {
            Some(item) => (item, message.message_id.clone()),
            None => return Ok(None),
        },
    };
    let Some(sent) = reader.draft_bytes(item.draft.key, item.draft.revision)? else { return Ok(None) };
    let changes = comparison::changes(&sent, &item.draft.recipients, &raw);
    Ok(Some(Copy { hash: ContentHash::of(&raw), message, item, alias, changes }))
}

/// The item with this Message-ID, if it left from the account in which the message is.
fn left(reader: &Reader, message: &SentMessage, id: &str) -> Result<Option<Item>, OutboxError> {
    let Some(item) = reader.item_by_message_id(id)? else { return Ok(None) };
    let is_own = reader.account(&item.draft.account)? == Some(message.account);
    Ok(Some(item).filter(|item| is_own && item.draft.state.may_have_left()))
}

/// The item whose Message-ID the provider keeps beside its own.
fn renamed(reader: &Reader, message: &SentMessage, raw: &[u8]) -> Result<Option<Item>, OutboxError> {
    for id in parse::message(raw, &DateHints::default()).original_ids {
        if let Some(item) = left(reader, message, &id)? {
            return Ok(Some(item));
        }
    }
    Ok(None)
}

/// Writes down what was found; says whether the provider changed something.
fn note(tx: &WriteTransaction<'_>, copy: &Copy, clock: &Clock) -> Result<bool, OutboxError> {
    let (now, draft) = (clock.now(), copy.item.draft.key);
    if let Some(alias) = &copy.alias {
        tx.add_alias(draft, alias)?;
    }
    let is_news = tx.put_sent_copy(draft, copy.message.key, &copy.changes, now.as_second())?;
    if !is_news || copy.changes.is_empty() {
        return Ok(false);
    }
    let changed: Vec<_> = copy.changes.iter().map(|change| &change.what).collect();
    tx.append_audit(&AuditEntry {
        kind: "provider_changed",
        item: Some(copy.item.draft.id),
        at_ms: now.as_millisecond(),
        body: json!({
            "revision": copy.item.draft.revision,
            "changed": changed,
            "copy": copy.hash.to_hex(),
        }),
    })?;
    Ok(true)
}
