//! How a server ends: what is under way is answered, and the exit code is 0.

use std::io::{Read, Write};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::{Client, request, server};
use crate::world::mail::mboxrd;
use crate::world::{Mail, World};

fn world() -> World {
    World::holding(&mboxrd(&[Mail::new("First words").bytes()]))
}

fn ids(client: &Client) -> Vec<u64> {
    let mut ids = Vec::new();
    while let Some(line) = client.line_within(Duration::from_secs(30)) {
        let answer: Value = serde_json::from_str(&line).unwrap();
        ids.extend(answer["id"].as_u64());
    }
    ids.sort_unstable();
    ids
}

#[test]
fn the_end_of_the_input_is_the_end_when_everything_is_answered() {
    let world = world();
    let mut client = Client::connected(&world, &[]);
    for id in 100..200 {
        client.send(&request(
            id,
            "tools/call",
            &json!({ "name": "search_emails", "arguments": { "query": "words" } }),
        ));
    }

    client.close_input();

    assert_eq!(ids(&client), (100..200).collect::<Vec<_>>());
    assert_eq!(client.wait().code(), Some(0));
}

#[test]
fn signals_end_it_with_exit_code_0_after_what_was_read_is_answered() {
    for signal in ["TERM", "INT", "HUP"] {
        let world = world();
        let mut client = Client::connected(&world, &[]);
        for id in 100..120 {
            client.send(&request(id, "tools/list", &json!({})));
        }
        let first = client.next()["id"].as_u64().unwrap();

        client.signal(signal);

        let mut answered = ids(&client);
        answered.push(first);
        answered.sort_unstable();
        answered.dedup();
        assert_eq!(client.wait().code(), Some(0), "{signal}");
        assert!(!answered.is_empty() && answered.iter().all(|id| (100..120).contains(id)), "{answered:?}");
    }
}

#[test]
fn a_client_that_stops_reading_does_not_keep_the_server() {
    let world = world();
    let mut process = server(&world, &[]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = process.stdin.take().unwrap();
    drop(process.stdout.take());

    for id in 0..1_000 {
        let line = format!("{}\n", request(id, "tools/list", &json!({})));
        if input.write_all(line.as_bytes()).is_err() {
            break;
        }
    }
    drop(input);

    assert_eq!(process.wait().unwrap().code(), Some(0));
}

#[test]
fn shutdown_gives_the_place_back_and_the_next_call_takes_one_again() {
    let world = world();
    let mut five: Vec<_> = (0..5).map(|_| Client::connected(&world, &[])).collect();
    assert!(Client::start(&world, &[]).initialize("2025-11-25")["error"].is_object());

    let answer = five[0].ask("shutdown", &json!({}));
    let mut sixth = Client::start(&world, &[]);
    let welcome = sixth.initialize("2025-11-25");
    let full = five[0].call("list_accounts", &json!({}));
    assert!(sixth.finish().success());
    let again = five[0].call("list_accounts", &json!({}));

    assert_eq!(answer["result"], json!({}));
    assert!(welcome["result"].is_object(), "{welcome}");
    assert!(full.to_string().contains("Max connections reached"), "{full}");
    assert_eq!(again["result"]["isError"], false, "{again}");
}

#[test]
fn start_and_end_of_the_server_over_a_database_are_logged() {
    let world = world();

    let mut process = world
        .command(&["db", "mcp"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = String::new();
    process.stderr.take().unwrap().read_to_string(&mut log).unwrap();

    assert!(process.wait().unwrap().success());
    let at = |word: &str| log.find(word).unwrap_or_else(|| panic!("no `{word}`: {log}"));
    assert!(at("started") < at("ending"), "{log}");
}

#[test]
fn shutdown_and_exit_end_the_server_over_a_database_after_their_answer() {
    for message in [request(9, "shutdown", &json!({})), json!({ "jsonrpc": "2.0", "method": "exit" })] {
        let world = world();
        let mut client = Client::run(&mut world.command(&["db", "mcp", "--quiet"]));
        client.initialize("2025-11-25");

        client.send(&request(8, "tools/call", &json!({ "name": "db.count_emails", "arguments": {} })));
        client.send(&message);

        let mut expected = vec![8];
        expected.extend(message["id"].as_u64());
        assert_eq!(ids(&client), expected, "{message}");
        assert_eq!(client.wait().code(), Some(0), "{message}");
    }
}
