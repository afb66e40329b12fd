//! Whom the owner has written to, and what passed between them. Only mail that lies where sent mail lies makes somebody
//! known: what comes in can claim any sender, the owner included.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::model::{
    Address, ContentHash, DraftId, DraftKey, ItemState, MailboxKey, MessageKey, ParsedMessage, ShortId,
    ThreadKey,
};
use crate::store::drafts::unreadable;
use crate::store::{DeliveryStatus, Reader, StoreError, WriteTransaction};

/// Larger messages, in bytes, are more than anybody sends.
const MOST_LOOKED_AT: i64 = 40 << 20;

/// Names are kept so long.
const LONGEST_NAME: usize = 200;

/// Mail that the owner may have sent, and whether that is certain: it lies in a mailbox for sent mail. Files often have
/// none: there it is from the account, and must not have come in.
const IS_OWN: &str = "
    SELECT coalesce(b.role = 'sent', 0) FROM mailboxes b JOIN accounts a ON a.id = b.account
    JOIN messages m ON m.id = ?1 JOIN senders s ON s.id = m.sender
    WHERE b.id = ?2 AND (b.role = 'sent' OR a.kind = 'local' AND coalesce(b.role, 'archive') IN ('archive', 'inbox')
        AND (s.address = lower(a.address)
             OR s.address IN (SELECT lower(l.address) FROM aliases l WHERE l.account = a.id)))";

/// Somebody whom the owner has written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// In lower case.
    pub address: String,
    /// As the owner wrote it; may be empty.
    pub name: String,
}

/// What passed between the owner and an address.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Correspondence {
    /// Messages here that say they are from it.
    pub from_them: u64,
    /// The newest of them, in seconds since 1970.
    pub last_from: Option<i64>,
    /// Messages that the owner sent to it.
    pub to_them: u64,
    /// The newest of them.
    pub last_to: Option<i64>,
}

/// A message as a line about it tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glimpse {
    /// Its row.
    pub key: MessageKey,
    /// The id people see.
    pub id: ShortId,
    /// Address of its sender.
    pub from: String,
    /// The sender's name.
    pub from_name: String,
    /// Its subject.
    pub subject: String,
    /// When it was written.
    pub epoch: i64,
    /// Whether the owner sent it.
    pub is_own: bool,
}

impl WriteTransaction<'_> {
    /// Notes whom a message went to that is stored now, if the owner sent it.
    pub(super) fn note_written(
        &self,
        key: MessageKey,
        mailbox: MailboxKey,
        parsed: &ParsedMessage,
    ) -> Result<(), StoreError> {
        if !is_own(&self.transaction, key, mailbox)? {
            return Ok(());
        }
        let all = parsed.to.iter().chain(&parsed.cc).chain(&parsed.bcc);
        all.into_iter().try_for_each(|to| put(&self.transaction, key, parsed.date.epoch, to))
    }

    /// The same for a message that was stored before and is placed now.
    pub(super) fn note_placed(&self, key: MessageKey, mailbox: MailboxKey) -> Result<(), StoreError> {
        if is_own(&self.transaction, key, mailbox)? { read_again(&self.transaction, key) } else { Ok(()) }
    }
}

fn is_own(connection: &Connection, key: MessageKey, mailbox: MailboxKey) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached(IS_OWN)?;
    match statement.query_row(params![key.0, mailbox.0], |row| row.get(0)).optional()? {
        Some(false) => Ok(!was_received(connection, key)?),
        is_sent => Ok(is_sent.is_some()),
    }
}

/// Whether a server took the message in: it says so on top, and no sender can keep it from that. What is too large to be
/// looked at beside the message itself counts as if.
fn was_received(connection: &Connection, key: MessageKey) -> Result<bool, StoreError> {
    const HEADER: &str = "
        SELECT substr(mail_raw(c.dictionary, c.envelope_length, c.text_length, c.frame), 1, m.header_size)
        FROM messages m JOIN contents c ON c.message = m.id WHERE m.id = ?1 AND m.size <= ?2";
    let mut statement = connection.prepare_cached(HEADER)?;
    let header: Option<Vec<u8>> =
        statement.query_row(params![key.0, MOST_LOOKED_AT], |row| row.get(0)).optional()?;
    let begins = |line: &[u8]| line.get(..9).is_some_and(|name| name.eq_ignore_ascii_case(b"received:"));
    Ok(header.is_none_or(|header| header.split(|byte| *byte == b'\n').any(begins)))
}

fn put(connection: &Connection, key: MessageKey, epoch: i64, to: &Address) -> Result<(), StoreError> {
    const PERSON: &str = "
        INSERT INTO people (address, name) VALUES (?1, ?2)
        ON CONFLICT (address) DO UPDATE SET name = iif(excluded.name = '', name, excluded.name)
        RETURNING id";
    const WRITTEN: &str = "INSERT OR IGNORE INTO written_to (person, epoch, message) VALUES (?1, ?2, ?3)";
    if !to.address.contains('@') {
        return Ok(());
    }
    let name: String = to.name.chars().take(LONGEST_NAME).collect();
    let mut statement = connection.prepare_cached(PERSON)?;
    let person: i64 = statement.query_row(params![to.address.to_lowercase(), name], |row| row.get(0))?;
    connection.prepare_cached(WRITTEN)?.execute(params![person, epoch, key.0])?;
    Ok(())
}

