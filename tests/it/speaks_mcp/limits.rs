//! How much a client gets: calls per minute, processes on one home, and what is written down about it.

use std::fs;

use serde_json::{Value, json};

use super::client::{Client, code, meta, request, server};
use crate::world::mail::{many, mboxrd};
use crate::world::{ACCOUNT, World};

fn world() -> World {
    World::holding(&mboxrd(&many(6)))
}

#[test]
fn the_assistant_may_search_ten_times_a_minute() {
    let world = world();
    let mut client = Client::connected(&world, &["--profile", "assistant"]);
    let arguments = json!({ "query": "numbers", "account": ACCOUNT });

    for _ in 0..10 {
        assert!(client.call("search_emails", &arguments)["result"].is_object());
    }
    let refused = client.call("search_emails", &arguments)["error"].clone();
    let other = client.call("list_emails", &json!({ "account": ACCOUNT }));

    assert_eq!(refused["code"], -32029);
    let seconds = refused["data"]["retry_after_seconds"].as_u64().unwrap();
    assert_eq!(refused["message"], format!("Rate limit exceeded. Try again in {seconds} seconds."));
    assert!((1..=60).contains(&seconds));
    assert!(other["result"].is_object(), "{other}");
}

#[test]
fn the_modern_era_is_told_of_a_limit_without_codes_it_does_not_have() {
    let world = world();
    let mut client = Client::start(&world, &["--profile", "assistant"]);
    let arguments = json!({ "query": "numbers", "account": ACCOUNT });
    let call = request(
        1,
        "tools/call",
        &json!({ "name": "search_emails", "arguments": arguments, "_meta": meta() }),
    );

    let answers: Vec<_> = (0..11)
        .map(|_| {
            client.send(&call);
            client.next()
        })
        .collect();

    assert!(answers.iter().all(|answer| code(answer).is_none()));
    let last = &answers[10]["result"];
    assert_eq!((&last["isError"], &last["_meta"]["mailkeep/error"]["code"]), (&json!(true), &json!(-32029)));
    assert!(last["content"][0]["text"].as_str().unwrap().contains("Rate limit exceeded. Try again in "));
}

#[test]
fn other_profiles_have_no_limit() {
    let world = world();
    let mut client = Client::connected(&world, &[]);

    for _ in 0..100 {
        assert_eq!(client.call("search_emails", &json!({ "query": "numbers" }))["result"]["isError"], false);
    }
}

#[test]
fn the_sixth_process_on_a_home_is_turned_away_until_another_is_gone() {
    let world = world();
    let mut five: Vec<_> = (0..5).map(|_| Client::connected(&world, &[])).collect();

    let refused = Client::start(&world, &[]).initialize("2025-11-25");
    five[2].process.kill().unwrap();
    five[2].wait();
    let welcome = Client::start(&world, &[]).initialize("2025-11-25");

    assert_eq!(refused["error"], json!({ "code": -32000, "message": "Max connections reached" }));
    assert!(welcome["result"].is_object(), "{welcome}");
}

#[test]
fn the_sixth_process_is_turned_away_without_a_handshake_too() {
    let world = world();
    let _five: Vec<_> = (0..5).map(|_| Client::connected(&world, &[])).collect();
    let mut sixth = Client::start(&world, &[]);

    sixth.send(&request(1, "server/discover", &json!({ "_meta": meta() })));
    let discovered = sixth.next();
    let called = sixth.call("list_accounts", &json!({}));

    assert_eq!(discovered["error"]["message"], "Max connections reached");
    assert_eq!(called["result"]["isError"], true, "{called}");
    assert!(called.to_string().contains("Max connections reached"));
}

#[test]
fn every_request_is_written_down_without_what_was_said() {
    let world = world();
    let mut client = Client::connected(&world, &[]);

    client.call("search_emails", &json!({ "query": "subject:secretword" }));
    client.call("read_email", &json!({ "email_id": "mnosuchid" }));
    client.ask("no/such\nmethod", &json!({}));
    assert!(client.finish().success());

    let log = fs::read_to_string(world.path("server.log")).unwrap();
    let line = |words: [&str; 3]| log.lines().find(|line| words.iter().all(|word| line.contains(word)));
    assert!(line(["INFO [tools]", "tools/call started", "(search_emails)"]).is_some(), "{log}");
    let done = line(["INFO [tools]", "tools/call completed in ", "ms"]).unwrap();
    let id = done.split(['[', ']']).find(|word| word.len() == 36).unwrap();
    assert!(line([id, "started", ""]).is_some(), "one id joins the two lines: {log}");
    assert!(line(["WARNING [errors]", "with error -32601", ""]).is_some(), "{log}");
    assert!(line(["[transport]", "", ""]).is_some(), "{log}");
    assert!(!log.contains("secretword") && !log.contains(ACCOUNT), "{log}");
}

