//! Sends for tools what the owner's rules let leave at once, and beside an assistant what was approved meanwhile, where the
//! environment of this process names the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::cli::context::Context;
use crate::cli::leaving;
use crate::clock::Clock;
use crate::model::ItemState;
use crate::outbox::propose::Proposals;
use crate::outbox::worker::{Told, Worker};
use crate::server::Escalation;
use crate::tools::Courier;

/// A call waits this long for its message to leave; it goes on leaving.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Sends at once.
pub(super) struct AtOnce {
    proposals: Arc<Proposals>,
    worker: Arc<Worker>,
    clock: Clock,
}

impl AtOnce {
    /// For this home.
    pub(super) fn of(context: &Context) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let worker = Arc::new(leaving::worker(context, &stop));
        Self { proposals: leaving::proposals(context), worker, clock: context.clock.clone() }
    }

    /// Whether it is under way, or will be in a moment: not where sending is paused, or its next try is minutes away.
    fn is_leaving(&self, item: &str) -> bool {
        let Ok(item) = self.proposals.status(item).map(|status| status.item) else { return false };
        match item.draft.state {
            ItemState::Sending => true,
            ItemState::Approved => !self.proposals.is_paused() && !item.waits(self.clock.now().as_second()),
            _ => false,
        }
    }
}

impl Courier for AtOnce {
    /// Another process may be sending already: then it is waited for.
    fn send(&self, item: &str) {
        let worker = Arc::clone(&self.worker);
        thread::spawn(move || worker.run_once());
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE && self.is_leaving(item) {
            thread::sleep(LOOK_EVERY);
        }
    }
}

/// Sends as long as a server for one client runs; ends with it.
pub(super) struct Beside {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Beside {
    /// Begins, if the environment of this process names a server or an access: no other process knows its password. A
    /// sign-in that is refused becomes a note in the vault, where one is wanted.
    pub(super) fn begin(context: &Context, escalation: Option<Escalation>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let routes = leaving::routes(context);
        let wanted = routes.environment.is_some() || routes.whatsapp.is_some() || routes.linkedin.is_some();
        let thread = wanted.then(|| {
            let worker = leaving::worker(context, &stop);
            let on = move |told: &Told| {
                if let Some(escalation) = escalation.as_ref().filter(|_| told.is_refused_sign_in()) {
                    escalation.refused_sign_in("send", &format!("{}: {}", told.id, told.detail));
                }
            };
            thread::spawn(move || worker.run(&on))
        });
        Self { stop, thread }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