/// Reads whom a stored message went to.
fn read_again(connection: &Connection, key: MessageKey) -> Result<(), StoreError> {
    const SELECT: &str = "
        SELECT m.epoch, mail_envelope(c.dictionary, c.envelope_length, c.text_length, c.frame, 'recipients')
        FROM messages m JOIN contents c ON c.message = m.id WHERE m.id = ?1";
    let mut statement = connection.prepare_cached(SELECT)?;
    let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<String>>(1)?));
    let Some((epoch, json)) = statement.query_row([key.0], read).optional()? else { return Ok(()) };
    let shown: Vec<String> = serde_json::from_str(&json.unwrap_or_default()).unwrap_or_default();
    shown.iter().try_for_each(|to| put(connection, key, epoch, &Address::from_shown(to)))
}

/// Fills the tables of a store that was there before them.
pub(super) fn fill(connection: &Connection) -> Result<(), StoreError> {
    const NEXT: &str = "
        SELECT p.id, p.message, p.mailbox FROM placements p WHERE p.id > ?1 ORDER BY p.id LIMIT 1000";
    let mut last = 0;
    loop {
        let mut statement = connection.prepare_cached(NEXT)?;
        let read =
            |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, MessageKey(row.get(1)?), MailboxKey(row.get(2)?)));
        let rows: Vec<_> = statement.query_map([last], read)?.collect::<Result<_, _>>()?;
        let Some((end, ..)) = rows.last() else { return Ok(()) };
        last = *end;
        for (_, message, mailbox) in rows {
            if is_own(connection, message, mailbox)? {
                read_again(connection, message)?;
            }
        }
    }
}

const MAILS_FROM: &str = "
    SELECT count(*), max(m.epoch) FROM senders s JOIN messages m ON m.sender = s.id WHERE s.address = ?1";
const MAILS_TO: &str = "
    SELECT count(*), max(w.epoch) FROM people p JOIN written_to w ON w.person = p.id WHERE p.address = ?1";
const MAILS_LEFT: &str = "
    SELECT count(*), max(v.epoch) FROM deliveries v JOIN drafts d ON d.id = v.draft
    WHERE v.recipient = ?1 AND v.status <> 'refused' AND d.state = 'sent'
      AND NOT EXISTS (SELECT 1 FROM messages m JOIN written_to w ON w.message = m.id
              WHERE m.message_id = d.message_id)";
const LAST_BOUNCE: &str = "
    SELECT epoch, detail FROM deliveries WHERE recipient = ?1 AND status IN (?2, ?3)
    ORDER BY epoch DESC LIMIT 1";
const MESSAGES_FROM: &str = "
    SELECT m.id, m.epoch FROM senders s JOIN messages m ON m.sender = s.id
    WHERE s.address = ?1 AND m.epoch BETWEEN ?2 AND ?3 ORDER BY m.epoch DESC LIMIT ?4";
const OWN_MESSAGE_ID: &str = "
    SELECT 1 FROM messages m JOIN written_to w ON w.message = m.id WHERE m.message_id = ?1
    UNION ALL SELECT 1 FROM drafts WHERE message_id = ?1 AND state = 'sent'
    UNION ALL SELECT 1 FROM message_id_aliases WHERE message_id = ?1";
const OTHER_ANSWERS: &str = "
    SELECT short_id, state FROM drafts
    WHERE answers = ?1 AND id <> ?2 AND state IN ('pending_approval', 'approved', 'sending', 'sent', 'unknown')
    ORDER BY id DESC LIMIT 10";

impl Reader {
    /// What passed between the owner and an address. What left from here counts also where its copy is not here.
    pub fn correspondence(&self, address: &str) -> Result<Correspondence, StoreError> {
        let address = address.to_lowercase();
        let (from_them, last_from) = self.counted(MAILS_FROM, &address)?;
        let (to_them, last_to) = self.counted(MAILS_TO, &address)?;
        let (left, last_left) = self.counted(MAILS_LEFT, &address)?;
        Ok(Correspondence { from_them, last_from, to_them: to_them + left, last_to: last_to.max(last_left) })
    }

