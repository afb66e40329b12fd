//! What leaves, by the form it has: how it is composed and checked, how a person reads it, how it is carried. A folder for
//! each channel; the form of mail is that of `drafts` and `carriers`. What is frozen are the very bytes that leave.

pub mod linkedin;
mod submitted;
pub mod unsubscribe;
pub mod whatsapp;

use sha2::{Digest, Sha256};

use crate::drafts::Contents;
use crate::model::{
    Address, Channel, ContentHash, DateHints, DraftHash, DraftId, MessageKey, ParsedMessage, Recipients,
    Route,
};
use crate::outbox::OutboxError;
use crate::parse;
use crate::store::{self, Item, Revision, WriteTransaction};
use crate::text_safety::{brief, one_line, visible};

/// So many bytes of a text stand in its title.
const TITLE_LENGTH: usize = 60;

/// Something to leave that is no mail, checked and frozen.
#[derive(Debug, Clone)]
pub(super) struct Composed {
    /// On which channel.
    pub(super) channel: Channel,
    /// Who sends it: `109876543210@whatsapp`; for a list, the account that gets its mail.
    pub(super) account: String,
    /// Who gets it.
    pub(super) recipients: Recipients,
    /// What it is, in a few words.
    pub(super) title: String,
    /// What it says.
    pub(super) text: String,
    /// The bytes that leave.
    pub(super) payload: Vec<u8>,
    /// By which way.
    pub(super) route: Route,
    /// The message it is about.
    pub(super) about: Option<MessageKey>,
}

impl Composed {
    /// Stands for what was asked for.
    pub(super) fn content(&self) -> ContentHash {
        let mut hash = Sha256::new();
        for field in [self.channel.name().as_bytes(), self.account.as_bytes(), &self.payload] {
            hash.update((field.len() as u64).to_be_bytes());
            hash.update(field);
        }
        ContentHash(hash.finalize().into())
    }

    /// Keeps it under this id.
    pub(super) fn keep(&self, tx: &WriteTransaction<'_>, id: DraftId, epoch: i64) -> Result<(), OutboxError> {
        let account = match self.channel {
            Channel::Mail | Channel::Unsubscribe => tx.account(&self.account, epoch)?,
            Channel::WhatsApp | Channel::LinkedIn => {
                tx.channel_account(self.channel.lane(), &self.account, epoch)?
            }
        };
        let from = Address::new("", self.account.as_str());
        let message_id = format!("{id}@{}.mailkeep.invalid", self.channel.name());
        tx.insert_draft(&store::NewDraft {
            account,
            channel: self.channel,
            id,
            message_id: &message_id,
            answers: self.about,
            revision: Revision {
                epoch,
                from: &from,
                recipients: &self.recipients,
                subject: &self.title,
                body: &self.text,
                html: None,
                html_removed: 0,
                attachments: &[],
                hash: DraftHash::of(&self.account, &from.address, &self.recipients, &self.payload),
                raw: &self.payload,
            },
        })?;
        Ok(())
    }
}

/// Frozen bytes as a person reads them.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// Who writes, to whom, about what.
    pub message: ParsedMessage,
    /// What it says and takes along.
    pub contents: Contents,
}

impl Reading {
    /// Reads what leaves by this route.
    #[must_use]
    pub fn of(route: &Route, bytes: &[u8]) -> Self {
        match route {
            Route::WhatsApp { .. } => whatsapp::read(route, bytes),
            Route::LinkedIn { .. } => linkedin::read(bytes),
            Route::OneClick(_) => unsubscribe::read(route, bytes),
            Route::Smtp { .. } | Route::Gmail { .. } | Route::Folder(_) => {
                Self { message: parse::message(bytes, &DateHints::default()), contents: Contents::of(bytes) }
            }
        }
    }

    /// A text that is no mail.
    fn of_text(from: &str, title: &str, text: String) -> Self {
        let message = ParsedMessage {
            from: vec![Address::new("", from)],
            subject: title.to_owned(),
            text: text.clone(),
            ..ParsedMessage::default()
        };
        Self { message, contents: Contents { text, ..Contents::default() } }
    }
}

/// What a yes does, in the words of the button; `None` for a mail, which says it by its recipients.
pub(super) fn effect(item: &Item, reading: &Reading) -> Option<String> {
    let to = || item.draft.recipients.all().map(|to| to.address.clone()).collect::<Vec<_>>().join(", ");
    match &item.route {
        Route::WhatsApp { number, .. } => {
            let whom = to().replace("@whatsapp", "");
            Some(format!("Send a WhatsApp message to {whom}, from the number with id {number}"))
        }
        Route::LinkedIn { author, .. } => {
            let audience = linkedin::audience(&item.draft.recipients);
            Some(format!("Post on LinkedIn for {audience} to see, as {author}"))
        }
        Route::OneClick(_) => {
            let list = &reading.message.subject;
            Some(format!("{list}, with one request to {}", item.route.place()))
        }
        Route::Smtp { .. } | Route::Gmail { .. } | Route::Folder(_) => None,
    }
}

/// What something is, with the first of its words: it has no subject of its own.
fn titled(kind: &str, text: &str) -> String {
    format!("{kind}: {}", brief(&one_line(text), TITLE_LENGTH))
}

/// Whether what leaves by a route is a mail.
#[must_use]
pub const fn is_mail(route: &Route) -> bool {
    matches!(route, Route::Smtp { .. } | Route::Gmail { .. } | Route::Folder(_))
}

/// A text that says something, is not too long and has no letters that nobody sees.
fn checked(field: &'static str, text: &str, most: usize) -> Result<String, OutboxError> {
    let unfit = |problem: String| OutboxError::Unfit { field, problem };
    let text = text.trim_end().replace("\r\n", "\n");
    let count = text.chars().count();
    if text.trim().is_empty() {
        return Err(unfit("it says nothing".to_owned()));
    }
    if count > most {
        return Err(unfit(format!("it has {count} characters, and {most} are allowed")));
    }
    let (_, removed) = visible(&text);
    if removed.invisible + removed.control > 0 {
        return Err(unfit("it has letters that nobody can see".to_owned()));
    }
    Ok(text)
}
