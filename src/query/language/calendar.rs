//! What a date in a search is read against: the moment, the time zone, and the order of day and month.

use jiff::Zoned;

use crate::clock::{Clock, DateOrder};

/// The person's calendar at the moment of the search.
#[derive(Debug, Clone)]
pub(super) struct Calendar {
    pub(super) now: Zoned,
    pub(super) order: DateOrder,
}

impl Calendar {
    pub(super) fn of(clock: &Clock) -> Self {
        Self { now: clock.now().to_zoned(clock.zone().clone()), order: clock.date_order() }
    }
}
