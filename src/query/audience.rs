//! What an audience may see, decided here and nowhere else. A person sees everything. For an assistant, withheld messages
//! and all that belongs to them are not there.
//!
//! Two things do it. On an assistant's connection, views stand before the tables, so that SQL that names `messages`,
//! `placements` or a kept count sees the rest only; no other file of `query` names a table past them (`main.NAME`) or asks
//! whether something is withheld. And what the text index finds is cut by a set of rows, see [`Archive::withheld`].
//!
//! How many are withheld is told, by filters and never by words: a count that depended on words would answer guesses at
//! what a withheld message says.

use std::path::Path;
use std::sync::Arc;

use roaring::RoaringTreemap;
use rusqlite::params;

use crate::home::Home;
use crate::index::Order;
use crate::model::{AccountKey, Audience, Flags, MailboxKey};
use crate::query::language::{Leaf, Query};
use crate::query::{Archive, QueryError};
use crate::store::{Reader, SCHEMA_VERSION, StoreError};

/// Names of an assistant's connection that stand before the tables. Only `main.NAME` reaches the table itself.
const VIEWS: &str = "
    CREATE TEMP VIEW messages AS SELECT * FROM main.messages WHERE withheld = 0;
    CREATE TEMP VIEW contents AS SELECT c.* FROM main.contents c
        WHERE EXISTS (SELECT 1 FROM main.messages m WHERE m.id = c.message AND m.withheld = 0);
    CREATE TEMP VIEW parts AS SELECT t.* FROM main.parts t
        WHERE EXISTS (SELECT 1 FROM main.messages m WHERE m.id = t.message AND m.withheld = 0);
    CREATE TEMP VIEW defects AS SELECT d.* FROM main.defects d
        WHERE EXISTS (SELECT 1 FROM main.messages m WHERE m.id = d.message AND m.withheld = 0);
    CREATE TEMP VIEW placements AS SELECT p.* FROM main.placements p
        WHERE EXISTS (SELECT 1 FROM main.messages m WHERE m.id = p.message AND m.withheld = 0);
    CREATE TEMP VIEW placement_labels AS SELECT l.* FROM main.placement_labels l
        WHERE EXISTS (SELECT 1 FROM placements p WHERE p.id = l.placement);
    CREATE TEMP VIEW gone AS SELECT g.* FROM main.gone g
        WHERE EXISTS (SELECT 1 FROM placements p WHERE p.id = g.placement);
    CREATE TEMP VIEW day_counts AS SELECT * FROM main.day_counts WHERE withheld = 0;
    CREATE TEMP VIEW hour_counts AS SELECT * FROM main.hour_counts WHERE withheld = 0;
    CREATE TEMP VIEW arrival_counts AS SELECT * FROM main.arrival_counts WHERE withheld = 0;
    CREATE TEMP VIEW arrival_days AS SELECT * FROM main.arrival_days WHERE withheld = 0;
    CREATE TEMP VIEW sender_counts AS SELECT * FROM main.sender_counts WHERE withheld = 0;
    CREATE TEMP VIEW sender_days AS SELECT * FROM main.sender_days WHERE withheld = 0;
    CREATE TEMP VIEW mailbox_counts AS SELECT * FROM main.mailbox_counts WHERE withheld = 0;
    CREATE TEMP VIEW message_counts AS SELECT * FROM main.message_counts WHERE withheld = 0;";

/// Opens the store for an audience; where there is none yet, an empty one answers.
pub(super) fn open(store: &Path, audience: Audience) -> Result<Reader, StoreError> {
    let reader = Reader::open_or_empty(store)?;
    if audience == Audience::Assistant && !reader.is_stand_in() {
        let connection = reader.connection();
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        connection.pragma_update(None, "query_only", false)?;
        connection.execute_batch(VIEWS)?;
        connection.pragma_update(None, "query_only", true)?;
    }
    Ok(reader)
}

/// The schema version of a home's store; 0 where there is none.
#[must_use]
pub fn schema_version(home: &Home) -> i64 {
    match Reader::open(&home.store()) {
        Ok(_) => SCHEMA_VERSION,
        Err(StoreError::NewerSchema { found, .. } | StoreError::OlderSchema { found, .. }) => found,
        Err(_) => 0,
    }
}

/// The withheld messages, as of a change of the store.
#[derive(Default)]
pub(super) struct Withheld {
    change: Option<i64>,
    /// Their rows; `None` when nothing is withheld from this audience.
    pub(super) rows: Option<Arc<RoaringTreemap>>,
    /// Their dates and rows.
    dates: Vec<(i64, u64)>,
}

