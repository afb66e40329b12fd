//! More than a client may ask for at once: each is refused with the limit that it broke, the server stays small, and
//! whoever asks for less is answered.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, PATIENCE, code, meta, request, server};
use super::over_http::Served;
use crate::world::World;
use crate::world::mail::{many, mboxrd};
use crate::world::memory::Watched;

/// The most connections at a time.
const CONNECTIONS: usize = 64;

fn world() -> World {
    World::holding(&mboxrd(&many(6)))
}

fn batch(length: u64) -> Value {
    (0..length).map(|id| request(id, "tools/list", &json!({}))).collect()
}

/// A server over stdio that agreed on a revision with batches, with all tools, and its memory.
fn connected(world: &World) -> (Client, Watched) {
    let mut client = Client::start(world, &["--profile", "full"]);
    client.initialize("2025-03-26");
    let memory = Watched::new(client.process.id());
    (client, memory)
}

fn message(answer: &Value) -> &str {
    answer["error"]["message"].as_str().unwrap_or_default()
}

#[test]
fn a_batch_of_very_many_messages_is_refused_with_the_limit() {
    let world = world();
    for version in ["2024-11-05", "2025-03-26"] {
        let mut client = Client::start(&world, &["--profile", "full"]);
        client.initialize(version);
        let memory = Watched::new(client.process.id());

        client.send(&batch(4000));
        let refused = client.next();
        client.send(&batch(100));
        let answered = client.next();

        assert_eq!((&refused["id"], code(&refused)), (&Value::Null, Some(-32600)), "{version}");
        assert!(message(&refused).contains("may have 100 messages, this one has 4000"), "{refused}");
        assert_eq!(answered.as_array().unwrap().len(), 100, "{version}");
        memory.assert_small();
    }
}

#[test]
fn a_batch_of_very_many_messages_is_refused_over_http_too() {
    let world = world();
    let served = open(&world);
    let memory = Watched::new(served.process.id());

    let refused = served.post(&batch(4000), &[]);
    let answered = served.post(&batch(100), &[]);

    assert_eq!(refused.status, 400);
    assert!(message(&refused.json()).contains("may have 100 messages, this one has 4000"));
    assert_eq!(answered.json().as_array().unwrap().len(), 100);
    memory.assert_small();
}

#[test]
fn of_a_batch_with_long_answers_what_fits_is_answered_and_the_rest_told_the_limit() {
    let mut mails = many(6);
    mails.push(crate::world::Mail::new("Long").body(&"many words in a long letter ".repeat(4_000)).bytes());
    let world = World::holding(&mboxrd(&mails));
    let (mut client, memory) = connected(&world);
    let sql = "SELECT plain_text FROM emails WHERE subject = 'Long'";
    let call = |id| {
        let arguments = json!({ "sql_query": sql });
        request(id, "tools/call", &json!({ "name": "db.execute_sql_query", "arguments": arguments }))
    };

    client.send(&(0..100).map(call).collect());
    let answers = client.next();

    let (good, refused): (Vec<_>, Vec<_>) =
        answers.as_array().unwrap().iter().partition(|answer| answer["result"].is_object());
    assert!(!good.is_empty() && !refused.is_empty(), "{} and {}", good.len(), refused.len());
    assert!(refused.iter().all(|answer| message(answer).contains("4 MiB")), "{}", refused[0]);
    let mut ids: Vec<_> =
        answers.as_array().unwrap().iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..100).collect::<Vec<_>>());
    memory.assert_small();
}

