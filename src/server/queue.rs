//! Work that waits for a free thread. How much may wait is decided before it comes here, by the size of what waits.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

type Job = Box<dyn FnOnce() + Send>;

/// A queue and the threads that work it off.
pub(super) struct Queue {
    shared: Arc<Shared>,
    most_threads: usize,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    idle: usize,
    closed: bool,
}

impl Queue {
    /// A queue that at most this many threads work off; they start when they are needed.
    pub(super) fn new(most_threads: usize) -> Self {
        Self { shared: Arc::default(), most_threads, threads: Mutex::default() }
    }

    /// Adds work.
    pub(super) fn push(&self, job: Job) {
        let mut state = self.shared.lock();
        state.jobs.push_back(job);
        let needs_thread = state.idle < state.jobs.len();
        drop(state);
        self.shared.changed.notify_one();
        if needs_thread {
            self.start_thread();
        }
    }

    fn start_thread(&self) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        if threads.len() >= self.most_threads {
            return;
        }
        let shared = Arc::clone(&self.shared);
        let started = std::thread::Builder::new().name("call".to_owned()).spawn(move || shared.work());
        match started {
            Ok(thread) => threads.push(thread),
            // Without a single thread nothing would ever be answered.
            Err(_) if threads.is_empty() => {
                drop(threads);
                self.shared.work_once();
            }
            Err(_) => {}
        }
    }

    /// Takes no more work, and returns when everything that waits is done.
    pub(super) fn finish(&self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        while let Some(job) = self.next() {
            job();
        }
    }

    fn work_once(&self) {
        let job = self.lock().jobs.pop_front();
        if let Some(job) = job {
            job();
        }
    }

    fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            if state.closed {
                return None;
            }
            state.idle += 1;
            state = self.wait(state);
            state.idle -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::Queue;

    #[test]
    fn everything_that_waits_is_done_before_the_end() {
        let done = Arc::new(AtomicUsize::new(0));
        let queue = Queue::new(3);

        for _ in 0..1_000 {
            let done = Arc::clone(&done);
            queue.push(Box::new(move || {
                done.fetch_add(1, Ordering::Relaxed);
            }));
        }
        queue.finish();

        assert_eq!(done.load(Ordering::Relaxed), 1_000);
    }
}