const WITHHELD: &str = "SELECT id, epoch FROM main.messages WHERE withheld = 1";
const WITHHELD_ROWS: &str = "SELECT mailbox, count FROM main.mailbox_counts WHERE withheld = 1";
const WITHHELD_ARRIVALS: &str = "
    SELECT p.mailbox, count(*) FROM main.messages m CROSS JOIN main.placements p ON p.message = m.id
    WHERE m.withheld = 1 AND p.internal_epoch BETWEEN ?1 AND ?2 GROUP BY 1";
/// Threads that an assistant cannot know of, because nothing else is in them.
const WITHHELD_THREADS: &str = "
    SELECT count(*) FROM (SELECT DISTINCT thread FROM main.messages WHERE withheld = 1) AS hidden
    WHERE NOT EXISTS (SELECT 1 FROM main.messages m WHERE m.thread = hidden.thread AND m.withheld = 0)";
/// Where a withheld message is.
const PLACED: &str = "
    SELECT b.account, p.mailbox, p.flags FROM main.placements p JOIN mailboxes b ON b.id = p.mailbox
    WHERE p.message = ?1";
/// Along an index alone: the view would look every message up.
const ARRIVALS: &str = "
    SELECT message FROM main.placements INDEXED BY placements_by_arrival
    WHERE mailbox = ?1 AND internal_epoch BETWEEN ?2 AND ?3";

impl Archive {
    /// How many withheld messages a list of what matches would show between these dates. Where the query asks for
    /// more than filters (dates, mailbox, account, label, state, thread), none are counted.
    pub(super) fn withheld_among(&mut self, query: &Query, shown: Shown) -> Result<usize, QueryError> {
        let change = self.reader.newest_change()?;
        let Some(all) = self.withheld(change)?.rows.clone() else { return Ok(0) };
        let Some(rows) = self.withheld_matching(query, &all, change)? else { return Ok(0) };
        let rows = rows & self.withheld.shown(shown);
        Ok(usize::try_from(rows.len()).unwrap_or(usize::MAX))
    }

    /// The withheld messages that match; `None` when that depends on what they say.
    fn withheld_matching(
        &mut self,
        query: &Query,
        all: &RoaringTreemap,
        change: i64,
    ) -> Result<Option<RoaringTreemap>, QueryError> {
        match query {
            Query::All => Ok(Some(all.clone())),
            Query::Leaf(leaf) => self.withheld_with(leaf, all, change),
            Query::Not(inner) => {
                let matching = self.withheld_matching(inner, all, change)?;
                Ok(matching.map(|matching| all - matching))
            }
            Query::And(parts) => self.withheld_in_each(parts, all, change),
            Query::Or(parts) => {
                let none_of = parts.iter().cloned().map(Query::negated).collect::<Vec<_>>();
                let missing = self.withheld_in_each(&none_of, all, change)?;
                Ok(missing.map(|missing| all - missing))
            }
        }
    }

    fn withheld_in_each(
        &mut self,
        parts: &[Query],
        all: &RoaringTreemap,
        change: i64,
    ) -> Result<Option<RoaringTreemap>, QueryError> {
        let mut rows = all.clone();
        for part in parts {
            let Some(matching) = self.withheld_matching(part, all, change)? else { return Ok(None) };
            rows &= matching;
        }
        Ok(Some(rows))
    }

    fn withheld_with(
        &mut self,
        leaf: &Leaf,
        all: &RoaringTreemap,
        change: i64,
    ) -> Result<Option<RoaringTreemap>, QueryError> {
        match leaf {
            Leaf::Dated { from, until } => Ok(Some(self.withheld.dated(*from, *until))),
            Leaf::Is(_)
            | Leaf::In(_)
            | Leaf::Label(_)
            | Leaf::Category(_)
            | Leaf::HasUserLabels
            | Leaf::Account(_)
            | Leaf::Thread(_) => Ok(self.rows(leaf, change)?.map(|fact| all & &*fact)),
            _ => Ok(None),
        }
    }

    /// The withheld messages between these dates.
    fn withheld_between(&mut self, shown: Shown) -> Result<RoaringTreemap, QueryError> {
        let change = self.reader.newest_change()?;
        Ok(self.withheld(change)?.shown(shown))
    }

