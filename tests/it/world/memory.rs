//! What a process takes for itself, looked at all the time while something is done to it.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What a server may take for itself in megabytes, whatever is done to it. Debug builds are held to it too.
const MOST: u64 = 100;

/// Private memory of a process in bytes, as `/proc` tells it; 0 when it has ended.
pub(crate) fn private_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes: Option<u64> = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    kilobytes.unwrap_or_default() << 10
}

/// Looks at a process until it is dropped or asked.
pub(crate) struct Watched {
    stop: Arc<AtomicBool>,
    most: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Watched {
    pub(crate) fn new(process: u32) -> Self {
        let (stop, most) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let thread = {
            let (stop, most) = (Arc::clone(&stop), Arc::clone(&most));
            thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    most.fetch_max(private_memory(process), Ordering::Relaxed);
                    thread::sleep(Duration::from_millis(2));
                }
            })
        };
        Self { stop, most, thread: Some(thread) }
    }

    /// It must never have taken more than a server may.
    pub(crate) fn assert_small(self) {
        let most = self.most.load(Ordering::Relaxed) >> 20;
        assert!((1..MOST).contains(&most), "{most} MB");
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
