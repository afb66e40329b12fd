//! How a server ends: what is under way is answered, and the exit code is 0.

use std::io::Write;
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