#[test]
fn thousands_of_requests_wait_for_a_client_that_does_not_read() {
    let world = world();
    let (mut client, memory) = connected(&world);
    let mut input = client.take_input();
    let writer = thread::spawn(move || {
        for id in 0..4000 {
            let message = request(id, "tools/list", &json!({ "padding": "x".repeat(2000) }));
            input.write_all(format!("{message}\n").as_bytes()).unwrap();
        }
    });

    // The client's reader thread takes lines as they come; 160 MB of them would show in nobody's memory but its own.
    let mut ids: Vec<_> = (0..4000).map(|_| client.next()["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    writer.join().unwrap();

    assert_eq!(ids, (0..4000).collect::<Vec<_>>());
    memory.assert_small();
}

#[test]
fn batches_wait_for_a_client_that_does_not_read() {
    let world = world();
    let mut command = server(&world, &["--profile", "full"]);
    let mut process = command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let memory = Watched::new(process.id());
    let mut input = process.stdin.take().unwrap();
    let line = format!("{}\n", batch(100));
    let writer = thread::spawn(move || {
        for _ in 0..30 {
            input.write_all(line.as_bytes()).unwrap();
        }
    });

    wait_until_idle(&world, "tools/list completed");
    let mut answers = String::new();
    process.stdout.take().unwrap().read_to_string(&mut answers).unwrap();
    writer.join().unwrap();

    assert_eq!(answers.lines().count(), 30);
    assert!(process.wait().unwrap().success());
    memory.assert_small();
}

/// Waits until the server's log does not grow by such lines any more.
fn wait_until_idle(world: &World, words: &str) {
    let count = || {
        let log = std::fs::read_to_string(world.path("server.log")).unwrap_or_default();
        log.lines().filter(|line| line.contains(words)).count()
    };
    let begun = Instant::now();
    let mut before = 0;
    while begun.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(700));
        match count() {
            now if now > 0 && now == before => return,
            now => before = now,
        }
    }
}

#[test]
fn a_message_of_millions_of_values_is_refused_with_the_limit() {
    let world = world();
    let (mut client, memory) = connected(&world);
    let served = open(&world);
    let http_memory = Watched::new(served.process.id());
    let zeros = format!("[{}0]", "0,".repeat(8_000_000 - 1));

    client.write(zeros.as_bytes());
    client.write(b"\n");
    let refused = client.next();
    let head = "POST /mcp HTTP/1.1\r\nHost: HERE\r\nContent-Type: application/json\r\nAccept: */*\r\n";
    let http = served.raw(head, &zeros);

    assert!(message(&refused).contains("may have 50000 values, this one has 8000"), "{refused}");
    assert_eq!((http.status, message(&http.json())), (413, message(&refused)));
    memory.assert_small();
    http_memory.assert_small();
}

