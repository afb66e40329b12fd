//! The three tools without MCP: what a caller of the plain interface sees, and who may call at all.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{ADA, Sending};
use crate::speaks_mcp::over_http::{Response, Served};

/// Posts a body to one of the three paths with the usual headers and these.
pub(super) fn post(served: &Served, path: &str, body: &Value, more: &[(&str, &str)]) -> Response {
    let mut fields = vec![("Host", "HERE"), ("Content-Type", "application/json")];
    for (name, value) in more {
        fields.retain(|(known, _)| known != name);
        fields.extend((!value.is_empty()).then_some((*name, *value)));
    }
    let port = served.port.to_string();
    let fields: String =
        fields.iter().map(|(name, value)| format!("{name}: {}\r\n", value.replace("PORT", &port))).collect();
    served.raw(&format!("POST {path} HTTP/1.1\r\n{fields}"), &body.to_string())
}

pub(super) fn letter() -> Value {
    json!({ "to": "test@example.com", "subject": "Test", "body": "Test" })
}

#[test]
fn send_email_validates_required_fields() {
    let sending = Sending::empty();
    let served = sending.serve(&[]);

    let response = post(&served, "/send-email", &json!({}), &[]);

    assert_eq!(response.json()["success"], false);
    assert_eq!(response.json()["errorCode"], "INVALID_REQUEST");
    assert_eq!(response.status, 400);
}

#[test]
fn send_email_validates_email_format() {
    let sending = Sending::empty();
    let served = sending.serve(&[]);

    let mut wrong = letter();
    wrong["to"] = json!("invalid-email");
    let response = post(&served, "/send-email", &wrong, &[]);

    assert_eq!(response.json()["success"], false);
    assert_eq!(response.status, 400);
}

#[test]
fn send_email_succeeds_with_valid_input() {
    let sending = Sending::empty();
    let served = sending.serve(&[]);

    let response = post(&served, "/send-email", &letter(), &[]);

    assert_eq!(response.status, 200, "{}", response.body);
    assert_eq!(response.json()["success"], true);
    assert!(response.json()["messageId"].is_string());
    assert!(response.json()["timestamp"].as_str().unwrap().ends_with('Z'));
    assert_eq!(response.json()["status"], "pending_approval");
    assert!(response.json()["approvalUrl"].as_str().unwrap().contains("/outbox/"));
    assert!(sending.postbox.mails().is_empty(), "nothing leaves before somebody said yes");
}

#[test]
fn end_to_end_email_sending() {
    let sending = Sending::empty().direct();
    let served = sending.serve(&[]);
    let token = std::fs::read_to_string(sending.world.home().join("token")).unwrap();
    let bearer = format!("Bearer {}", token.trim());

    let response = post(&served, "/send-email", &letter(), &[("Authorization", &bearer)]);

    assert_eq!(response.status, 200, "{}", response.body);
    assert_eq!(response.json()["status"], "sent");
    let mails = sending.postbox.mails();
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].0, ["test@example.com"]);
    let asked = json!({ "messageId": response.json()["messageId"] });
    let status = post(&served, "/get-email-status", &asked, &[("Authorization", &bearer)]).json();
    assert_eq!((&status["status"], &status["messageId"]), (&json!("sent"), &asked["messageId"]));
    let lines = std::fs::read_to_string(sending.world.path("sends.jsonl")).unwrap();
    let line: Value =
        serde_json::from_str(lines.lines().find(|line| line.starts_with('{')).unwrap()).unwrap();
    assert_eq!((&line["action_type"], &line["result"]), (&json!("email_send"), &json!("success")));
    assert_eq!(line["parameters"]["messageId"], asked["messageId"]);
}

