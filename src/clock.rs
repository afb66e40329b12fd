//! The one place that asks what time it is.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Tells the time. Debug builds, and only those, can be told it by `MAILKEEP_TEST_NOW`.
#[derive(Debug, Clone)]
pub struct Clock {
    frozen: Option<Timestamp>,
    zone: TimeZone,
}

impl Clock {
    /// The machine's clock and time zone.
    #[must_use]
    pub fn system() -> Self {
        Self { frozen: frozen_by_environment(), zone: TimeZone::system() }
    }

    /// A clock that stands still, in UTC.
    #[must_use]
    pub fn frozen(now: Timestamp) -> Self {
        Self { frozen: Some(now), zone: TimeZone::UTC }
    }

    /// The current moment.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the door that time comes in through")]
    pub fn now(&self) -> Timestamp {
        self.frozen.unwrap_or_else(Timestamp::now)
    }

    /// The time zone in which days begin and end.
    #[must_use]
    pub fn zone(&self) -> &TimeZone {
        &self.zone
    }
}

#[cfg(debug_assertions)]
fn frozen_by_environment() -> Option<Timestamp> {
    std::env::var("MAILKEEP_TEST_NOW").ok()?.parse().ok()
}

#[cfg(not(debug_assertions))]
fn frozen_by_environment() -> Option<Timestamp> {
    None
}
