//! The same server over HTTP: who may ask, how, and what comes back.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{meta, request};
use crate::world::World;
use crate::world::mail::{many, mboxrd};

/// `mailkeep serve` on a free port; killed when the test ends.
pub(crate) struct Served {
    pub(crate) process: Child,
    pub(crate) port: u16,
    /// Held, so that the server can go on printing.
    _output: BufReader<ChildStdout>,
}

pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

impl Served {
    pub(crate) fn start(world: &World, arguments: &[&str]) -> Self {
        let mut command = world.command(&["serve", "--listen", "127.0.0.1:0"]);
        Self::run(command.args(arguments).env("LOG_FILE", world.path("server.log")))
    }

    /// The same with a command of the test's own.
    pub(crate) fn run(command: &mut Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let port = line.rsplit_once(':').unwrap().1.trim_end_matches("/mcp\n").parse().unwrap();
        Self { process, port, _output: output }
    }

    pub(super) fn open(world: &World) -> Self {
        Self::start(world, &["--no-token"])
    }

    /// Sends a request as it stands and reads the whole response.
    pub(crate) fn raw(&self, head: &str, body: &str) -> Response {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let head = head.replace("HERE", &format!("127.0.0.1:{}", self.port));
        let length = body.len();
        write!(stream, "{head}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
        Response { status, headers, body: body.to_owned() }
    }

    /// Posts a message with the usual headers and these.
    pub(crate) fn post(&self, message: &Value, more: &[(&str, &str)]) -> Response {
        let mut fields = vec![
            ("Host", "HERE"),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        for (name, value) in more {
            fields.retain(|(known, _)| known != name);
            fields.extend((!value.is_empty()).then_some((*name, *value)));
        }
        let fields: String = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        self.raw(&format!("POST /mcp HTTP/1.1\r\n{fields}"), &message.to_string())
    }

    fn initialize(&self) -> Response {
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {} });
        self.post(&request(1, "initialize", &params), &[])
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn world() -> World {
    World::holding(&mboxrd(&many(6)))
}

/// Asks over HTTP until it is over; how many answers were good. Anything else fails the test.
pub(super) fn keep_asking(world: &World, over: &AtomicBool) -> usize {
    let served = Served::open(world);
    let call =
        request(1, "tools/call", &json!({ "name": "search_emails", "arguments": { "query": "numbers" } }));
    let mut good = 0;
    while !over.load(Ordering::Relaxed) {
        let answer = served.post(&call, &[]).json();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        good += 1;
    }
    good
}

fn list() -> Value {
    request(1, "tools/list", &json!({}))
}

#[test]
fn only_this_machine_and_its_own_pages_may_ask() {
    let world = world();
    let served = Served::open(&world);

    for (name, value) in [
        ("Host", "evil.example"),
        ("Host", "127.0.0.1.evil.example"),
        ("Host", ""),
        ("Origin", "http://evil.example"),
        ("Origin", "null"),
        ("Origin", "http://localhost:9999"),
        ("Origin", "http://127.0.0.1"),
    ] {
        let refused = served.post(&list(), &[(name, value)]);
        // Without any Host the request is no HTTP/1.1, which may be said before we are asked.
        assert!(matches!(refused.status, 400 | 403), "{name}: {value} {}", refused.status);
    }
    assert_eq!(served.post(&list(), &[("Origin", "http://HERE")]).status, 200);
}

#[test]
fn the_token_is_private_and_needed() {
    let world = world();
    let file = world.home().join("token");
    fs::write(&file, "").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let served = Served::start(&world, &[]);
    let token = fs::read_to_string(&file).unwrap();

    let without = served.post(&list(), &[]);
    let wrong = served.post(&list(), &[("Authorization", &format!("Bearer {}x", token.trim()))]);
    let right = served.post(&list(), &[("Authorization", &format!("Bearer {}", token.trim()))]);

    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!((without.status, wrong.status, right.status), (401, 401, 200));
    assert_eq!(without.headers["www-authenticate"], "Bearer");
    assert!(without.json()["error"]["message"].is_string());
    assert!(!without.body.contains(token.trim()));
}

#[test]
fn without_a_token_only_loopback_is_served() {
    let world = World::new();

    let error = world.failure(&["serve", "--no-token", "--listen", "0.0.0.0:0"]);

    assert_eq!(error["code"], "token_needed");
}

#[test]
fn what_is_sent_must_be_json_and_what_is_taken_too() {
    let world = world();
    let served = Served::open(&world);

    let form = served.post(&list(), &[("Content-Type", "text/plain")]);
    let picky = served.post(&list(), &[("Accept", "text/html")]);
    let broken = served.raw(
        "POST /mcp HTTP/1.1\r\nHost: HERE\r\nContent-Type: application/json; charset=utf-8\r\nAccept: */*\r\n",
        "{broken",
    );

    assert_eq!((form.status, picky.status, broken.status), (415, 406, 400));
    assert_eq!(broken.json()["error"]["code"], -32700);
    assert!(form.json()["error"]["message"].is_string() && picky.json()["error"]["message"].is_string());
}

#[test]
fn a_session_lasts_until_it_is_deleted() {
    let world = world();
    let served = Served::open(&world);
    let session = served.initialize().headers["mcp-session-id"].clone();
    let with = [("Mcp-Session-Id", session.as_str())];

    let initialized = served.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }), &with);
    let listed = served.post(&list(), &with);
    let delete =
        |id: &str| served.raw(&format!("DELETE /mcp HTTP/1.1\r\nHost: HERE\r\nMcp-Session-Id: {id}\r\n"), "");
    let deleted = delete(&session);
    let after = served.post(&list(), &with);

    assert_eq!((initialized.status, initialized.body.as_str()), (202, ""));
    assert_eq!((listed.status, deleted.status, after.status), (200, 204, 404));
    assert_eq!(delete(&session).status, 404);
    assert_eq!(served.post(&list(), &[("Mcp-Session-Id", "made-up")]).status, 404);
}

