//! The server over HTTP: one endpoint for each profile, at `/mcp` and `/mcp/PROFILE`. Every request is checked before
//! anything is read: who it claims to talk to, where it comes from, whether it knows the token.

mod connection;
mod exchange;
mod guard;
mod headers;
mod listeners;
mod policy;
mod rest;
mod sessions;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Path, Request as HttpRequest, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::from_fn;
use axum::response::Response;
use axum::routing::any;
use serde_json::Value;
use tokio::sync::{oneshot, watch};
use tokio::time::{sleep, timeout};
use tokio_stream::StreamExt;

use crate::server::{Allowance, Answer, Dispatcher, Held, RpcError, json_rpc, wire_order};

pub use guard::Guard;
pub use listeners::Listeners;
pub use rest::Rest;
use sessions::Sessions;

/// A message longer than this is not read.
const LONGEST: usize = 16 << 20;
/// After the end is asked for, calls have so much time: with their last words, all is over in 30 seconds.
const LAST_CALL: Duration = Duration::from_secs(29);
/// And their answers so much to reach the client.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Answers that clients have not read yet may take this much together.
const MOST_UNREAD: usize = 12 << 20;

/// How much is put up with.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The most connections at a time.
    pub connections: usize,
    /// How long a client may take to send a request, or to read a piece of the answer.
    pub patience: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { connections: 64, patience: Duration::from_secs(30) }
    }
}

/// What is served where.
pub struct Endpoints {
    dispatchers: HashMap<String, Arc<Dispatcher>>,
    default: Arc<Dispatcher>,
    guard: Guard,
    bounds: Bounds,
    sessions: Sessions,
    unread: Arc<Allowance>,
    rest: Option<Rest>,
    pages: Router,
}

impl Endpoints {
    /// Serves one dispatcher at `/mcp`, and each of the others at `/mcp/NAME`.
    #[must_use]
    pub fn new(default: Arc<Dispatcher>, others: HashMap<String, Arc<Dispatcher>>, guard: Guard) -> Self {
        let (sessions, unread) = (Sessions::default(), Allowance::new(MOST_UNREAD));
        let (bounds, pages) = (Bounds::default(), Router::new());
        Self { dispatchers: others, default, guard, bounds, sessions, unread, rest: None, pages }
    }

    /// The same, with other bounds.
    #[must_use]
    pub fn within(mut self, bounds: Bounds) -> Self {
        self.bounds = bounds;
        self
    }

    /// The same, with tools that are reached without MCP.
    #[must_use]
    pub fn with_rest(mut self, rest: Option<Rest>) -> Self {
        self.rest = rest;
        self
    }

    /// The same, with pages beside the tools. They see to themselves who is let in.
    #[must_use]
    pub fn with_pages(mut self, pages: Router) -> Self {
        self.pages = pages;
        self
    }

    /// The same, reached at this address.
    fn at(mut self, address: SocketAddr) -> Self {
        self.guard = self.guard.at(address);
        self
    }

    /// Lets a request through, or says why not. What the owner's rules let leave at once is decided anew for each.
    async fn admit(&self, dispatcher: &Dispatcher, headers: &HeaderMap) -> Result<(), Refusal> {
        self.guard.check_place(headers)?;
        let known = self.guard.check_token(headers);
        match known {
            Err(_) if self.guard.is_open() && !dispatcher.may_send_at_once().await => Ok(()),
            known => known,
        }
    }

    fn router(self: Arc<Self>) -> Router {
        let router = Router::new().route("/mcp", any(at_default)).route("/mcp/{profile}", any(at_profile));
        let router = if self.rest.is_some() { router.route("/{tool}", any(rest::answer)) } else { router };
        let pages = self.pages.clone();
        router.with_state(self).merge(pages).layer(from_fn(policy::guarded))
    }

