//! Where the answer to a request goes, and what is said to the client before it.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

/// A way to one client.
pub trait Outlet: Send + Sync {
    /// Says something that is not the answer: a notification, or a request to the client.
    fn say(&self, message: Value);

    /// Gives the answer.
    fn answer(&self, response: Value);

    /// There will be no answer: the client said that it does not want one.
    fn give_up(&self) {}
}

/// Joins the answers to the messages of a batch into one array.
pub(super) struct Batch {
    outlet: Arc<dyn Outlet>,
    state: Mutex<(usize, Vec<Value>)>,
}

impl Batch {
    /// Waits for this many answers.
    pub(super) fn new(outlet: Arc<dyn Outlet>, expected: usize) -> Arc<Self> {
        Arc::new(Self { outlet, state: Mutex::new((expected, Vec::new())) })
    }

    fn count_down(&self, response: Option<Value>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.1.extend(response);
        state.0 = state.0.saturating_sub(1);
        if state.0 == 0 {
            match std::mem::take(&mut state.1) {
                answers if answers.is_empty() => self.outlet.give_up(),
                answers => self.outlet.answer(Value::Array(answers)),
            }
        }
    }
}

impl Outlet for Batch {
    fn say(&self, message: Value) {
        self.outlet.say(message);
    }

    fn answer(&self, response: Value) {
        self.count_down(Some(response));
    }

    fn give_up(&self) {
        self.count_down(None);
    }
}
