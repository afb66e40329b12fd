//! One row of `emails`, as lists show it.

use rusqlite::{Params, Row};
use serde::Serialize;

use crate::model::MessageKey;
use crate::query::QueryError;
use crate::query::analytics::Db;
use crate::query::search::iso_date;
use crate::text_safety::many_lines;

/// A message in a mailbox. Fields that a question does not ask for are left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EmailRow {
    /// Number of the placement.
    pub id: i64,
    /// Account.
    pub address: String,
    /// Mailbox.
    pub mailbox: String,
    /// Number in the mailbox.
    pub uid: i64,
    /// Number of the mailbox's numbering.
    pub uidvalidity: i64,
    /// Message-ID without angle brackets.
    pub message_id: Option<String>,
    /// Gmail's message id.
    pub x_gm_msgid: Option<u64>,
    /// The Date field.
    pub date: Option<String>,
    /// When it came into the mailbox.
    pub internaldate: String,
    /// The same in seconds.
    pub internaldate_epoch: i64,
    /// Sender as written; null when there is none.
    pub from: Option<String>,
    /// Subject; null when there is none, which is not an empty one.
    pub subject: Option<String>,
    /// Raw bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rfc822_size: Option<i64>,
    /// Raw bytes, where the question is about sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<i64>,
    /// How far it is from what was searched for: less is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// How many of the keywords it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyword_match_count: Option<u16>,
    /// How often it holds them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyword_match_score: Option<u32>,
}

/// What is read of a row, for a message `m` at a placement `p`.
macro_rules! select {
    ($condition:literal) => {
        concat!(
            "SELECT p.id, a.address, b.name, p.uid, b.uidvalidity, m.message_id, m.x_gm_msgid,
                    iif(m.date_source = 0, m.epoch, NULL), p.internal_epoch, s.display, m.subject, m.size, p.mailbox,
                    m.id
             FROM messages m CROSS JOIN placements p ON p.message = m.id CROSS JOIN senders s ON s.id = m.sender
             CROSS JOIN mailboxes b ON b.id = p.mailbox CROSS JOIN accounts a ON a.id = b.account WHERE ",
            $condition,
            " ORDER BY p.id"
        )
    };
}

const OF_MESSAGE: &str = select!("m.id = ?1");
const OF_PLACEMENT: &str = select!("m.id = ?1 AND p.id = ?2");

/// A row and what it belongs to.
pub(super) struct Placed {
    pub(super) mailbox: i64,
    pub(super) message: i64,
    pub(super) row: EmailRow,
}

impl Db<'_> {
    /// The rows of a message, by number.
    pub(super) fn rows_of(&self, message: i64) -> Result<Vec<Placed>, QueryError> {
        self.placed(OF_MESSAGE, [message])
    }

    /// The row of a message at one of its placements.
    pub(super) fn row_at(&self, message: i64, placement: i64) -> Result<Option<EmailRow>, QueryError> {
        Ok(self.placed(OF_PLACEMENT, [message, placement])?.pop().map(|placed| placed.row))
    }

    fn placed(&self, sql: &str, values: impl Params) -> Result<Vec<Placed>, QueryError> {
        let mut statement = self.connection().prepare_cached(sql)?;
        let mut rows = statement.query(values)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let mut placed = Placed { mailbox: row.get(12)?, message: row.get(13)?, row: read(row)? };
            let is_empty = placed.row.subject.as_deref() == Some("");
            if is_empty && !self.archive.reader.has_subject(MessageKey(placed.message))? {
                placed.row.subject = None;
            }
            found.push(placed);
        }
        Ok(found)
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<EmailRow> {
    let size = Some(row.get(11)?);
    Ok(EmailRow {
        id: row.get(0)?,
        address: row.get(1)?,
        mailbox: row.get(2)?,
        uid: row.get(3)?,
        uidvalidity: row.get(4)?,
        message_id: row.get(5)?,
        x_gm_msgid: row.get::<_, Option<i64>>(6)?.map(i64::cast_unsigned),
        date: row.get::<_, Option<i64>>(7)?.map(iso_date),
        internaldate: iso_date(row.get(8)?),
        internaldate_epoch: row.get(8)?,
        from: Some(many_lines(&row.get::<_, String>(9)?)).filter(|from| !from.is_empty()),
        subject: Some(many_lines(&row.get::<_, String>(10)?)),
        rfc822_size: size,
        size_bytes: size,
        score: None,
        keyword_match_count: None,
        keyword_match_score: None,
    })
}

impl EmailRow {
    /// The fields every list has.
    pub(super) fn plain(mut self) -> Self {
        self.size_bytes = None;
        self
    }

    /// The same with `size_bytes` in the place of `rfc822_size`.
    pub(super) fn by_size(mut self) -> Self {
        self.rfc822_size = None;
        self
    }

    /// The fields that searches have: no size at all.
    pub(super) fn without_size(mut self) -> Self {
        self.rfc822_size = None;
        self.size_bytes = None;
        self
    }
}