#[test]
fn there_is_nothing_to_listen_to() {
    let world = world();
    let served = Served::open(&world);

    let refused = served.raw("GET /mcp HTTP/1.1\r\nHost: HERE\r\nAccept: text/event-stream\r\n", "");

    assert_eq!((refused.status, refused.headers["allow"].as_str()), (405, "POST, DELETE"));
    assert!(refused.json()["error"]["message"].is_string());
}

#[test]
fn every_profile_has_a_place_of_its_own() {
    let world = world();
    let served = Served::open(&world);
    let names = |path: &str| {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: HERE\r\nContent-Type: application/json\r\nAccept: */*\r\n"
        );
        let response = served.raw(&head, &list().to_string());
        let tools = response.json()["result"]["tools"].as_array().map_or(0, Vec::len);
        (response.status, tools)
    };

    assert_eq!(names("/mcp"), names("/mcp/core"));
    assert_ne!(names("/mcp").1, names("/mcp/assistant").1);
    assert!(names("/mcp/full").1 >= names("/mcp/core").1);
    assert_eq!(names("/mcp/no-such").0, 404);
}

#[test]
fn a_modern_request_is_answered_in_its_headers_too() {
    let world = world();
    let served = Served::open(&world);
    let call =
        request(1, "tools/call", &json!({ "name": "list_accounts", "arguments": {}, "_meta": meta() }));
    let modern = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call")];

    let good = served.post(&call, &[modern[0], modern[1], ("Mcp-Name", "list_accounts")]);
    let other = served.post(&call, &[modern[0], modern[1], ("Mcp-Name", "read_email")]);
    let silent = served.post(&call, &[]);
    let unknown = request(2, "no/such", &json!({ "_meta": meta() }));
    let unknown = served.post(&unknown, &[modern[0], ("Mcp-Method", "no/such")]);

    assert_eq!((good.status, &good.json()["result"]["resultType"]), (200, &json!("complete")));
    assert!(!good.headers.contains_key("mcp-session-id"));
    let with_session = [modern[0], modern[1], ("Mcp-Name", "list_accounts"), ("Mcp-Session-Id", "of-old")];
    assert_eq!(served.post(&call, &with_session).status, 200, "this era has no sessions");
    for refused in [other, silent] {
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (400, &json!(-32020)));
        assert_eq!(refused.json()["id"], 1);
    }
    assert_eq!((unknown.status, &unknown.json()["error"]["code"]), (404, &json!(-32601)));
}

#[test]
fn a_body_that_is_too_long_is_refused() {
    let world = world();
    let served = Served::open(&world);
    let long = request(1, "tools/list", &json!({ "padding": "x".repeat(17 << 20) }));

    let mut stream = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
    let (port, body) = (served.port, long.to_string());
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let _ = stream.write_all(body.as_bytes());
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();

    assert!(line.starts_with("HTTP/1.1 413"), "{line}");
    assert_eq!(served.post(&list(), &[]).status, 200);
}

#[test]
fn a_signal_ends_it_with_exit_code_0_whoever_has_only_begun_to_ask() {
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\n";
    for begun in ["", head, &format!("{head}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{{")] {
        let world = world();
        let mut served = Served::open(&world);
        let number = served.process.id().to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
        stream.write_all(begun.as_bytes()).unwrap();
        assert_eq!(served.post(&list(), &[]).status, 200, "the other connection has been seen by now");

        let begin = Instant::now();
        assert!(std::process::Command::new("kill").args(["-TERM", &number]).status().unwrap().success());

        assert_eq!(served.process.wait().unwrap().code(), Some(0));
        assert!(begin.elapsed() < Duration::from_secs(20), "{begun}");
    }
}
