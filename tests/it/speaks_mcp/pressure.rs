//! More than a client should send: thousands of calls at once, ids that repeat.

use std::collections::BTreeMap;
use std::io::Write;
use std::thread;

use serde_json::{Value, json};

use super::client::{Client, request};
use crate::world::World;
use crate::world::mail::{many, mboxrd};

#[test]
fn ten_thousand_calls_written_before_anything_is_read_are_each_answered_once() {
    const CALLS: u64 = 10_000;
    let world = World::holding(&mboxrd(&many(60)));
    let mut command = super::client::server(&world, &[]);
    let mut process = command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap();

    for id in 0..CALLS {
        // Together some 30 MB of answers, more than may wait inside for a reader.
        let method = match id % 20 {
            0 => "tools/call",
            1..=4 => "tools/list",
            _ => "ping",
        };
        let params = json!({ "name": "search_emails", "arguments": { "query": "numbers" } });
        input.write_all(format!("{}\n", request(id, method, &params)).as_bytes()).unwrap();
    }
    let memory = private_memory(process.id());
    drop(input);
    let output = std::io::BufReader::new(process.stdout.take().unwrap());
    let mut seen = BTreeMap::new();
    for line in std::io::BufRead::lines(output) {
        let answer: Value = serde_json::from_str(&line.unwrap()).unwrap();
        *seen.entry(answer["id"].as_u64().unwrap()).or_insert(0) += 1;
        assert!(answer["result"].is_object(), "{answer}");
    }

    assert_eq!(seen.len() as u64, CALLS);
    assert!(seen.values().all(|times| *times == 1));
    assert!(process.wait().unwrap().success());
    assert!(memory < 120 << 20, "{} MiB", memory >> 20);
}

fn private_memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}

#[test]
fn requests_with_the_same_id_are_answered_as_often_as_they_came() {
    let world = World::new();
    let mut client = Client::connected(&world, &[]);

    for _ in 0..50 {
        client.send(&request(1, "tools/list", &json!({})));
    }

    for _ in 0..50 {
        assert_eq!(client.next()["id"], 1);
    }
    assert!(client.finish().success());
}

#[test]
fn a_client_that_writes_without_reading_is_slowed_down_and_loses_nothing() {
    let world = World::new();
    let mut client = Client::connected(&world, &[]);
    let mut input = client.take_input();
    // More than what may wait inside: the writer has to be held back by its own pipe.
    let long = "x".repeat(1 << 20);
    let writer = thread::spawn(move || {
        for id in 0..100 {
            let message = request(id, "ping", &json!({ "padding": long }));
            input.write_all(format!("{message}\n").as_bytes()).unwrap();
        }
    });

    let mut ids: Vec<_> = (0..100).map(|_| client.next()["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    writer.join().unwrap();

    assert_eq!(ids, (0..100).collect::<Vec<_>>());
    assert!(client.wait().success());
}
