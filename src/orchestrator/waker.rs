//! Wakes who waits for a change of the notes. Events are missed on network drives and where there are too many of them: who
//! waits also looks by itself, and what it finds then is the truth.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use crate::orchestrator::notes::{APPROVED, DRAFTS, NEEDS_ACTION};
use crate::vault::Vault;

/// Editors write a note in several steps: they are waited for.
const SETTLED: Duration = Duration::from_millis(100);
/// How often a stop is looked for.
const STEP: Duration = Duration::from_millis(100);

/// Tells when something may have changed.
pub(super) struct Waker {
    changes: Receiver<()>,
    /// Ends with this.
    _watcher: Option<RecommendedWatcher>,
}

impl Waker {
    /// Watches the folders that matter, as far as the system can.
    pub(super) fn of(vault: &Vault) -> Self {
        let (sender, changes) = sync_channel(1);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| !event.kind.is_access()) {
                let _ = sender.try_send(());
            }
        });
        let watcher = watcher.ok().map(|mut watcher| {
            for folder in [NEEDS_ACTION, DRAFTS, APPROVED] {
                let _ = watcher.watch(&vault.root().join(folder), RecursiveMode::NonRecursive);
            }
            watcher
        });
        Self { changes, _watcher: watcher }
    }

    /// Waits for a change, for so long at most.
    pub(super) fn wait(&self, most: Duration, stop: &AtomicBool) {
        let until = Instant::now() + most;
        while Instant::now() < until && !stop.load(Ordering::Relaxed) {
            match self.changes.recv_timeout(STEP.min(until.saturating_duration_since(Instant::now()))) {
                Ok(()) => {
                    std::thread::sleep(SETTLED);
                    let _ = self.changes.try_recv();
                    return;
                }
                Err(RecvTimeoutError::Timeout) => {}
                // Nobody watches: time alone wakes.
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(STEP),
            }
        }
    }
}
