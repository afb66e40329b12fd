//! The three tools of the profile `smtp` without MCP: `POST /send-email`, `/get-email-status`, `/validate-email`. A body is
//! the tool's arguments, the answer its fields; errors have the document's shape and a status that fits. No web page may
//! call: the Host must be ours to the port, an Origin that is told must be the same, and bodies must say that they are
//! JSON, which a page cannot without asking first.

use std::net::{IpAddr, SocketAddr};
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
use crate::server::http::{Endpoints, json_response, read_within};
use crate::server::{Allowance, Answer, Dispatcher, ResponseSink, Session, json_rpc};
use crate::tools::smtp::error_object;
use crate::tools::{ErrorKind, ToolError};

/// 25 MB of files take a third more in base64, and what is said about them.
const LONGEST: usize = 40 << 20;

const TOOLS: [&str; 3] = ["send-email", "get-email-status", "validate-email"];

/// Says whether a caller must know the token now: the owner's rules may change while we serve.
pub type NeedsToken = Box<dyn Fn() -> bool + Send + Sync>;

/// How the three are served.
pub struct Rest {
    dispatcher: Arc<Dispatcher>,
    needs_token: NeedsToken,
    /// Names under which we are reached, with the port.
    hosts: Vec<String>,
    clock: Clock,
    room: Arc<Allowance>,
}

/// What is wrong with a request, and the status that says so.
type Refused = (StatusCode, ToolError);

impl Rest {
    /// Serves the tools of a dispatcher to whoever reaches this address.
    #[must_use]
    pub fn new(
        dispatcher: Arc<Dispatcher>,
        address: SocketAddr,
        needs_token: NeedsToken,
        clock: Clock,
    ) -> Self {
        let port = address.port();
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned(), "[::1]".to_owned()].into_iter();
        let own = match address.ip() {
            IpAddr::V6(ip) => format!("[{ip}]"),
            IpAddr::V4(ip) => ip.to_string(),
        };
        let hosts = names.chain([own]).map(|name| format!("{name}:{port}")).collect();
        Self { dispatcher, needs_token, hosts, clock, room: Allowance::new(LONGEST) }
    }

    /// Lets a request through, or says why not.
    fn check(&self, endpoints: &Endpoints, request: &HttpRequest) -> Result<(), Refused> {
        let headers = request.headers();
        let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let is_ours = |host: &str| self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host));
        if !text("host").is_some_and(is_ours) {
            return Err(forbidden("this Host is not served here"));
        }
        let origin = text("origin").map(|origin| origin.strip_prefix("http://").is_some_and(is_ours));
        if origin == Some(false) {
            return Err(forbidden("this Origin may not call"));
        }
        if (self.needs_token)() {
            if !endpoints.guard.asks_for_token() {
                return Err(forbidden("where mail may leave at once, nobody is served without the token"));
            }
            if let Err((status, error)) = endpoints.guard.check(headers) {
                return Err((status, ToolError::new(ErrorKind::PermissionDenied, error.message)));
            }
        }
        if request.method() != Method::POST {
            let error = ToolError::new(ErrorKind::InvalidParameter, "send the request with POST");
            return Err((StatusCode::METHOD_NOT_ALLOWED, error));
        }
        let kind = text("content-type").unwrap_or_default().split(';').next().unwrap_or_default().trim();
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

fn forbidden(message: &str) -> Refused {
    (StatusCode::FORBIDDEN, ToolError::new(ErrorKind::PermissionDenied, message))
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
    if let Err(refused) = rest.check(&endpoints, &request) {
        return rest.refusal(&refused);
    }
    let (parts, body) = request.into_parts();
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
        .map_err(|(status, error)| (status, ToolError::new(ErrorKind::InvalidParameter, error.message)))?;
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
