//! The questions of the `db` tools: lists, counts and statistics over the rows of `emails`, one for each message in each
//! mailbox, as far as the archive's audience may see them.
//!
//! Dates are UTC. Ranges, periods and orders go by when a message came in (`internaldate_epoch`), which no sender can
//! forge; only the earliest messages and the answer times go by the Date field.

mod arguments;
mod awaiting;
mod counts;
mod duplicates;
mod frequency;
mod full;
mod keywords;
mod lists;
#[cfg(test)]
mod plans;
mod responses;
mod row;
mod selection;
mod series;
mod texts;
mod walk;

use crate::model::AccountKey;
use crate::query::{Archive, QueryError, SqlAnswer, SqlOptions};

pub use arguments::{
    Attachments, ItemType, MatchMode, Order, Period, Similarity, SizeCategory, Span, Timeline,
};
pub use awaiting::{Awaited, AwaitingReply, Turn};
pub use counts::{DomainCount, EmailStats, Group, GroupBy, Grouped, MailboxCount, SenderCount};
pub use duplicates::Duplicate;
pub use frequency::SenderPeriod;
pub use full::{EmailFull, FullQuery};
pub use lists::Largest;
pub use responses::{AnsweredBy, Response};
pub use row::EmailRow;
pub use selection::Filter;
pub use series::{HeatmapCell, PeriodCount, SeasonalCount};
pub use texts::{HeadersFound, Reason, RowsFound};

/// What a server is told when it starts, for all its questions.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Only the mail of this account.
    pub account: Option<AccountKey>,
    /// No list is longer.
    pub max_limit: usize,
    /// Whether raw bytes may be given away.
    pub raw: bool,
}

/// The archive as the `db` tools ask it.
pub struct Db<'a> {
    archive: &'a mut Archive,
    bounds: Bounds,
}

impl Archive {
    /// Asks the archive as the `db` tools do.
    pub fn db(&mut self, bounds: Bounds) -> Db<'_> {
        Db { archive: self, bounds }
    }
}

impl Db<'_> {
    /// Runs the caller's own SELECT, in a process of its own.
    pub fn execute_sql(&self, sql: &str, limit: usize) -> Result<SqlAnswer, QueryError> {
        let options = SqlOptions::for_tools(self.bounds.account, self.bounds.raw);
        let time = std::time::Duration::from_secs(5);
        Ok(self.archive.sql_apart(&options, sql, self.clamp(limit), time)?)
    }

    fn clamp(&self, limit: usize) -> usize {
        limit.min(self.bounds.max_limit)
    }

    fn connection(&self) -> &rusqlite::Connection {
        self.archive.reader.connection()
    }
}
