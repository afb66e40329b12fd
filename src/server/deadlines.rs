//! Calls that take too long are answered with an error and told to stop.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::server::RpcError;
use crate::server::call::PendingRequest;

/// The calls under way, in the order they began; all have the same time, so the first is due first.
pub(super) struct Deadlines {
    limit: Duration,
    shared: Arc<(Mutex<State>, Condvar)>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(Instant, Weak<PendingRequest>)>,
    has_thread: bool,
}

impl Deadlines {
    pub(super) fn new(limit: Duration) -> Self {
        Self { limit, shared: Arc::default() }
    }

    /// From now on this call has so much time.
    pub(super) fn watch(&self, pending: &Arc<PendingRequest>) {
        let mut state = self.shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting.retain(|(_, known)| known.strong_count() > 0);
        state.waiting.push_back((Instant::now() + self.limit, Arc::downgrade(pending)));
        if state.has_thread {
            self.shared.1.notify_one();
            return;
        }
        let (shared, limit) = (Arc::clone(&self.shared), self.limit);
        let started =
            std::thread::Builder::new().name("deadlines".to_owned()).spawn(move || keep(&shared, limit));
        state.has_thread = started.is_ok();
    }
}

fn keep(shared: &(Mutex<State>, Condvar), limit: Duration) {
    let mut state = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let Some((due, _)) = state.waiting.front() else {
            state = shared.1.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        let left = due.saturating_duration_since(Instant::now());
        if left.is_zero() {
            let late = state.waiting.pop_front();
            drop(state);
            if let Some(pending) = late.and_then(|(_, pending)| pending.upgrade()) {
                stop(&pending, limit);
            }
            state = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        } else {
            state = shared.1.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

fn stop(pending: &PendingRequest, limit: Duration) {
    if pending.is_parked() {
        return;
    }
    let seconds = limit.as_secs_f64();
    let error = RpcError::new(RpcError::UNAVAILABLE, format!("Request timed out after {seconds} seconds"));
    if pending.answer(Err(error)) {
        pending.cancellation().cancel();
    }
}
