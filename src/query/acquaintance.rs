//! Whether the owner and somebody have written to each other. Goes by the whole address: one that only looks like a known
//! one is new.

use rusqlite::params;

use crate::index::Order;
use crate::model::Address;
use crate::query::{Archive, Page, QueryError, iso_date};

/// So many of the owner's own mails are looked at.
const OWN_MAILS: usize = 200;

/// What passed between the owner and an address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acquaintance {
    /// Mails of theirs that are here.
    pub from_them: u64,
    /// Mails of the owner's to them, of the newest that may be.
    pub to_them: u64,
    /// When the last of either was written, in UTC.
    pub last: Option<String>,
}

impl Acquaintance {
    /// Whether nothing passed between them.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.from_them == 0 && self.to_them == 0
    }
}

impl Archive {
    /// What passed between the owner and this address.
    pub fn acquaintance(&mut self, address: &str) -> Result<Acquaintance, QueryError> {
        self.look_again()?;
        let address = address.to_lowercase();
        let (from_them, last_from) = self.mails_from(&address)?;
        let (to_them, last_to) = self.mails_to(&address)?;
        Ok(Acquaintance { from_them, to_them, last: last_from.max(last_to).map(iso_date) })
    }

    fn mails_from(&self, address: &str) -> Result<(u64, Option<i64>), QueryError> {
        const SELECT: &str = "
            SELECT count(*), max(m.epoch) FROM senders s JOIN messages m ON m.sender = s.id
            WHERE s.domain = ?1 AND lower(s.address) = ?2";
        let domain = Address::new("", address).domain();
        let mut statement = self.reader.connection().prepare_cached(SELECT)?;
        Ok(statement.query_row(params![domain, address], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    fn mails_to(&mut self, address: &str) -> Result<(u64, Option<i64>), QueryError> {
        let query =
            self.understand(&format!("from:me to:\"{}\"", address.replace(['"', '\\'], " ")), None)?;
        let page = Page { limit: OWN_MAILS, offset: 0 };
        let hits = self.find_sorted(&query, Order::Newest, page)?.0.hits;
        let (mut count, mut last) = (0, None);
        for hit in hits {
            let envelope = self.reader.envelope(hit.key)?;
            let mut written = envelope.to.iter().chain(&envelope.cc).chain(&envelope.bcc);
            if written.any(|to| Address::from_shown(to).address.eq_ignore_ascii_case(address)) {
                count += 1;
                last = last.max(Some(hit.epoch));
            }
        }
        Ok((count, last))
    }
}