    fn counted(&self, sql: &str, address: &str) -> Result<(u64, Option<i64>), StoreError> {
        let mut statement = self.connection().prepare_cached(sql)?;
        Ok(statement.query_row([address], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    /// Those whom the owner has written to, at most so many.
    pub fn people(&self, limit: usize) -> Result<Vec<Person>, StoreError> {
        const SELECT: &str = "SELECT address, name FROM people ORDER BY id DESC LIMIT ?1";
        let mut statement = self.connection().prepare_cached(SELECT)?;
        let read = |row: &Row<'_>| Ok(Person { address: row.get(0)?, name: row.get(1)? });
        Ok(statement.query_map([limit], read)?.collect::<Result<_, _>>()?)
    }

    /// When something that left from here last failed to reach an address, and what was said about it.
    pub fn last_bounce(&self, address: &str) -> Result<Option<(i64, Option<String>)>, StoreError> {
        let mut statement = self.connection().prepare_cached(LAST_BOUNCE)?;
        let failed = params![address, DeliveryStatus::Bounced.name(), DeliveryStatus::Refused.name()];
        Ok(statement.query_row(failed, |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
    }

    /// The newest messages that say they are from an address, of a span of time.
    pub fn messages_from(
        &self,
        address: &str,
        (since, until): (i64, i64),
        limit: usize,
    ) -> Result<Vec<(MessageKey, i64)>, StoreError> {
        let mut statement = self.connection().prepare_cached(MESSAGES_FROM)?;
        let values = params![address.to_lowercase(), since, until, limit];
        let rows = statement.query_map(values, |row| Ok((MessageKey(row.get(0)?), row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Whether a Message-ID, without angle brackets, is that of something the owner sent.
    pub fn is_own_message_id(&self, message_id: &str) -> Result<bool, StoreError> {
        Ok(self.connection().prepare_cached(OWN_MESSAGE_ID)?.exists([message_id])?)
    }

    /// A message as a line about it tells.
    pub fn glimpse(&self, key: MessageKey) -> Result<Option<Glimpse>, StoreError> {
        let sql = format!("{GLIMPSE} WHERE m.id = ?1");
        let mut statement = self.connection().prepare_cached(&sql)?;
        Ok(statement.query_row([key.0], read_glimpse).optional()?)
    }

    /// What came into a thread after a moment, newest first.
    pub fn later_in_thread(
        &self,
        thread: ThreadKey,
        epoch: i64,
        limit: usize,
    ) -> Result<Vec<Glimpse>, StoreError> {
        let sql = format!("{GLIMPSE}{LATER}");
        let mut statement = self.connection().prepare_cached(&sql)?;
        let rows = statement.query_map(params![thread.0, epoch, limit], read_glimpse)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Other items that answer the same message and were proposed, approved or sent.
    pub fn other_answers(
        &self,
        message: MessageKey,
        except: DraftKey,
    ) -> Result<Vec<(DraftId, ItemState)>, StoreError> {
        let mut statement = self.connection().prepare_cached(OTHER_ANSWERS)?;
        let rows = statement.query_map(params![message.0, except.0], |row| {
            let id = DraftId::parse(&row.get::<_, String>(0)?).ok_or_else(|| unreadable(0))?;
            Ok((id, ItemState::parse(&row.get::<_, String>(1)?).ok_or_else(|| unreadable(1))?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// What came into a thread after a moment, newest first.
const LATER: &str = " WHERE m.thread = ?1 AND m.epoch > ?2 ORDER BY m.epoch DESC LIMIT ?3";

const GLIMPSE: &str = "
    SELECT m.id, m.hash, s.address, s.name, m.subject, m.epoch,
           EXISTS (SELECT 1 FROM written_to w WHERE w.message = m.id)
    FROM messages m JOIN senders s ON s.id = m.sender";

fn read_glimpse(row: &Row<'_>) -> rusqlite::Result<Glimpse> {
    Ok(Glimpse {
        key: MessageKey(row.get(0)?),
        id: ShortId::of(&ContentHash(row.get(1)?)),
        from: row.get(2)?,
        from_name: row.get(3)?,
        subject: row.get(4)?,
        epoch: row.get(5)?,
        is_own: row.get(6)?,
    })
}

#[cfg(test)]
mod tests {
    use super::{
        GLIMPSE, IS_OWN, LAST_BOUNCE, LATER, MAILS_FROM, MAILS_LEFT, MAILS_TO, MESSAGES_FROM, OTHER_ANSWERS,
        OWN_MESSAGE_ID,
    };
    use crate::store::Store;

    #[test]
    fn no_question_about_somebody_walks_a_whole_table() {
        let store = Store::in_memory().unwrap();
        let later = format!("{GLIMPSE}{LATER}");
        for sql in [
            IS_OWN,
            MAILS_FROM,
            MAILS_TO,
            MAILS_LEFT,
            LAST_BOUNCE,
            MESSAGES_FROM,
            OWN_MESSAGE_ID,
            OTHER_ANSWERS,
            &later,
        ] {
            let mut statement = store.connection().prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let count = statement.parameter_count();
            let values = rusqlite::params_from_iter(vec![1_i64; count]);
            let steps: Vec<String> =
                statement.query_map(values, |row| row.get(3)).unwrap().collect::<Result<_, _>>().unwrap();
            assert!(!steps.iter().any(|step| step.starts_with("SCAN ")), "{sql}\n{steps:#?}");
        }
    }
}
