//! Where the answer to a request goes, and what is said to the client before it.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::server::RpcError;
use crate::server::json_rpc::result;

/// The longest answer to one request.
const LONGEST_ANSWER: usize = 8 << 20;
/// The answers to one batch are not longer than this together.
const LONGEST_BATCH: usize = 4 << 20;

/// An answer as it is sent. Kept as text: as a tree of values it would take several times as much.
#[derive(Debug)]
pub struct Answer {
    /// The id of the request.
    id: Value,
    /// The JSON.
    pub text: String,
    /// The code, when it is an error.
    pub error: Option<i64>,
}

impl Answer {
    /// The answer to the request with this id; one that is too long becomes an error.
    pub(super) fn new(id: &Value, outcome: Result<Value, RpcError>) -> Self {
        match outcome {
            Ok(value) => {
                let text = result(id, value).to_string();
                if text.len() > LONGEST_ANSWER { Self::too_long(id) } else { Self::good(id, text) }
            }
            Err(error) => Self::failed(id, &error),
        }
    }

    /// The answer that tells what is wrong.
    pub(super) fn failed(id: &Value, error: &RpcError) -> Self {
        Self { id: id.clone(), text: error.response(id).to_string(), error: Some(error.code) }
    }

    /// An error in the place of this answer.
    pub(super) fn replaced(&self, error: &RpcError) -> Self {
        Self::failed(&self.id, error)
    }

    fn good(id: &Value, text: String) -> Self {
        Self { id: id.clone(), text, error: None }
    }

    fn too_long(id: &Value) -> Self {
        let message = format!("the answer is longer than {} MiB; ask for less at once", LONGEST_ANSWER >> 20);
        Self::failed(id, &RpcError::new(RpcError::UNAVAILABLE, message))
    }
}

/// A way to one client.
pub trait ResponseSink: Send + Sync {
    /// Says something that is not the answer: a notification, or a request to the client.
    fn say(&self, message: Value);

    /// Gives the answer.
    fn answer(&self, answer: Answer);

    /// There will be no answer: the client said that it does not want one.
    fn give_up(&self) {}

    /// Whether nobody listens any more.
    fn is_gone(&self) -> bool {
        false
    }
}

/// Joins the answers to the messages of a batch into one array.
pub(super) struct Batch {
    sink: Arc<dyn ResponseSink>,
    state: Mutex<Joined>,
}

struct Joined {
    expected: usize,
    /// The array, without its end.
    text: String,
}

impl Batch {
    /// Waits for this many answers.
    pub(super) fn new(sink: Arc<dyn ResponseSink>, expected: usize) -> Arc<Self> {
        Arc::new(Self { sink, state: Mutex::new(Joined { expected, text: String::new() }) })
    }

    fn count_down(&self, answer: Option<Answer>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = answer {
            state.add(answer);
        }
        state.expected = state.expected.saturating_sub(1);
        if state.expected > 0 {
            return;
        }
        match std::mem::take(&mut state.text) {
            none if none.is_empty() => self.sink.give_up(),
            answers => self.sink.answer(Answer::good(&Value::Null, answers + "]")),
        }
    }
}

impl Joined {
    /// Adds an answer, or an error in its place when there is no more room for it.
    fn add(&mut self, answer: Answer) {
        let fits = self.text.len() + answer.text.len() <= LONGEST_BATCH;
        let answer = if fits { answer } else { answer.replaced(&no_room()) };
        self.text.push(if self.text.is_empty() { '[' } else { ',' });
        self.text.push_str(&answer.text);
    }
}

fn no_room() -> RpcError {
    let most = LONGEST_BATCH >> 20;
    let message = format!("the answers to a batch may have {most} MiB together; ask for this one by itself");
    RpcError::new(RpcError::UNAVAILABLE, message)
}

impl ResponseSink for Batch {
    fn say(&self, message: Value) {
        self.sink.say(message);
    }

    fn answer(&self, answer: Answer) {
        self.count_down(Some(answer));
    }

    fn give_up(&self) {
        self.count_down(None);
    }
}
