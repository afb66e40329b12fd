//! A server that makes vectors, on loopback, as OpenAI's interface is published.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use super::letters;
use crate::world::mail::mboxrd;
use crate::world::{World, read_json, told};

/// Counts letters: enough to tell texts apart. Keeps what it was asked, and may answer with a failure.
struct EmbeddingServer {
    port: u16,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl EmbeddingServer {
    fn start(status: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, asked) = (listener.local_addr().unwrap().port(), Arc::new(Mutex::new(Vec::new())));
        let kept = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                thread::spawn(move || while answer(&stream, status, &kept).is_some() {});
            }
        });
        Self { port, asked }
    }

    fn config(&self, world: &World) -> std::path::PathBuf {
        let url = format!("http://127.0.0.1:{}/v1/embeddings", self.port);
        world.write("config.toml", format!("[semantic.endpoint]\nurl = \"{url}\"\nmodel = \"letters\"\n"))
    }
}

fn answer(stream: &TcpStream, status: &str, kept: &Mutex<Vec<Value>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let asked: Value = serde_json::from_slice(&body).unwrap();
    let embed = |text: &Value| {
        let mut counts = vec![0.0; 26];
        let letters = text.as_str().unwrap().bytes().filter(u8::is_ascii_alphabetic);
        letters.for_each(|letter| counts[usize::from(letter.to_ascii_lowercase() - b'a')] += 1.0);
        counts
    };
    let inputs = asked["input"].as_array().unwrap().iter().enumerate();
    let data: Vec<_> =
        inputs.map(|(index, text)| json!({ "index": index, "embedding": embed(text) })).collect();
    kept.lock().unwrap().push(asked);
    let body = json!({ "object": "list", "data": data }).to_string();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut out = stream;
    out.write_all(head.as_bytes()).and_then(|()| out.write_all(body.as_bytes())).ok()
}

#[test]
fn a_server_that_the_owner_names_makes_the_vectors_and_the_owner_is_told() {
    let world = World::holding(&mboxrd(&letters()));
    let server = EmbeddingServer::start("200 OK");
    let config = server.config(&world);

    let made = world.command(&["reindex", "--semantic"]).env("MAILKEEP_CONFIG", &config).output().unwrap();

    assert!(made.status.success(), "{}", told(&made));
    assert!(told(&made).contains("the text of your mail goes to the server"), "{}", told(&made));
    let asked = server.asked.lock().unwrap();
    let texts: Vec<&str> = asked
        .iter()
        .flat_map(|one| one["input"].as_array().unwrap())
        .map(|text| text.as_str().unwrap())
        .collect();
    assert!(
        texts.iter().any(|text| text.contains("boiler")) && !texts.iter().any(|text| text.contains("482913"))
    );
    assert!(asked.iter().all(|one| one["model"] == "letters"));
    drop(asked);
    let status =
        read_json(&world.command(&["--json", "status"]).env("MAILKEEP_CONFIG", &config).output().unwrap());
    assert_eq!((&status["semantic"]["indexed"], &status["semantic"]["state"]), (&5.into(), &"ready".into()));
    assert_eq!(super::state(&world)["state"], "other_model");
}

#[test]
fn a_server_that_fails_is_an_error_that_says_so() {
    let world = World::holding(&mboxrd(&letters()));
    let server = EmbeddingServer::start("503 Service Unavailable");
    let config = server.config(&world);

    let failed =
        world.command(&["--json", "reindex", "--semantic"]).env("MAILKEEP_CONFIG", &config).output().unwrap();

    assert_eq!(read_json(&failed)["error"]["code"], "endpoint_failed");
    assert!(read_json(&failed)["error"]["message"].as_str().unwrap().contains("503"));
}
