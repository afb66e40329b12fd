//! What an item answers, and whether that has been overtaken: by newer messages, or by an answer of the owner's own.

use serde::Serialize;

use crate::model::{DraftId, ItemState};
use crate::outbox::OutboxError;
use crate::store::{Glimpse, Item, Reader};

/// So many messages of a thread are looked at.
const LOOKED_AT: usize = 100;
/// So many are named.
const NAMED: usize = 5;

/// The thread that an item answers in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Thread {
    /// What it answers.
    pub answers: ThreadMessage,
    /// Messages of others that came into the thread since.
    pub newer: usize,
    /// Whether there are more than were counted.
    pub is_more: bool,
    /// The newest of them.
    pub newest: Vec<ThreadMessage>,
    /// The last message that the owner has sent there since, from wherever it was.
    pub answered_by_owner: Option<ThreadMessage>,
    /// Other items that answer the same message.
    pub other_answers: Vec<OtherAnswer>,
}

/// A message of the thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ThreadMessage {
    /// Short id.
    pub message: String,
    /// Address of its sender.
    pub from: String,
    /// The sender's name.
    pub from_name: String,
    /// Subject.
    pub subject: String,
    /// When it was written.
    pub at: i64,
}

/// An item that answers the same message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OtherAnswer {
    /// Its id.
    pub id: String,
    /// How far it is.
    pub state: &'static str,
}

impl Thread {
    /// The thread of an item; `None` when it answers nothing that is here.
    pub(super) fn of(reader: &Reader, item: &Item) -> Result<Option<Self>, OutboxError> {
        let Some(answered) = item.draft.answers else { return Ok(None) };
        let keys = reader.resolve(&answered.message.to_string())?;
        let Some(key) = keys.first() else { return Ok(None) };
        let Some(parent) = reader.glimpse(*key)? else { return Ok(None) };
        let later = reader.later_in_thread(answered.thread, parent.epoch, LOOKED_AT)?;
        let is_more = later.len() == LOOKED_AT;
        let (own, others): (Vec<_>, Vec<_>) = later.into_iter().partition(|it| it.is_own);
        // The copy of the item itself is no other answer.
        let own = own.into_iter().find(|it| !is_item(reader, it, item));
        let other =
            |(id, state): (DraftId, ItemState)| OtherAnswer { id: id.to_string(), state: state.name() };
        let other_answers = reader.other_answers(*key, item.draft.key)?.into_iter().map(other).collect();
        Ok(Some(Self {
            newer: others.len(),
            is_more,
            newest: others.into_iter().take(NAMED).map(ThreadMessage::of).collect(),
            answered_by_owner: own.map(ThreadMessage::of),
            other_answers,
            answers: ThreadMessage::of(parent),
        }))
    }
}

impl ThreadMessage {
    fn of(it: Glimpse) -> Self {
        Self {
            message: it.id.to_string(),
            from: it.from,
            from_name: it.from_name,
            subject: it.subject,
            at: it.epoch,
        }
    }
}

fn is_item(reader: &Reader, it: &Glimpse, item: &Item) -> bool {
    let stored = reader.message(it.key).ok().flatten();
    stored.is_some_and(|stored| stored.message_id.as_deref() == Some(&item.draft.message_id))
}
