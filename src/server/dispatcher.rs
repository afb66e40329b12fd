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
use crate::server::parked::{Parked, Waiting};
use crate::server::protocol::{self, OUR_PREFIX, PREFIX};
use crate::server::queue::Queue;
use crate::server::request_log::Entry;
use crate::server::response_sink::{Answer, Batch};
use crate::server::service::{AfterShutdown, Handled, Service, Wait};
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
    parked: Arc<Parked>,
    requests: Arc<Allowance>,
    health: Health,
    log: RequestLog,
    debug: bool,
}

/// What became of a request, in the words of its revision.
enum Routed {
    Done(Value),
    Waits(Wait, Box<RequestContext>),
}

/// A request that is not answered yet, and what is written down about it.
struct UnderWay {
    entry: Entry,
    started: Instant,
    session: Arc<Session>,
    pending: Arc<PendingRequest>,
}

/// For how long and for whom lists may be kept: they change with the program only.
const CACHE_MILLISECONDS: u64 = 300_000;
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
            parked: Arc::default(),
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
            parked: Arc::clone(&self.parked),
            requests: Arc::clone(&self.requests),
            health: Health::new(),
            log: self.log.clone(),
            debug: self.debug,
        })
    }

    /// Whether a call can make something leave without anybody being asked, by the rules that hold now.
    pub(super) async fn may_send_at_once(&self) -> bool {
        let service = Arc::clone(&self.service);
        // Who cannot find out asks for more and not for less.
        tokio::task::spawn_blocking(move || service.may_send_at_once()).await.unwrap_or(true)
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
        self.parked.finish();
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
        if let Err(reason) = protocol::check_batch(batch.len(), session.agreed().map(|agreed| agreed.version))
        {
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

    fn perform(self: &Arc<Self>, request: Request, session: &Arc<Session>, pending: &Arc<PendingRequest>) {
        if pending.is_settled() {
            session.end(pending);
            return;
        }
        let under_way = UnderWay {
            entry: self.log.started(&request),
            started: Instant::now(),
            session: Arc::clone(session),
            pending: Arc::clone(pending),
        };
        self.health.count_request();
        self.deadlines.watch(pending);
        let outcome = catch_unwind(AssertUnwindSafe(|| self.route(request, session, pending)));
        match outcome {
            Ok(Ok(Routed::Done(result))) => self.complete(&under_way, Ok(result)),
            Ok(Ok(Routed::Waits(wait, context))) => self.park(wait, *context, under_way),
            Ok(Err(error)) => self.complete(&under_way, Err(error)),
            Err(_) => {
                let message = "Internal error: the request could not be completed";
                self.complete(&under_way, Err(RpcError::new(RpcError::INTERNAL, message)));
            }
        }
    }

    /// Leaves a request until its answer is known.
    fn park(self: &Arc<Self>, wait: Wait, context: RequestContext, under_way: UnderWay) {
        under_way.pending.park();
        let (own, era) = (Arc::clone(self), context.era);
        let done = move |outcome: Result<Value, RpcError>| {
            let outcome = outcome.map(|result| own.dressed(result, era, false));
            own.complete(&under_way, outcome);
        };
        let service = Arc::clone(&self.service);
        self.parked.add(Waiting { service, wait, context, done: Box::new(done) });
    }

    fn complete(&self, under_way: &UnderWay, outcome: Result<Value, RpcError>) {
        let UnderWay { entry, started, session, pending } = under_way;
        let failure = outcome.as_ref().err().map(|error| error.code);
        self.log.answered(entry, &outcome);
        if let Some(warning) = outcome.as_ref().ok().and_then(|result| result["_meta"]["warning"].as_str()) {
            self.log.warned(entry, warning);
        }
        let answered = pending.answer(outcome);
        session.end(pending);
        self.log.completed(entry, started.elapsed(), failure, answered);
    }

    fn route(
        &self,
        request: Request,
        session: &Arc<Session>,
        pending: &Arc<PendingRequest>,
    ) -> Result<Routed, RpcError> {
        let modern =
            protocol::named_version(&request.params).is_some() || request.method == "server/discover";
        let meta = if modern { Some(protocol::request_meta(&request.params)?) } else { None };
        let context = self.call(&request, session, pending, meta);
        let cacheable = modern && protocol::is_cacheable(&request.method);
        let handled = if modern { self.modern(request, &context) } else { self.legacy(request, &context) };
        Ok(match handled? {
            Handled::Now(result) => Routed::Done(self.dressed(result, context.era, cacheable)),
            Handled::Later(wait) => Routed::Waits(wait, Box::new(context)),
        })
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

    fn modern(&self, request: Request, context: &RequestContext) -> Result<Handled, RpcError> {
        match request.method.as_str() {
            "initialize" | "ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" => {
                Err(RpcError::method_not_found(&request.method))
            }
            "server/discover" => Ok(self.discover()?.into()),
            _ => self.handle(request, context),
        }
    }

    /// A result with what the modern era wants on every one.
    fn dressed(&self, mut result: Value, era: Era, cacheable: bool) -> Value {
        let Some(members) = result.as_object_mut().filter(|_| era == Era::Modern) else { return result };
        members.entry("resultType").or_insert_with(|| json!("complete"));
        if cacheable {
            members.entry("ttlMs").or_insert_with(|| json!(CACHE_MILLISECONDS));
            members.entry("cacheScope").or_insert_with(|| json!("private"));
        }
        let meta = members.entry("_meta").or_insert_with(|| json!({}));
        meta[format!("{PREFIX}serverInfo")] = self.service.identity();
        result
    }

    fn discover(&self) -> Result<Value, RpcError> {
        self.service.admit(&Value::Null)?;
        let mut result = json!({
            "supportedVersions": protocol::supported_versions(),
            "capabilities": self.service.capabilities(MODERN),
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

    fn legacy(&self, request: Request, context: &RequestContext) -> Result<Handled, RpcError> {
        match request.method.as_str() {
            "initialize" => Ok(self.initialize(&request.params, &context.session)?.into()),
            "ping" => Ok(json!({}).into()),
            "shutdown" | "exit" => {
                self.shut_down(&context.session);
                Ok(json!({}).into())
            }
            "logging/setLevel" if self.service.capabilities(context.version).get("logging").is_some() => {
                let level = request.params.get("level").and_then(Value::as_str);
                let level = level.filter(|level| LEVELS.contains(level)).ok_or_else(|| {
                    RpcError::invalid_params(format!(
                        "Invalid params: `level` must be one of {}",
                        LEVELS.join(", ")
                    ))
                })?;
                context.session.set_log_level(level);
                Ok(json!({}).into())
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
            "capabilities": self.service.capabilities(version),
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

    fn handle(&self, request: Request, context: &RequestContext) -> Result<Handled, RpcError> {
        match request.method.as_str() {
            "debug/health" if self.debug => Ok(self.health.report().into()),
            #[cfg(debug_assertions)]
            "debug/panic" if self.debug => panic!("asked to"),
            method => self.service.handle(method, request.params, context),
        }
    }
}

#[cfg(test)]
mod tests;
