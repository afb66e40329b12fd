//! What is known of a client between its messages: what was agreed on, what is under way, what it was asked.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::server::call::PendingRequest;
use crate::server::{LEGACY, ResponseSink, RpcError};

/// A client, as far as it must be remembered.
#[derive(Default)]
pub struct Session {
    agreed: Mutex<Option<Agreed>>,
    log_level: Mutex<Option<String>>,
    under_way: Mutex<HashMap<String, Vec<Arc<PendingRequest>>>>,
    asked: Mutex<HashMap<u64, mpsc::Sender<Result<Value, RpcError>>>>,
    next_question: AtomicU64,
    leaving: Mutex<Option<SyncSender<()>>>,
}

/// What the handshake agreed on.
#[derive(Debug, Clone)]
pub(super) struct Agreed {
    pub(super) version: &'static str,
    pub(super) client: Option<String>,
    pub(super) client_capabilities: Value,
}

/// How long a client may take to answer a question of ours.
const PATIENCE: Duration = Duration::from_secs(60);

impl Session {
    /// A client that shakes no hands.
    pub(super) fn named(client: &str) -> Self {
        let session = Self::default();
        let client = Some(client.to_owned());
        session.agree(Agreed { version: LEGACY[0], client, client_capabilities: json!({}) });
        session
    }

    /// Who is told when the client wants the server to end.
    pub(super) fn on_leave(&self, told: SyncSender<()>) {
        *lock(&self.leaving) = Some(told);
    }

    /// The client wants the server to end.
    pub(super) fn leave(&self) {
        if let Some(told) = &*lock(&self.leaving) {
            let _ = told.try_send(());
        }
    }

    pub(super) fn agree(&self, agreed: Agreed) {
        *lock(&self.agreed) = Some(agreed);
    }

    pub(super) fn agreed(&self) -> Option<Agreed> {
        lock(&self.agreed).clone()
    }

    pub(super) fn set_log_level(&self, level: &str) {
        *lock(&self.log_level) = Some(level.to_owned());
    }

    pub(super) fn log_level(&self) -> Option<String> {
        lock(&self.log_level).clone()
    }

    pub(super) fn begin(&self, pending: &Arc<PendingRequest>) {
        lock(&self.under_way).entry(pending.id().to_string()).or_default().push(Arc::clone(pending));
    }

    pub(super) fn end(&self, pending: &Arc<PendingRequest>) {
        let mut under_way = lock(&self.under_way);
        let key = pending.id().to_string();
        if let Some(same_id) = under_way.get_mut(&key) {
            same_id.retain(|other| !Arc::ptr_eq(other, pending));
            if same_id.is_empty() {
                under_way.remove(&key);
            }
        }
    }

    /// The client does not want the answer any more.
    pub(super) fn cancel(&self, params: &Map<String, Value>) {
        let Some(id) = params.get("requestId") else { return };
        let exchanges = lock(&self.under_way).get(&id.to_string()).cloned().unwrap_or_default();
        exchanges.iter().for_each(|pending| pending.cancel());
    }

    /// Cancels everything under way: the client is gone.
    pub(super) fn cancel_all(&self) {
        let all: Vec<_> = lock(&self.under_way).values().flatten().cloned().collect();
        all.iter().for_each(|pending| pending.cancel());
    }

    /// Asks the client something.
    pub(super) fn question(
        self: &Arc<Self>,
        method: &str,
        params: &Value,
        sink: &dyn ResponseSink,
    ) -> Question {
        let number = self.next_question.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = mpsc::channel();
        lock(&self.asked).insert(number, sender);
        sink.say(json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params }));
        Question { session: Arc::clone(self), number, answer: Mutex::new(answer) }
    }

    /// Asks the client something and waits for its answer.
    pub(super) fn ask(
        self: &Arc<Self>,
        method: &str,
        params: &Value,
        sink: &dyn ResponseSink,
    ) -> Result<Value, RpcError> {
        let question = self.question(method, params, sink);
        let answer = lock(&question.answer).recv_timeout(PATIENCE);
        answer.unwrap_or_else(|error| {
            let reason = match error {
                RecvTimeoutError::Timeout => "the client did not answer in time",
                RecvTimeoutError::Disconnected => "the client is gone",
            };
            Err(RpcError::new(RpcError::UNAVAILABLE, reason))
        })
    }

    /// The client answered.
    pub(super) fn answered(&self, id: &Value, result: Result<Value, RpcError>) {
        let sender = id.as_u64().and_then(|number| lock(&self.asked).remove(&number));
        if let Some(sender) = sender {
            let _ = sender.send(result);
        }
    }
}

/// Something that a client was asked.
pub(super) struct Question {
    session: Arc<Session>,
    number: u64,
    answer: Mutex<mpsc::Receiver<Result<Value, RpcError>>>,
}

impl Question {
    /// What the client answered since this was last asked.
    pub(super) fn answer(&self) -> Option<Result<Value, RpcError>> {
        lock(&self.answer).try_recv().ok()
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        lock(&self.session.asked).remove(&self.number);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
