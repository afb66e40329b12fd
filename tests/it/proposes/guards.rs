//! What keeps the plain interface and the keys of requests from being turned against the owner.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;

use serde_json::{Value, json};

use super::rest::{letter, post};
use super::{DIRECT, Sending, refused, told};
use crate::speaks_mcp::over_http::Served;

/// Asks for the tools of a profile over MCP with these fields.
fn tools_of(served: &Served, profile: &str, more: &str) -> u16 {
    let head = format!(
        "POST /mcp/{profile} HTTP/1.1\r\nHost: HERE\r\nContent-Type: application/json\r\nAccept: */*\r\n{more}"
    );
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    served.raw(&head, &list.to_string()).status
}

fn bearer(sending: &Sending) -> String {
    let token = std::fs::read_to_string(sending.world.home().join("token")).unwrap();
    format!("Bearer {}", token.trim())
}

#[test]
fn a_rule_that_is_confirmed_while_it_serves_asks_for_the_token_from_then_on() {
    let sending = Sending::empty();
    sending.configure(DIRECT);
    let served = sending.serve(&[]);
    let first = post(&served, "/send-email", &letter(), &[]);
    assert_eq!(first.json()["status"], "pending_approval", "{}", first.body);

    sending.confirm();
    let mut other = letter();
    other["subject"] = json!("Another");
    let without = post(&served, "/send-email", &other, &[]);
    assert_eq!(without.status, 401, "{}", without.body);
    assert!(sending.postbox.mails().is_empty());

    let with = post(&served, "/send-email", &other, &[("Authorization", &bearer(&sending))]);
    assert_eq!(with.json()["status"], "sent", "{}", with.body);
}

#[test]
fn no_token_does_not_hold_where_mail_may_leave_at_once() {
    let sending = Sending::empty().direct();
    let served = sending.serve(&["--no-token"]);

    let without = post(&served, "/send-email", &letter(), &[]);

    assert_eq!(without.status, 401);
    assert!(without.body.contains("--no-token") && without.body.contains("`token` file"), "{}", without.body);
    for profile in ["core", "smtp", "email", "gmail", "full"] {
        assert_eq!(tools_of(&served, profile, ""), 401, "{profile}");
    }
    assert_eq!(tools_of(&served, "db", ""), 200, "nothing leaves by it");
    let field = format!("Authorization: {}\r\n", bearer(&sending));
    assert_eq!(tools_of(&served, "core", &field), 200);
    assert!(sending.postbox.mails().is_empty());
}

#[test]
fn without_a_token_tools_only_propose() {
    let sending = Sending::empty();
    let served = sending.serve(&["--no-token"]);

    assert_eq!(tools_of(&served, "core", ""), 200);
    let answer = post(&served, "/send-email", &letter(), &[]);
    assert_eq!(answer.json()["status"], "pending_approval", "{}", answer.body);
}

#[test]
fn a_key_that_stood_for_another_message_is_an_error_and_nothing_is_kept() {
    let sending = Sending::empty();
    let mut core = sending.assistant(&[]);
    let letter = |to: &str| json!({ "to": [to], "subject": "A", "body": "A", "idempotency_key": "k1" });
    let first = told(&core.call("send_email", letter("a@x.example")));

    let again = told(&core.call("send_email", letter("a@x.example")));
    let other = refused(&core.call("send_email", letter("b@x.example")));
    let mut smtp = sending.assistant(&["--profile", "smtp"]);
    let beside = json!({ "to": "c@x.example", "subject": "C", "body": "C", "idempotencyKey": "k1" });
    let beside = refused(&smtp.call("send-email", beside));

    assert_eq!((&again["id"], &again["duplicate_of"]), (&first["id"], &first["id"]));
    assert_eq!(other["error"], "invalid_request", "{other}");
    assert!(other["message"].as_str().unwrap().contains("was used for another message"), "{other}");
    assert!(other["details"]["hint"].as_str().unwrap().contains("a key of its own"), "{other}");
    assert_eq!(beside["errorCode"], "INVALID_REQUEST", "{beside}");
    assert_eq!(sending.json(&["outbox", "list"])["items"].as_array().unwrap().len(), 1);
    assert_eq!(sending.drafts(), 1, "what was refused leaves no draft");
}

#[test]
fn a_key_in_the_header_that_stood_for_another_message_is_a_bad_request() {
    let sending = Sending::empty();
    let served = sending.serve(&[]);
    let key = [("Idempotency-Key", "k1")];
    assert_eq!(post(&served, "/send-email", &letter(), &key).status, 200);
    let mut other = letter();
    other["to"] = json!("other@example.com");

    let other = post(&served, "/send-email", &other, &key);

    assert_eq!((other.status, &other.json()["errorCode"]), (400, &json!("INVALID_REQUEST")));
    assert_eq!(other.json()["success"], false);
}

