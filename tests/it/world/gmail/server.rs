//! The double's port: HTTP in, HTTP out, and what may happen to an answer on its way.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, Response, StatusCode, header};
use tokio::runtime::Runtime;
use tokio_stream::StreamExt;

use super::api::{Call, Reply, form};
use super::{Answer, Fault, Google, batch};

const LARGEST_REQUEST: usize = 64 << 20;
/// Calls that a batch may hold.
const LARGEST_BATCH: usize = 100;

/// Starts to listen; gives the port.
pub(crate) fn start(google: Arc<Mutex<Google>>, at: SocketAddr) -> (Runtime, u16) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind(at)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let router = Router::new().fallback(move |request: Request| {
        let google = Arc::clone(&google);
        async move { handle(&google, request).await }
    });
    runtime.spawn(async move { axum::serve(listener, router).await });
    (runtime, port)
}

/// The moment after so long, as Google writes it.
pub(crate) fn moment_after(time: Duration) -> String {
    #[expect(clippy::disallowed_methods, reason = "the double lives in real time, as Google does")]
    let now = jiff::Timestamp::now();
    format!("{:.3}", now + time)
}

async fn handle(google: &Mutex<Google>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST_REQUEST).await else { return empty(400) };
    let path = head.uri.path().to_owned();
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str()).to_owned();
    let mut google = google.lock().unwrap_or_else(PoisonError::into_inner);
    google.requests += 1;
    if google.tokens_end_every.is_some_and(|count| google.requests.is_multiple_of(count)) {
        google.tokens.expire_all();
    }
    match path.as_str() {
        "/token" | "/oauth2/token" | "/o/oauth2/token" => {
            let fields = form(&String::from_utf8_lossy(&body)).into_iter().collect();
            let (status, body) = google.tokens.answer(&fields);
            json_response(&Reply { status, body, retry_after: None }, None)
        }
        "/batch" | "/batch/gmail/v1" => run_batch(&mut google, &head.headers, &body),
        _ => {
            let call = Call::new(head.method.as_str(), &target, &body);
            let token = bearer(&head.headers);
            let Answer { reply, on_the_way } = google.answer(&call, token.as_deref(), false);
            json_response(&reply, on_the_way)
        }
    }
}

fn bearer(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    text.strip_prefix("Bearer ").map(str::to_owned)
}

fn run_batch(google: &mut Google, headers: &HeaderMap, body: &[u8]) -> Response<Body> {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let wrong = |message: &str| json_response(&Reply::error(400, "global", "badRequest", message), None);
    let Some(parts) = batch::parts(content_type, body) else { return wrong("Failed to parse batch request") };
    if parts.is_empty() || parts.len() > LARGEST_BATCH {
        return wrong("The batch request could not be processed: too many calls, or none");
    }
    // A fault of the whole answer strikes here, before any part is looked at.
    let whole = super::Where { method: "batch", in_batch: false, has_pages: false };
    let fault = google.faults.strike(&whole);
    if let Some(fault) = fault {
        let call = Call::new("GET", "/batch", b"");
        google.happen(fault, &call);
        if let Some(refusal) = google.refusal(fault) {
            return json_response(&refusal, None);
        }
    }
    let token = bearer(headers);
    let replies: Vec<(String, Reply)> = parts
        .iter()
        .map(|part| {
            let call = Call::new(&part.verb, &part.target, &part.body);
            let token = part.token.as_deref().or(token.as_deref());
            (part.id.clone(), google.answer(&call, token, true).reply)
        })
        .collect();
    let replies = google.batch_lie.map_or_else(|| replies.clone(), |lie| lie(replies.clone()));
    let (content_type, bytes) = batch::answer(&replies);
    response(200, &content_type, bytes, None, fault)
}

fn json_response(reply: &Reply, fault: Option<Fault>) -> Response<Body> {
    let bytes = batch::written(&reply.body).into_bytes();
    response(reply.status, "application/json; charset=UTF-8", bytes, reply.retry_after, fault)
}

fn empty(status: u16) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    response
}

fn response(
    status: u16,
    content_type: &str,
    bytes: Vec<u8>,
    retry_after: Option<u64>,
    fault: Option<Fault>,
) -> Response<Body> {
    let mut builder = Response::builder().status(status).header(header::CONTENT_TYPE, content_type);
    if let Some(seconds) = retry_after {
        builder = builder.header(header::RETRY_AFTER, seconds);
    }
    if status != 204 {
        builder = builder.header(header::CONTENT_LENGTH, bytes.len());
    }
    builder.body(on_the_way(bytes, fault)).unwrap()
}

/// The body, as far as it comes.
fn on_the_way(bytes: Vec<u8>, fault: Option<Fault>) -> Body {
    let half = bytes.len() / 2;
    let cut = || std::io::Error::other("the connection ends");
    match fault {
        Some(Fault::Truncated) => {
            let pieces = [Ok(Bytes::copy_from_slice(&bytes[..half])), Err(cut())];
            Body::from_stream(tokio_stream::iter(pieces).then(async |piece| {
                tokio::time::sleep(Duration::from_millis(5)).await;
                piece
            }))
        }
        Some(Fault::Cut) => Body::from_stream(tokio_stream::iter([Err::<Bytes, _>(cut())])),
        Some(Fault::SlowDrip) => {
            let drops: Vec<_> =
                bytes.chunks(bytes.len().div_ceil(40).max(1)).map(Bytes::copy_from_slice).collect();
            Body::from_stream(tokio_stream::iter(drops).then(async |drop| {
                tokio::time::sleep(Duration::from_millis(10)).await;
                Ok::<_, std::io::Error>(drop)
            }))
        }
        Some(Fault::Stall) => {
            let first = Bytes::copy_from_slice(&bytes[..half]);
            let pieces = tokio_stream::iter([Ok::<_, std::io::Error>(first)]);
            Body::from_stream(pieces.chain(tokio_stream::pending()))
        }
        _ => Body::from(bytes),
    }
}
