//! A server that makes vectors, on loopback, as OpenAI's interface is published.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::letters;
use crate::world::assistant::{Assistant, text_of};
use crate::world::mail::mboxrd;
use crate::world::{Mail, World, read_json, told};

/// What the server does with what it is asked.
#[derive(Clone, Copy)]
enum Temper {
    Answers,
    Fails(&'static str),
    /// Says nothing for as long as a person would wait.
    Silent,
    /// Refuses texts that are longer.
    Takes(usize),
    /// Is another model of the same name.
    Changed,
}

/// Counts letters: enough to tell texts apart. Keeps what it was asked.
struct EmbeddingServer {
    port: u16,
    asked: Arc<Mutex<Vec<Value>>>,
    temper: Arc<Mutex<Temper>>,
}

impl EmbeddingServer {
    fn start(temper: Temper) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, asked) = (listener.local_addr().unwrap().port(), Arc::new(Mutex::new(Vec::new())));
        let temper = Arc::new(Mutex::new(temper));
        let (kept, mood) = (Arc::clone(&asked), Arc::clone(&temper));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, mood) = (Arc::clone(&kept), Arc::clone(&mood));
                thread::spawn(move || while answer(&stream, &mood, &kept).is_some() {});
            }
        });
        Self { port, asked, temper }
    }

    fn becomes(&self, temper: Temper) {
        *self.temper.lock().unwrap() = temper;
    }

    fn config(&self, world: &World) -> PathBuf {
        let url = format!("http://127.0.0.1:{}/v1/embeddings", self.port);
        world.write("config.toml", format!("[semantic.endpoint]\nurl = \"{url}\"\nmodel = \"letters\"\n"))
    }
}

/// What a command answers with this configuration.
fn configured(world: &World, config: &Path, arguments: &[&str]) -> Value {
    let output =
        world.command(&[&["--json"], arguments].concat()).env("MAILKEEP_CONFIG", config).output().unwrap();
    read_json(&output)
}