    /// Waits until everything that was received is answered and had time to leave.
    async fn finish(&self) {
        let dispatchers: Vec<_> = self.dispatchers.values().chain([&self.default]).cloned().collect();
        let (sender, done) = oneshot::channel();
        std::thread::spawn(move || {
            dispatchers.iter().for_each(|dispatcher| dispatcher.finish());
            let _ = sender.send(());
        });
        let _ = timeout(LAST_CALL, done).await;
        sleep(LAST_WORDS).await;
    }
}

/// Serves until `stop` is ready, and then finishes what is under way. Who has only begun a request, or does not read
/// its answer, is not waited for.
pub async fn serve(
    listeners: Listeners,
    endpoints: Endpoints,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let endpoints = Arc::new(endpoints.at(listeners.address()?));
    let (stopping, stopped) = watch::channel(false);
    let rest = endpoints.rest.as_ref().map(|rest| rest.clock().clone());
    let router = Arc::clone(&endpoints).router();
    let served = connection::serve(&listeners, router, endpoints.bounds, rest, stopped);
    let finished = async {
        stop.await;
        let _ = stopping.send(true);
        endpoints.finish().await;
    };
    tokio::select! {
        () = served => {}
        () = finished => {}
    }
    Ok(())
}

async fn at_default(State(endpoints): State<Arc<Endpoints>>, request: HttpRequest) -> Response {
    let dispatcher = Arc::clone(&endpoints.default);
    guarded(&endpoints, dispatcher, request).await
}

async fn at_profile(
    State(endpoints): State<Arc<Endpoints>>,
    Path(profile): Path<String>,
    request: HttpRequest,
) -> Response {
    match endpoints.dispatchers.get(&profile) {
        Some(dispatcher) => guarded(&endpoints, Arc::clone(dispatcher), request).await,
        None => {
            refusal(StatusCode::NOT_FOUND, &RpcError::new(RpcError::UNAVAILABLE, "There is no such profile"))
        }
    }
}

async fn guarded(endpoints: &Endpoints, dispatcher: Arc<Dispatcher>, request: HttpRequest) -> Response {
    if let Err((status, error)) = endpoints.admit(&dispatcher, request.headers()).await {
        let mut response = refusal(status, &error);
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert("www-authenticate", HeaderValue::from_static("Bearer"));
        }
        return response;
    }
    match *request.method() {
        Method::POST => post(endpoints, dispatcher, request).await,
        Method::DELETE => match endpoints.sessions.end(request.headers()) {
            true => empty(StatusCode::NO_CONTENT),
            false => {
                refusal(StatusCode::NOT_FOUND, &RpcError::new(RpcError::UNAVAILABLE, "Session not found"))
            }
        },
        // We have nothing to say to a client that did not ask, so there is no stream to listen to.
        _ => {
            let error = RpcError::new(RpcError::UNAVAILABLE, "Method not allowed: send messages with POST");
            let mut response = refusal(StatusCode::METHOD_NOT_ALLOWED, &error);
            response.headers_mut().insert("allow", HeaderValue::from_static("POST, DELETE"));
            response
        }
    }
}

async fn post(endpoints: &Endpoints, dispatcher: Arc<Dispatcher>, request: HttpRequest) -> Response {
    let (parts, body) = request.into_parts();
    if let Err((status, message)) = media_types(&parts.headers) {
        return refusal(status, &RpcError::new(RpcError::UNAVAILABLE, message));
    }
    let (value, held) = match message(endpoints, &dispatcher, body).await {
        Ok(read) => read,
        Err((status, error)) => return refusal(status, &error),
    };
    if let Err(error) = headers::check(&parts.headers, &value) {
        let id = value.get("id").filter(|id| json_rpc::is_id(id)).unwrap_or(&Value::Null);
        return json_response(StatusCode::BAD_REQUEST, Answer::failed(id, &error).text);
    }
    exchange::run(endpoints, dispatcher, &parts.headers, value, held).await
}

/// Why a request is not taken.
type Refusal = (StatusCode, RpcError);

