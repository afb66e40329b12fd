//! Requests whose answer comes when a person has decided. They hold no thread: one looks at all of them, a few times a
//! second. They are few, because each may hold a connection; who comes too many is answered as things stand.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::server::{RequestContext, RpcError, Service, Wait};

/// How often what is waited for is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// So many wait at the same time.
const MOST: usize = 32;

/// Gives the answer when it is known.
type Done = Box<dyn FnOnce(Result<Value, RpcError>) + Send>;

/// A request that waits.
pub(super) struct Waiting {
    pub(super) service: Arc<dyn Service>,
    pub(super) wait: Wait,
    pub(super) context: RequestContext,
    pub(super) done: Done,
}

/// All requests that wait, and the thread that looks at them.
#[derive(Default)]
pub(super) struct Parked {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<Waiting>,
    /// Those that are being looked at.
    looked_at: usize,
    has_thread: bool,
    closed: bool,
}

impl Parked {
    /// Has a request wait, if there is room for it.
    pub(super) fn add(&self, waiting: Waiting) {
        let mut state = self.shared.lock();
        if state.closed || state.waiting.len() + state.looked_at >= MOST {
            drop(state);
            waiting.give_up();
            return;
        }
        state.waiting.push(waiting);
        if !state.has_thread {
            let shared = Arc::clone(&self.shared);
            let started =
                thread::Builder::new().name("waiting".to_owned()).spawn(move || shared.keep_looking());
            state.has_thread = started.is_ok();
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Lets nobody wait any more: everybody is answered as things stand.
    pub(super) fn finish(&self) {
        let mut state = self.shared.lock();
        state.closed = true;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        self.shared.changed.notify_all();
        waiting.into_iter().for_each(Waiting::give_up);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep_looking(&self) {
        loop {
            let mut state = self.lock();
            while state.waiting.is_empty() && !state.closed {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.closed {
                state.has_thread = false;
                return;
            }
            let waiting = std::mem::take(&mut state.waiting);
            state.looked_at = waiting.len();
            drop(state);
            let still: Vec<_> = waiting.into_iter().filter_map(Waiting::look).collect();
            self.put_back(still);
            thread::sleep(LOOK_EVERY);
        }
    }

    fn put_back(&self, still: Vec<Waiting>) {
        let mut state = self.lock();
        state.looked_at = 0;
        if state.closed {
            drop(state);
            still.into_iter().for_each(Waiting::give_up);
            return;
        }
        state.waiting.extend(still);
    }
}

impl Waiting {
    /// Answers if the answer is known or its time is over; what has to wait on comes back.
    fn look(self) -> Option<Self> {
        if self.context.is_gone() {
            (self.done)(Err(RpcError::new(RpcError::UNAVAILABLE, "the client is gone")));
            return None;
        }
        let is_last = self.wait.until.is_some_and(|until| Instant::now() >= until);
        match self.service.look(&self.wait, &self.context, is_last) {
            Some(outcome) => {
                (self.done)(outcome);
                None
            }
            None => Some(self),
        }
    }

    fn give_up(self) {
        let outcome = self.service.look(&self.wait, &self.context, true);
        let cannot = || Err(RpcError::new(RpcError::UNAVAILABLE, "nobody can wait here any more; ask again"));
        (self.done)(outcome.unwrap_or_else(cannot));
    }
}
