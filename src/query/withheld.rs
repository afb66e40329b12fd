//! How many messages an assistant is not shown. Which ones they are is never told, and words are not counted:
//! a count that depended on them would answer guesses at what a withheld message says.

use std::sync::Arc;

use roaring::RoaringTreemap;

use crate::index::Order;
use crate::model::Audience;
use crate::query::language::{Leaf, Query};
use crate::query::{Archive, QueryError};

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
    pub(super) fn withheld_between(&mut self, shown: Shown) -> Result<RoaringTreemap, QueryError> {
        let change = self.reader.newest_change()?;
        Ok(self.withheld(change)?.shown(shown))
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
