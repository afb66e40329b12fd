//! A server that is reached over HTTP (MCP's streamable transport): one POST a request, an answer as JSON or as the events
//! of one short stream. A session that the server has forgotten is begun anew.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::{Value, json};

use crate::model::IoLimits;
use crate::orchestrator::mcp_client::{REVISION, ServerFailure, ToolServer, answer_to, greeting};
use crate::secret::Secret;
use crate::wire::http::{HttpClient, HttpRequest, HttpResponse};

const LONGEST_ANSWER: u64 = 8 << 20;

/// A server at a URL.
pub struct HttpServer {
    url: String,
    token: Option<Secret<String>>,
    stop: Arc<AtomicBool>,
    session: Option<Session>,
    last_id: u64,
}

/// What a server agreed to.
struct Session {
    http: HttpClient,
    id: Option<String>,
}

impl HttpServer {
    /// The server at this URL, with a token if it asks for one.
    #[must_use]
    pub const fn new(url: String, token: Option<Secret<String>>, stop: Arc<AtomicBool>) -> Self {
        Self { url, token, stop, session: None, last_id: 0 }
    }

    fn begin(&mut self, within: Duration) -> Result<(), ServerFailure> {
        if self.session.is_some() {
            return Ok(());
        }
        let http = HttpClient::new(IoLimits { silence: within, stop: Arc::clone(&self.stop) });
        self.session = Some(Session { http, id: None });
        let (answer, result) = self.exchange("initialize", &greeting())?;
        result?;
        let id = answer.header("mcp-session-id").map(str::to_owned);
        if let Some(session) = &mut self.session {
            session.id = id;
        }
        self.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).map(drop)
    }

    fn post(&self, message: &Value) -> Result<HttpResponse, ServerFailure> {
        let Some(session) = &self.session else {
            return Err(ServerFailure::Unavailable("no session".to_owned()));
        };
        let mut request = HttpRequest::post(self.url.as_str(), "application/json", message.to_string())
            .with_header("accept", "application/json, text/event-stream")
            .with_header("mcp-protocol-version", REVISION)
            .at_most(LONGEST_ANSWER);
        if let Some(id) = &session.id {
            request = request.with_header("mcp-session-id", id.as_str());
        }
        if let Some(token) = &self.token {
            request = request.with_token(token);
        }
        let answer = session.http.send(&request);
        let answer = answer.map_err(|error| ServerFailure::Unavailable(error.to_string()))?;
        if answer.is_success() {
            Ok(answer)
        } else {
            Err(ServerFailure::Unavailable(format!("it answered {}", answer.status)))
        }
    }

    fn exchange(
        &mut self,
        method: &str,
        params: &Value,
    ) -> Result<(HttpResponse, Result<Value, ServerFailure>), ServerFailure> {
        self.last_id += 1;
        let id = self.last_id;
        let answer = self.post(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        let result = messages(&answer).iter().find_map(|message| answer_to(id, message));
        let result = result
            .ok_or_else(|| ServerFailure::Unavailable("it gave no answer to what was asked".to_owned()))?;
        Ok((answer, result))
    }
}

impl ToolServer for HttpServer {
    fn request(&mut self, method: &str, params: Value, within: Duration) -> Result<Value, ServerFailure> {
        let answer = self.begin(within).and_then(|()| self.exchange(method, &params)?.1);
        if matches!(answer, Err(ServerFailure::Unavailable(_))) {
            self.session = None;
        }
        answer
    }
}

/// The messages of an answer: one as JSON, or those of the events.
fn messages(answer: &HttpResponse) -> Vec<Value> {
    let text = String::from_utf8_lossy(&answer.body);
    let kind = answer.header("content-type").unwrap_or_default();
    if !kind.starts_with("text/event-stream") {
        return serde_json::from_str(&text).into_iter().collect();
    }
    let text = text.replace("\r\n", "\n");
    let events = text.split("\n\n").map(|event| {
        let lines = event.lines().filter_map(|line| line.strip_prefix("data:"));
        lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
    });
    events.filter_map(|data| serde_json::from_str(&data).ok()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::messages;
    use crate::wire::http::HttpResponse;

    #[test]
    fn an_answer_is_json_or_the_events_of_a_stream() {
        let answer = |kind: &str, body: &str| HttpResponse {
            status: 200,
            headers: vec![("content-type".to_owned(), kind.to_owned())],
            body: body.as_bytes().to_vec(),
        };
        let stream = ": hello\r\n\r\nevent: message\r\ndata: {\"id\":1,\r\ndata: \"result\":2}\r\n\r\ndata:{\"id\":3}\r\n\r\n";

        assert_eq!(messages(&answer("application/json", "{\"id\":1}")), [json!({ "id": 1 })]);
        assert_eq!(
            messages(&answer("text/event-stream; charset=utf-8", stream)),
            [json!({ "id": 1, "result": 2 }), json!({ "id": 3 })]
        );
        assert!(messages(&answer("application/json", "no")).is_empty());
    }
}
