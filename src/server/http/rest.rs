//! The three tools of the profile `smtp` without MCP: `POST /send-email`, `/get-email-status`, `/validate-email`. A body is
//! the tool's arguments, the answer its fields; errors have the document's shape and a status that fits. No web page may
//! call: the Host must be ours to the port, an Origin that is told must be the same, and bodies must say that they are
//! JSON, which a page cannot without asking first.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::{Path, Request as HttpRequest, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::timeout;
use tokio_stream::StreamExt;

use crate::clock::Clock;
use crate::server::http::{Endpoints, Guard, json_response, read_within};
use crate::server::{Allowance, Answer, Dispatcher, ResponseSink, RpcError, Session, json_rpc};
use crate::tools::smtp::error_object;
use crate::tools::{ErrorKind, ToolError};

/// 25 MB of files take a third more in base64, and what is said about them.
const LONGEST: usize = 40 << 20;

const TOOLS: [&str; 3] = ["send-email", "get-email-status", "validate-email"];

/// How the three are served.
pub struct Rest {
    dispatcher: Arc<Dispatcher>,
    /// Whether others than this machine's people can reach us.
    is_public: bool,
    clock: Clock,
    room: Arc<Allowance>,
}

/// What is wrong with a request, and the status that says so.
type Refused = (StatusCode, ToolError);

impl Rest {
    /// Serves the tools of a dispatcher to whoever reaches this address.
    #[must_use]
    pub fn new(dispatcher: Arc<Dispatcher>, address: SocketAddr, clock: Clock) -> Self {
        let is_public = !address.ip().is_loopback();
        Self { dispatcher, is_public, clock, room: Allowance::new(LONGEST) }
    }

    pub(super) const fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Lets a request through, or says why not.
    async fn check(&self, guard: &Guard, method: &Method, headers: &HeaderMap) -> Result<(), Refused> {
        guard.check_place(headers).map_err(denied)?;
        // Without a person's yes in between, whoever calls must know the token. The rules may change at any time.
        if let Err(refused) = guard.check_token(headers)
            && (self.is_public || self.dispatcher.may_send_at_once().await)
        {
            return Err(denied(refused));
        }
        if *method != Method::POST {
            let error = ToolError::new(ErrorKind::InvalidParameter, "send the request with POST");
            return Err((StatusCode::METHOD_NOT_ALLOWED, error));
        }
        let kind = headers.get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            let error = ToolError::new(ErrorKind::InvalidParameter, "Content-Type must be application/json");
            return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, error));
        }
        Ok(())
    }

    fn refusal(&self, (status, error): &Refused) -> Response {
        let mut response = json_response(*status, error_object(error, self.clock.now()).to_string());
        if *status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert("www-authenticate", HeaderValue::from_static("Bearer"));
        }
        if *status == StatusCode::METHOD_NOT_ALLOWED {
            response.headers_mut().insert("allow", HeaderValue::from_static("POST"));
        }
        response
    }
}

fn denied((status, error): (StatusCode, RpcError)) -> Refused {
    (status, ToolError::new(ErrorKind::PermissionDenied, error.message))
}

/// Where the one answer goes.
struct Waiting(UnboundedSender<Answer>);

impl ResponseSink for Waiting {
    fn say(&self, _: Value) {}

    fn answer(&self, answer: Answer) {
        let _ = self.0.send(answer);
    }
}

pub(super) async fn answer(
    State(endpoints): State<Arc<Endpoints>>,
    Path(tool): Path<String>,
    request: HttpRequest,
) -> Response {
    let rest = endpoints.rest.as_ref().filter(|_| TOOLS.contains(&tool.as_str()));
    let Some(rest) = rest else { return super::empty(StatusCode::NOT_FOUND) };
    let (parts, body) = request.into_parts();
    if let Err(refused) = rest.check(&endpoints.guard, &parts.method, &parts.headers).await {
        return rest.refusal(&refused);
    }
    match call(&endpoints, rest, &tool, (&parts.headers, body)).await {
        Ok(response) => response,
        Err(refused) => rest.refusal(&refused),
    }
}

