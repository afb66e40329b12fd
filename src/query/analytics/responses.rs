//! How long answers took, from the rows that the store keeps of them.

use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::query::QueryError;
use crate::query::analytics::Db;
use crate::query::analytics::selection::Mailboxes;
use crate::query::search::iso_date;
use crate::text_safety::many_lines;

/// Whose answers count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnsweredBy {
    /// Everybody's.
    #[default]
    Any,
    /// The owner's of the accounts.
    Me,
    /// Everybody else's.
    Others,
}

/// A message and the next one of its thread, which somebody else wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Response {
    /// The thread.
    pub thread_id: i64,
    /// Subject of the answer.
    pub subject: String,
    /// Who was answered.
    pub from: String,
    /// Who answered.
    pub to: String,
    /// When the first was written.
    pub sent_at: String,
    /// When the answer was written.
    pub replied_at: String,
    /// How long that took.
    pub response_seconds: i64,
}

const ALL: &str = "
    SELECT message, seconds FROM responses WHERE own = 0
    UNION ALL SELECT message, seconds FROM responses WHERE own = 1 ORDER BY 2 DESC, 1";
const OWN: &str = "SELECT message, seconds FROM responses WHERE own = 1 ORDER BY seconds DESC, message";
const FOREIGN: &str = "SELECT message, seconds FROM responses WHERE own = 0 ORDER BY seconds DESC, message";

impl Db<'_> {
    /// The slowest answers first.
    pub fn response_times(&self, by: AnsweredBy, limit: usize) -> Result<Vec<Response>, QueryError> {
        let sql = match by {
            AnsweredBy::Any => ALL,
            AnsweredBy::Me => OWN,
            AnsweredBy::Others => FOREIGN,
        };
        let mailboxes = self.mailboxes(None)?;
        let limit = self.clamp(limit);
        let mut statement = self.connection().prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            if found.len() >= limit {
                break;
            }
            let message = row.get(0)?;
            if self.is_in(message, &mailboxes)? {
                found.extend(self.response(message)?);
            }
        }
        Ok(found)
    }

    /// Whether a message is in one of these mailboxes.
    pub(super) fn is_in(&self, message: i64, mailboxes: &Mailboxes) -> Result<bool, QueryError> {
        if *mailboxes == Mailboxes::All {
            return Ok(true);
        }
        let places = self.numbers("SELECT mailbox FROM placements WHERE message = ?1", [message])?;
        Ok(places.into_iter().any(|mailbox| mailboxes.hold(mailbox)))
    }

    /// An answer and what it answered.
    fn response(&self, answer: i64) -> Result<Option<Response>, QueryError> {
        const ANSWER: &str = "
            SELECT m.thread, m.epoch, m.subject, s.display FROM messages m JOIN senders s ON s.id = m.sender
            WHERE m.id = ?1";
        const BEFORE: &str = "
            SELECT m.epoch, s.display FROM messages m JOIN senders s ON s.id = m.sender
            WHERE m.thread = ?1 AND (m.epoch, m.id) < (?2, ?3)
            ORDER BY m.epoch DESC, m.id DESC LIMIT 1";
        let mut statement = self.connection().prepare_cached(ANSWER)?;
        let found: Option<(i64, i64, String, String)> = statement
            .query_row([answer], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
            .optional()?;
        let Some((thread_id, replied, subject, to)) = found else { return Ok(None) };
        let mut statement = self.connection().prepare_cached(BEFORE)?;
        let before: Option<(i64, String)> = statement
            .query_row(params![thread_id, replied, answer], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        Ok(before.map(|(sent, from)| Response {
            thread_id,
            subject: many_lines(&subject),
            from: many_lines(&from),
            to: many_lines(&to),
            sent_at: iso_date(sent),
            replied_at: iso_date(replied),
            response_seconds: replied - sent,
        }))
    }
}
