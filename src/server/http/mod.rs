//! The server over HTTP: one endpoint for each profile, at `/mcp` and `/mcp/PROFILE`. Every request is checked before
//! anything is read: who it claims to talk to, where it comes from, whether it knows the token.

mod exchange;
mod guard;
mod headers;
mod sessions;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Path, Request as HttpRequest, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use axum::routing::any;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use crate::server::{Dispatcher, RpcError};

pub use guard::Guard;
use sessions::Sessions;

/// A message longer than this is not read.
const LONGEST: usize = 16 << 20;
/// After the end is asked for, calls have so much time, which is more than a call may take.
const LAST_CALL: Duration = Duration::from_secs(35);
/// And their answers so much to reach the client.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What is served where.
pub struct Endpoints {
    dispatchers: HashMap<String, Arc<Dispatcher>>,
    default: Arc<Dispatcher>,
    guard: Guard,
    sessions: Sessions,
}

impl Endpoints {
    /// Serves one dispatcher at `/mcp`, and each of the others at `/mcp/NAME`.
    #[must_use]
    pub fn new(default: Arc<Dispatcher>, others: HashMap<String, Arc<Dispatcher>>, guard: Guard) -> Self {
        Self { dispatchers: others, default, guard, sessions: Sessions::default() }
    }

    fn router(self: Arc<Self>) -> Router {
        Router::new()
            .route("/mcp", any(at_default))
            .route("/mcp/{profile}", any(at_profile))
            .layer(DefaultBodyLimit::max(LONGEST))
            .with_state(self)
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
    listener: TcpListener,
    endpoints: Endpoints,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let endpoints = Arc::new(endpoints);
    let (stopping, stopped) = oneshot::channel();
    let served = axum::serve(listener, Arc::clone(&endpoints).router()).with_graceful_shutdown(async {
        stop.await;
        let _ = stopping.send(());
    });
    let finished = async {
        let _ = stopped.await;
        endpoints.finish().await;
    };
    tokio::select! {
        served = served.into_future() => served,
        () = finished => Ok(()),
    }
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
    if let Err((status, error)) = endpoints.guard.check(request.headers()) {
        let mut response = refusal(status, &error);
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert("www-authenticate", axum::http::HeaderValue::from_static("Bearer"));
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
            response.headers_mut().insert("allow", axum::http::HeaderValue::from_static("POST, DELETE"));
            response
        }
    }
}

async fn post(endpoints: &Endpoints, dispatcher: Arc<Dispatcher>, request: HttpRequest) -> Response {
    let (parts, body) = request.into_parts();
    if let Err((status, message)) = media_types(&parts.headers) {
        return refusal(status, &RpcError::new(RpcError::UNAVAILABLE, message));
    }
    let Ok(bytes) = axum::body::to_bytes(body, LONGEST).await else {
        let error =
            RpcError::new(RpcError::INVALID_REQUEST, "Invalid Request: the message is longer than 16 MiB");
        return refusal(StatusCode::PAYLOAD_TOO_LARGE, &error);
    };
    let value: Value = match serde_json::from_slice(&bytes) {
        Ok(value) => value,
        Err(error) => {
            let error = RpcError::new(RpcError::PARSE, format!("Parse error: {error}"));
            return refusal(StatusCode::BAD_REQUEST, &error);
        }
    };
    if let Err(error) = headers::check(&parts.headers, &value) {
        let id = value.get("id").cloned().unwrap_or(Value::Null);
        return json_response(StatusCode::BAD_REQUEST, &error.response(&id));
    }
    exchange::run(endpoints, dispatcher, &parts.headers, value, bytes.len()).await
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
    json_response(status, &error.response(&Value::Null))
}

fn json_response(status: StatusCode, value: &Value) -> Response {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert("content-type", axum::http::HeaderValue::from_static("application/json"));
    response
}

fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
