//! One message with everything: its row, its recipients and its raw bytes.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use rusqlite::params;
use serde::Serialize;

use crate::model::{MessageKey, NotFound};
use crate::query::QueryError;
use crate::query::analytics::{Db, EmailRow, Filter, Order, Span, Timeline};

/// What names the message; the first that is given decides: `id`, then mailbox and uid, then Message-ID, then the rest.
#[derive(Debug, Clone, Default)]
pub struct FullQuery {
    /// Placement number or short id.
    pub id: Option<String>,
    /// Mailbox.
    pub mailbox: Option<String>,
    /// Number in the mailbox.
    pub uid: Option<i64>,
    /// Number of the mailbox's numbering.
    pub uidvalidity: Option<i64>,
    /// Message-ID, with or without angle brackets.
    pub message_id: Option<String>,
    /// The sender contains this.
    pub from_contains: Option<String>,
    /// The subject contains this.
    pub subject_contains: Option<String>,
    /// Written in this year, month or day, as its Date field says.
    pub span: Option<Span>,
    /// Which one, when there are several.
    pub order: Order,
}

/// A message with everything.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EmailFull {
    /// The row as lists show it.
    #[serde(flatten)]
    pub row: EmailRow,
    /// Gmail's thread id.
    pub x_gm_thrid: Option<u64>,
    /// The message as received; bytes that are not UTF-8 are replaced. Null when it may not be given away.
    pub encoded: Option<String>,
    /// The very bytes, where `encoded` had to replace some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoded_base64: Option<String>,
    /// Whether `encoded` ends early, because the message is very large.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub encoded_truncated: bool,
    /// A file with all of it, where `encoded` ends early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoded_file: Option<String>,
    /// To.
    pub envelope_to: Vec<String>,
    /// Cc.
    pub envelope_cc: Vec<String>,
    /// Bcc.
    pub envelope_bcc: Vec<String>,
    /// Reply-To.
    pub envelope_reply_to: Vec<String>,
    /// First id of In-Reply-To.
    pub envelope_in_reply_to: Option<String>,
    /// Ids of References.
    pub envelope_references: Vec<String>,
    /// Its row in the store.
    #[serde(skip)]
    pub key: MessageKey,
    /// Numbers of other rows with the mailbox and uid that were asked for, in other accounts.
    #[serde(skip)]
    pub others: Vec<i64>,
}

/// The message that a question names.
struct Named {
    message: i64,
    /// Which of its rows.
    placement: Option<i64>,
    others: Vec<i64>,
}

impl Named {
    fn message(message: i64) -> Self {
        Self { message, placement: None, others: Vec::new() }
    }

    fn at(message: i64, placement: i64) -> Self {
        Self { placement: Some(placement), ..Self::message(message) }
    }
}

/// How many bytes of an answer a message may take; no answer of a server is longer than 8 MiB.
const LARGEST: usize = 7 << 20;
/// How many other rows are told of.
const MOST_OTHERS: usize = 20;

pub(super) const OF_PLACEMENT: &str = "SELECT message FROM placements WHERE id = ?1";
pub(super) const OF_GMAIL_ID: &str = "SELECT id FROM messages WHERE x_gm_msgid = ?1";
pub(super) const AT_UID: &str = "
    SELECT p.message, p.id FROM mailboxes b CROSS JOIN placements p ON p.mailbox = b.id AND p.uid = ?2
    WHERE (?1 IS NULL OR b.name = ?1 COLLATE NOCASE) AND (?3 IS NULL OR b.uidvalidity = ?3)
      AND (?4 IS NULL OR b.account = ?4) ORDER BY p.id LIMIT ?5";
pub(super) const OF_MESSAGE_ID: &str = "
    SELECT m.id, p.id, p.mailbox FROM messages m CROSS JOIN placements p ON p.message = m.id
    WHERE m.message_id = ?1 ORDER BY p.id";

