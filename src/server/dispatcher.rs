//! Speaks the protocol: takes messages in, asks the service, gives each request its one answer. Knows both eras; what
//! tools, prompts and resources there are is the service's business.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::server::call::{LEVELS, PendingRequest};
use crate::server::deadlines::Deadlines;
use crate::server::health::Health;
use crate::server::json_rpc;
use crate::server::protocol::{self, OUR_PREFIX, PREFIX, WITH_BATCHES};
use crate::server::queue::Queue;
use crate::server::response_sink::{Answer, Batch};
use crate::server::service::{AfterShutdown, Service};
use crate::server::session::Agreed;
use crate::server::{
    Allowance, Era, Held, Incoming, LEGACY, MODERN, Request, RequestContext, RequestLog, ResponseSink,
    RpcError, Session,
};

/// What can be set.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How many calls run at the same time.
    pub concurrent_calls: usize,
    /// How long a call may take.
    pub call_time: Duration,
    /// Whether `debug/health` is answered.
    pub debug: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { concurrent_calls: 4, call_time: Duration::from_secs(30), debug: false }
    }
}

/// Takes messages in and gives answers.
pub struct Dispatcher {
    service: Arc<dyn Service>,
    queue: Arc<Queue>,
    deadlines: Arc<Deadlines>,
    requests: Arc<Allowance>,
    health: Health,
    log: RequestLog,
    debug: bool,
}

/// For how long and for whom lists may be kept: they change with the program only.
const CACHE_MILLISECONDS: u64 = 300_000;
/// The most messages that may come as one array.
const MOST_IN_BATCH: usize = 100;
/// Requests that are not done yet may take this much together.
const MOST_UNDONE: usize = 20 << 20;

impl Dispatcher {
    /// A dispatcher for this service.
    #[must_use]
    pub fn new(service: Arc<dyn Service>, settings: &Settings, log: RequestLog) -> Arc<Self> {
        Arc::new(Self {
            service,
            queue: Arc::new(Queue::new(settings.concurrent_calls)),
            deadlines: Arc::new(Deadlines::new(settings.call_time)),
            requests: Allowance::new(MOST_UNDONE),
            health: Health::new(),
            log,
            debug: settings.debug,
        })
    }

    /// A dispatcher for another service in the same process: both together do no more at once than one alone.
    #[must_use]
    pub fn beside(&self, service: Arc<dyn Service>) -> Arc<Self> {
        Arc::new(Self {
            service,
            queue: Arc::clone(&self.queue),
            deadlines: Arc::clone(&self.deadlines),
            requests: Arc::clone(&self.requests),
            health: Health::new(),
            log: self.log.clone(),
            debug: self.debug,
        })
    }

    /// What requests may take that are not done yet.
    pub(super) fn requests(&self) -> &Arc<Allowance> {
        &self.requests
    }

    /// Takes a message or a batch of them, and what was taken of the allowance for it.
    pub fn receive(
        self: &Arc<Self>,
        value: Value,
        held: Held,
        session: &Arc<Session>,
        sink: Arc<dyn ResponseSink>,
    ) {
        let held = Arc::new(held);
        match value {
            Value::Array(batch) => self.receive_batch(batch, &held, session, sink),
            single => self.receive_one(Incoming::read(single), &held, session, sink),
        }
    }

    /// Returns when everything that was received is answered.
    pub fn finish(&self) {
        self.queue.finish();
    }

    /// The log.
    #[must_use]
    pub fn log(&self) -> &RequestLog {
        &self.log
    }

    fn receive_batch(
        self: &Arc<Self>,
        batch: Vec<Value>,
        held: &Arc<Held>,
        session: &Arc<Session>,
        sink: Arc<dyn ResponseSink>,
    ) {
        if let Err(reason) = check_batch(batch.len(), session) {
            let error = RpcError::new(RpcError::INVALID_REQUEST, format!("Invalid Request: {reason}"));
            sink.answer(Answer::failed(&Value::Null, &error));
            return;
        }
        let messages: Vec<_> = batch.into_iter().map(Incoming::read).collect();
        let owed = messages.iter().filter(|read| matches!(read, Ok(Incoming::Request(_)) | Err(_))).count();
        if owed == 0 {
            sink.give_up();
        }
        let joined = Batch::new(sink, owed);
        for message in messages {
            self.receive_one(message, held, session, Arc::clone(&joined) as Arc<dyn ResponseSink>);
        }
    }

