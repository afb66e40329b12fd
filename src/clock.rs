//! The one place that asks what time it is, and how dates are written where this machine stands.

use std::sync::OnceLock;

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Tells the time. Debug builds, and only those, can be told it by `MAILKEEP_TEST_NOW`.
#[derive(Debug, Clone)]
pub struct Clock {
    frozen: Option<Timestamp>,
    /// Looked up when it is first asked for: that reads a directory tree, which a server's start need not wait for.
    zone: OnceLock<TimeZone>,
    order: DateOrder,
}

/// What comes first in `3/10/2024`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrder {
    /// The day, as nearly everywhere.
    DayFirst,
    /// The month, as in the United States.
    MonthFirst,
}

impl DateOrder {
    /// The order of a locale such as `de_DE.UTF-8`. Without one, or in `C`, it is what `C` prints: the month first.
    #[must_use]
    pub fn of_locale(name: &str) -> Self {
        let country = name.split(['.', '@']).next().unwrap_or_default();
        let country = country.split(['_', '-']).nth(1).unwrap_or_default();
        let is_neutral = matches!(name, "" | "C" | "POSIX") || name.starts_with("C.");
        let by_month = ["US", "PH", "PR", "GU", "AS", "VI", "UM", "MH", "FM", "PW"];
        match is_neutral || by_month.contains(&country) {
            true => Self::MonthFirst,
            false => Self::DayFirst,
        }
    }

    /// As the environment says: the first of these variables that is set counts (POSIX, 8.2).
    fn of_environment() -> Self {
        let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_TIME", "LANG"].into_iter().find_map(set);
        Self::of_locale(&locale.unwrap_or_default())
    }
}

impl Clock {
    /// The machine's clock and time zone.
    #[must_use]
    pub fn system() -> Self {
        let order = DateOrder::of_environment();
        Self { frozen: frozen_by_environment(), zone: OnceLock::new(), order }
    }

    /// A clock that stands still, in UTC, where the day comes first.
    #[must_use]
    pub fn frozen(now: Timestamp) -> Self {
        Self { frozen: Some(now), zone: OnceLock::from(TimeZone::UTC), order: DateOrder::DayFirst }
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

    /// Which of day and month comes first where both are numbers.
    #[must_use]
    pub fn date_order(&self) -> DateOrder {
        self.order
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

#[cfg(test)]
mod tests {
    use super::DateOrder;

    #[test]
    fn the_month_comes_first_where_people_write_it_so() {
        for locale in ["en_US.UTF-8", "es_PR", "en_PH.UTF-8", "C", "POSIX", "C.UTF-8", ""] {
            assert_eq!(DateOrder::of_locale(locale), DateOrder::MonthFirst, "{locale}");
        }
        for locale in ["de_DE.UTF-8", "en_GB", "fr_CH@euro", "pt_BR.UTF-8", "de", "sv_SE"] {
            assert_eq!(DateOrder::of_locale(locale), DateOrder::DayFirst, "{locale}");
        }
    }
}
