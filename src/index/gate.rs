//! Bounds what waits to be indexed: who hands in more than fits waits until something has been taken in.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long anybody waits: an index that takes nothing in has failed, and says so when it is handed more.
const LONGEST: Duration = Duration::from_secs(5);

/// How many bytes there are, and how many there may be.
#[derive(Debug)]
pub(super) struct Gate {
    most: usize,
    inside: Mutex<usize>,
    left: Condvar,
}

/// Some bytes that went in; they leave when this is dropped.
#[derive(Debug)]
pub(super) struct Pass {
    gate: Arc<Gate>,
    bytes: usize,
}

impl Gate {
    pub(super) fn new(most: usize) -> Self {
        Self { most, inside: Mutex::new(0), left: Condvar::new() }
    }

    /// Lets bytes in once there is room for them, or nothing else inside.
    pub(super) fn pass(gate: &Arc<Self>, bytes: usize) -> Pass {
        let is_full = |inside: &mut usize| *inside > 0 && *inside + bytes > gate.most;
        let waited = gate.left.wait_timeout_while(gate.lock(), LONGEST, is_full);
        let (mut inside, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *inside += bytes;
        Pass { gate: Arc::clone(gate), bytes }
    }

    /// Whether bytes could go in at once. Who gathers hands on what it has before it waits, lest it wait for itself.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        *self.lock() + bytes <= self.most
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        *self.gate.lock() -= self.bytes;
        self.gate.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::Gate;

    #[test]
    fn who_brings_too_much_waits_until_others_have_left() {
        let gate = Arc::new(Gate::new(10));
        let first = Gate::pass(&gate, 8);

        let second = thread::scope(|scope| {
            let second = scope.spawn(|| Gate::pass(&gate, 5));
            assert!(!second.is_finished());
            drop(first);
            second.join().unwrap()
        });

        assert!(gate.has_room(5) && !gate.has_room(6));
        drop(second);
        assert_eq!(*gate.lock(), 0);
    }

    #[test]
    fn what_is_larger_than_the_gate_goes_through_alone() {
        let gate = Arc::new(Gate::new(10));

        drop(Gate::pass(&gate, 1000));

        assert_eq!(*gate.lock(), 0);
    }
}