#[test]
fn fifteen_megabytes_in_any_argument_are_refused_or_taken_in_little_memory() {
    let world = world();
    let (mut client, memory) = connected(&world);
    let long = "\u{e4}b c@\\\\".repeat((15 << 20) / 8);
    // Where the text is the tool's name, a name of an argument, or stands where no text belongs.
    let mut calls =
        vec![(long.clone(), "query"), ("search_emails".to_owned(), &long), ("no_such".to_owned(), "x")];
    calls.extend(
        [
            ("search_emails", "query"),
            ("search_emails", "account"),
            ("read_email", "email_id"),
            ("create_draft", "body"),
            ("create_draft", "to"),
            ("manage_labels", "add_labels"),
            ("email_stats", "limit"),
            ("db_execute_sql_query", "sql_query"),
        ]
        .map(|(tool, argument)| (tool.to_owned(), argument)),
    );

    for (tool, argument) in calls {
        let value = if argument.len() > 100 || tool.len() > 100 { "x" } else { &long };
        let params = format!(r#"{{"name":"{tool}","arguments":{{"{argument}":"{value}"}}}}"#);
        client.write(
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#).as_bytes(),
        );
        client.write(b"\n");
        let answer = client.line();
        assert!(answer.len() < 20_000, "{} bytes: {}", answer.len(), &answer[..500]);
        assert!(answer.contains("error"), "{answer}");
    }
    memory.assert_small();
}

#[test]
fn an_argument_that_is_too_long_is_told_the_limit() {
    let world = world();
    let mut client = Client::connected(&world, &[]);

    let answer = client.call("search_emails", &json!({ "query": "x".repeat(2 << 20) }));

    let told = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(told.contains("`query` has 2097157 bytes of text; at most 1048576 are allowed"), "{told}");
}

#[test]
fn what_is_kept_of_a_client_is_short() {
    let world = world();
    let served = open(&world);
    let memory = Watched::new(served.process.id());
    let long = "x".repeat(15 << 20);
    let initialize = |capabilities: &Value| {
        let params =
            json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": {} });
        served.post(&request(1, "initialize", &params), &[])
    };

    for _ in 0..10 {
        assert!(message(&initialize(&json!({ "x": long })).json()).contains("16 KiB"));
    }
    let mut modern = json!({ "_meta": meta() });
    modern["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({ "x": long });
    let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/list")];
    let refused = served.post(&request(1, "tools/list", &modern), &headers);
    let mut named = request(1, "tools/list", &json!({}));
    named["id"] = json!(long);

    assert!(message(&refused.json()).contains("16 KiB"), "{}", refused.body);
    assert!(message(&served.post(&named, &[]).json()).contains("1024 bytes"));
    assert!(initialize(&json!({ "x": "y".repeat(10_000) })).headers.contains_key("mcp-session-id"));
    memory.assert_small();
}

/// `serve --no-token`, which makes no vectors: the model's memory is no client's doing.
fn serving(world: &World) -> Command {
    let config = world.write("config.toml", "[semantic]\nbackground = false\n");
    let mut command = world.command(&["serve", "--no-token", "--listen", "127.0.0.1:0"]);
    command.env("LOG_FILE", world.path("server.log")).env("MAILKEEP_CONFIG", config);
    command
}

fn open(world: &World) -> Served {
    Served::run(&mut serving(world))
}

/// The same with little patience.
fn impatient(world: &World, milliseconds: &str) -> Served {
    Served::run(serving(world).env("MAILKEEP_HTTP_TIME_MS", milliseconds))
}

fn connect(served: &Served) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// The head of a POST of this many bytes.
fn head(served: &Served, length: usize) -> String {
    let port = served.port;
    format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    )
}

/// The same for the last request of a connection.
fn last_head(served: &Served, length: usize) -> String {
    head(served, length).replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")
}

/// All that is said until the other side hangs up.
fn rest(mut stream: &TcpStream) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn connections_beyond_the_limit_are_told_it_and_find_a_place_when_others_are_gone() {
    let world = world();
    let served = open(&world);
    let memory = Watched::new(served.process.id());

    let mut held: Vec<_> = (0..CONNECTIONS).map(|_| connect(&served)).collect();
    let refused: Vec<_> = (0..20).map(|_| rest(&connect(&served))).collect();
    let body = request(1, "ping", &json!({})).to_string();
    let first = &mut held[0];
    write!(first, "{}{body}", last_head(&served, body.len())).unwrap();
    let answered = rest(first);
    held.clear();
    let begun = Instant::now();
    while connect_and_ping(&served).is_none() {
        assert!(begun.elapsed() < PATIENCE, "nobody finds a place");
    }

    for answer in &refused {
        assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
        assert!(answer.contains("there are 64 connections already"), "{answer}");
    }
    assert!(answered.starts_with("HTTP/1.1 200"), "{answered}");
    memory.assert_small();
}

fn connect_and_ping(served: &Served) -> Option<()> {
    let mut stream = connect(served);
    let body = request(1, "ping", &json!({})).to_string();
    write!(stream, "{}{body}", last_head(served, body.len())).ok()?;
    rest(&stream).starts_with("HTTP/1.1 200").then_some(())
}

#[test]
fn half_sent_requests_are_hung_up_on_with_the_time_they_had() {
    let world = world();
    let served = impatient(&world, "700");
    let memory = Watched::new(served.process.id());
    let heads: Vec<_> = (0..CONNECTIONS / 2)
        .map(|_| {
            let mut stream = connect(&served);
            stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: 127.0").unwrap();
            stream
        })
        .collect();
    let bodies: Vec<_> = (0..CONNECTIONS / 2)
        .map(|_| {
            let mut stream = connect(&served);
            write!(stream, "{}{{\"jsonrpc\"", head(&served, 300)).unwrap();
            stream
        })
        .collect();

    for stream in &heads {
        let answer = rest(stream);
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
        assert!(answer.contains("the head of the request did not come within 0.7 seconds"), "{answer}");
    }
    for stream in &bodies {
        let answer = rest(stream);
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
        assert!(answer.contains("the message did not come within 0.7 seconds"), "{answer}");
    }
    assert!(connect_and_ping(&served).is_some());
    memory.assert_small();
}

#[test]
fn one_who_sends_a_byte_now_and_then_is_hung_up_on_too() {
    let world = world();
    let served = impatient(&world, "700");
    let mut stream = connect(&served);
    let begun = Instant::now();

    while stream.write_all(b"X").is_ok() {
        assert!(begun.elapsed() < PATIENCE, "it may go on for ever");
        thread::sleep(Duration::from_millis(50));
    }

    assert!(connect_and_ping(&served).is_some());
}

#[test]
fn a_head_without_end_is_refused() {
    let world = world();
    let served = open(&world);
    let memory = Watched::new(served.process.id());

    for field in ["X-Long: ".to_owned() + &"x".repeat(1 << 20), "X: y\r\n".repeat(50_000)] {
        let mut stream = connect(&served);
        let _ = write!(stream, "POST /mcp HTTP/1.1\r\nHost: x\r\n{field}");
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        assert_eq!(&status, b"HTTP/1.1 431");
    }

    assert!(connect_and_ping(&served).is_some());
    memory.assert_small();
}

#[test]
fn of_many_long_messages_at_once_some_are_taken_and_the_others_told_the_limit() {
    let world = world();
    let served = open(&world);
    let memory = Watched::new(served.process.id());
    let body = request(1, "ping", &json!({ "padding": "x".repeat(15 << 20) })).to_string();

    let answers: Vec<_> = thread::scope(|scope| {
        let one = || {
            let mut stream = connect(&served);
            let half = body.len() / 2;
            let _ = stream.write_all(last_head(&served, body.len()).as_bytes());
            let _ = stream.write_all(&body.as_bytes()[..half]);
            thread::sleep(Duration::from_millis(300));
            let _ = stream.write_all(&body.as_bytes()[half..]);
            rest(&stream)
        };
        let threads: Vec<_> = (0..40).map(|_| scope.spawn(one)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });

    // A client that goes on writing after a refusal may be reset before it has read it; its answer is then empty.
    let told: Vec<_> = answers.iter().filter(|answer| !answer.is_empty()).collect();
    assert!(told.iter().any(|answer| answer.starts_with("HTTP/1.1 200")), "{told:?}");
    for answer in told.iter().filter(|answer| !answer.starts_with("HTTP/1.1 200")) {
        assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("requests of 20 MiB"), "{answer}");
    }
    assert!(connect_and_ping(&served).is_some());
    memory.assert_small();
}

#[test]
fn answers_that_nobody_reads_are_bounded_and_given_up() {
    let world = world();
    let served = impatient(&world, "3000");
    let memory = Watched::new(served.process.id());
    let body = batch(100).to_string();
    let silent: Vec<_> = (0..CONNECTIONS - 4)
        .map(|_| {
            let mut stream = connect(&served);
            write!(stream, "{}{body}", head(&served, body.len())).unwrap();
            stream
        })
        .collect();

    wait_until_idle(&world, "tools/list completed");
    let another = connect_and_ping(&served);

    assert!(another.is_some(), "who reads is answered");
    drop(silent);
    memory.assert_small();
}
