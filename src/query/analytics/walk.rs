//! Goes through placements in the order of time, mailbox by mailbox at once: each mailbox's index gives its own in order,
//! and the next of all comes first.

use std::collections::BinaryHeap;

use rusqlite::{CachedStatement, Connection, Rows, params};

use crate::query::QueryError;
use crate::query::analytics::{Order, Span, Timeline};

/// A placement and its moment. Steps are ordered by moment, then by message, then by placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Step {
    pub(super) epoch: i64,
    pub(super) message: i64,
    pub(super) placement: i64,
}

/// What to go along.
#[derive(Clone, Copy)]
pub(super) struct Path<'a> {
    pub(super) mailboxes: &'a [i64],
    pub(super) span: Span,
    pub(super) by: Timeline,
    pub(super) order: Order,
}

pub(super) const ARRIVED_UP: &str = "
    SELECT internal_epoch, message, id FROM placements WHERE mailbox = ?1 AND internal_epoch BETWEEN ?2 AND ?3
    ORDER BY internal_epoch, message, id";
pub(super) const ARRIVED_DOWN: &str = "
    SELECT internal_epoch, message, id FROM placements WHERE mailbox = ?1 AND internal_epoch BETWEEN ?2 AND ?3
    ORDER BY internal_epoch DESC, message DESC, id DESC";
pub(super) const WRITTEN_UP: &str = "
    SELECT epoch, message, id FROM placements WHERE mailbox = ?1 AND epoch BETWEEN ?2 AND ?3
    ORDER BY epoch, message, id";
pub(super) const WRITTEN_DOWN: &str = "
    SELECT epoch, message, id FROM placements WHERE mailbox = ?1 AND epoch BETWEEN ?2 AND ?3
    ORDER BY epoch DESC, message DESC, id DESC";

impl Path<'_> {
    const fn sql(&self) -> &'static str {
        match (self.by, self.order) {
            (Timeline::Arrival, Order::DateAsc) => ARRIVED_UP,
            (Timeline::Arrival, Order::DateDesc) => ARRIVED_DOWN,
            (Timeline::Written, Order::DateAsc) => WRITTEN_UP,
            (Timeline::Written, Order::DateDesc) => WRITTEN_DOWN,
        }
    }

    /// Goes along until `take` says that it is enough.
    pub(super) fn walk(
        &self,
        connection: &Connection,
        take: &mut dyn FnMut(Step) -> Result<bool, QueryError>,
    ) -> Result<(), QueryError> {
        let mut statements: Vec<CachedStatement<'_>> = Vec::with_capacity(self.mailboxes.len());
        for _ in self.mailboxes {
            statements.push(connection.prepare_cached(self.sql())?);
        }
        let mut streams = Vec::with_capacity(statements.len());
        for (statement, mailbox) in statements.iter_mut().zip(self.mailboxes) {
            streams.push(statement.query(params![mailbox, self.span.from, self.span.until])?);
        }
        merge(streams, self.order, take)
    }
}

/// The next of all streams, again and again. The heap gives the greatest first, so that going up turns its keys round.
fn merge(
    mut streams: Vec<Rows<'_>>,
    order: Order,
    take: &mut dyn FnMut(Step) -> Result<bool, QueryError>,
) -> Result<(), QueryError> {
    let key = |step: Step| match order {
        Order::DateDesc => (step.epoch, step.message, step.placement),
        Order::DateAsc => (!step.epoch, !step.message, !step.placement),
    };
    let mut heads = BinaryHeap::with_capacity(streams.len());
    for (number, stream) in streams.iter_mut().enumerate() {
        heads.extend(next(stream)?.map(|step| (key(step), number, step)));
    }
    while let Some((_, number, step)) = heads.pop() {
        if !take(step)? {
            break;
        }
        heads.extend(next(&mut streams[number])?.map(|step| (key(step), number, step)));
    }
    Ok(())
}

fn next(stream: &mut Rows<'_>) -> Result<Option<Step>, QueryError> {
    let Some(row) = stream.next()? else { return Ok(None) };
    Ok(Some(Step { epoch: row.get(0)?, message: row.get(1)?, placement: row.get(2)? }))
}
