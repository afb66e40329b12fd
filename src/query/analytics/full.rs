//! One message with everything: its row, its recipients and its raw bytes.

use rusqlite::{OptionalExtension, params};
use serde::Serialize;

use crate::model::MessageKey;
use crate::query::QueryError;
use crate::query::analytics::{Db, EmailRow, Filter, Order, Span, row};

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
    /// Written in this year, month or day.
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
    /// Whether `encoded` ends early, because the message is very large.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub encoded_truncated: bool,
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
}

/// How much of a raw message is given.
const LARGEST: usize = 8 << 20;

impl Db<'_> {
    /// The message that is named.
    pub fn full(&self, asked: &FullQuery) -> Result<EmailFull, QueryError> {
        let (message, placement) =
            self.named(asked)?.ok_or_else(|| QueryError::UnknownMessage { id: asked.name() })?;
        let mailboxes = self.mailboxes(None)?;
        let rows = row::of_message(self.connection(), message)?;
        let mut rows = rows.into_iter().filter(|(mailbox, _)| mailboxes.hold(*mailbox)).map(|(_, row)| row);
        let row = match placement {
            Some(id) => rows.find(|row| row.id == id),
            None => rows.next(),
        };
        let row = row.ok_or_else(|| QueryError::UnknownMessage { id: asked.name() })?;
        self.with_content(MessageKey(message), row.plain())
    }

    fn with_content(&self, key: MessageKey, row: EmailRow) -> Result<EmailFull, QueryError> {
        const GMAIL: &str = "SELECT x_gm_thrid FROM main.messages WHERE id = ?1";
        let reader = self.archive.reader();
        let envelope = reader.envelope(key)?;
        let thread: Option<i64> = self.connection().query_row(GMAIL, [key.0], |row| row.get(0))?;
        let raw = if self.bounds.raw { Some(reader.raw_up_to(key, LARGEST)?) } else { None };
        Ok(EmailFull {
            x_gm_thrid: thread.map(i64::cast_unsigned),
            encoded_truncated: raw.as_ref().is_some_and(|raw| row.rfc822_size > Some(raw.len() as i64)),
            encoded: raw.map(|raw| String::from_utf8_lossy(&raw).into_owned()),
            envelope_to: envelope.to,
            envelope_cc: envelope.cc,
            envelope_bcc: envelope.bcc,
            envelope_reply_to: envelope.reply_to,
            envelope_in_reply_to: envelope.in_reply_to.into_iter().next(),
            envelope_references: envelope.references,
            row,
        })
    }

    /// The message, and the placement where that is told.
    fn named(&self, asked: &FullQuery) -> Result<Option<(i64, Option<i64>)>, QueryError> {
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

    fn by_id(&self, id: &str) -> Result<Option<(i64, Option<i64>)>, QueryError> {
        const SELECT: &str = "SELECT message FROM main.placements WHERE id = ?1";
        if let Ok(number) = id.parse::<i64>() {
            let message: Option<i64> =
                self.connection().query_row(SELECT, [number], |row| row.get(0)).optional()?;
            return Ok(message.map(|message| (message, Some(number))));
        }
        Ok(self.archive.reader().resolve(id)?.first().map(|key| (key.0, None)))
    }

    fn by_uid(&self, asked: &FullQuery, uid: i64) -> Result<Option<(i64, Option<i64>)>, QueryError> {
        const SELECT: &str = "
            SELECT p.message, p.id FROM mailboxes b CROSS JOIN main.placements p ON p.mailbox = b.id AND p.uid = ?2
            WHERE (?1 IS NULL OR b.name = ?1 COLLATE NOCASE) AND (?3 IS NULL OR b.uidvalidity = ?3)
              AND (?4 IS NULL OR b.account = ?4) ORDER BY p.id LIMIT 1";
        let account = self.bounds.account.map(|account| account.0);
        let values = params![asked.mailbox, uid, asked.uidvalidity, account];
        Ok(self
            .connection()
            .query_row(SELECT, values, |row| Ok((row.get(0)?, Some(row.get(1)?))))
            .optional()?)
    }

    fn by_message_id(&self, asked: &FullQuery, id: &str) -> Result<Option<(i64, Option<i64>)>, QueryError> {
        const SELECT: &str = "
            SELECT m.id, p.id, p.mailbox FROM main.messages m CROSS JOIN main.placements p ON p.message = m.id
            WHERE m.message_id = ?1 AND m.withheld = 0 ORDER BY p.id";
        let mailboxes = self.mailboxes(asked.mailbox.as_deref())?;
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let mut rows = statement.query([id])?;
        while let Some(row) = rows.next()? {
            if mailboxes.hold(row.get(2)?) {
                return Ok(Some((row.get(0)?, Some(row.get(1)?))));
            }
        }
        Ok(None)
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