async fn call(
    endpoints: &Endpoints,
    rest: &Rest,
    tool: &str,
    (headers, body): (&HeaderMap, Body),
) -> Result<Response, Refused> {
    let body = drained_if_too_long(body).await?;
    let (bytes, held) = read_within(endpoints, &rest.room, body, LONGEST)
        .await
        .map_err(|(status, error)| (status, ToolError::new(kind_of(status), error.message)))?;
    json_rpc::weigh(&bytes).map_err(|error| {
        (StatusCode::PAYLOAD_TOO_LARGE, ToolError::new(ErrorKind::InvalidParameter, error.message))
    })?;
    let mut arguments: Value = serde_json::from_slice(&bytes).map_err(|error| {
        (
            StatusCode::BAD_REQUEST,
            ToolError::new(ErrorKind::InvalidParameter, format!("the body is no JSON: {error}")),
        )
    })?;
    drop(bytes);
    if let Some(key) = headers.get("idempotency-key").and_then(|key| key.to_str().ok())
        && tool == "send-email"
        && let Some(members) = arguments.as_object_mut()
    {
        members.entry("idempotencyKey").or_insert_with(|| json!(key));
    }
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": tool, "arguments": arguments } });
    let (sender, mut receiver) = unbounded_channel();
    let (dispatcher, session) = (Arc::clone(&rest.dispatcher), Arc::new(Session::named("REST")));
    let given = tokio::task::spawn_blocking(move || {
        dispatcher.receive(message, held, &session, Arc::new(Waiting(sender)));
    });
    let answer = match given.await {
        Ok(()) => receiver.recv().await,
        Err(_) => None,
    };
    let internal = || ToolError::new(ErrorKind::Internal, "the request could not be completed");
    let answer = answer.ok_or_else(|| (StatusCode::INTERNAL_SERVER_ERROR, internal()))?;
    Ok(rendered(rest, &answer))
}

/// Whether a request that begins so is for one of the three.
pub(super) fn is_call(begun: &[u8]) -> bool {
    let line = begun.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let path = line.split(|byte| *byte == b' ').nth(1).and_then(|path| path.strip_prefix(b"/"));
    path.is_some_and(|path| TOOLS.iter().any(|tool| tool.as_bytes() == path))
}

/// What is told to who was not read to the end, for want of room or of time.
pub(super) fn not_now(message: &str, clock: &Clock) -> String {
    error_object(&ToolError::new(ErrorKind::Unavailable, message), clock.now()).to_string()
}

/// What is late or has no room now may come again; anything else is wrong whenever it comes.
const fn kind_of(status: StatusCode) -> ErrorKind {
    match status {
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::REQUEST_TIMEOUT => ErrorKind::Unavailable,
        _ => ErrorKind::InvalidParameter,
    }
}

/// Reads on what is too long, and forgets it: who sends it would hear nothing of our answer otherwise.
async fn drained_if_too_long(body: Body) -> Result<Body, Refused> {
    let announced = body.size_hint().lower();
    if announced <= LONGEST as u64 {
        return Ok(body);
    }
    let mut pieces = body.into_data_stream();
    let drain = async { while announced < 4 * LONGEST as u64 && pieces.next().await.is_some() {} };
    let _ = timeout(Duration::from_secs(10), drain).await;
    let message = format!("the request is longer than {} MiB; 25 MB of files fit", LONGEST >> 20);
    Err((StatusCode::PAYLOAD_TOO_LARGE, ToolError::new(ErrorKind::InvalidParameter, message)))
}

/// The tool's own fields, or its error with the status that says the same.
fn rendered(rest: &Rest, answer: &Answer) -> Response {
    let answer: Value = serde_json::from_str(&answer.text).unwrap_or_default();
    let result = &answer["result"];
    if result["isError"] == json!(false) {
        return json_response(StatusCode::OK, result["structuredContent"].to_string());
    }
    let told =
        result["content"][0]["text"].as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let error = told.unwrap_or_else(|| {
        let message = answer["error"]["message"].as_str().unwrap_or("the request could not be completed");
        error_object(&ToolError::new(ErrorKind::Timeout, message), rest.clock.now())
    });
    let mut response = json_response(status_of(&error), error.to_string());
    let at = error["retryAfter"].as_str().and_then(|at| at.parse::<Timestamp>().ok());
    let date = at.map(|at| at.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string());
    if let Some(date) = date.and_then(|date| HeaderValue::from_str(&date).ok()) {
        response.headers_mut().insert("retry-after", date);
    }
    response
}

fn status_of(error: &Value) -> StatusCode {
    match error["errorCode"].as_str().unwrap_or_default() {
        "INVALID_REQUEST" => StatusCode::BAD_REQUEST,
        "AUTH_FAILED" => StatusCode::FORBIDDEN,
        "RATE_LIMIT_EXCEEDED" => StatusCode::TOO_MANY_REQUESTS,
        "SMTP_ERROR" => StatusCode::BAD_GATEWAY,
        "NETWORK_ERROR" => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