#[test]
fn retry_on_transient_failure() {
    let sending = Sending::empty().with("RETRY_DELAY_MS", "10").direct();
    let served = sending.serve(&[]);
    sending.postbox.put_off(2);

    let token = std::fs::read_to_string(sending.world.home().join("token")).unwrap();
    let bearer = format!("Bearer {}", token.trim());
    let response = post(&served, "/send-email", &letter(), &[("Authorization", &bearer)]);

    assert_eq!(response.json()["status"], "sent", "{}", response.body);
    assert_eq!(sending.postbox.mails().len(), 1);
}

#[test]
fn a_page_cannot_call_and_neither_can_who_asks_for_another_host() {
    let sending = Sending::empty();
    let served = sending.serve(&[]);
    let status = |more: &[(&str, &str)]| post(&served, "/send-email", &letter(), more).status;

    assert_eq!(status(&[("Host", "evil.example")]), 403);
    assert_eq!(status(&[("Host", "127.0.0.1")]), 403, "the port belongs to the host");
    assert_eq!(status(&[("Host", "127.0.0.1:1")]), 403);
    assert_eq!(status(&[("Host", "")]), 403);
    assert_eq!(status(&[("Origin", "http://evil.example")]), 403);
    assert_eq!(status(&[("Origin", "null")]), 403);
    assert_eq!(status(&[("Origin", "http://127.0.0.1:1")]), 403, "another server on this machine");
    assert_eq!(status(&[("Origin", "https://127.0.0.1:PORT")]), 403);
    assert_eq!(status(&[("Content-Type", "text/plain")]), 415);
    assert_eq!(status(&[("Content-Type", "")]), 415);
    assert_eq!(status(&[("Content-Type", "application/x-www-form-urlencoded")]), 415);
    assert_eq!(served.raw("GET /send-email HTTP/1.1\r\nHost: HERE\r\n", "").status, 405);
    assert_eq!(post(&served, "/approve", &json!({}), &[]).status, 404);
    assert_eq!(sending.drafts(), 0);
    assert_eq!(status(&[("Origin", "http://127.0.0.1:PORT")]), 200);
    assert_eq!(status(&[("Host", "localhost:PORT")]), 200);
}

#[test]
fn where_mail_leaves_at_once_the_token_is_asked_for() {
    let sending = Sending::empty().direct();
    let served = sending.serve(&[]);

    let without = post(&served, "/send-email", &letter(), &[]);
    let wrong = post(&served, "/send-email", &letter(), &[("Authorization", "Bearer nope")]);

    assert_eq!((without.status, wrong.status), (401, 401));
    assert_eq!(without.json()["success"], false);
    assert!(sending.postbox.mails().is_empty());
}

#[test]
fn the_three_paths_are_there_only_where_the_environment_names_a_server() {
    let sending =
        Sending::empty().without("SMTP_HOST").without("SMTP_USER").without("SMTP_PASS").without("SMTP_PORT");
    let served = sending.serve(&[]);

    assert_eq!(post(&served, "/validate-email", &json!({ "email": "a@example.org" }), &[]).status, 404);
}

/// What is said to a caller who cannot be served now.
fn not_now(answer: &str) -> Value {
    let body = answer.split_once("\r\n\r\n").unwrap_or_default().1;
    let told: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"));
    assert_eq!((&told["success"], &told["retryable"]), (&json!(false), &json!(true)), "{answer}");
    assert_eq!(told["errorCode"], "NETWORK_ERROR", "{answer}");
    assert!(told["error"].is_string() && told["timestamp"].is_string(), "{answer}");
    told
}

