//! One row of `emails`, as lists show it.

use rusqlite::{Connection, Row};
use serde::Serialize;

use crate::query::QueryError;
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
    /// Sender as written.
    pub from: String,
    /// Subject.
    pub subject: String,
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
    pub keyword_match_count: Option<usize>,
    /// How often it holds them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyword_match_score: Option<usize>,
}

const OF_MESSAGE: &str = "
    SELECT p.id, a.address, b.name, p.uid, b.uidvalidity, m.message_id, m.x_gm_msgid,
           iif(m.date_source = 0, m.epoch, NULL), p.internal_epoch, s.display, m.subject, m.size, p.mailbox
    FROM main.messages m CROSS JOIN main.placements p ON p.message = m.id CROSS JOIN senders s ON s.id = m.sender
    CROSS JOIN mailboxes b ON b.id = p.mailbox CROSS JOIN accounts a ON a.id = b.account
    WHERE m.id = ?1 AND m.withheld = 0 ORDER BY p.id";

/// The rows of a message, with the numbers of their mailboxes; none when it is withheld.
pub(super) fn of_message(connection: &Connection, message: i64) -> Result<Vec<(i64, EmailRow)>, QueryError> {
    let mut statement = connection.prepare_cached(OF_MESSAGE)?;
    let rows = statement.query_map([message], |row| Ok((row.get(12)?, read(row)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
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
        from: many_lines(&row.get::<_, String>(9)?),
        subject: many_lines(&row.get::<_, String>(10)?),
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
