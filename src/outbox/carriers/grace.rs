//! A stop that comes late: what a server says after a message went out is the difference between knowing and not knowing, so
//! that a process which is told to end waits for it for a while.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::model::IoLimits;
use crate::outbox::carriers::Means;

const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The time of one conversation.
pub(in crate::outbox) struct Grace {
    silence: Duration,
    /// Set when a stop was asked for and the wait is over.
    late: Arc<AtomicBool>,
    done: Arc<AtomicBool>,
}

impl Grace {
    /// Begins; an answer may take so long.
    pub(in crate::outbox) fn begin(means: &Means, silence: Duration) -> Self {
        let (late, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (stop, grace) = (Arc::clone(&means.stop), means.grace);
        let own = Self { silence, late: Arc::clone(&late), done: Arc::clone(&done) };
        thread::spawn(move || {
            let mut since: Option<Instant> = None;
            while !done.load(Ordering::Relaxed) {
                if stop.load(Ordering::Relaxed) {
                    since.get_or_insert_with(Instant::now);
                }
                if since.is_some_and(|since| since.elapsed() >= grace) {
                    late.store(true, Ordering::Relaxed);
                }
                thread::sleep(LOOK_EVERY);
            }
        });
        own
    }

    /// The limits of the conversation.
    pub(in crate::outbox) fn limits(&self) -> IoLimits {
        IoLimits { silence: self.silence, stop: Arc::clone(&self.late) }
    }
}

impl Drop for Grace {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
    }
}
