//! Figures about the whole archive, read from the counts that the store keeps.

use jiff::Timestamp;
use rusqlite::Row;
use serde::Serialize;

use crate::query::search::iso_date;
use crate::query::{Archive, QueryError};

/// What `stats` prints.
#[derive(Debug, Clone, Serialize)]
pub struct Figures {
    /// Messages.
    pub messages: i64,
    /// Raw bytes of all messages.
    pub bytes: i64,
    /// Messages with an attachment.
    pub with_attachments: i64,
    /// Threads.
    pub threads: i64,
    /// Messages that were stored with a defect.
    pub defective: i64,
    /// Date of the oldest message.
    pub earliest: Option<String>,
    /// Date of the newest message.
    pub latest: Option<String>,
    /// Messages that no server shows any more.
    pub gone: i64,
    /// Messages a mailbox, with the unread ones.
    pub mailboxes: Vec<MailboxShare>,
    /// Messages a year.
    pub years: Vec<Share>,
    /// Messages of the last months that have any, at most twelve.
    pub months: Vec<Share>,
    /// Messages by hour of the week in the time zone of this machine, Sunday first.
    pub week: [[i64; 24]; 7],
    /// The most frequent senders.
    pub senders: Vec<Share>,
    /// The most frequent sender domains.
    pub domains: Vec<Share>,
}

/// A name and how many messages it stands for.
#[derive(Debug, Clone, Serialize)]
pub struct Share {
    /// What is counted.
    pub name: String,
    /// How many.
    pub count: i64,
}

/// A mailbox and how many messages it holds.
#[derive(Debug, Clone, Serialize)]
pub struct MailboxShare {
    /// Account.
    pub account: String,
    /// Mailbox.
    pub mailbox: String,
    /// Messages.
    pub count: i64,
    /// Unread messages.
    pub unread: i64,
}

const TOTALS: &str = "
    SELECT coalesce(sum(count), 0), coalesce(sum(bytes), 0), coalesce(sum(with_attachments), 0) FROM message_counts";
const THREADS: &str = "SELECT count(*) FROM thread_sets WHERE size > 0";
const DEFECTIVE: &str = "SELECT count(DISTINCT message) FROM defects";
const RANGE: &str = "SELECT (SELECT min(epoch) FROM messages), (SELECT max(epoch) FROM messages)";
const YEARS: &str = "
    SELECT strftime('%Y', day * 86400, 'unixepoch'), sum(count) FROM day_counts GROUP BY 1 ORDER BY 1";
const MONTHS: &str = "
    SELECT * FROM (
        SELECT strftime('%Y-%m', day * 86400, 'unixepoch') AS month, sum(count) FROM day_counts
        GROUP BY 1 ORDER BY 1 DESC LIMIT 12
    ) ORDER BY month";
const HOURS: &str = "SELECT hour, sum(count) FROM hour_counts GROUP BY hour";
const SENDERS: &str = "
    SELECT s.display, sum(c.count) AS n FROM sender_counts c JOIN senders s ON s.id = c.sender
    GROUP BY c.sender ORDER BY n DESC, s.display LIMIT ?1";
const DOMAINS: &str = "
    SELECT s.domain, sum(c.count) AS n FROM sender_counts c JOIN senders s ON s.id = c.sender
    WHERE s.domain <> '' GROUP BY s.domain ORDER BY n DESC, s.domain LIMIT ?1";

impl Archive {
    /// Reads the figures, with at most `top` senders and domains.
    pub fn figures(&self, top: usize) -> Result<Figures, QueryError> {
        let connection = self.reader.connection();
        let top = top.min(1_000_000);
        let (messages, bytes, with_attachments) =
            connection.query_row(TOTALS, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let (earliest, latest): (Option<i64>, Option<i64>) =
            connection.query_row(RANGE, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(Figures {
            messages,
            bytes,
            with_attachments,
            threads: self.threads()?,
            defective: connection.query_row(DEFECTIVE, [], |row| row.get(0))?,
            earliest: earliest.map(iso_date),
            latest: latest.map(iso_date),
            gone: self.reader.gone_count()?,
            mailboxes: self.mailbox_shares()?,
            years: self.shares(YEARS, [])?,
            months: self.shares(MONTHS, [])?,
            week: self.week()?,
            senders: self.shares(SENDERS, [top])?,
            domains: self.shares(DOMAINS, [top])?,
        })
    }

    fn threads(&self) -> Result<i64, QueryError> {
        let all: i64 = self.reader.connection().query_row(THREADS, [], |row| row.get(0))?;
        Ok(all - self.hidden_threads()?)
    }

    fn week(&self) -> Result<[[i64; 24]; 7], QueryError> {
        let mut week = [[0; 24]; 7];
        let mut statement = self.reader.connection().prepare_cached(HOURS)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let moment = Timestamp::from_second(row.get::<_, i64>(0)? * 3600).unwrap_or_default();
            let here = moment.to_zoned(self.clock.zone().clone());
            let day = usize::try_from(here.weekday().to_sunday_zero_offset()).unwrap_or_default();
            let hour = usize::try_from(here.hour()).unwrap_or_default();
            week[day][hour] += row.get::<_, i64>(1)?;
        }
        Ok(week)
    }

    fn shares(&self, sql: &str, params: impl rusqlite::Params) -> Result<Vec<Share>, QueryError> {
        let mut statement = self.reader.connection().prepare_cached(sql)?;
        let share = |row: &Row<'_>| Ok(Share { name: row.get(0)?, count: row.get(1)? });
        let rows = statement.query_map(params, share)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn mailbox_shares(&self) -> Result<Vec<MailboxShare>, QueryError> {
        let accounts = self.reader.accounts()?;
        let address =
            |key| accounts.iter().find(|a| a.key == key).map(|a| a.address.clone()).unwrap_or_default();
        let shares = self.reader.mailboxes()?.into_iter().map(|mailbox| MailboxShare {
            account: address(mailbox.account),
            mailbox: mailbox.name,
            count: mailbox.count,
            unread: mailbox.unread,
        });
        Ok(shares.collect())
    }
}
