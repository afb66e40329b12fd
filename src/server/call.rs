//! One request under way: what it may know and say while it runs, and that it is answered once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::server::json_rpc::notification;
use crate::server::protocol::code;
use crate::server::response_sink::Answer;
use crate::server::session::Question;
use crate::server::{Era, ResponseSink, RpcError, Session};
use crate::tools::Cancellation;

/// The answer a request is owed. Whoever comes first gives it: the work, the time limit, or the client that does not
/// want it any more.
pub(super) struct PendingRequest {
    id: Value,
    sink: Arc<dyn ResponseSink>,
    settled: AtomicBool,
    parked: AtomicBool,
    cancellation: Arc<Cancellation>,
}

impl PendingRequest {
    pub(super) fn new(id: Value, sink: Arc<dyn ResponseSink>) -> Arc<Self> {
        let cancellation = Arc::new(Cancellation::default());
        let (settled, parked) = (AtomicBool::new(false), AtomicBool::new(false));
        Arc::new(Self { id, sink, settled, parked, cancellation })
    }

    pub(super) fn id(&self) -> &Value {
        &self.id
    }

    pub(super) fn sink(&self) -> &Arc<dyn ResponseSink> {
        &self.sink
    }

    pub(super) fn cancellation(&self) -> &Arc<Cancellation> {
        &self.cancellation
    }

    /// Gives the answer, unless it has been settled before; says whether it did.
    pub(super) fn answer(&self, outcome: Result<Value, RpcError>) -> bool {
        let first = !self.settled.swap(true, Ordering::AcqRel);
        if first {
            self.sink.answer(Answer::new(&self.id, outcome));
        }
        first
    }

    /// Stops the work; nobody is answered.
    pub(super) fn cancel(&self) {
        if !self.settled.swap(true, Ordering::AcqRel) {
            self.sink.give_up();
        }
        self.cancellation.cancel();
    }

    /// From now on it waits for a person, for whom there is no time limit.
    pub(super) fn park(&self) {
        self.parked.store(true, Ordering::Release);
    }

    pub(super) fn is_parked(&self) -> bool {
        self.parked.load(Ordering::Acquire)
    }

    pub(super) fn is_settled(&self) -> bool {
        self.settled.load(Ordering::Acquire)
    }
}

/// What a request may know and say while it runs.
pub struct RequestContext {
    /// The kind of protocol it speaks.
    pub era: Era,
    /// The revision.
    pub version: &'static str,
    /// The name that the client gives itself.
    pub client: Option<String>,
    /// What the client can do.
    pub client_capabilities: Value,
    /// The level from which on the client wants to hear what happens; `None`: not at all.
    pub(super) log_level: Option<String>,
    pub(super) progress_token: Option<Value>,
    pub(super) pending: Arc<PendingRequest>,
    pub(super) session: Arc<Session>,
}

pub(super) const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

impl RequestContext {
    /// Tells the work to stop.
    #[must_use]
    pub fn cancellation(&self) -> Arc<Cancellation> {
        Arc::clone(self.pending.cancellation())
    }

    /// Tells how far the work is, if the client wants to know.
    pub fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        let Some(token) = &self.progress_token else { return };
        let mut params = json!({ "progressToken": token, "progress": done });
        if let Some(total) = total {
            params["total"] = json!(total);
        }
        if let Some(message) = message {
            params["message"] = json!(message);
        }
        self.say("notifications/progress", params);
    }

    /// Tells what happens, if the client wants to know at this level.
    pub fn log(&self, level: &str, logger: &str, data: &Value) {
        let rank = |name: &str| LEVELS.iter().position(|level| *level == name);
        let wanted = match (&self.log_level, self.era) {
            (Some(wanted), _) => rank(level) >= rank(wanted),
            (None, era) => era == Era::Legacy,
        };
        if wanted {
            self.say("notifications/message", json!({ "level": level, "logger": logger, "data": data }));
        }
    }

    /// Asks the client something and waits for the answer; only clients with a handshake can be asked.
    pub fn ask(&self, method: &str, params: &Value) -> Result<Value, RpcError> {
        self.session.ask(method, params, &**self.pending.sink())
    }

    /// Asks the client something; nobody waits for the answer here.
    pub(super) fn question(&self, method: &str, params: &Value) -> Question {
        self.session.question(method, params, &**self.pending.sink())
    }

    /// Whether nobody wants the answer any more.
    pub(super) fn is_gone(&self) -> bool {
        self.pending.is_settled() || self.pending.sink().is_gone()
    }

    /// Whether the client knows this extension.
    pub(super) fn has_extension(&self, name: &str) -> bool {
        let extensions = self.client_capabilities.get("extensions");
        extensions.and_then(|known| known.get(name)).is_some_and(Value::is_object)
    }

    /// Fails unless the client knows this extension.
    pub(super) fn require_extension(&self, name: &str) -> Result<(), RpcError> {
        if self.has_extension(name) {
            return Ok(());
        }
        let mut extensions = serde_json::Map::new();
        extensions.insert(name.to_owned(), json!({}));
        let message = format!("the client does not declare the extension {name}");
        Err(RpcError::new(code::MISSING_CAPABILITY, message)
            .with_data(json!({ "requiredCapabilities": { "extensions": extensions } })))
    }

    /// Fails unless the client can do this.
    pub fn require(&self, capability: &str) -> Result<(), RpcError> {
        if self.client_capabilities.get(capability).is_some() {
            return Ok(());
        }
        let mut required = serde_json::Map::new();
        required.insert(capability.to_owned(), json!({}));
        let message = format!("the client does not support {capability}");
        Err(RpcError::new(code::MISSING_CAPABILITY, message)
            .with_data(json!({ "requiredCapabilities": required })))
    }

    pub(super) fn say(&self, method: &str, params: Value) {
        if !self.pending.is_settled() {
            self.pending.sink().say(notification(method, params));
        }
    }
}
