//! One message, whole: everything `show` prints.

use rusqlite::OptionalExtension;
use serde::Serialize;

use crate::model::{Audience, DateSource, Draft, MessageKey, NotFound, ThreadKey, answered_subject};
use crate::query::search::iso_date;
use crate::query::{Archive, QueryError};
use crate::store::{Placement, StoredMessage};

/// A thread with more messages is taken to be whole.
const FEW: usize = 20;
/// A subject with fewer letters says too little.
const TELLING: usize = 5;
const MONTH: i64 = 30 * 86_400;
/// So much of a text is read for an assistant.
const MOST_FOR_ASSISTANT: usize = 2 << 20;

/// A message with all that is known about it but its raw bytes.
#[derive(Debug, Clone, Serialize)]
pub struct FullMessage {
    /// Short id.
    pub id: String,
    /// Message-ID without angle brackets.
    pub message_id: Option<String>,
    /// Its thread, as `thread:` takes it.
    pub thread: String,
    /// Date in UTC.
    pub date: String,
    /// Where the date was found.
    pub date_source: &'static str,
    /// Senders as written; nearly always one.
    pub from: Vec<String>,
    /// To.
    pub to: Vec<String>,
    /// Cc.
    pub cc: Vec<String>,
    /// Bcc.
    pub bcc: Vec<String>,
    /// Reply-To.
    pub reply_to: Vec<String>,
    /// Message-IDs of In-Reply-To.
    pub in_reply_to: Vec<String>,
    /// Message-IDs of References.
    pub references: Vec<String>,
    /// Mailing list.
    pub list_id: Option<String>,
    /// Subject.
    pub subject: String,
    /// Raw bytes.
    pub size: i64,
    /// Mailboxes that hold it.
    pub placements: Vec<PlacementSummary>,
    /// Parts that are not body text.
    pub attachments: Vec<PartSummary>,
    /// What is wrong with it.
    pub defects: Vec<String>,
    /// What a person would read.
    pub text: String,
}

/// Where a message is.
#[derive(Debug, Clone, Serialize)]
pub struct PlacementSummary {
    /// Placement number.
    pub id: i64,
    /// Account.
    pub account: String,
    /// Mailbox.
    pub mailbox: String,
    /// What the mailbox is for: `inbox`, `sent`, `drafts`, `trash`, `spam`, `archive`.
    #[serde(skip)]
    pub role: Option<String>,
    /// `seen`, `answered`, `flagged`, `deleted`, `draft`.
    pub flags: Vec<&'static str>,
    /// Labels.
    pub labels: Vec<String>,
    /// Since when the server does not show it there any more, in UTC; left out while it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone: Option<String>,
}

/// An attachment.
#[derive(Debug, Clone, Serialize)]
pub struct PartSummary {
    /// IMAP part number.
    pub part: String,
    /// File name.
    pub name: Option<String>,
    /// Media type.
    #[serde(rename = "type")]
    pub content_type: String,
    /// Bytes after decoding.
    pub size: i64,
    /// SHA-256 of the decoded bytes.
    pub sha256: String,
}

impl Archive {
    /// The row of the message that an id names.
    pub fn resolve(&self, id: &str) -> Result<MessageKey, QueryError> {
        let found = self.reader.resolve(id)?;
        found.first().copied().ok_or_else(|| NotFound::Message { id: id.to_owned() }.into())
    }

    /// What the columns of a message say.
    pub fn message(&self, key: MessageKey) -> Result<Option<StoredMessage>, QueryError> {
        Ok(self.reader.message(key)?)
    }

    /// Its raw bytes, as received.
    pub fn raw(&self, key: MessageKey) -> Result<Vec<u8>, QueryError> {
        self.note_opened(key);
        Ok(self.reader.raw(key)?)
    }

    /// The bytes of a draft as it would leave.
    pub fn draft_bytes(&self, draft: &Draft) -> Result<Vec<u8>, QueryError> {
        Ok(self.reader.dated_draft(draft.key, draft.revision)?.unwrap_or_default())
    }

    /// Gmail's ids of a message and its thread, in the digits that Gmail writes; `None` for what Gmail has not.
    pub fn gmail_ids(&self, key: MessageKey) -> Result<Option<(String, String)>, QueryError> {
        const SELECT: &str =
            "SELECT x_gm_msgid, x_gm_thrid FROM messages WHERE id = ?1 AND x_gm_msgid IS NOT NULL";
        let mut statement = self.reader.connection().prepare_cached(SELECT)?;
        let hex =
            |number: Option<i64>| number.map(|it| format!("{:x}", it.cast_unsigned())).unwrap_or_default();
        let read = |row: &rusqlite::Row<'_>| Ok((hex(row.get(0)?), hex(row.get(1)?)));
        Ok(statement.query_row([key.0], read).optional()?)
    }

    /// Where it is placed.
    pub fn stored_placements(&self, key: MessageKey) -> Result<Vec<Placement>, QueryError> {
        Ok(self.reader.placements(key)?)
    }

    /// How many of these messages a server has.
    pub fn on_servers(&self, keys: &[MessageKey]) -> Result<usize, QueryError> {
        Ok(self.reader.on_servers(keys)?)
    }