    fn receive_one(
        self: &Arc<Self>,
        message: Result<Incoming, (Value, RpcError)>,
        held: &Arc<Held>,
        session: &Arc<Session>,
        sink: Arc<dyn ResponseSink>,
    ) {
        match message {
            Err((id, error)) => sink.answer(Answer::failed(&id, &error)),
            Ok(Incoming::Response { id, result }) => session.answered(&id, result),
            Ok(Incoming::Notification { method, params }) => match method.as_str() {
                "notifications/cancelled" => session.cancel(&params),
                "exit" => self.shut_down(session),
                _ => {}
            },
            Ok(Incoming::Request(request)) => self.take_on(request, held, session, sink),
        }
    }

    /// Queues a request. The handshake is done at once, because what follows depends on it.
    fn take_on(
        self: &Arc<Self>,
        request: Request,
        held: &Arc<Held>,
        session: &Arc<Session>,
        sink: Arc<dyn ResponseSink>,
    ) {
        let pending = PendingRequest::new(request.id.clone(), sink);
        session.begin(&pending);
        if request.method == "initialize" {
            self.perform(request, session, &pending);
            return;
        }
        let (dispatcher, session, held) = (Arc::clone(self), Arc::clone(session), Arc::clone(held));
        self.queue.push(Box::new(move || {
            dispatcher.perform(request, &session, &pending);
            drop(held);
        }));
    }

    fn perform(&self, request: Request, session: &Arc<Session>, pending: &Arc<PendingRequest>) {
        if pending.is_settled() {
            session.end(pending);
            return;
        }
        let started = Instant::now();
        let entry = self.log.started(&request);
        self.health.count_request();
        self.deadlines.watch(pending);
        let outcome = catch_unwind(AssertUnwindSafe(|| self.route(request, session, pending)));
        let outcome = outcome.unwrap_or_else(|_| {
            Err(RpcError::new(RpcError::INTERNAL, "Internal error: the request could not be completed"))
        });
        let failure = outcome.as_ref().err().map(|error| error.code);
        self.log.answered(&entry, &outcome);
        if let Some(warning) = outcome.as_ref().ok().and_then(|result| result["_meta"]["warning"].as_str()) {
            self.log.warned(&entry, warning);
        }
        let answered = pending.answer(outcome);
        session.end(pending);
        self.log.completed(&entry, started.elapsed(), failure, answered);
    }

    fn route(
        &self,
        request: Request,
        session: &Arc<Session>,
        pending: &Arc<PendingRequest>,
    ) -> Result<Value, RpcError> {
        let modern =
            protocol::named_version(&request.params).is_some() || request.method == "server/discover";
        if modern {
            let meta = protocol::request_meta(&request.params)?;
            let call = self.call(&request, session, pending, Some(meta));
            return self.modern(request, &call);
        }
        let call = self.call(&request, session, pending, None);
        self.legacy(request, &call)
    }

    fn call(
        &self,
        request: &Request,
        session: &Arc<Session>,
        pending: &Arc<PendingRequest>,
        meta: Option<protocol::RequestMeta>,
    ) -> RequestContext {
        let progress_token = request.params.get("_meta").and_then(|meta| meta.get("progressToken"));
        let progress_token = progress_token.filter(|token| json_rpc::is_id(token)).cloned();
        let agreed = session.agreed();
        let (era, version, client_capabilities, log_level, client) = match meta {
            Some(meta) => (Era::Modern, MODERN, meta.client_capabilities, meta.log_level, meta.client),
            None => {
                let version = agreed.as_ref().map_or(LEGACY[0], |agreed| agreed.version);
                let client = agreed.as_ref().and_then(|agreed| agreed.client.clone());
                let capabilities = agreed.map_or(json!({}), |agreed| agreed.client_capabilities);
                (Era::Legacy, version, capabilities, session.log_level(), client)
            }
        };
        RequestContext {
            era,
            version,
            client,
            client_capabilities,
            log_level,
            progress_token,
            pending: Arc::clone(pending),
            session: Arc::clone(session),
        }
    }