#[test]
fn who_finds_no_room_or_is_too_slow_is_told_so_in_the_documents_shape_and_may_come_again() {
    const PATIENCE: &str = "3000";
    let sending = Sending::empty().with("MAILKEEP_HTTP_TIME_MS", PATIENCE);
    let served = sending.serve(&[]);
    let port = served.port;
    let head = |length: usize| {
        format!(
            "POST /send-email HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n"
        )
    };
    let connect = |text: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    };
    let answer = |mut stream: &TcpStream| {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    };

    let slow = connect(&format!("{}{{", head(39 << 20)));
    thread::sleep(Duration::from_millis(500));
    let busy = answer(&connect(&head(39 << 20)));
    let late = answer(&slow);
    let half = answer(&connect("POST /send-email HTTP/1.1\r\nHost: 12"));
    let held: Vec<_> = (0..64).map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap()).collect();
    let full = answer(&connect(&head(0)));
    drop(held);

    assert!(busy.starts_with("HTTP/1.1 503") && full.starts_with("HTTP/1.1 503"), "{busy}{full}");
    assert!(late.starts_with("HTTP/1.1 408") && half.starts_with("HTTP/1.1 408"), "{late}{half}");
    [busy, late, half, full].iter().for_each(|answer| drop(not_now(answer)));
}

#[test]
fn too_many_are_told_when_there_is_room_again() {
    let sending = Sending::empty().with("RATE_LIMIT_PER_HOUR", "1");
    let served = sending.serve(&[]);
    post(&served, "/send-email", &letter(), &[]);
    let mut second = letter();
    second["subject"] = json!("Another");

    let response = post(&served, "/send-email", &second, &[]);

    let error = response.json();
    assert_eq!(response.status, 429);
    assert_eq!((&error["errorCode"], &error["retryable"]), (&json!("RATE_LIMIT_EXCEEDED"), &json!(true)));
    assert_eq!(error["retryAfter"], "2026-06-15T13:00:00Z");
    assert_eq!(response.headers["retry-after"], "Mon, 15 Jun 2026 13:00:00 GMT");
}

#[test]
fn errors_name_the_limit_and_what_is_not_known_is_an_invalid_request() {
    let sending = Sending::empty();
    let served = sending.serve(&[]);
    let with_file = |name: &str, content: &str| {
        let mut letter = letter();
        letter["attachments"] =
            json!([{ "filename": name, "content": content, "contentType": "application/octet-stream" }]);
        post(&served, "/send-email", &letter, &[])
    };

    let unknown = post(&served, "/get-email-status", &json!({ "messageId": "no@where" }), &[]);
    let program = with_file("run.exe", "TVqQAAMAAAA=");
    let large = with_file("large.bin", &"QUFB".repeat(9 << 20));
    let larger = with_file("larger.bin", &"QUFB".repeat(11 << 20));
    let broken = served
        .raw("POST /send-email HTTP/1.1\r\nHost: HERE\r\nContent-Type: application/json\r\n", "{\"to\": ");

    assert_eq!((unknown.status, &unknown.json()["errorCode"]), (400, &json!("INVALID_REQUEST")));
    assert_eq!(program.status, 400);
    assert!(program.json()["error"].as_str().unwrap().contains("run.exe"), "{}", program.body);
    assert_eq!(large.status, 400);
    assert!(large.json()["error"].as_str().unwrap().contains("25 MB"), "{}", large.body);
    assert_eq!(larger.status, 413);
    assert!(larger.json()["error"].as_str().unwrap().contains("40 MiB"), "{}", larger.body);
    assert_eq!((broken.status, &broken.json()["errorCode"]), (400, &json!("INVALID_REQUEST")));
}

#[test]
fn several_recipients_files_and_html_are_taken_as_the_document_has_them() {
    let sending = Sending::empty();
    let served = sending.serve(&[]);
    let letter = json!({
        "to": ["a@example.com", "B <b@example.com>"], "cc": "c@example.com", "bcc": ["d@example.com"],
        "subject": "Grüße", "body": "<p>Hi <b>all</b></p><script>x()</script>", "from": ADA,
        "replyTo": "answers@example.com",
        "attachments": [{ "filename": "a.txt", "content": "aGVsbG8=", "contentType": "text/plain" }],
    });

    let answer = post(&served, "/send-email", &letter, &[]).json();

    assert_eq!(answer["success"], true, "{answer}");
    let item = &sending.json(&["outbox", "list"])["items"][0].clone();
    let raw = sending.command(&["drafts", "show", item["id"].as_str().unwrap(), "--raw"]).output().unwrap();
    let raw = String::from_utf8(raw.stdout).unwrap();
    assert!(raw.contains("Reply-To: <answers@example.com>"), "{raw}");
    assert!(raw.contains("text/html") && raw.contains("a.txt") && !raw.contains("x()"), "{raw}");
    assert!(!raw.contains("d@example.com"), "nobody sees who gets a hidden copy");
    let mut stranger = letter;
    stranger["from"] = json!("ceo@elsewhere.example");
    assert_eq!(post(&served, "/send-email", &stranger, &[]).status, 400);
}

