//! How the server is doing, for who debugs it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use serde_json::{Value, json};

/// Counts since the start.
pub(super) struct Health {
    started: Instant,
    requests: AtomicU64,
}

impl Health {
    pub(super) fn new() -> Self {
        Self { started: Instant::now(), requests: AtomicU64::new(0) }
    }

    pub(super) fn count_request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn report(&self) -> Value {
        json!({
            "uptime_seconds": self.started.elapsed().as_secs_f64(),
            "requests": self.requests.load(Ordering::Relaxed),
            "memory_bytes": private_memory(),
        })
    }
}

/// Private memory of this process, where the system tells it.
fn private_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}
