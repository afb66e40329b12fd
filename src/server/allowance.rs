//! What clients make us hold, counted in bytes: requests that are not done, answers that nobody has read. Whoever would
//! hold too much waits or is refused before it is held.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// So many bytes may be held together.
pub struct Allowance {
    most: usize,
    held: Mutex<usize>,
    freed: Condvar,
}

/// Bytes that are held; given back when this is dropped.
pub struct Held {
    allowance: Arc<Allowance>,
    bytes: usize,
}

impl Allowance {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, held: Mutex::default(), freed: Condvar::new() })
    }

    /// How many bytes may be held.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Waits until so much is free. What is larger than all there is waits until nothing else is held.
    pub(super) fn take(self: &Arc<Self>, bytes: usize) -> Held {
        let mut held = self.lock();
        while *held > 0 && *held + bytes > self.most {
            held = self.freed.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        *held += bytes;
        Held { allowance: Arc::clone(self), bytes }
    }

    /// Takes so much if it is free now.
    pub(super) fn try_take(self: &Arc<Self>, bytes: usize) -> Option<Held> {
        let mut none = Held { allowance: Arc::clone(self), bytes: 0 };
        none.try_grow(bytes).then_some(none)
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Holds so much more if it is free now.
    pub(super) fn try_grow(&mut self, bytes: usize) -> bool {
        let mut held = self.allowance.lock();
        if *held + bytes > self.allowance.most {
            return false;
        }
        *held += bytes;
        drop(held);
        self.bytes += bytes;
        true
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        *self.allowance.lock() -= self.bytes;
        self.allowance.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::Allowance;

    #[test]
    fn what_is_too_much_is_refused_until_something_is_given_back() {
        let allowance = Allowance::new(10);
        let mut first = allowance.try_take(6).unwrap();

        assert!(allowance.try_take(5).is_none() && !first.try_grow(5));
        assert!(first.try_grow(4) && allowance.try_take(1).is_none());
        drop(first);

        assert!(allowance.try_take(10).is_some());
    }

    #[test]
    fn what_is_larger_than_all_there_is_waits_to_be_alone() {
        let allowance = Allowance::new(10);
        let first = allowance.take(3);
        let waiting = thread::spawn({
            let allowance = allowance.clone();
            move || allowance.take(50)
        });

        drop(first);

        assert!(allowance.try_take(10).is_none() || !waiting.is_finished());
        drop(waiting.join().unwrap());
        assert!(allowance.try_take(10).is_some());
    }
}