#[test]
fn what_differs_in_a_single_field_is_another_message() {
    let sending = Sending::empty();
    let mut smtp = sending.assistant(&["--profile", "smtp"]);
    let plain = json!({ "to": "b@x.example", "subject": "s", "body": "b" });
    let file = |name: &str, content: &str| json!([{ "filename": name, "content": content, "contentType": "text/plain" }]);
    let changes = [
        ("to", json!("c@x.example")),
        ("to", json!("Bob <b@x.example>")),
        ("cc", json!("c@x.example")),
        ("bcc", json!("c@x.example")),
        ("subject", json!("t")),
        ("body", json!("c")),
        ("body", json!("<p>b</p>")),
        ("replyTo", json!("mallory@evil.example")),
        ("replyTo", json!("ada.berg@example.org")),
        ("attachments", file("a.txt", "QQ==")),
        ("attachments", file("b.txt", "QQ==")),
        ("attachments", file("a.txt", "Qg==")),
    ];
    let mut codes = BTreeMap::new();
    let mut ask =
        |value: &Value| told(&smtp.call("send-email", value.clone()))["code"].as_str().unwrap().to_owned();
    codes.insert(ask(&plain), plain.clone());
    for (name, value) in changes {
        let mut changed = plain.clone();
        changed[name] = value;
        let before = codes.insert(ask(&changed), changed.clone());
        assert_eq!(before, None, "{changed} was taken for another");
        let again = ask(&changed);
        assert_eq!(codes.get(&again), Some(&changed), "the same again is the same");
    }
}

#[test]
fn every_answer_outside_mcp_keeps_pages_out() {
    let sending = Sending::empty();
    let served = sending.serve(&[]);
    let raw = |head: &str| served.raw(&format!("{head} HTTP/1.1\r\nHost: HERE\r\n"), "");
    let answers = [
        post(&served, "/validate-email", &json!({ "email": "a@example.org" }), &[]),
        post(&served, "/send-email", &json!({}), &[]),
        post(&served, "/send-email", &letter(), &[("Host", "evil.example")]),
        raw("GET /send-email"),
        raw("GET /"),
        raw("GET /no/such/place"),
        raw("GET /mcpx"),
        raw("GET /outbox"),
    ];
    let wanted = [
        ("cross-origin-opener-policy", "same-origin"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
    ];

    for answer in answers {
        let policy = &answer.headers["content-security-policy"];
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        for (name, value) in wanted {
            assert_eq!(answer.headers[name], value, "{}", answer.status);
        }
    }
}

#[test]
fn mcp_is_served_under_its_own_port_only() {
    let sending = Sending::empty();
    let served = sending.serve(&["--no-token"]);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let status = |more: &[(&str, &str)]| served.post(&list, more).status;

    assert_eq!(status(&[]), 200);
    assert_eq!(status(&[("Host", "127.0.0.1")]), 403);
    assert_eq!(status(&[("Host", "127.0.0.1:1")]), 403);
    assert_eq!(status(&[("Origin", "http://localhost:3000")]), 403, "another server on this machine");
    assert_eq!(status(&[("Origin", "https://HERE")]), 403);
    assert_eq!(status(&[("Origin", "http://HERE")]), 200);
}

#[test]
fn three_hundred_at_once_are_answered_or_told_to_come_again() {
    let sending = Sending::empty();
    let served = sending.serve(&[]);
    let ask = |port: u16, number: usize| -> String {
        let body = json!({ "email": format!("p{number}@x.example") }).to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let length = body.len();
        let _ = write!(
            stream,
            "POST /validate-email HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
            Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    };
    let port = served.port;

    let asking: Vec<_> = (0..300).map(|number| thread::spawn(move || ask(port, number))).collect();

    for answer in asking.into_iter().map(|thread| thread.join().unwrap()) {
        let come_again = answer.starts_with("HTTP/1.1 503") && answer.contains("retry-after: ");
        assert!(answer.starts_with("HTTP/1.1 200") || come_again, "{answer:?}");
    }
}

#[test]
fn what_is_no_request_is_refused_with_the_same_headers() {
    let sending = Sending::empty();
    let served = sending.serve(&[]);
    let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "a".repeat(40_000));
    for (request, status) in [
        ("GET / HTTP/1.1\r\nbad header\r\n\r\n", "400"),
        ("GET / HTTP/9.9\r\n\r\n", "400"),
        ("POST /outbox HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", "400"),
        (long.as_str(), "431"),
    ] {
        for before in ["", "GET /no/such/place HTTP/1.1\r\nHost: x\r\n\r\n"] {
            let mut stream = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
            stream.write_all(before.as_bytes()).unwrap();
            if !before.is_empty() {
                assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
            }
            stream.write_all(request.as_bytes()).unwrap();
            let mut answer = Vec::new();
            // One who still sends is hung up on.
            let _ = stream.read_to_end(&mut answer);

            let answer = String::from_utf8(answer).unwrap();
            let refusal = answer.get(answer.rfind("HTTP/1.1 ").unwrap()..).unwrap();
            assert!(refusal.starts_with(&format!("HTTP/1.1 {status}")), "{answer}");
            assert!(refusal.contains("frame-ancestors 'none'") && refusal.ends_with("\r\n\r\n"), "{answer}");
            for field in ["referrer-policy: no-referrer", "cache-control: no-store", "content-length: 0"] {
                assert_eq!(refusal.matches(field).count(), 1, "{answer}");
            }
        }
    }
}
