//! Conversations that wait for an answer: the owner's, or somebody else's.

use std::collections::HashSet;

use rusqlite::{OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use crate::model::{Address, MessageKey};
use crate::parse::automatic::{is_nobodys, is_of_a_service, says_automatic};
use crate::query::QueryError;
use crate::query::analytics::Db;
use crate::query::analytics::selection::Mailboxes;
use crate::query::analytics::series::days_before;
use crate::query::language::{Leaf, Query, Scope};
use crate::query::search::{Page, iso_date};

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
    /// How many to leave out before them.
    pub offset: usize,
    /// Whether mail of machines counts, which waits for nobody: lists, bulk mail, invitations, no-reply senders.
    pub automatic: bool,
}

/// A thread that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Awaited {
    /// The thread.
    pub thread_id: i64,
    /// Address of the account that holds the last message.
    pub account: String,
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

/// A message that may be the last of its thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    epoch: i64,
    message: i64,
    thread: i64,
}

const WRITTEN_BY_OWNER: &str = "
    SELECT m.epoch, m.id, m.thread FROM senders s CROSS JOIN messages m ON m.sender = s.id
    WHERE s.address IN (SELECT lower(address) FROM accounts) AND m.epoch BETWEEN ?1 AND ?2";
/// An answer that was not sent leaves the other one waiting.
const LAST_OF_THREAD: &str = "
    SELECT m.epoch, m.id, m.thread FROM messages m
    WHERE m.thread = ?1 AND EXISTS (
        SELECT 1 FROM placements p JOIN mailboxes b ON b.id = p.mailbox
        LEFT JOIN gone g ON g.placement = p.id
        WHERE p.message = m.id AND p.flags & 16 = 0 AND coalesce(g.role, b.role, '') <> 'drafts')
    ORDER BY m.epoch DESC, m.id DESC LIMIT 1";
const FOREIGN: &str = "
    SELECT m.epoch, m.id, m.thread FROM messages m JOIN senders s ON s.id = m.sender
    WHERE m.id = ?1 AND m.list_id IS NULL
      AND s.address NOT IN (SELECT lower(address) FROM accounts)";
/// Drafts, what was thrown away and what is gone are no conversation.
const IS_CONVERSATION: &str = "
    SELECT 1 FROM placements p JOIN mailboxes b ON b.id = p.mailbox
    WHERE p.message = ?1 AND p.flags & 16 = 0 AND coalesce(b.role, '') NOT IN ('drafts', 'trash', 'spam', 'gone')";
/// How long before a thread fell silent the owner may have written in it.
const EARLIER_DAYS: i64 = 365;
/// So much of a message is looked at for what its header says.
const MOST_HEADER: usize = 64 << 10;
/// How many messages to the owner are looked at.
const MOST_ADDRESSED: usize = 20_000;

