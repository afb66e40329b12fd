//! One POST: its message goes to the dispatcher, and what comes back becomes the response. As long as only the answer
//! comes, that is plain JSON; if something is said before it, a stream of events.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use axum::response::sse::{Event, KeepAlive, Sse};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::UnboundedReceiverStream;

use crate::server::http::{Endpoints, empty, json_response, refusal, sessions};
use crate::server::protocol::{self, code};
use crate::server::{Allowance, Answer, Dispatcher, Held, ResponseSink, RpcError, Session};

/// Something on its way to the client.
enum Said {
    Before(Value),
    Answer(Answer, Option<Held>),
}

/// Where the dispatcher speaks to this client.
struct Channel {
    client: UnboundedSender<Said>,
    unread: Arc<Allowance>,
}

impl ResponseSink for Channel {
    fn say(&self, message: Value) {
        let _ = self.client.send(Said::Before(message));
    }

    /// An answer that finds no room becomes an error, which is short.
    fn answer(&self, answer: Answer) {
        let held = self.unread.try_take(answer.text.len());
        let answer = if held.is_some() { answer } else { answer.replaced(&self.no_room()) };
        let _ = self.client.send(Said::Answer(answer, held));
    }

    fn is_gone(&self) -> bool {
        self.client.is_closed()
    }
}

impl Channel {
    fn no_room(&self) -> RpcError {
        let most = self.unread.most() >> 20;
        let message =
            format!("answers of {most} MiB wait to be read already, which is the limit; try again later");
        RpcError::new(RpcError::UNAVAILABLE, message)
    }
}

/// The bytes of an answer, counted until the last of them has been sent.
struct Unread {
    text: String,
    _held: Option<Held>,
}

impl AsRef<[u8]> for Unread {
    fn as_ref(&self) -> &[u8] {
        self.text.as_bytes()
    }
}

/// Cancels what is under way when the client hangs up before its answer came.
struct HungUp(Option<Arc<Session>>);

impl Drop for HungUp {
    fn drop(&mut self) {
        if let Some(session) = &self.0 {
            session.cancel_all();
        }
    }
}

pub(super) async fn run(
    endpoints: &Endpoints,
    dispatcher: Arc<Dispatcher>,
    headers: &HeaderMap,
    message: Value,
    held: Held,
) -> Response {
    let modern = is_modern(&message);
    // A modern request has a session of its own, so that hanging up cancels it and nothing else.
    let session = if modern { Some(Arc::default()) } else { endpoints.sessions.of(headers) };
    let Some(session) = session else {
        return refusal(StatusCode::NOT_FOUND, &RpcError::new(RpcError::UNAVAILABLE, "Session not found"));
    };
    let handshake = !modern && message.get("method").and_then(Value::as_str) == Some("initialize");
    let expects_answer = expects_answer(&message);
    let (sender, mut receiver) = unbounded_channel();
    let hung_up = HungUp(modern.then(|| Arc::clone(&session)));
    let given = {
        let session = Arc::clone(&session);
        let channel = Channel { client: sender, unread: Arc::clone(&endpoints.unread) };
        tokio::task::spawn_blocking(move || dispatcher.receive(message, held, &session, Arc::new(channel)))
    };
    if given.await.is_err() {
        return refusal(
            StatusCode::INTERNAL_SERVER_ERROR,
            &RpcError::new(RpcError::INTERNAL, "Internal error"),
        );
    }
    if !expects_answer {
        return match receiver.try_recv() {
            Ok(Said::Answer(error, _)) => json_response(StatusCode::BAD_REQUEST, error.text),
            _ => empty(StatusCode::ACCEPTED),
        };
    }
    let mut response = match receiver.recv().await {
        Some(Said::Answer(answer, held)) => {
            let status = status_of(answer.error, modern);
            json_response(status, Bytes::from_owner(Unread { text: answer.text, _held: held }))
        }
        Some(Said::Before(first)) => return stream(&first, receiver, hung_up),
        None => empty(StatusCode::ACCEPTED),
    };
    if handshake && response.status() == StatusCode::OK {
        let id = endpoints.sessions.remember(session);
        if let Ok(id) = HeaderValue::from_str(&id) {
            response.headers_mut().insert(sessions::HEADER, id);
        }
    }
    response
}

fn is_modern(message: &Value) -> bool {
    let params = message.get("params").and_then(Value::as_object);
    params.and_then(protocol::named_version).is_some()
        || message.get("method") == Some(&"server/discover".into())
}

/// Whether something in it is to be answered: a request, or what cannot be read.
fn expects_answer(message: &Value) -> bool {
    match message {
        Value::Array(batch) => batch.is_empty() || batch.iter().any(expects_answer),
        Value::Object(members) => {
            let is_response = members.contains_key("result") || members.contains_key("error");
            let is_notification = members.contains_key("method") && !members.contains_key("id");
            !is_response && !is_notification
        }
        _ => true,
    }
}

/// The modern era tells by the status, too, what is wrong with a request.
fn status_of(error: Option<i64>, modern: bool) -> StatusCode {
    match error {
        Some(RpcError::METHOD_NOT_FOUND) if modern => StatusCode::NOT_FOUND,
        Some(
            RpcError::INVALID_PARAMS
            | RpcError::INVALID_REQUEST
            | code::HEADER_MISMATCH
            | code::MISSING_CAPABILITY
            | code::UNSUPPORTED_VERSION,
        ) if modern => StatusCode::BAD_REQUEST,
        Some(RpcError::INVALID_REQUEST) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

fn stream(first: &Value, receiver: UnboundedReceiver<Said>, hung_up: HungUp) -> Response {
    let event =
        |text: String| Ok::<_, std::convert::Infallible>(Event::default().event("message").data(text));
    let rest = UnboundedReceiverStream::new(receiver);
    let mut hung_up = Some(hung_up);
    let mut answered = false;
    let rest = rest.map_while(move |said| match said {
        _ if answered => None,
        Said::Before(value) => Some(event(value.to_string())),
        Said::Answer(answer, _) => {
            answered = true;
            if let Some(mut guard) = hung_up.take() {
                guard.0 = None;
            }
            Some(event(answer.text))
        }
    });
    let events = tokio_stream::once(event(first.to_string())).chain(rest);
    let keep_alive = KeepAlive::new().interval(Duration::from_secs(15));
    let response = Sse::new(events).keep_alive(keep_alive);
    let mut response: Response<Body> = axum::response::IntoResponse::into_response(response);
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}
