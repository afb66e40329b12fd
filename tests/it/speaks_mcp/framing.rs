//! Bytes in, bytes out: both framings, garbage, sizes, depths.

use std::io::{Read, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use super::client::{Client, code, request, server};
use crate::world::World;

/// Writes all of this, ends the input, and gives all of the output; the exit code must be 0.
fn conversation(input: &[u8]) -> Vec<u8> {
    let world = World::new();
    let mut process = server(&world, &[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = process.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(&input).unwrap());
    let mut output = Vec::new();
    process.stdout.take().unwrap().read_to_end(&mut output).unwrap();
    writer.join().unwrap();
    assert_eq!(process.wait().unwrap().code(), Some(0));
    output
}

/// The messages of a conversation in lines.
fn answers(input: &[u8]) -> Vec<Value> {
    let output = String::from_utf8(conversation(input)).unwrap();
    output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn ping(id: u64) -> String {
    request(id, "ping", &json!({})).to_string()
}

#[test]
fn a_last_line_without_its_end_is_answered() {
    let input = format!("\r\n  {}\r\n\n{}", ping(1), ping(2));

    let found = answers(input.as_bytes());

    assert_eq!(found.iter().map(|answer| answer["id"].as_u64().unwrap()).collect::<Vec<_>>().len(), 2);
    assert!(found.iter().all(|answer| answer["result"] == json!({})), "{found:?}");
}

#[test]
fn content_length_frames_are_answered_with_content_length_frames() {
    let framed = |body: &str| {
        format!("Content-Length: {}\r\nContent-Type: application/json\r\n\r\n{body}", body.len())
    };
    let input = framed(&ping(1));

    let output = String::from_utf8(conversation(input.as_bytes())).unwrap();

    let (header, body) = output.split_once("\r\n\r\n").unwrap();
    assert_eq!(header, format!("Content-Length: {}", body.len()));
    assert_eq!(serde_json::from_str::<Value>(body).unwrap()["id"], 1);
}

#[test]
fn garbage_decides_no_framing_and_stops_nothing() {
    let mut input = b"%%%\n\xff\xfe\xfd\ngarbage\n".to_vec();
    input.extend(format!("{}\n{{\"a\":\n\"\n{}\n", ping(1), ping(2)).bytes());

    let found = answers(&input);

    let parse_errors = found.iter().filter(|answer| code(answer) == Some(-32700)).count();
    assert_eq!(parse_errors, found.len() - 2);
    assert!(found.iter().filter(|answer| code(answer).is_some()).all(|answer| answer["id"] == Value::Null));
    assert!(found.iter().any(|answer| answer["id"] == 2), "{found:?}");
}

#[test]
fn text_that_is_not_utf8_is_a_parse_error_wherever_it_stands() {
    let mut input = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":""#.to_vec();
    input.extend(b"\xc3\x28\"}}\n");
    input.extend(ping(2).bytes());

    let found = answers(&input);

    assert_eq!(found.iter().filter_map(code).collect::<Vec<_>>(), [-32700]);
    assert!(found.iter().any(|answer| answer["id"] == 2));
}

#[test]
fn half_a_surrogate_and_a_byte_of_zero_are_taken_as_json_takes_them() {
    let input = format!(
        "{}\n{}\n{}\n",
        r#"{"jsonrpc":"2.0","id":1,"method":"x\ud800"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"x\u0000"}"#,
        ping(3)
    );

    let found = answers(input.as_bytes());

    assert_eq!(found.len(), 3);
    assert!(found.iter().any(|answer| answer["id"] == 2 && code(answer) == Some(-32601)), "{found:?}");
    assert!(found.iter().any(|answer| answer["id"] == 3));
}

#[test]
fn json_that_is_too_deep_is_a_parse_error() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let input = format!("{deep}\n{}\n", ping(2));

        let found = answers(input.as_bytes());

        assert_eq!(code(&found[0]), Some(-32700));
        assert_eq!(found[1]["id"], 2);
    }
}

#[test]
fn a_line_of_64_mebibytes_costs_an_error_and_little_memory() {
    let world = World::new();
    let mut client = Client::connected(&world, &[]);
    let before = client.private_memory();

    client.write(br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":""#);
    let piece = vec![b'x'; 1 << 20];
    let mut most = 0;
    for _ in 0..64 {
        client.write(&piece);
        most = most.max(client.private_memory());
    }
    client.write(b"\"}}\n");

    let answer = client.next();
    assert_eq!((code(&answer), &answer["id"]), (Some(-32700), &Value::Null));
    assert_eq!(client.ask("ping", &json!({}))["result"], json!({}));
    assert!(most - before.min(most) < 48 << 20, "{} MiB more", (most - before) >> 20);
    assert!(client.finish().success());
}

#[test]
fn a_frame_that_promises_more_than_we_read_is_skipped() {
    let long = "x".repeat(17 << 20);
    let input = format!(
        "Content-Length: {}\r\n\r\n{long}Content-Length: {}\r\n\r\n{}",
        long.len(),
        ping(2).len(),
        ping(2)
    );

    let output = String::from_utf8(conversation(input.as_bytes())).unwrap();

    assert!(output.contains("-32700") && output.contains("\"id\":2"), "{output}");
}

#[test]
fn a_length_that_is_absurd_is_refused_at_once_and_the_next_frame_is_answered() {
    let world = World::new();
    let mut process = server(&world, &[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap();
    let mut output = std::io::BufReader::new(process.stdout.take().unwrap());
    let mut next = || {
        let mut header = String::new();
        std::io::BufRead::read_line(&mut output, &mut header).unwrap();
        let length: usize = header.trim().strip_prefix("Content-Length: ").unwrap().parse().unwrap();
        let mut body = vec![0; length + 2];
        output.read_exact(&mut body).unwrap();
        serde_json::from_slice::<Value>(&body).unwrap()
    };

    // The input stays open: an answer that waits for its end would never come.
    input.write_all(b"Content-Length: 99999999999\r\n\r\n{\"jsonrpc\"").unwrap();
    let refused = next();
    input.write_all(format!("Content-Length: {}\r\n\r\n{}", ping(2).len(), ping(2)).as_bytes()).unwrap();
    let answered = next();

    assert_eq!(code(&refused), Some(-32700));
    assert!(refused["error"]["message"].as_str().unwrap().contains("16 MiB"), "{refused}");
    assert_eq!(answered["id"], 2);
    drop(input);
    assert_eq!(process.wait().unwrap().code(), Some(0));
}
