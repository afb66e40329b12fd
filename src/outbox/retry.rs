//! When an item that did not get through is offered again. Pure: only for what has certainly not left.

use std::time::Duration;

use crate::model::OutboxSettings;

/// After the tries in a row it comes again after so long, and then always after the last of these.
const LATER: [i64; 3] = [5 * 60, 15 * 60, 60 * 60];
/// After so long it is over.
const LONGEST: i64 = 24 * 3_600;
/// What the document behind these profiles asks for: 5 and 10 seconds.
const SLOW_PROFILES: [&str; 3] = ["email", "whatsapp", "linkedin"];
const SLOW_DELAY_MS: u32 = 5_000;
/// With these it asks for a third pause, of 20 seconds.
const PATIENT_PROFILES: [&str; 2] = ["whatsapp", "linkedin"];
/// What a server asks us to wait for is waited for at most so long at a time, and so long in all.
const LONGEST_TOLD: i64 = 24 * 3_600;
const LONGEST_TOLD_IN_ALL: i64 = 3 * 24 * 3_600;

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Another try in a row.
    Soon(Duration),
    /// Seconds from now.
    Later(i64),
    /// It has been tried for long enough.
    Never,
}

/// What has been tried.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tried<'a> {
    /// How often since the yes, with the last time.
    pub(super) tries: u32,
    /// Seconds since the first try.
    pub(super) since: i64,
    /// The tools that proposed it.
    pub(super) profile: Option<&'a str>,
}

/// When to try again.
pub(super) fn next(settings: &OutboxSettings, tried: Tried<'_>) -> Next {
    let is_of = |profiles: &[&str]| tried.profile.is_some_and(|profile| profiles.contains(&profile));
    let row = settings.tries.get().saturating_add(u32::from(is_of(&PATIENT_PROFILES)));
    if tried.tries < row {
        let is_slow = is_of(&SLOW_PROFILES);
        let first =
            if is_slow { settings.retry_delay_ms.max(SLOW_DELAY_MS) } else { settings.retry_delay_ms };
        let factor = settings.retry_multiplier.get().saturating_pow(tried.tries.saturating_sub(1));
        return Next::Soon(Duration::from_millis(u64::from(first.saturating_mul(factor))));
    }
    let stage = usize::try_from(tried.tries - row).unwrap_or(usize::MAX).min(LATER.len() - 1);
    if tried.since.saturating_add(LATER[stage]) > LONGEST { Next::Never } else { Next::Later(LATER[stage]) }
}

/// When to try again, where the server says how many seconds from now.
pub(super) fn as_told(wait: i64, since: i64) -> Next {
    let wait = wait.clamp(1, LONGEST_TOLD);
    if since.saturating_add(wait) > LONGEST_TOLD_IN_ALL { Next::Never } else { Next::Later(wait) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Next, Tried, as_told, next};
    use crate::model::OutboxSettings;

    fn after(tries: u32, since: i64, profile: Option<&str>) -> Next {
        next(&OutboxSettings::default(), Tried { tries, since, profile })
    }

    #[test]
    fn three_tries_in_a_row_then_minutes_then_hours_for_a_day() {
        let soon = |seconds| Next::Soon(Duration::from_secs(seconds));

        assert_eq!((after(1, 0, None), after(2, 2, None)), (soon(2), soon(4)));
        assert_eq!((after(1, 0, Some("email")), after(2, 5, Some("email"))), (soon(5), soon(10)));
        let pauses = [1, 2, 3].map(|tries| after(tries, 5, Some("whatsapp")));
        assert_eq!(pauses, [soon(5), soon(10), soon(20)]);
        assert_eq!(after(4, 35, Some("linkedin")), Next::Later(300));
        assert_eq!((after(3, 6, None), after(4, 306, None)), (Next::Later(300), Next::Later(900)));
        assert_eq!(
            (after(5, 1_206, None), after(27, 82_000, None)),
            (Next::Later(3_600), Next::Later(3_600))
        );
        assert_eq!(after(28, 83_000, None), Next::Never);
    }

    #[test]
    fn what_a_server_asks_for_is_waited_for_and_not_for_ever() {
        assert_eq!((as_told(60, 0), as_told(-5, 0)), (Next::Later(60), Next::Later(1)));
        assert_eq!((as_told(i64::MAX, 0), as_told(60, 300_000)), (Next::Later(86_400), Next::Never));
    }

    #[test]
    fn numbers_that_make_no_sense_end_nothing_early_and_break_nothing() {
        let wild = OutboxSettings { retry_delay_ms: u32::MAX, ..OutboxSettings::default() };

        assert!(matches!(next(&wild, Tried { tries: 2, since: 0, profile: None }), Next::Soon(_)));
        assert_eq!(after(3, -5_000_000, None), Next::Later(300));
        assert_eq!(after(u32::MAX, i64::MAX, None), Next::Never);
    }
}
