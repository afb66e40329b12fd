//! Tools for this very process: a request is answered without a frame around it, under the limits that every client has.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use serde_json::Value;

use crate::server::{Answer, Dispatcher, ResponseSink, Session};

/// Where the one answer goes.
struct Asking(Sender<Answer>);

impl ResponseSink for Asking {
    fn say(&self, _: Value) {}

    fn answer(&self, answer: Answer) {
        let _ = self.0.send(answer);
    }
}

impl Dispatcher {
    /// Asks as a client of this name would, and waits so long for the answer.
    #[must_use]
    pub fn ask(self: &Arc<Self>, client: &str, message: Value, within: Duration) -> Option<Value> {
        let (sender, answers) = channel();
        let held = self.requests().take(0);
        self.receive(message, held, &Arc::new(Session::named(client)), Arc::new(Asking(sender)));
        let answer = answers.recv_timeout(within).ok()?;
        serde_json::from_str(&answer.text).ok()
    }
}