    fn modern(&self, request: Request, context: &RequestContext) -> Result<Value, RpcError> {
        let cacheable = is_cacheable(&request.method);
        let mut result = match request.method.as_str() {
            "initialize" | "ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" => {
                return Err(RpcError::method_not_found(&request.method));
            }
            "server/discover" => self.discover()?,
            _ => self.handle(request, context)?,
        };
        let identity = self.service.identity();
        if let Some(members) = result.as_object_mut() {
            members.entry("resultType").or_insert_with(|| json!("complete"));
            if cacheable {
                members.entry("ttlMs").or_insert_with(|| json!(CACHE_MILLISECONDS));
                members.entry("cacheScope").or_insert_with(|| json!("private"));
            }
            let meta = members.entry("_meta").or_insert_with(|| json!({}));
            meta[format!("{PREFIX}serverInfo")] = identity;
        }
        Ok(result)
    }

    fn discover(&self) -> Result<Value, RpcError> {
        self.service.admit(&Value::Null)?;
        let mut result = json!({
            "supportedVersions": protocol::supported_versions(),
            "capabilities": self.service.capabilities(Era::Modern),
            "_meta": {},
        });
        if let Some(instructions) = self.service.instructions() {
            result["instructions"] = json!(instructions);
        }
        if let Some(debug) = self.service.debug() {
            result["_meta"][format!("{OUR_PREFIX}debug")] = debug;
        }
        Ok(result)
    }

    fn shut_down(&self, session: &Session) {
        if self.service.shutdown() == AfterShutdown::Ends {
            session.leave();
        }
    }

    fn legacy(&self, request: Request, context: &RequestContext) -> Result<Value, RpcError> {
        match request.method.as_str() {
            "initialize" => self.initialize(&request.params, &context.session),
            "ping" => Ok(json!({})),
            "shutdown" | "exit" => {
                self.shut_down(&context.session);
                Ok(json!({}))
            }
            "logging/setLevel" if self.service.capabilities(Era::Legacy).get("logging").is_some() => {
                let level = request.params.get("level").and_then(Value::as_str);
                let level = level.filter(|level| LEVELS.contains(level)).ok_or_else(|| {
                    RpcError::invalid_params(format!(
                        "Invalid params: `level` must be one of {}",
                        LEVELS.join(", ")
                    ))
                })?;
                context.session.set_log_level(level);
                Ok(json!({}))
            }
            _ => self.handle(request, context),
        }
    }

    fn initialize(&self, params: &Map<String, Value>, session: &Session) -> Result<Value, RpcError> {
        self.service.admit(params.get("clientInfo").unwrap_or(&Value::Null))?;
        let asked = params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
        let version = protocol::negotiated(asked);
        let client_capabilities = protocol::capabilities(params.get("capabilities"))?;
        let client = params.get("clientInfo").and_then(protocol::client_name);
        session.agree(Agreed { version, client, client_capabilities });
        let mut result = json!({
            "protocolVersion": version,
            "capabilities": self.service.capabilities(Era::Legacy),
            "serverInfo": self.service.identity(),
        });
        if let Some(instructions) = self.service.instructions() {
            result["instructions"] = json!(instructions);
        }
        if let Some(debug) = self.service.debug() {
            result["_debug"] = debug;
        }
        Ok(result)
    }

    fn handle(&self, request: Request, context: &RequestContext) -> Result<Value, RpcError> {
        match request.method.as_str() {
            "debug/health" if self.debug => Ok(self.health.report()),
            #[cfg(debug_assertions)]
            "debug/panic" if self.debug => panic!("asked to"),
            method => self.service.handle(method, request.params, context),
        }
    }
}

/// Whether this client may send so many messages as one array; if not, why.
fn check_batch(length: usize, session: &Session) -> Result<(), String> {
    if session.agreed().is_some_and(|agreed| !WITH_BATCHES.contains(&agreed.version)) {
        return Err("this revision has no batches".to_owned());
    }
    match length {
        0 => Err("a batch must not be empty".to_owned()),
        1..=MOST_IN_BATCH => Ok(()),
        _ => Err(format!("a batch may have {MOST_IN_BATCH} messages, this one has {length}")),
    }
}

fn is_cacheable(method: &str) -> bool {
    matches!(
        method,
        "server/discover"
            | "tools/list"
            | "prompts/list"
            | "resources/list"
            | "resources/templates/list"
            | "resources/read"
    )
}

#[cfg(test)]
mod tests;
