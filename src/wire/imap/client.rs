//! A conversation with one IMAP server: commands go out, responses come in, several commands may be under way.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::model::{Endpoint, Tls};
use crate::wire::imap::response::{self, Code, Response, Status};
use crate::wire::{Link, Patience, WireError, is_loopback};

/// The longest line, literals aside. A list of uids that vanished can be long.
const LONGEST_LINE: usize = 32 << 20;
/// The longest literal, and the most that all literals of a response take together.
const LONGEST_LITERAL: u64 = 256 << 20;
/// Responses before the end of a command: more than any mailbox has messages.
const MOST_RESPONSES: u32 = 5_000_000;
/// Of those, the ones that say nothing we could use.
const MOST_CHATTER: u32 = 100_000;
const BUFFER: usize = 128 << 10;

/// A connection that has been greeted.
pub struct Client {
    link: Link,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    tag: u32,
    capabilities: BTreeSet<String>,
    /// Responses since the last command ended, and how many of them said nothing.
    heard: (u32, u32),
}

impl Client {
    /// Connects, reads the greeting, protects the connection, and asks what the server can do.
    pub fn connect(endpoint: &Endpoint, patience: Patience) -> Result<Self, WireError> {
        let link = Link::connect(endpoint, patience)?;
        let (buffer, capabilities) = (vec![0; BUFFER], BTreeSet::new());
        let mut client = Self { link, buffer, start: 0, end: 0, tag: 0, capabilities, heard: (0, 0) };
        client.greeting(endpoint)?;
        if endpoint.tls == Tls::StartTls {
            client.start_tls(&endpoint.host)?;
        }
        if client.capabilities.is_empty() {
            client.run("CAPABILITY", |_| {})?;
        }
        Ok(client)
    }

    fn greeting(&mut self, endpoint: &Endpoint) -> Result<(), WireError> {
        match self.read()? {
            Response::Status(Status::Ok, ..) => Ok(()),
            // Signed in before the connection is protected: whoever says so may be anybody (RFC 9051, 11.1).
            Response::Status(Status::PreAuth, ..) if endpoint.tls != Tls::StartTls => Ok(()),
            Response::Status(Status::PreAuth, ..) => {
                Err(self.no_tls("the server signs us in before the connection is protected"))
            }
            Response::Status(Status::Bye, _, text) => Err(self.link.closed(&format!(": {text}"))),
            _ => Err(self.nonsense("no greeting of an IMAP server")),
        }
    }

    fn start_tls(&mut self, host: &str) -> Result<(), WireError> {
        if self.capabilities.is_empty() {
            self.run("CAPABILITY", |_| {})?;
        }
        if !self.can("STARTTLS") {
            return Err(self.no_tls("the server does not offer STARTTLS"));
        }
        self.run("STARTTLS", |_| {})?;
        // What arrived in the clear behind the answer was put there by somebody in between.
        if self.start != self.end {
            return Err(self.no_tls("something was sent in the clear after STARTTLS: somebody interferes"));
        }
        self.capabilities.clear();
        self.link.protect(host)
    }

    fn no_tls(&self, detail: &str) -> WireError {
        WireError::Tls { server: self.server().to_owned(), detail: detail.to_owned() }
    }

    /// Host and port, for messages.
    #[must_use]
    pub fn server(&self) -> &str {
        self.link.server()
    }

    /// Whether the server can do this; names in upper case.
    #[must_use]
    pub fn can(&self, capability: &str) -> bool {
        self.capabilities.contains(capability)
    }

    /// Compresses the conversation where that helps: not with this very machine.
    pub fn compress(&mut self, endpoint: &Endpoint) -> Result<(), WireError> {
        let forced = cfg!(debug_assertions) && std::env::var_os("MAILKEEP_TEST_COMPRESS").is_some();
        if self.can("COMPRESS=DEFLATE") && (forced || !is_loopback(&endpoint.host)) {
            self.run("COMPRESS DEFLATE", |_| {})?;
            self.link.deflate();
        }
        Ok(())
    }

    /// Sends a command without waiting for its end; its number comes back with it.
    pub fn send(&mut self, command: &str) -> Result<u32, WireError> {
        self.tag += 1;
        self.link.write(format!("k{} {command}\r\n", self.tag).as_bytes())?;
        Ok(self.tag)
    }

    /// Sends a line that continues a command.
    pub fn send_line(&mut self, line: &str) -> Result<(), WireError> {
        self.link.write(format!("{line}\r\n").as_bytes())
    }

    /// Runs a command to its end; `on` hears everything in between. A refusal is an error.
    pub fn run(&mut self, command: &str, mut on: impl FnMut(Response)) -> Result<Code, WireError> {
        let tag = self.send(command)?;
        loop {
            match self.read()? {
                Response::Done(done, status, code, text) if done == tag => {
                    return self.outcome(command, status, code, text);
                }
                other => on(other),
            }
        }
    }

    /// Runs a command that ends in bytes of any kind: they follow when the server is ready for them.
    pub fn run_with(&mut self, command: &str, bytes: &[u8]) -> Result<Code, WireError> {
        let tag = self.send(&format!("{command} {{{}}}", bytes.len()))?;
        loop {
            match self.read()? {
                Response::Continue(_) => {
                    self.link.write(bytes)?;
                    self.send_line("")?;
                }
                Response::Done(done, status, code, text) if done == tag => {
                    return self.outcome(command, status, code, text);
                }
                _ => {}
            }
        }
    }

