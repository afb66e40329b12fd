//! Lists by date and counts that follow one SQLite index, however large the mailbox is.

use rusqlite::params;

use crate::index::{Found, Hit, Order};
use crate::model::{MailboxKey, MessageKey};
use crate::query::QueryError;
use crate::query::search::Page;
use crate::store::Reader;

const ALL: &str = "SELECT id, epoch FROM messages ORDER BY epoch DESC, id DESC LIMIT ?1 OFFSET ?2";
const ALL_OLDEST: &str = "SELECT id, epoch FROM messages ORDER BY epoch, id LIMIT ?1 OFFSET ?2";
const IN_MAILBOX: &str = "
    SELECT message, epoch FROM placements WHERE mailbox = ?3 ORDER BY epoch DESC, message DESC LIMIT ?1 OFFSET ?2";
const IN_MAILBOX_OLDEST: &str = "
    SELECT message, epoch FROM placements WHERE mailbox = ?3 ORDER BY epoch, message LIMIT ?1 OFFSET ?2";
const COUNT_ALL: &str = "SELECT coalesce(sum(count), 0) FROM message_counts";
const COUNT_IN_MAILBOX: &str = "SELECT coalesce(sum(count), 0) FROM mailbox_counts WHERE mailbox = ?1";

/// The newest or oldest messages of the whole archive.
pub(super) fn all(reader: &Reader, order: Order, page: Page) -> Result<Found, QueryError> {
    let total = reader.connection().prepare_cached(COUNT_ALL)?.query_row([], |row| row.get(0))?;
    let mut statement =
        reader.connection().prepare_cached(if order == Order::Oldest { ALL_OLDEST } else { ALL })?;
    let rows = statement.query_map(params![page.limit, page.offset], hit)?;
    Ok(Found { total, hits: rows.collect::<Result<_, _>>()? })
}

/// The newest or oldest messages of one mailbox.
pub(super) fn mailbox(
    reader: &Reader,
    mailbox: MailboxKey,
    order: Order,
    page: Page,
) -> Result<Found, QueryError> {
    let total =
        reader.connection().prepare_cached(COUNT_IN_MAILBOX)?.query_row([mailbox.0], |row| row.get(0))?;
    let sql = if order == Order::Oldest { IN_MAILBOX_OLDEST } else { IN_MAILBOX };
    let mut statement = reader.connection().prepare_cached(sql)?;
    let rows = statement.query_map(params![page.limit, page.offset, mailbox.0], hit)?;
    Ok(Found { total, hits: rows.collect::<Result<_, _>>()? })
}

fn hit(row: &rusqlite::Row<'_>) -> rusqlite::Result<Hit> {
    Ok(Hit { score: 0.0, key: MessageKey(row.get(0)?), epoch: row.get(1)?, at: None })
}
