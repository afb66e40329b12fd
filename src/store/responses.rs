//! Who answered whom, and how fast: for each message that follows one by somebody else in its thread, the time between
//! the two. Kept while messages are stored, because a question about all threads would have to read every message.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::model::{MessageKey, ThreadKey};
use crate::store::StoreError;

/// A message as its place in a thread tells it.
pub(super) struct Turn {
    /// The message's row.
    pub(super) message: i64,
    /// Its date.
    pub(super) epoch: i64,
    /// Who wrote it.
    pub(super) address: String,
}

/// Brings the rows of these messages, and of those that follow them in the thread, up to date. To be called when
/// messages have come into a thread, or when the shield begins or ceases to withhold one.
pub(super) fn refresh(
    connection: &Connection,
    thread: ThreadKey,
    messages: &[MessageKey],
) -> Result<(), StoreError> {
    for message in messages {
        if let Some((turn, withheld)) = find(connection, *message)? {
            measure_around(connection, thread, &turn, withheld)?;
        }
    }
    Ok(())
}

/// The same for one message that is at hand.
pub(super) fn measure_around(
    connection: &Connection,
    thread: ThreadKey,
    turn: &Turn,
    withheld: bool,
) -> Result<(), StoreError> {
    let next = neighbour(connection, NEXT, thread, turn)?;
    if withheld {
        connection.prepare_cached("DELETE FROM responses WHERE message = ?1")?.execute([turn.message])?;
    } else {
        measure(connection, thread, turn)?;
    }
    next.map_or(Ok(()), |next| measure(connection, thread, &next))
}

/// The thread of a message, and the message that follows it there, whose row changes when this one goes.
pub(super) fn next_in_thread(
    connection: &Connection,
    message: MessageKey,
) -> Result<(ThreadKey, Vec<MessageKey>), StoreError> {
    let mut statement = connection.prepare_cached("SELECT thread FROM messages WHERE id = ?1")?;
    let thread = statement.query_row([message.0], |row| row.get(0).map(ThreadKey))?;
    let Some((turn, _)) = find(connection, message)? else { return Ok((thread, Vec::new())) };
    let next = neighbour(connection, NEXT, thread, &turn)?;
    Ok((thread, next.into_iter().map(|next| MessageKey(next.message)).collect()))
}

/// Says that this address is now an account's, so that its answers are the owner's own.
pub(super) fn own_address(connection: &Connection, address: &str) -> Result<(), StoreError> {
    const UPDATE: &str = "
        UPDATE responses SET own = 1 WHERE message IN (
            SELECT m.id FROM senders s JOIN messages m ON m.sender = s.id WHERE s.address = lower(?1))";
    connection.execute(UPDATE, [address])?;
    Ok(())
}

fn find(connection: &Connection, message: MessageKey) -> Result<Option<(Turn, bool)>, StoreError> {
    const SELECT: &str = "
        SELECT m.id, m.epoch, s.address, m.withheld FROM messages m JOIN senders s ON s.id = m.sender WHERE m.id = ?1";
    let mut statement = connection.prepare_cached(SELECT)?;
    Ok(statement.query_row([message.0], |row| Ok((turn(row)?, row.get(3)?))).optional()?)
}

const PREVIOUS: &str = "
    SELECT m.id, m.epoch, s.address FROM messages m JOIN senders s ON s.id = m.sender
    WHERE m.thread = ?1 AND (m.epoch, m.id) < (?2, ?3) AND m.withheld = 0
    ORDER BY m.epoch DESC, m.id DESC LIMIT 1";
const NEXT: &str = "
    SELECT m.id, m.epoch, s.address FROM messages m JOIN senders s ON s.id = m.sender
    WHERE m.thread = ?1 AND (m.epoch, m.id) > (?2, ?3) AND m.withheld = 0
    ORDER BY m.epoch, m.id LIMIT 1";

fn neighbour(
    connection: &Connection,
    sql: &str,
    thread: ThreadKey,
    of: &Turn,
) -> Result<Option<Turn>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_row(params![thread.0, of.epoch, of.message], turn).optional()?)
}

fn measure(connection: &Connection, thread: ThreadKey, answer: &Turn) -> Result<(), StoreError> {
    const REPLACE: &str = "
        INSERT INTO responses (message, seconds, own)
        VALUES (?1, ?2, EXISTS (SELECT 1 FROM accounts WHERE lower(address) = ?3))
        ON CONFLICT DO UPDATE SET seconds = excluded.seconds, own = excluded.own";
    match neighbour(connection, PREVIOUS, thread, answer)? {
        Some(before) if before.address != answer.address => connection
            .prepare_cached(REPLACE)?
            .execute(params![answer.message, answer.epoch - before.epoch, answer.address])?,
        _ => connection
            .prepare_cached("DELETE FROM responses WHERE message = ?1")?
            .execute([answer.message])?,
    };
    Ok(())
}

fn turn(row: &Row<'_>) -> rusqlite::Result<Turn> {
    Ok(Turn { message: row.get(0)?, epoch: row.get(1)?, address: row.get(2)? })
}
