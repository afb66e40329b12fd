//! A server that is reached over HTTP (MCP's streamable transport): one POST a request, an answer as JSON or as the events
//! of one short stream. A session that the server has forgotten is begun anew.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

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

    fn begin(&mut self, until: Instant) -> Result<(), ServerFailure> {
        if self.session.is_some() {
            return Ok(());
        }
        let limits = IoLimits { silence: left(until), stop: Arc::clone(&self.stop) };
        let http = HttpClient::new(limits);
        self.session = Some(Session { http, id: None });
        let (answer, result) = self.exchange("initialize", &greeting(), until)?;
        result?;
        let id = answer.header("mcp-session-id").map(str::to_owned);
        if let Some(session) = &mut self.session {
            session.id = id;
        }
        self.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }), until).map(drop)
    }

    fn post(&self, message: &Value, until: Instant) -> Result<HttpResponse, ServerFailure> {
        let Some(session) = &self.session else {
            return Err(ServerFailure::Unavailable("no session".to_owned()));
        };
        let mut request = HttpRequest::post(self.url.as_str(), "application/json", message.to_string())
            .with_header("accept", "application/json, text/event-stream")
            .with_header("mcp-protocol-version", REVISION)
            .at_most(LONGEST_ANSWER)
            .within(left(until));
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
        until: Instant,
    ) -> Result<(HttpResponse, Result<Value, ServerFailure>), ServerFailure> {
        self.last_id += 1;
        let id = self.last_id;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let answer = self.post(&message, until)?;
        let result = messages(&answer).iter().find_map(|message| answer_to(id, message));
        let result = result
            .ok_or_else(|| ServerFailure::Unavailable("it gave no answer to what was asked".to_owned()))?;
        Ok((answer, result))
    }
}

impl ToolServer for HttpServer {
    fn request(&mut self, method: &str, params: Value, within: Duration) -> Result<Value, ServerFailure> {
        // One time for the greeting and the call together, as for other servers.
        let until = Instant::now() + within;
        let answer = self.begin(until).and_then(|()| self.exchange(method, &params, until)?.1);
        if matches!(answer, Err(ServerFailure::Unavailable(_))) {
            self.session = None;
        }
        answer
    }
}

fn left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now())
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
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::thread;
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::{HttpServer, messages};
    use crate::orchestrator::mcp_client::{ServerFailure, ToolServer};
    use crate::wire::http::HttpResponse;

    /// A server that takes its time for each answer.
    fn slow_server(time: Duration) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let mut lines = BufReader::new(stream.try_clone().unwrap());
                let (mut line, mut length) = (String::new(), 0);
                while lines.read_line(&mut line).is_ok_and(|count| count > 2) {
                    if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                    line.clear();
                }
                let mut body = vec![0; length];
                lines.read_exact(&mut body).unwrap();
                thread::sleep(time);
                let id = serde_json::from_slice::<Value>(&body).unwrap()["id"].clone();
                let answer = json!({ "jsonrpc": "2.0", "id": id, "result": {} }).to_string();
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                    answer.len()
                );
                let _ = stream.write_all(format!("{head}{answer}").as_bytes());
            }
        });
        url
    }

    #[test]
    fn a_call_has_one_time_for_all_that_is_said_for_it() {
        let server = || {
            HttpServer::new(slow_server(Duration::from_millis(400)), None, Arc::new(AtomicBool::new(false)))
        };

        let short = server().request("tools/list", json!({}), Duration::from_millis(900));
        let long = server().request("tools/list", json!({}), Duration::from_secs(60));

        assert!(matches!(short, Err(ServerFailure::Unavailable(_))), "{short:?}");
        assert_eq!(long, Ok(json!({})));
    }

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