/// Reads the message of a request, within its time and what is left of the allowance.
async fn message(
    endpoints: &Endpoints,
    dispatcher: &Dispatcher,
    body: Body,
) -> Result<(Value, Held), Refusal> {
    let (bytes, mut held) = read_within(endpoints, dispatcher.requests(), body, LONGEST).await?;
    let weight = json_rpc::weigh(&bytes).map_err(|error| (StatusCode::PAYLOAD_TOO_LARGE, error))?;
    if !held.try_grow(weight - bytes.len()) {
        return Err(too_busy(dispatcher.requests()));
    }
    let value = wire_order::read(&bytes).map_err(|error| {
        (StatusCode::BAD_REQUEST, RpcError::new(RpcError::PARSE, format!("Parse error: {error}")))
    })?;
    Ok((value, held))
}

/// Reads a body of at most so many bytes, within its time and what is left of the allowance.
async fn read_within(
    endpoints: &Endpoints,
    room: &Arc<Allowance>,
    body: Body,
    longest: usize,
) -> Result<(Vec<u8>, Held), Refusal> {
    let patience = endpoints.bounds.patience;
    let Ok(read) = timeout(patience, read_body(room, body, longest)).await else {
        let seconds = patience.as_secs_f64();
        let message = format!("the message did not come within {seconds} seconds");
        return Err((StatusCode::REQUEST_TIMEOUT, RpcError::new(RpcError::UNAVAILABLE, message)));
    };
    read
}

/// Takes room for all that is announced before the first byte is read: of several long messages at once some get through.
async fn read_body(room: &Arc<Allowance>, body: Body, longest: usize) -> Result<(Vec<u8>, Held), Refusal> {
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced > longest {
        return Err(too_long(longest));
    }
    let mut held = room.try_take(announced).ok_or_else(|| too_busy(room))?;
    let mut bytes = Vec::with_capacity(announced);
    let mut pieces = body.into_data_stream();
    while let Some(piece) = pieces.next().await {
        let piece: Bytes = piece.map_err(|error| {
            let message = format!("Parse error: the message has no end: {error}");
            (StatusCode::BAD_REQUEST, RpcError::new(RpcError::PARSE, message))
        })?;
        let length = bytes.len() + piece.len();
        if length > longest {
            return Err(too_long(longest));
        }
        if length > announced && !held.try_grow(piece.len()) {
            return Err(too_busy(room));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok((bytes, held))
}

fn too_long(longest: usize) -> Refusal {
    let message = format!("Invalid Request: the message is longer than {} MiB", longest >> 20);
    (StatusCode::PAYLOAD_TOO_LARGE, RpcError::new(RpcError::INVALID_REQUEST, message))
}

fn too_busy(room: &Allowance) -> Refusal {
    let most = room.most() >> 20;
    let message =
        format!("requests of {most} MiB are under way already, which is the limit; try again later");
    (StatusCode::SERVICE_UNAVAILABLE, RpcError::new(RpcError::UNAVAILABLE, message))
}

/// Who is refused because there is too much to do may come again soon.
fn come_again(response: &mut Response) {
    if response.status() == StatusCode::SERVICE_UNAVAILABLE {
        response
            .headers_mut()
            .entry("retry-after")
            .or_insert(HeaderValue::from_static(connection::COME_AGAIN));
    }
}

/// What is sent must be JSON, and the client must take both kinds of answer.
fn media_types(headers: &HeaderMap) -> Result<(), (StatusCode, &'static str)> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let content = text("content-type").split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if content != "application/json" {
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "Content-Type must be application/json"));
    }
    let accept = text("accept").to_ascii_lowercase();
    let takes = |kind: &str| accept.contains(kind) || accept.contains("*/*");
    if !accept.is_empty() && !takes("application/json") && !takes("text/event-stream") {
        return Err((StatusCode::NOT_ACCEPTABLE, "Accept must name application/json and text/event-stream"));
    }
    Ok(())
}

fn refusal(status: StatusCode, error: &RpcError) -> Response {
    json_response(status, Answer::failed(&Value::Null, error).text)
}

fn json_response(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert("content-type", HeaderValue::from_static("application/json"));
    response
}

fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
