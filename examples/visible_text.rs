//! What an assistant may read of messages: one message in base64 per line of standard input, one JSON object per line of
//! standard output. The judges in `benches/` ask it by the thousand.

use std::io::{BufRead, Write};

use base64::Engine;
use mailkeep::model::DateHints;
use mailkeep::parse;
use serde_json::{Map, Value, json};

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let bytes = base64::prelude::BASE64_STANDARD.decode(line?.trim()).map_err(std::io::Error::other)?;
        writeln!(out, "{}", reading(&bytes))?;
        out.flush()?;
    }
    Ok(())
}

fn reading(bytes: &[u8]) -> Value {
    let message = parse::message(bytes, &DateHints::default());
    let dropped: Map<String, Value> = message
        .findings
        .dropped
        .iter()
        .map(|(reason, count)| (reason.name().to_owned(), json!(count)))
        .collect();
    let flags: Vec<&str> = message.findings.flags.iter().map(|flag| flag.name()).collect();
    let doubtful = &message.findings.doubtful;
    json!({
        "text": message.text,
        "dropped": dropped,
        "doubtful": doubtful,
        "doubtful_text": message.doubtful,
        "flags": flags,
    })
}