impl Db<'_> {
    /// The message that is named.
    pub fn full(&self, asked: &FullQuery) -> Result<EmailFull, QueryError> {
        let unknown = || QueryError::from(NotFound::Message { id: asked.name() });
        let named = self.named(asked)?.ok_or_else(unknown)?;
        let mailboxes = self.mailboxes(None)?;
        let rows = self.rows_of(named.message)?.into_iter();
        let mut rows = rows.filter(|placed| mailboxes.hold(placed.mailbox)).map(|placed| placed.row);
        let row = match named.placement {
            Some(id) => rows.find(|row| row.id == id),
            None => rows.next(),
        };
        let full = self.with_content(MessageKey(named.message), row.ok_or_else(unknown)?.plain())?;
        Ok(EmailFull { others: named.others, ..full })
    }

    /// Writes the raw bytes of a message, however many.
    pub fn write_raw(&self, key: MessageKey, out: &mut dyn Write) -> Result<(), QueryError> {
        self.archive.note_opened(key);
        Ok(self.archive.reader.write_raw(key, out)?)
    }

    fn with_content(&self, key: MessageKey, row: EmailRow) -> Result<EmailFull, QueryError> {
        self.archive.note_opened(key);
        const GMAIL: &str = "SELECT x_gm_thrid FROM messages WHERE id = ?1";
        let reader = &self.archive.reader;
        let envelope = reader.envelope(key)?;
        let thread: Option<i64> = self.connection().query_row(GMAIL, [key.0], |row| row.get(0))?;
        let raw = if self.bounds.raw { Some(reader.raw_up_to(key, LARGEST)?) } else { None };
        let (encoded, encoded_base64, given) = raw.map_or((None, None, i64::MAX), as_text);
        Ok(EmailFull {
            x_gm_thrid: thread.map(i64::cast_unsigned),
            encoded_truncated: row.rfc822_size > Some(given),
            encoded,
            encoded_base64,
            encoded_file: None,
            envelope_to: envelope.to,
            envelope_cc: envelope.cc,
            envelope_bcc: envelope.bcc,
            envelope_reply_to: envelope.reply_to,
            envelope_in_reply_to: envelope.in_reply_to.into_iter().next(),
            envelope_references: envelope.references,
            row,
            key,
            others: Vec::new(),
        })
    }

    /// The message, and the placement where that is told.
    fn named(&self, asked: &FullQuery) -> Result<Option<Named>, QueryError> {
        if let Some(id) = &asked.id {
            return self.by_id(id.trim());
        }
        if let Some(uid) = asked.uid {
            return self.by_uid(asked, uid);
        }
        if let Some(id) = &asked.message_id {
            let bare = id.trim().trim_start_matches('<').trim_end_matches('>');
            return self.by_message_id(asked, bare);
        }
        let filter = Filter {
            from_contains: asked.from_contains.clone(),
            subject_contains: asked.subject_contains.clone(),
            mailbox: asked.mailbox.clone(),
            span: asked.span,
            by: Timeline::Written,
            ..Filter::default()
        };
        if filter.from_contains.is_none() && filter.subject_contains.is_none() && asked.span.is_none() {
            return Err(QueryError::Argument {
                name: "id",
                problem: "nothing says which message is meant".to_owned(),
                hint: "give `id`, `mailbox` and `uid`, `message_id`, `from_contains`, `subject_contains` or `date`"
                    .to_owned(),
            });
        }
        let rows = self.filter(&filter, asked.order, 1)?;
        rows.first().map_or(Ok(None), |row| self.by_id(&row.id.to_string()))
    }

    /// By the number of a row, Gmail's number, a short id or a Message-ID.
    fn by_id(&self, id: &str) -> Result<Option<Named>, QueryError> {
        if let Ok(number) = id.parse::<u64>() {
            let number = number.cast_signed();
            let at = self.numbers(OF_PLACEMENT, [number])?.pop().map(|message| Named::at(message, number));
            let gmail = || Ok(self.numbers(OF_GMAIL_ID, [number])?.pop().map(Named::message));
            return at.map_or_else(gmail, |named| Ok(Some(named)));
        }
        Ok(self.archive.reader.resolve(id)?.first().map(|key| Named::message(key.0)))
    }

    fn by_uid(&self, asked: &FullQuery, uid: i64) -> Result<Option<Named>, QueryError> {
        let account = self.bounds.account.map(|account| account.0);
        let mut statement = self.connection().prepare_cached(AT_UID)?;
        let values = params![asked.mailbox, uid, asked.uidvalidity, account, MOST_OTHERS + 1];
        let rows = statement.query_map(values, |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut found = rows.collect::<Result<Vec<(i64, i64)>, _>>()?.into_iter();
        let Some((message, placement)) = found.next() else { return Ok(None) };
        let others = found.map(|(_, placement)| placement).collect();
        Ok(Some(Named { others, ..Named::at(message, placement) }))
    }

    fn by_message_id(&self, asked: &FullQuery, id: &str) -> Result<Option<Named>, QueryError> {
        let mailboxes = self.mailboxes(asked.mailbox.as_deref())?;
        let mut statement = self.connection().prepare_cached(OF_MESSAGE_ID)?;
        let mut rows = statement.query([id])?;
        while let Some(row) = rows.next()? {
            if mailboxes.hold(row.get(2)?) {
                return Ok(Some(Named::at(row.get(0)?, row.get(1)?)));
            }
        }
        Ok(None)
    }
}

/// Bytes as text, in base64 too where the text lost some, and how many of them that is.
fn as_text(mut raw: Vec<u8>) -> (Option<String>, Option<String>, i64) {
    if std::str::from_utf8(&raw).is_err() {
        raw.truncate(fitting(&raw, |byte| if byte < 0x80 { written(byte) + 2 } else { 5 }));
        let text = String::from_utf8_lossy(&raw).into_owned();
        if text.as_bytes() != raw {
            return (Some(text), Some(BASE64.encode(&raw)), raw.len() as i64);
        }
    }
    let mut end = fitting(&raw, written);
    while end < raw.len() && raw[end] & 0xc0 == 0x80 {
        end -= 1;
    }
    raw.truncate(end);
    (Some(String::from_utf8_lossy(&raw).into_owned()), None, end as i64)
}

/// How many of these bytes fit into an answer, where each takes as many as `cost` says.
fn fitting(raw: &[u8], cost: impl Fn(u8) -> usize) -> usize {
    let mut taken = 0;
    let is_beyond = |byte: &u8| {
        taken += cost(*byte);
        taken > LARGEST
    };
    raw.iter().position(is_beyond).unwrap_or(raw.len())
}

/// How many bytes a byte takes in a JSON text that stands in a JSON text.
const fn written(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' => 4,
        b'\n' | b'\r' | b'\t' => 3,
        0..0x20 => 7,
        _ => 1,
    }
}

impl FullQuery {
    /// What was asked for, for an error.
    fn name(&self) -> String {
        let uid = self.uid.map(|uid| format!("uid {uid}"));
        let given = [&self.id, &uid, &self.message_id, &self.subject_contains, &self.from_contains];
        given.into_iter().flatten().next().cloned().unwrap_or_else(|| "of that date".to_owned())
    }
}