    /// How many withheld messages between these dates have a placement that counts.
    pub(super) fn count_withheld(
        &mut self,
        shown: Shown,
        counts: impl Fn(AccountKey, MailboxKey, Flags) -> bool,
    ) -> Result<usize, QueryError> {
        let withheld = self.withheld_between(shown)?;
        let mut statement = self.reader.connection().prepare_cached(PLACED)?;
        let mut count = 0;
        for row in withheld {
            let mut placements = statement.query([row.cast_signed()])?;
            while let Some(placement) = placements.next()? {
                let (account, mailbox) = (AccountKey(placement.get(0)?), MailboxKey(placement.get(1)?));
                if counts(account, mailbox, Flags::from_bits(placement.get(2)?)) {
                    count += 1;
                    break;
                }
            }
        }
        Ok(count)
    }

    /// What is withheld at this change of the store.
    pub(super) fn withheld(&mut self, change: i64) -> Result<&Withheld, QueryError> {
        if self.audience == Audience::Assistant && self.withheld.change != Some(change) {
            let mut statement = self.reader.connection().prepare_cached(WITHHELD)?;
            let rows =
                statement.query_map([], |row| Ok((row.get(1)?, row.get::<_, i64>(0)?.cast_unsigned())))?;
            let dates = rows.collect::<Result<Vec<(i64, u64)>, _>>()?;
            let rows: RoaringTreemap = dates.iter().map(|(_, row)| *row).collect();
            let rows = (!rows.is_empty()).then(|| Arc::new(rows));
            self.withheld = Withheld { change: Some(change), rows, dates };
        }
        Ok(&self.withheld)
    }

    /// Withheld messages a mailbox that came in between two moments, both included; `None` is all of time.
    pub(super) fn withheld_arrivals(&self, span: Option<(i64, i64)>) -> Result<Vec<(i64, i64)>, QueryError> {
        if self.audience == Audience::Person {
            return Ok(Vec::new());
        }
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let connection = self.reader.connection();
        let found = match span {
            None => connection.prepare_cached(WITHHELD_ROWS)?.query_map([], read)?.collect(),
            Some((from, until)) => {
                let mut statement = connection.prepare_cached(WITHHELD_ARRIVALS)?;
                statement.query_map(params![from, until], read)?.collect::<Result<Vec<_>, _>>()
            }
        };
        Ok(found?)
    }

    /// How many placements of these messages came into a mailbox between two moments, as far as this audience may see
    /// them.
    pub(super) fn count_arrivals(
        &mut self,
        messages: &RoaringTreemap,
        mailboxes: &[i64],
        (from, until): (i64, i64),
    ) -> Result<i64, QueryError> {
        let change = self.reader.newest_change()?;
        let visible = match &self.withheld(change)?.rows {
            Some(hidden) => messages - &**hidden,
            None => messages.clone(),
        };
        let mut statement = self.reader.connection().prepare_cached(ARRIVALS)?;
        let mut count = 0;
        for mailbox in mailboxes {
            let mut rows = statement.query(params![mailbox, from, until])?;
            while let Some(row) = rows.next()? {
                count += i64::from(visible.contains(row.get::<_, i64>(0)?.cast_unsigned()));
            }
        }
        Ok(count)
    }

    /// Whether anything is withheld from this audience.
    pub(super) fn withholds(&mut self) -> Result<bool, QueryError> {
        let change = self.reader.newest_change()?;
        Ok(self.withheld(change)?.rows.is_some())
    }

    /// How many threads hold nothing that this audience may see.
    pub(super) fn hidden_threads(&self) -> Result<i64, QueryError> {
        match self.audience {
            Audience::Person => Ok(0),
            Audience::Assistant => {
                Ok(self.reader.connection().query_row(WITHHELD_THREADS, [], |row| row.get(0))?)
            }
        }
    }
}

/// The dates that a page of a list by date covers, up to where the next page begins; a side that is open has none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shown {
    /// The first second that counts.
    from: Option<i64>,
    /// The first second that no longer counts.
    until: Option<i64>,
}

impl Shown {
    /// From the first message of a page, where another page comes before it, to the first of the next page.
    pub(super) fn page(first: Option<i64>, next: Option<i64>, order: Order) -> Self {
        match order {
            Order::Oldest => Self { from: first, until: next },
            Order::Ranked | Order::Newest => {
                let after = |epoch: i64| epoch.saturating_add(1);
                Self { from: next.map(after), until: first.map(after) }
            }
        }
    }
}

impl Withheld {
    fn shown(&self, shown: Shown) -> RoaringTreemap {
        self.dated(shown.from, shown.until)
    }

    fn dated(&self, from: Option<i64>, until: Option<i64>) -> RoaringTreemap {
        let within =
            |epoch: i64| from.is_none_or(|from| epoch >= from) && until.is_none_or(|until| epoch < until);
        self.dates.iter().filter(|(epoch, _)| within(*epoch)).map(|(_, row)| *row).collect()
    }
}
