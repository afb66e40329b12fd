//! The one place that asks what time it is.

use std::sync::OnceLock;

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Tells the time. Debug builds, and only those, can be told it by `MAILKEEP_TEST_NOW`.
#[derive(Debug, Clone)]
pub struct Clock {
    frozen: Option<Timestamp>,
    /// Looked up when it is first asked for: that reads a directory tree, which a server's start need not wait for.
    zone: OnceLock<TimeZone>,
}

impl Clock {
    /// The machine's clock and time zone.
    #[must_use]
    pub fn system() -> Self {
        Self { frozen: frozen_by_environment(), zone: OnceLock::new() }
    }

    /// A clock that stands still, in UTC.
    #[must_use]
    pub fn frozen(now: Timestamp) -> Self {
        Self { frozen: Some(now), zone: OnceLock::from(TimeZone::UTC) }
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
        self.zone.get_or_init(TimeZone::system)
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