    /// Reads a whole message.
    pub fn read(&self, key: MessageKey) -> Result<FullMessage, QueryError> {
        self.note_opened(key);
        let unknown = || QueryError::from(NotFound::Message { id: key.0.to_string() });
        let message = self.reader.message(key)?.ok_or_else(unknown)?;
        let envelope = self.reader.envelope(key)?;
        Ok(FullMessage {
            id: message.id.to_string(),
            thread: format!("t{}", message.thread.0),
            date: iso_date(message.date.epoch),
            date_source: date_source(message.date.source),
            to: envelope.to,
            cc: envelope.cc,
            bcc: envelope.bcc,
            reply_to: envelope.reply_to,
            in_reply_to: envelope.in_reply_to,
            references: envelope.references,
            placements: self.placements(key)?,
            attachments: self.attachments(key)?,
            defects: self.reader.defects(key)?,
            text: self.text_for_audience(key)?,
            message_id: message.message_id,
            from: envelope.from,
            list_id: message.list_id,
            subject: message.subject,
            size: message.size,
        })
    }

    /// The visible text. An assistant gets the beginning of one that would fill its server's memory, and is told.
    fn text_for_audience(&self, key: MessageKey) -> Result<String, QueryError> {
        if self.audience == Audience::Person {
            return Ok(self.reader.text(key)?);
        }
        let mut text = self.reader.text_up_to(key, MOST_FOR_ASSISTANT)?;
        if text.len() + 3 >= MOST_FOR_ASSISTANT {
            text.push_str("\n\n[only the first 2 MB of this text are read here]");
        }
        Ok(text)
    }

    /// The thread of a message, oldest first.
    pub fn thread_of(&self, key: MessageKey) -> Result<Vec<StoredMessage>, QueryError> {
        match self.reader.message(key)? {
            Some(message) => Ok(self.reader.thread(message.thread)?),
            None => Ok(Vec::new()),
        }
    }

    /// Messages that belong to these by their subject alone: where none of these names another message, what has the
    /// same subject within a month of them.
    pub fn same_subject(&self, thread: &[MessageKey]) -> Result<Vec<MessageKey>, QueryError> {
        let mut messages = Vec::new();
        for key in thread.iter().take(FEW) {
            let envelope = self.reader.envelope(*key)?;
            if !envelope.in_reply_to.is_empty() || !envelope.references.is_empty() {
                return Ok(Vec::new());
            }
            messages.extend(self.reader.message(*key)?);
        }
        let dates = messages.iter().map(|message| message.date.epoch);
        let (Some(first), Some(last)) = (dates.clone().min(), dates.max()) else { return Ok(Vec::new()) };
        let subject = &messages[0].subject;
        let bare = answered_subject(subject).unwrap_or(subject);
        if thread.len() > FEW || bare.chars().filter(|c| c.is_alphanumeric()).count() < TELLING {
            return Ok(Vec::new());
        }
        let mut kin = self.reader.with_subject(subject, first - MONTH, last + MONTH)?;
        kin.retain(|key| !thread.contains(key));
        Ok(kin)
    }

    /// The messages of a thread that is named by its number, oldest first; `None` when it is no thread's name.
    pub fn thread_keys(&self, id: &str) -> Result<Option<Vec<MessageKey>>, QueryError> {
        let number = id.trim().strip_prefix(['t', 'T']).and_then(|number| number.parse().ok());
        let Some(thread) = number.map(ThreadKey) else { return Ok(None) };
        let messages = self.reader.thread(thread)?;
        Ok((!messages.is_empty()).then(|| messages.into_iter().map(|message| message.key).collect()))
    }

    fn placements(&self, key: MessageKey) -> Result<Vec<PlacementSummary>, QueryError> {
        let roles = self.mailbox_roles()?;
        let role = |account: &str, name: &str| {
            let found = roles.iter().find(|(holder, mailbox, _)| holder == account && mailbox == name);
            found.map(|(_, _, role)| role.clone())
        };
        let placements = self.reader.placements(key)?.into_iter().map(|place| PlacementSummary {
            role: role(&place.account, &place.mailbox),
            id: place.key.0,
            account: place.account,
            mailbox: place.mailbox,
            flags: place.flags.names(),
            labels: place.labels,
            gone: place.gone.map(iso_date),
        });
        Ok(placements.collect())
    }

    /// Account, name and purpose of every mailbox that has one.
    fn mailbox_roles(&self) -> Result<Vec<(String, String, String)>, QueryError> {
        const ROLES: &str = "
            SELECT a.address, b.name, b.role FROM mailboxes b JOIN accounts a ON a.id = b.account
            WHERE b.role IS NOT NULL AND b.role <> 'gone'";
        let mut statement = self.reader.connection().prepare_cached(ROLES)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The whole text of a message, for a file rather than an answer; at most `most` bytes of it.
    pub fn long_text(&self, key: MessageKey, most: usize) -> Result<String, QueryError> {
        self.note_opened(key);
        Ok(self.reader.text_up_to(key, most)?)
    }

    pub(super) fn attachments(&self, key: MessageKey) -> Result<Vec<PartSummary>, QueryError> {
        let parts = self.reader.parts(key)?.into_iter().map(|part| PartSummary {
            part: part.part,
            name: part.name,
            content_type: part.content_type,
            size: part.size,
            sha256: part.sha256,
        });
        Ok(parts.collect())
    }
}

fn date_source(source: DateSource) -> &'static str {
    match source {
        DateSource::Header => "date",
        DateSource::Received => "received",
        DateSource::MboxLine => "mbox",
        DateSource::FileTime => "file",
        DateSource::Unknown => "unknown",
    }
}
