//! Keeps us below what Google lets a user ask for in a minute: no window of a minute ever holds more than the limit.
//! A call counts from when it is sent until a minute after it was answered, because the moment Google counts it lies
//! somewhere between.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What one user may use in a minute. Shared by all that speak for the same account.
#[derive(Debug)]
pub struct Quota {
    limit: u64,
    minute: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Units of calls that are not answered yet.
    under_way: u64,
    /// Units by when they were answered.
    answered: VecDeque<(Instant, u64)>,
}

impl State {
    /// What counts now.
    fn used(&mut self, minute: Duration) -> u64 {
        let now = Instant::now();
        while self.answered.front().is_some_and(|(then, _)| now.duration_since(*then) > minute) {
            self.answered.pop_front();
        }
        self.under_way + self.answered.iter().map(|(_, units)| units).sum::<u64>()
    }
}

impl Quota {
    /// At most so many units in any minute; a minute is what the caller says, so that tests need not wait.
    #[must_use]
    pub fn new(units_per_minute: u64, minute: Duration) -> Self {
        Self { limit: units_per_minute.max(1), minute, state: Mutex::default() }
    }

    /// How many calls of this price fit into one request, at least one.
    #[must_use]
    pub fn fits(&self, units: u64) -> usize {
        usize::try_from(self.limit / units.max(1)).unwrap_or(usize::MAX).max(1)
    }

    /// How many calls of this price can be made at once, now; at least one, which may have to wait.
    #[must_use]
    pub fn possible(&self, units: u64) -> usize {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let left = self.limit.saturating_sub(state.used(self.minute));
        usize::try_from(left / units.max(1)).unwrap_or(usize::MAX).max(1)
    }

    /// How many calls of this price a second can have in the long run.
    #[must_use]
    pub fn per_second(&self, units: u64) -> f64 {
        self.limit as f64 / units.max(1) as f64 / self.minute.as_secs_f64()
    }

    /// Takes units when that many are left; says how long to wait otherwise.
    pub fn take(&self, units: u64) -> Result<(), Duration> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let used = state.used(self.minute);
        // What is dearer than a whole minute must still be possible, when nothing else is.
        if used + units <= self.limit || used == 0 {
            state.under_way += units;
            return Ok(());
        }
        let mut free = self.limit.saturating_sub(used);
        let until = state.answered.iter().find(|(_, given)| {
            free += given;
            free >= units
        });
        let wait =
            until.map_or(self.minute, |(then, _)| self.minute.saturating_sub(now.duration_since(*then)));
        Err(wait + Duration::from_millis(1))
    }

    /// Notes that calls were answered, or that nobody will ever know.
    pub fn answered(&self, units: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.under_way = state.under_way.saturating_sub(units);
        state.answered.push_back((Instant::now(), units));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::Mutex;
    use std::time::{Duration, Instant};

    use super::{Quota, State};

    fn quota(limit: u64) -> Quota {
        Quota::new(limit, Duration::from_secs(60))
    }

    #[test]
    fn what_is_asked_for_in_a_minute_never_exceeds_the_limit() {
        let quota = quota(100);

        assert_eq!(quota.take(60), Ok(()));
        assert!(quota.take(60).is_err());
        assert_eq!(quota.take(40), Ok(()));
        quota.answered(60);
        quota.answered(40);
        let wait = quota.take(1).unwrap_err();
        assert!(wait > Duration::from_secs(59) && wait < Duration::from_secs(61), "{wait:?}");
    }

    #[test]
    fn units_come_back_a_minute_after_the_answer() {
        let minute = Duration::from_secs(60);
        let Some(long_ago) = Instant::now().checked_sub(minute * 2) else { return };
        let answered = VecDeque::from([(long_ago, 90), (Instant::now(), 10)]);
        let quota = Quota { limit: 100, minute, state: Mutex::new(State { under_way: 0, answered }) };

        assert_eq!(quota.take(90), Ok(()));
        assert!(quota.take(1).is_err());
    }

    #[test]
    fn a_call_that_costs_more_than_a_minute_has_is_made_alone() {
        let quota = quota(10);

        assert_eq!(quota.take(20), Ok(()));
        assert!(quota.take(1).is_err());
        assert_eq!((quota.fits(20), quota.fits(5), quota.possible(1)), (1, 2, 1));
    }
}