#[test]
fn debugging_repeats_the_log_on_standard_error_and_never_on_standard_output() {
    let world = world();
    let input = format!("{}\n", request(1, "tools/list", &json!({})));
    let mut process = server(&world, &[])
        .env("MAILKEEP_DEBUG", "1")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut process.stdin.take().unwrap(), input.as_bytes()).unwrap();
    let output = process.wait_with_output().unwrap();

    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("tools/list completed in"), "{told}");
    let lines = String::from_utf8(output.stdout).unwrap();
    assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{lines}");
}

#[test]
fn the_name_of_a_client_is_told_as_long_as_it_is_there() {
    let world = world();
    let mut client = Client::connected(&world, &[]);

    client.call("list_accounts", &json!({}));
    client.ask("shutdown", &json!({}));
    client.call("list_accounts", &json!({}));

    let running = world.json(&["status"])["running"].clone();
    assert_eq!(running.as_array().unwrap().len(), 1);
    assert_eq!(running[0]["client"], "test");
}

/// What the log and standard error say of one call, with this in the environment.
fn debugged(variable: &str) -> (String, String) {
    let world = world();
    let call = json!({ "name": "search_emails", "arguments": { "query": "subject:secretword" } });
    let input = format!("{}\n", request(1, "tools/call", &call));
    let mut process = server(&world, &[])
        .env(variable, "1")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut process.stdin.take().unwrap(), input.as_bytes()).unwrap();
    let output = process.wait_with_output().unwrap();
    (fs::read_to_string(world.path("server.log")).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn debugging_writes_requests_and_answers_down_whole_under_each_of_its_names() {
    for (variable, is_second_name) in
        [("MAILKEEP_MCP_DEBUG", false), ("MAILKEEP_DEBUG", false), ("CLUADEMAIL_MCP_DEBUG", true)]
    {
        let (log, stderr) = debugged(variable);

        for told in [&log, &stderr] {
            assert!(told.contains(r#"request {"id":1,"method":"tools/call","params":{"arguments":{"query":"subject:secretword"}"#), "{told}");
            assert!(told.contains(r#"response {"result":{"#), "{told}");
        }
        let warnings = stderr.lines().filter(|line| line.starts_with("warning: ")).collect::<Vec<_>>();
        assert_eq!(warnings.len(), usize::from(is_second_name), "{warnings:?}");
    }
    let (log, stderr) = debugged("MAILKEEP_OTHER");
    assert!(!log.contains("secretword") && stderr.is_empty(), "{log}{stderr}");
}

#[test]
fn a_crash_is_written_down_with_the_last_request_and_the_stack_and_ends_nothing() {
    let world = world();
    let mut client = Client::run(server(&world, &[]).env("MAILKEEP_MCP_DEBUG", "1"));
    client.initialize("2025-11-25");

    let crashed = client.ask("debug/panic", &json!({}));
    let after = client.ask("ping", &json!({}));
    assert!(client.finish().success());

    assert_eq!((code(&crashed), &after["result"]), (Some(-32603), &json!({})));
    let log = fs::read_to_string(world.path("server.log")).unwrap();
    let line = |words: &[&str]| log.lines().any(|line| words.iter().all(|word| line.contains(word)));
    assert!(line(&["ERROR [errors] crash: ", "asked to", "last request: ", "debug/panic started"]), "{log}");
    assert!(line(&["ERROR [errors] stack: ", "dispatcher"]), "{log}");
    assert!(line(&["ERROR [errors]", "debug/panic completed in", "with error -32603"]), "{log}");
}

#[test]
fn the_settings_of_the_analytics_server_have_second_names_that_are_told_once() {
    let world = world();
    let ask = |more: &[&str]| {
        let call = json!({ "name": "db.list_earliest_emails", "arguments": { "limit": 5 } });
        let mut process = World::new()
            .command(&["db", "mcp"])
            .args(more)
            .env("NITTYMAIL_SQLITE_DB", world.home().join("mail.db"))
            .env("NITTYMAIL_IMAP_ADDRESS", ACCOUNT)
            .env("NITTYMAIL_MCP_MAX_LIMIT", "2")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let input = format!("{}\n", request(1, "tools/call", &call));
        std::io::Write::write_all(&mut process.stdin.take().unwrap(), input.as_bytes()).unwrap();
        let output = process.wait_with_output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows: Vec<Value> =
            serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
        (rows.len(), String::from_utf8(output.stderr).unwrap())
    };

    let (rows, stderr) = ask(&[]);
    let (_, quiet) = ask(&["--quiet"]);

    assert_eq!(rows, 2);
    let warnings: Vec<_> = stderr.lines().filter(|line| line.starts_with("warning: ")).collect();
    assert_eq!(warnings.len(), 1, "{stderr}");
    assert!(warnings[0].contains("`NITTYMAIL_SQLITE_DB` is read as `MAILKEEP_SQLITE_DB`"), "{warnings:?}");
    assert_eq!(quiet, "");
}
