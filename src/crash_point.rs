//! Where debug builds can be told to die, to prove that nothing is lost there: at the n-th point around a commit or a write.

/// A point at which the process may be told to die (`MAILKEEP_TEST_CRASH_AT`).
#[cfg(debug_assertions)]
pub(crate) fn crash_point(_name: &str) {
    use std::sync::atomic::{AtomicU64, Ordering};
    static REACHED: AtomicU64 = AtomicU64::new(0);
    let Some(stop_at) = std::env::var("MAILKEEP_TEST_CRASH_AT").ok().and_then(|n| n.parse::<u64>().ok())
    else {
        return;
    };
    if REACHED.fetch_add(1, Ordering::SeqCst) + 1 == stop_at {
        std::process::abort();
    }
}

/// Nothing, where no tests are.
#[cfg(not(debug_assertions))]
pub(crate) fn crash_point(_name: &str) {}