fn answer(stream: &TcpStream, temper: &Mutex<Temper>, kept: &Mutex<Vec<Value>>) -> Option<()> {
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
    let temper = *temper.lock().unwrap();
    let embed = |text: &Value| {
        let mut counts = vec![0.0; 26];
        let letters = text.as_str().unwrap().bytes().filter(u8::is_ascii_alphabetic);
        let shift = if matches!(temper, Temper::Changed) { 7 } else { 0 };
        letters
            .for_each(|letter| counts[usize::from(letter.to_ascii_lowercase() - b'a' + shift) % 26] += 1.0);
        counts
    };
    let inputs = asked["input"].as_array().unwrap().iter().enumerate();
    let data: Vec<_> =
        inputs.map(|(index, text)| json!({ "index": index, "embedding": embed(text) })).collect();
    let longest = asked["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().len()).max();
    kept.lock().unwrap().push(asked);
    let status = match temper {
        Temper::Fails(status) => status,
        Temper::Takes(most) if longest > Some(most) => "400 Bad Request",
        _ => "200 OK",
    };
    if matches!(temper, Temper::Silent) {
        thread::sleep(Duration::from_secs(60));
    }
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
    let server = EmbeddingServer::start(Temper::Answers);
    let config = server.config(&world);

    let made = world.command(&["reindex", "--semantic"]).env("MAILKEEP_CONFIG", &config).output().unwrap();

    assert!(made.status.success(), "{}", told(&made));
    assert!(told(&made).contains("the text of your mail goes to"), "{}", told(&made));
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
    let status = configured(&world, &config, &["status"]);
    assert_eq!((&status["semantic"]["indexed"], &status["semantic"]["state"]), (&5.into(), &"ready".into()));
    assert_eq!(super::state(&world)["state"], "other_model");
}

#[test]
fn a_server_that_fails_is_an_error_that_says_so() {
    let world = World::holding(&mboxrd(&letters()));
    let server = EmbeddingServer::start(Temper::Fails("503 Service Unavailable"));
    let config = server.config(&world);

    let failed = configured(&world, &config, &["reindex", "--semantic"]);

    assert_eq!(failed["error"]["code"], "endpoint_failed");
    assert!(failed["error"]["message"].as_str().unwrap().contains("503"));
}

#[test]
fn a_server_that_is_silent_or_fails_leaves_searches_by_words_and_status_says_so() {
    let world = World::holding(&mboxrd(&letters()));
    let server = EmbeddingServer::start(Temper::Answers);
    let config = server.config(&world);
    configured(&world, &config, &["reindex", "--semantic"]);

    for temper in [Temper::Silent, Temper::Fails("500 Oh")] {
        server.becomes(temper);
        let began = Instant::now();
        let answer = configured(&world, &config, &["search", "boiler stopped in the flat"]);

        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
        assert_eq!(
            (&answer["mode"], &answer["results"][0]["subject"]),
            (&"lexical".into(), &"House".into()),
            "{answer}"
        );
        assert!(answer["notes"].to_string().contains("searched by words alone: the server"), "{answer}");
        assert_eq!(configured(&world, &config, &["status"])["semantic"]["state"], "endpoint_failed");
    }
    server.becomes(Temper::Answers);
    assert_eq!(configured(&world, &config, &["search", "boiler stopped in the flat"])["mode"], "hybrid");
    assert_eq!(configured(&world, &config, &["status"])["semantic"]["state"], "ready");
}

#[test]
fn one_message_that_the_server_refuses_does_not_keep_the_others_from_being_read() {
    let mut mails = letters();
    mails.push(
        Mail::new("Dump").body(&format!("{}\n{}", "x".repeat(40_000), "long words ".repeat(500))).bytes(),
    );
    let world = World::holding(&mboxrd(&mails));
    let server = EmbeddingServer::start(Temper::Takes(200));
    let config = server.config(&world);

    let made = configured(&world, &config, &["reindex", "--semantic"]);

    assert_eq!(made["vectors_of"], 6, "{made}");
    let asked = server.asked.lock().unwrap();
    let inputs = asked.iter().flat_map(|one| one["input"].as_array().unwrap());
    let longest = inputs.map(|text| text.as_str().unwrap().len()).max();
    assert!(longest < Some(1_000), "a word is cut where a window ends: {longest:?}");
    drop(asked);
    let answer = configured(&world, &config, &["search", "--mode", "semantic", "boiler stopped in the flat"]);
    assert_eq!((&answer["mode"], &answer["results"][0]["subject"]), (&"semantic".into(), &"House".into()));
}

#[test]
fn vectors_of_a_model_that_changed_behind_its_name_are_not_compared_and_are_made_anew() {
    let world = World::holding(&mboxrd(&letters()));
    let server = EmbeddingServer::start(Temper::Answers);
    let config = server.config(&world);
    configured(&world, &config, &["reindex", "--semantic"]);

    server.becomes(Temper::Changed);
    let answer = configured(&world, &config, &["search", "boiler stopped in the flat"]);

    assert_eq!(answer["mode"], "lexical");
    assert!(answer["notes"].to_string().contains("which is another one now"), "{answer}");
    assert_eq!(configured(&world, &config, &["status"])["semantic"]["state"], "other_model");
    configured(&world, &config, &["reindex", "--semantic", "--only-new"]);
    assert_eq!(configured(&world, &config, &["search", "boiler stopped in the flat"])["mode"], "hybrid");
    assert_eq!(configured(&world, &config, &["status"])["semantic"]["state"], "ready");
}

#[test]
fn whose_mail_leaves_the_machine_is_told_when_a_server_starts_and_by_status() {
    let world = World::holding(&mboxrd(&letters()));
    let url = "https://embeddings.example/v1/embeddings";
    let settings =
        format!("[semantic]\nbackground = false\n[semantic.endpoint]\nurl = \"{url}\"\nmodel = \"m\"\n");
    let config = world.write("config.toml", settings);
    let told_by = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        let mut process = command
            .env("MAILKEEP_CONFIG", &config)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        let found = lines.into_iter().find(|line| line.contains("leaves this machine"));
        process.kill().unwrap_or_default();
        process.wait().unwrap();
        found.unwrap_or_default()
    };

    for arguments in [&["serve", "--listen", "127.0.0.1:0", "--no-sync"][..], &["status"]] {
        assert!(told_by(arguments).contains(url), "{arguments:?}");
    }
    let server = configured(&world, &config, &["status"])["semantic"]["server"].clone();
    assert_eq!(server, json!({ "url": url, "on_this_machine": false }));
}

#[test]
fn an_assistant_waits_for_a_silent_server_once() {
    let world = World::holding(&mboxrd(&letters()));
    let server = EmbeddingServer::start(Temper::Answers);
    let config = server.config(&world);
    configured(&world, &config, &["reindex", "--semantic"]);
    server.becomes(Temper::Silent);
    let mut command = world.command(&["mcp"]);
    let mut assistant = Assistant::of(command.env("MAILKEEP_CONFIG", &config));

    let first = assistant.call("search_emails", json!({ "query": "boiler stopped in the flat" }));
    let began = Instant::now();
    let second = assistant.call("search_emails", json!({ "query": "goal in the last minute" }));

    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    for answer in [first, second] {
        assert!(text_of(&answer["result"]).contains("searched by words alone"), "{answer}");
    }
}