#[test]
fn the_same_key_is_the_same_email_however_it_comes() {
    let sending = Sending::empty();
    let served = sending.serve(&[]);

    let first = post(&served, "/send-email", &letter(), &[("Idempotency-Key", "k-1")]).json();
    let mut again = letter();
    again["idempotencyKey"] = json!("k-1");
    let second = post(&served, "/send-email", &again, &[]).json();
    again["subject"] = json!("Changed");
    let other = post(&served, "/send-email", &again, &[]);

    assert_eq!(first["messageId"], second["messageId"]);
    assert_eq!((other.status, &other.json()["errorCode"]), (400, &json!("INVALID_REQUEST")));
    assert_eq!(sending.drafts(), 1);
}

#[test]
fn typos_are_told_and_real_domains_are_not() {
    let sending = Sending::empty();
    let served = sending.serve(&[]);
    let validate = |email: &str| post(&served, "/validate-email", &json!({ "email": email }), &[]).json();

    assert_eq!(validate("bob@example.org"), json!({ "valid": true }));
    assert_eq!(validate("bob@gmx.de"), json!({ "valid": true }));
    assert_eq!(validate("bob@gmial.com")["valid"], false);
    assert!(validate("bob@gmial.com")["reason"].as_str().unwrap().contains("bob@gmail.com"));
    assert_eq!(validate("a@b@c.example")["valid"], false);
}

#[test]
fn a_stop_ends_it_in_time_and_in_order() {
    let sending = Sending::empty();
    let mut served = sending.serve(&[]);
    let pid = served.process.id();
    post(&served, "/send-email", &letter(), &[]);

    let begun = Instant::now();
    let kill = std::process::Command::new("kill").args(["-TERM", &pid.to_string()]).status().unwrap();
    let status = served.process.wait().unwrap();

    assert!(kill.success());
    assert_eq!(status.code(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(30));
    let log = sending.log();
    assert!(log.contains("serve starts; the server of SMTP_HOST lets us in"), "{log}");
    assert!(log.contains("serve has ended"), "{log}");
    assert!(!log.contains("hunter2-canary") && !log.contains("test@example.com"), "{log}");
}

#[test]
fn the_page_that_answers_point_to_says_how_to_decide_and_can_do_nothing() {
    let sending = Sending::empty();
    let served = sending.serve(&[]);
    let answer = post(&served, "/send-email", &letter(), &[]).json();
    let path = answer["approvalUrl"].as_str().unwrap().split_once("/outbox").unwrap().1.to_owned();

    let own = format!("Host: localhost:{}\r\n", served.port);
    let page = served.raw(&format!("GET /outbox{path} HTTP/1.1\r\n{own}"), "");
    let posted = served.raw(&format!("POST /outbox{path} HTTP/1.1\r\n{own}"), "approve=1");
    let strange = served.raw("GET /outbox HTTP/1.1\r\nHost: evil.example\r\n", "");

    assert_eq!((page.status, posted.status, strange.status), (200, 403, 403));
    assert!(page.body.contains("mailkeep open") && page.body.contains("mailkeep outbox review"));
    assert!(page.headers["content-security-policy"].contains("frame-ancestors 'none'"));
    let status = sending.json(&["outbox", "list"])["items"][0]["state"].clone();
    assert_eq!(status, "pending_approval");
}
