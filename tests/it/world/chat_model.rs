//! A chat model that says what a test wants: the shapes are those of OpenAI's published interface, faults included.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// What it says to one request.
#[derive(Debug, Clone)]
pub(crate) enum Says {
    /// This as the text of its answer.
    Text(String),
    /// That it declines.
    Refusal,
    /// An answer that was cut off.
    Cut,
    /// A status, with a header field.
    Status(u16, &'static str),
    /// Something that is no JSON, with status 200.
    Nonsense,
    /// Nothing at all.
    Hang,
}

impl Says {
    /// A decision as the schema wants it.
    pub(crate) fn decision(action: &str, field: &str, text: &str) -> Self {
        let mut answer = json!({ "action": action, "reply": null, "question": null, "delegate_to": null, "reason": "because" });
        answer[field] = json!(text);
        Self::Text(answer.to_string())
    }
}

#[derive(Default)]
struct Kept {
    script: VecDeque<Says>,
    last: Option<Says>,
    requests: Vec<(String, Value)>,
}

/// A running double.
pub(crate) struct ChatDouble {
    pub(crate) port: u16,
    kept: Arc<Mutex<Kept>>,
}

impl ChatDouble {
    /// Says these things, one a request; the last one for ever.
    pub(crate) fn saying(script: impl IntoIterator<Item = Says>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let kept = Kept { script: script.into_iter().collect(), ..Kept::default() };
        let kept = Arc::new(Mutex::new(kept));
        let shared = Arc::clone(&kept);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let _ = answer(stream, &shared);
                });
            }
        });
        Self { port, kept }
    }

    /// What it was asked: head and body.
    pub(crate) fn requests(&self) -> Vec<(String, Value)> {
        self.kept.lock().unwrap().requests.clone()
    }

    /// The section of a configuration that names it.
    pub(crate) fn settings(&self) -> String {
        format!(
            "[chat_model]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"double\"\nkey = \"canary-key-77\"\ntimeout = 2\n",
            self.port
        )
    }
}

fn answer(stream: TcpStream, kept: &Mutex<Kept>) -> std::io::Result<()> {
    let mut input = BufReader::new(stream.try_clone()?);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(());
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line == "\r\n" {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    let says = {
        let mut kept = kept.lock().unwrap();
        kept.requests.push((head, serde_json::from_slice(&body).unwrap()));
        let next = kept.script.pop_front().or_else(|| kept.last.clone());
        kept.last.clone_from(&next);
        next
    };
    let message = |message: Value, finish: &str| {
        json!({ "id": "x", "object": "chat.completion", "choices": [
            { "index": 0, "message": message, "finish_reason": finish }] })
        .to_string()
    };
    let (status, header, body) = match says.unwrap_or(Says::Nonsense) {
        Says::Text(text) => (200, "", message(json!({ "role": "assistant", "content": text }), "stop")),
        Says::Refusal => {
            (200, "", message(json!({ "role": "assistant", "content": null, "refusal": "no" }), "stop"))
        }
        Says::Cut => (200, "", message(json!({ "role": "assistant", "content": "{\"acti" }), "length")),
        Says::Status(status, header) => {
            (status, header, json!({ "error": { "message": "told canary-key-77" } }).to_string())
        }
        Says::Nonsense => (200, "", "<html>hello</html>".to_owned()),
        Says::Hang => {
            thread::sleep(Duration::from_secs(60));
            return Ok(());
        }
    };
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{header}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}