impl Db<'_> {
    /// The threads that wait, the latest first.
    pub fn awaiting_reply(&mut self, asked: &AwaitingReply) -> Result<Vec<Awaited>, QueryError> {
        let now = self.archive.clock.now();
        let (from, until) = (days_before(now, asked.most_days), days_before(now, asked.days));
        let mut candidates = match asked.turn {
            Turn::Others => self.written_by_owner(from, until)?,
            Turn::Me => self.written_to_owner(from, until)?,
        };
        candidates.sort_unstable();
        candidates.dedup();
        let mailboxes = self.mailboxes(None)?;
        let limit = self.clamp(asked.limit);
        let mut skipped = 0;
        let mut found = Vec::new();
        for candidate in candidates.into_iter().rev() {
            if found.len() >= limit {
                break;
            }
            if self.last_of_thread(candidate.thread)? == Some(candidate)
                && self.connection().prepare_cached(IS_CONVERSATION)?.exists([candidate.message])?
                && (asked.automatic || self.is_between_people(candidate.message, asked.turn)?)
                && let Some(awaited) = self.awaited(candidate, &mailboxes)?
            {
                if skipped < asked.offset {
                    skipped += 1;
                } else {
                    found.push(awaited);
                }
            }
        }
        Ok(found)
    }

    /// Whether somebody could answer, or wants an answer: neither is so for machines.
    fn is_between_people(&self, message: i64, turn: Turn) -> Result<bool, QueryError> {
        let key = MessageKey(message);
        let envelope = self.archive.reader.envelope(key)?;
        if turn == Turn::Others {
            let mut all = envelope.to.iter().chain(&envelope.cc).chain(&envelope.bcc);
            return Ok(all.any(|person| !is_nobodys(&Address::from_shown(person).address)));
        }
        const FROM_A_MACHINE: &str = "
            SELECT 1 FROM messages m WHERE m.id = ?1 AND (m.list_id IS NOT NULL OR EXISTS (
                SELECT 1 FROM parts p WHERE p.message = m.id AND p.content_type IN ('text/calendar', 'application/ics')))";
        const OWNER_WROTE: &str = "
            SELECT 1 FROM messages last JOIN messages m ON m.thread = last.thread
            JOIN senders s ON s.id = m.sender
            WHERE last.id = ?1 AND s.address IN (SELECT lower(address) FROM accounts)";
        let from: Vec<_> = envelope.from.iter().map(|person| Address::from_shown(person).address).collect();
        if from.iter().any(|address| is_nobodys(address))
            || from.iter().any(|address| is_of_a_service(address))
                && !self.connection().prepare_cached(OWNER_WROTE)?.exists([message])?
            || self.connection().prepare_cached(FROM_A_MACHINE)?.exists([message])?
        {
            return Ok(false);
        }
        Ok(!says_automatic(&self.archive.reader.raw_up_to(key, MOST_HEADER)?))
    }

    fn written_by_owner(&self, from: i64, until: i64) -> Result<Vec<Candidate>, QueryError> {
        let mut statement = self.connection().prepare_cached(WRITTEN_BY_OWNER)?;
        let rows = statement.query_map(params![from, until], candidate)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What somebody wrote to the owner, and the last word of threads that the owner wrote in.
    fn written_to_owner(&mut self, from: i64, until: i64) -> Result<Vec<Candidate>, QueryError> {
        let threads: HashSet<i64> = self
            .written_by_owner(from.saturating_sub(EARLIER_DAYS * 86_400), until)?
            .into_iter()
            .map(|candidate| candidate.thread)
            .collect();
        let addressed = self.addressed(from, until)?;
        let mut found = Vec::new();
        for message in addressed {
            found.extend(
                self.connection().prepare_cached(FOREIGN)?.query_row([message], candidate).optional()?,
            );
        }
        for thread in threads {
            let last = self.last_of_thread(thread)?.filter(|last| (from..=until).contains(&last.epoch));
            found.extend(last.filter(|last| !self.is_own(last.message)));
        }
        Ok(found)
    }

    /// Messages that have an account's address among their recipients, found in the text index.
    fn addressed(&mut self, from: i64, until: i64) -> Result<Vec<i64>, QueryError> {
        let accounts = self.archive.reader.accounts()?;
        let to = accounts
            .into_iter()
            .map(|account| Query::Leaf(Leaf::Text { scope: Scope::To, text: account.address, exact: true }));
        let dated = Query::Leaf(Leaf::Dated { from: Some(from), until: Some(until.saturating_add(1)) });
        let query = Query::and(vec![dated, Query::or(to.collect())]);
        let page = Page { limit: MOST_ADDRESSED, offset: 0 };
        Ok(self.archive.find(&query, page)?.0.hits.into_iter().map(|hit| hit.key.0).collect())
    }

    fn last_of_thread(&self, thread: i64) -> Result<Option<Candidate>, QueryError> {
        let mut statement = self.connection().prepare_cached(LAST_OF_THREAD)?;
        Ok(statement.query_row([thread], candidate).optional()?)
    }

    fn is_own(&self, message: i64) -> bool {
        const SELECT: &str = "
            SELECT 1 FROM messages m JOIN senders s ON s.id = m.sender
            WHERE m.id = ?1 AND s.address IN (SELECT lower(address) FROM accounts)";
        self.connection()
            .prepare_cached(SELECT)
            .and_then(|mut statement| statement.exists([message]))
            .unwrap_or(false)
    }

    fn awaited(&self, last: Candidate, mailboxes: &Mailboxes) -> Result<Option<Awaited>, QueryError> {
        let Candidate { epoch, message, thread } = last;
        const COUNT: &str = "SELECT count(*) FROM messages WHERE thread = ?1";
        const ID: &str = "SELECT mail_short_id(hash) FROM messages WHERE id = ?1";
        let mut rows = self.rows_of(message)?.into_iter();
        let Some((mailbox, row)) =
            rows.find(|placed| mailboxes.hold(placed.mailbox)).map(|placed| (placed.mailbox, placed.row))
        else {
            return Ok(None);
        };
        const ACCOUNT: &str = "
            SELECT a.address FROM mailboxes b JOIN accounts a ON a.id = b.account WHERE b.id = ?1";
        let account = self.connection().query_row(ACCOUNT, [mailbox], |row| row.get(0))?;
        let id: Option<String> = self.connection().query_row(ID, [message], |row| row.get(0)).optional()?;
        let seconds = self.archive.clock.now().as_second() - epoch;
        Ok(Some(Awaited {
            thread_id: thread,
            account,
            id: id.unwrap_or_default(),
            subject: row.subject.unwrap_or_default(),
            from: row.from.unwrap_or_default(),
            to: self.archive.reader.envelope(MessageKey(message))?.to,
            date: iso_date(epoch),
            days_waiting: seconds / 86_400,
            messages: self.connection().query_row(COUNT, [thread], |row| row.get(0))?,
        }))
    }
}

fn candidate(row: &Row<'_>) -> rusqlite::Result<Candidate> {
    Ok(Candidate { epoch: row.get(0)?, message: row.get(1)?, thread: row.get(2)? })
}