    /// What the end of a command means.
    pub fn outcome(
        &self,
        command: &str,
        status: Status,
        code: Code,
        text: String,
    ) -> Result<Code, WireError> {
        if status == Status::Ok {
            return Ok(code);
        }
        let temporary =
            matches!(code.name.as_str(), "UNAVAILABLE" | "INUSE" | "SERVERBUG" | "LIMIT" | "THROTTLED");
        let what = command.split_ascii_whitespace().take(2).collect::<Vec<_>>().join(" ");
        let what = format!(
            "`{}`",
            if what.starts_with("UID") { &what } else { what.split(' ').next().unwrap_or("") }
        );
        Err(WireError::Refused { server: self.server().to_owned(), what, detail: text, temporary })
    }

    /// The next response, within the usual time.
    pub fn read(&mut self) -> Result<Response, WireError> {
        let silence = self.link.patience().silence;
        self.read_within(silence)
    }

    /// The next response; the first byte of it may take this long.
    pub fn read_within(&mut self, silence: Duration) -> Result<Response, WireError> {
        if self.start == self.end {
            self.fill(silence)?;
        }
        let mut line = Vec::new();
        let mut literals = Vec::new();
        let mut left = LONGEST_LITERAL;
        loop {
            let from = line.len();
            self.read_line(&mut line)?;
            let announced = literal_length(&line[from..]).filter(|_| may_hold_literals(&line));
            let Some(length) = announced else { break };
            left =
                left.checked_sub(length).ok_or_else(|| self.nonsense("more bytes than any message has"))?;
            literals.push(self.read_literal(length)?);
        }
        let response = response::parse(&line, literals);
        self.count(&response)?;
        self.notice(&response)?;
        Ok(response)
    }

    /// A server that talks without end is no use to anybody.
    fn count(&mut self, response: &Response) -> Result<(), WireError> {
        self.heard = match response {
            Response::Done(..) => (0, 0),
            Response::Other | Response::Status(..) => (self.heard.0 + 1, self.heard.1 + 1),
            _ => (self.heard.0 + 1, self.heard.1),
        };
        match self.heard.0 > MOST_RESPONSES || self.heard.1 > MOST_CHATTER {
            true => Err(self.nonsense("it talks without end")),
            false => Ok(()),
        }
    }

    /// Learns what the server can do, wherever it says so; hears it hang up.
    fn notice(&mut self, response: &Response) -> Result<(), WireError> {
        match response {
            Response::Capability(names) => self.capabilities = names.iter().cloned().collect(),
            Response::Status(Status::Bye, _, text) if self.tag > 0 => {
                return Err(self.link.closed(&format!(": {text}")));
            }
            Response::Status(_, code, _) | Response::Done(_, _, code, _) if code.name == "CAPABILITY" => {
                self.capabilities = response::words(&code.argument).into_iter().collect();
            }
            _ => {}
        }
        Ok(())
    }

    /// Appends one line without its end.
    fn read_line(&mut self, line: &mut Vec<u8>) -> Result<(), WireError> {
        loop {
            let there = &self.buffer[self.start..self.end];
            if let Some(end) = memchr::memchr(b'\n', there) {
                line.extend_from_slice(there[..end].strip_suffix(b"\r").unwrap_or(&there[..end]));
                self.start += end + 1;
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                return Ok(());
            }
            line.extend_from_slice(there);
            if line.len() > LONGEST_LINE {
                return Err(self.nonsense("a line without end"));
            }
            self.start = self.end;
            self.fill(self.link.patience().silence)?;
        }
    }

    fn read_literal(&mut self, length: u64) -> Result<Vec<u8>, WireError> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let mut bytes = Vec::with_capacity(length.min(BUFFER * 8));
        while bytes.len() < length {
            if self.start == self.end {
                self.fill(self.link.patience().silence)?;
            }
            let taken = (self.end - self.start).min(length - bytes.len());
            bytes.extend_from_slice(&self.buffer[self.start..self.start + taken]);
            self.start += taken;
        }
        Ok(bytes)
    }

    fn fill(&mut self, silence: Duration) -> Result<(), WireError> {
        self.start = 0;
        self.end = 0;
        self.end = self.link.read(&mut self.buffer, silence)?;
        Ok(())
    }

    fn nonsense(&self, detail: &str) -> WireError {
        WireError::Nonsense { server: self.server().to_owned(), detail: detail.to_owned() }
    }
}

/// The length a line announces at its end: `{42}`, `{42+}`.
fn literal_length(line: &[u8]) -> Option<u64> {
    let inner = line.strip_suffix(b"}")?;
    let start = memchr::memrchr(b'{', inner)?;
    let digits = inner[start + 1..].strip_suffix(b"+").unwrap_or(&inner[start + 1..]);
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Text for people may end in anything, also in what looks like an announcement.
fn may_hold_literals(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"* ") else { return false };
    let word: Vec<u8> = rest.iter().take(4).map(u8::to_ascii_uppercase).collect();
    ![&b"OK "[..], b"NO ", b"BAD ", b"BYE ", b"PREA"].iter().any(|status| word.starts_with(status))
}
