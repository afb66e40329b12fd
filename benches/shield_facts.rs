//! What the shield sees in messages, for `benches/shield_train`, and what looking costs.
//!
//! `cargo bench --bench shield_facts -- [--time]` reads a line of JSON a message from standard input: `{"raw": BASE64}`.
//! It prints a line for each: the verdict, and every candidate with the names of the facts about it. With `--time` it
//! prints the time that reading and judging took instead.

use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mailkeep::model::DateHints;
use mailkeep::parse::{self, shield};
use serde_json::{Value, json};

fn main() {
    let timed = std::env::args().any(|argument| argument == "--time");
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut spent = Spent::default();
    for line in std::io::stdin().lock().lines() {
        let line: Value = serde_json::from_str(&line.expect("lines are text")).expect("a line is JSON");
        let raw = STANDARD.decode(line["raw"].as_str().unwrap_or_default()).expect("`raw` is base64");
        match timed {
            true => spent.add(&raw),
            false => writeln!(out, "{}", facts(&raw)).expect("standard output takes it"),
        }
    }
    if timed {
        writeln!(out, "{}", spent.json()).expect("standard output takes it");
    }
}

fn facts(raw: &[u8]) -> Value {
    let message = parse::message(raw, &DateHints::default());
    let candidates: Vec<Value> = shield::candidates(&message.subject, &message.text)
        .into_iter()
        .map(|(text, facts)| json!({ "text": text, "facts": facts }))
        .collect();
    json!({ "secret": message.secret.map(|secret| secret.name()), "candidates": candidates })
}

#[derive(Default)]
struct Spent {
    messages: u64,
    reading: Duration,
    judging: Duration,
}

impl Spent {
    fn add(&mut self, raw: &[u8]) {
        let started = Instant::now();
        let message = parse::message(raw, &DateHints::default());
        let read = Instant::now();
        std::hint::black_box(shield::secret(&message.subject, &message.text));
        self.judging += read.elapsed();
        self.reading += read - started;
        self.messages += 1;
    }

    fn json(&self) -> Value {
        let each = |spent: Duration| spent.as_secs_f64() * 1e6 / self.messages.max(1) as f64;
        json!({
            "messages": self.messages,
            "reading_us": each(self.reading),
            "judging_us": each(self.judging),
        })
    }
}
