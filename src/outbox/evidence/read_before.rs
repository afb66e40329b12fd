//! What assistants opened in the day before an item was proposed, strangers first: what they read may have asked for it.

use serde::Serialize;

use crate::outbox::OutboxError;
use crate::outbox::evidence::Sources;
use crate::store::{Glimpse, Item, Reader};

const DAY_MS: i64 = 24 * 3_600 * 1_000;
/// So many messages are named.
const NAMED: usize = 100;
/// So many are looked at; nobody decides about something by more.
const LOOKED_AT: usize = 5_000;

/// What was opened.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ReadBefore {
    /// Messages, each once, those of strangers first and then the newest.
    pub messages: Vec<ReadMessage>,
    /// How many there were in all.
    pub total: usize,
    /// How many of them strangers wrote.
    pub strangers: usize,
    /// Whether the log of calls could not be read, so that nothing is known.
    pub is_unknown: bool,
}

/// A message that an assistant opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReadMessage {
    /// Short id.
    pub message: String,
    /// Address of its sender, as the message says.
    pub from: String,
    /// The sender's name.
    pub from_name: String,
    /// Subject.
    pub subject: String,
    /// When it was written.
    pub at: i64,
    /// Whether the owner never wrote to its sender.
    pub is_stranger: bool,
}

impl ReadBefore {
    pub(super) fn of(sources: &Sources<'_>, item: &Item) -> Result<Self, OutboxError> {
        let until = item.proposed * 1_000 + 999;
        let Ok(opened) = sources.calls.opened_between(until - DAY_MS, until) else {
            return Ok(Self { is_unknown: true, ..Self::default() });
        };
        let mut messages = Vec::new();
        for id in opened.iter().take(LOOKED_AT) {
            messages.extend(read(sources.reader, id)?);
        }
        messages.sort_by_key(|it| (!it.is_stranger, -it.at));
        let strangers = messages.iter().filter(|it| it.is_stranger).count();
        messages.truncate(NAMED);
        Ok(Self { messages, total: opened.len(), strangers, is_unknown: false })
    }
}

/// One that was opened, if it is still here.
fn read(reader: &Reader, id: &str) -> Result<Option<ReadMessage>, OutboxError> {
    let Some(key) = reader.resolve(id)?.first().copied() else { return Ok(None) };
    let Some(Glimpse { from, from_name, subject, epoch, is_own, .. }) = reader.glimpse(key)? else {
        return Ok(None);
    };
    let is_stranger = !is_own && reader.correspondence(&from)?.to_them == 0;
    Ok(Some(ReadMessage { message: id.to_owned(), from, from_name, subject, at: epoch, is_stranger }))
}
