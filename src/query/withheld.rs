//! How many messages an assistant is not shown. Which ones they are is never told, and words are not counted:
//! a count that depended on them would answer guesses at what a withheld message says.

use std::sync::Arc;

use roaring::RoaringTreemap;

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
    /// How many messages within the filters of a query are withheld: dates, mailbox, account, label, state, thread.
    pub fn withheld_within(&mut self, text: &str, account: Option<&str>) -> Result<usize, QueryError> {
        let query = self.understand(text, account)?;
        self.count_withheld(&query)
    }

    pub(super) fn count_withheld(&mut self, query: &Query) -> Result<usize, QueryError> {
        let change = self.reader.newest_change()?;
        let Some(mut rows) = self.withheld(change)?.rows.as_deref().cloned() else { return Ok(0) };
        for leaf in filters(query) {
            match leaf {
                Leaf::Dated { from, until } => rows &= self.withheld.dated(*from, *until),
                Leaf::Is(_) | Leaf::In(_) | Leaf::Label(_) | Leaf::Account(_) | Leaf::Thread(_) => {
                    if let Some(fact) = self.rows(leaf, change)? {
                        rows &= &*fact;
                    }
                }
                _ => {}
            }
        }
        Ok(usize::try_from(rows.len()).unwrap_or(usize::MAX))
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

impl Withheld {
    fn dated(&self, from: Option<i64>, until: Option<i64>) -> RoaringTreemap {
        let within =
            |epoch: i64| from.is_none_or(|from| epoch >= from) && until.is_none_or(|until| epoch < until);
        self.dates.iter().filter(|(epoch, _)| within(*epoch)).map(|(_, row)| *row).collect()
    }
}

/// The filters that every match must pass.
fn filters(query: &Query) -> Vec<&Leaf> {
    match query {
        Query::And(parts) => parts.iter().flat_map(filters).collect(),
        Query::Leaf(leaf) => vec![leaf],
        _ => Vec::new(),
    }
}
