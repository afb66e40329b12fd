//! Conversations that wait for an answer: the owner's, or somebody else's.

use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::model::MessageKey;
use crate::query::QueryError;
use crate::query::db::selection::Mailboxes;
use crate::query::db::series::days_before;
use crate::query::db::{Db, row};
use crate::query::search::iso_date;

/// Whose turn it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    /// The owner wrote last and waits for others.
    #[default]
    Others,
    /// Somebody wrote last and waits for the owner.
    Me,
}

/// What `awaiting_reply` takes.
#[derive(Debug, Clone, Copy)]
pub struct AwaitingReply {
    /// Whose turn it is.
    pub turn: Turn,
    /// Waiting for at least so many days.
    pub days: i64,
    /// And for at most so many.
    pub most_days: i64,
    /// How many.
    pub limit: usize,
}

/// A thread that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Awaited {
    /// The thread.
    pub thread_id: i64,
    /// The last message.
    pub id: String,
    /// Its subject.
    pub subject: String,
    /// Who wrote it.
    pub from: String,
    /// Whom it was written to.
    pub to: Vec<String>,
    /// When.
    pub date: String,
    /// How many days ago.
    pub days_waiting: i64,
    /// How many messages the thread has.
    pub messages: i64,
}

/// The newest message of a span first. Drafts and what was thrown away are no conversation.
const NEWEST: &str = "
    SELECT m.id, m.thread, m.epoch, s.address IN (SELECT lower(address) FROM accounts), m.list_id IS NOT NULL
    FROM messages m INDEXED BY messages_by_epoch CROSS JOIN senders s ON s.id = m.sender
    WHERE m.epoch BETWEEN ?1 AND ?2 AND m.withheld = 0
      AND EXISTS (SELECT 1 FROM placements p JOIN mailboxes b ON b.id = p.mailbox
                  WHERE p.message = m.id AND p.flags & 16 = 0 AND coalesce(b.role, '') NOT IN ('drafts', 'trash', 'spam'))
    ORDER BY m.epoch DESC, m.id DESC";
const LATER: &str = "
    SELECT 1 FROM messages WHERE thread = ?1 AND (epoch, id) > (?2, ?3) AND withheld = 0";
const OWN_IN_THREAD: &str = "
    SELECT 1 FROM messages m JOIN senders s ON s.id = m.sender
    WHERE m.thread = ?1 AND m.withheld = 0 AND s.address IN (SELECT lower(address) FROM accounts)";

impl Db<'_> {
    /// The threads that wait, the longest waiting last.
    pub fn awaiting_reply(&self, asked: &AwaitingReply) -> Result<Vec<Awaited>, QueryError> {
        let now = self.archive.clock.now();
        let (from, until) = (days_before(now, asked.most_days), days_before(now, asked.days));
        let mailboxes = self.mailboxes(None)?;
        let limit = self.clamp(asked.limit);
        let mut statement = self.connection().prepare_cached(NEWEST)?;
        let mut rows = statement.query(params![from, until])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            if found.len() >= limit {
                break;
            }
            let (message, thread, epoch): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let (own, list): (bool, bool) = (row.get(3)?, row.get(4)?);
            let last = own == (asked.turn == Turn::Others) && !self.has_later(thread, epoch, message)?;
            let personal = last && (own || self.concerns_owner(message, thread, list)?);
            if personal && self.is_in(message, &mailboxes)? {
                found.extend(self.awaited(message, thread, epoch, &mailboxes)?);
            }
        }
        Ok(found)
    }

    fn has_later(&self, thread: i64, epoch: i64, message: i64) -> Result<bool, QueryError> {
        Ok(self.connection().prepare_cached(LATER)?.exists(params![thread, epoch, message])?)
    }

    /// A message from somebody waits for the owner when it was written to them, or in a thread they wrote in.
    fn concerns_owner(&self, message: i64, thread: i64, list: bool) -> Result<bool, QueryError> {
        if self.connection().prepare_cached(OWN_IN_THREAD)?.exists([thread])? {
            return Ok(true);
        }
        if list {
            return Ok(false);
        }
        let envelope = self.archive.reader().envelope(MessageKey(message))?;
        let accounts = self.archive.reader().accounts()?;
        let own = |to: &String| accounts.iter().any(|account| holds_address(to, &account.address));
        Ok(envelope.to.iter().any(own))
    }

    fn awaited(
        &self,
        message: i64,
        thread: i64,
        epoch: i64,
        mailboxes: &Mailboxes,
    ) -> Result<Option<Awaited>, QueryError> {
        const COUNT: &str = "SELECT count(*) FROM messages WHERE thread = ?1 AND withheld = 0";
        const ID: &str = "SELECT mail_short_id(hash) FROM messages WHERE id = ?1";
        let rows = row::of_message(self.connection(), message)?;
        let Some((_, row)) = rows.into_iter().find(|(mailbox, _)| mailboxes.hold(*mailbox)) else {
            return Ok(None);
        };
        let id: Option<String> = self.connection().query_row(ID, [message], |row| row.get(0)).optional()?;
        let seconds = self.archive.clock.now().as_second() - epoch;
        Ok(Some(Awaited {
            thread_id: thread,
            id: id.unwrap_or_default(),
            subject: row.subject,
            from: row.from,
            to: self.archive.reader().envelope(MessageKey(message))?.to,
            date: iso_date(epoch),
            days_waiting: seconds / 86_400,
            messages: self.connection().query_row(COUNT, [thread], |row| row.get(0))?,
        }))
    }
}

/// Whether `Ada Berg <ada@example.org>` or `ada@example.org` is this address.
fn holds_address(written: &str, address: &str) -> bool {
    let inner = written.rsplit_once('<').map_or(written, |(_, rest)| rest.trim_end_matches('>'));
    inner.trim().eq_ignore_ascii_case(address)
}
