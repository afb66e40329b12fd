//! An API on this machine that answers as it is told: with a status, or by going away at some point of a request. What it was
//! asked is kept, whole.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What becomes of one connection.
#[derive(Debug, Clone)]
pub(crate) enum Reaction {
    /// A status, header fields and a body.
    Answers(u16, Vec<(&'static str, String)>, String),
    /// Gone as soon as somebody comes.
    Leaves,
    /// Gone in the middle of the request.
    LeavesInHead,
    /// Gone behind the whole request.
    LeavesBeforeAnswer,
    /// Gone in the middle of the answer.
    LeavesInAnswer,
    /// Takes the request and says nothing.
    Silent,
    /// Says what is no HTTP.
    Nonsense,
}

impl Reaction {
    pub(crate) fn json(status: u16, body: &serde_json::Value) -> Self {
        Self::Answers(status, vec![("content-type", "application/json".to_owned())], body.to_string())
    }

    /// All ways of not telling what became of a request.
    pub(crate) fn losses() -> [Self; 6] {
        [
            Self::Leaves,
            Self::LeavesInHead,
            Self::LeavesBeforeAnswer,
            Self::LeavesInAnswer,
            Self::Silent,
            Self::Nonsense,
        ]
    }
}

/// A request.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn first_line(&self) -> &str {
        self.head.lines().next().unwrap()
    }

    /// A header field; its name in lower case.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let mut fields = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        fields.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

#[derive(Default)]
struct Kept {
    requests: Vec<Request>,
    connections: usize,
    next: VecDeque<Reaction>,
}

/// The API.
pub(crate) struct ApiDouble {
    pub(crate) port: u16,
    kept: Arc<Mutex<Kept>>,
}

impl ApiDouble {
    /// Answers with these in turn, and with the last of them from then on.
    pub(crate) fn with(reactions: impl Into<VecDeque<Reaction>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let kept = Arc::new(Mutex::new(Kept { next: reactions.into(), ..Kept::default() }));
        let shared = Arc::clone(&kept);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || drop(converse(stream, &shared)));
            }
        });
        Self { port, kept }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.kept.lock().unwrap().requests.clone()
    }

    /// How often somebody came.
    pub(crate) fn connections(&self) -> usize {
        self.kept.lock().unwrap().connections
    }
}

fn converse(mut stream: TcpStream, kept: &Mutex<Kept>) -> std::io::Result<()> {
    let reaction = {
        let mut kept = kept.lock().unwrap();
        kept.connections += 1;
        if kept.next.len() > 1 { kept.next.pop_front().unwrap() } else { kept.next[0].clone() }
    };
    if matches!(reaction, Reaction::Leaves) {
        return Ok(());
    }
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = stream.read(&mut buffer)?;
        bytes.extend_from_slice(&buffer[..count]);
        if count == 0 || matches!(reaction, Reaction::LeavesInHead) {
            return Ok(());
        }
        if let Some(request) = whole(&bytes) {
            kept.lock().unwrap().requests.push(request);
            break;
        }
    }
    match reaction {
        Reaction::Answers(status, fields, body) => {
            let fields: String = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let length = body.len();
            write!(
                stream,
                "HTTP/1.1 {status} X\r\n{fields}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
            )
        }
        Reaction::LeavesInAnswer => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"mess")
        }
        Reaction::Nonsense => stream.write_all(b"220 hello, this is something else\r\n"),
        Reaction::Silent => {
            std::thread::sleep(Duration::from_secs(20));
            Ok(())
        }
        Reaction::Leaves | Reaction::LeavesInHead | Reaction::LeavesBeforeAnswer => Ok(()),
    }
}

fn whole(bytes: &[u8]) -> Option<Request> {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let request = Request { head: head.to_owned(), body: body.to_owned() };
    let length: usize = request.field("content-length").map_or(0, |length| length.parse().unwrap());
    (body.len() >= length).then_some(request)
}
