//! A conversation with one IMAP server: commands go out, responses come in, several commands may be under way.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::model::{Endpoint, IoLimits, Tls};
use crate::text_safety::{brief, one_line};
use crate::wire::imap::response::{self, Code, Response, Status, When};
use crate::wire::{Link, Redactor, WireError, is_loopback};

/// The longest line, literals aside. A list of uids that vanished can be long.
const LONGEST_LINE: usize = 12 << 20;
/// The longest literal, and the most that all literals of a response take together: more than we ask for at once.
const LONGEST_LITERAL: u64 = 32 << 20;
/// Responses before the end of a command, beside two for each message of the open mailbox: more than come in meanwhile.
const MOST_RESPONSES: u32 = 200_000;
/// Of those, the ones that tell of no message, and their bytes.
const MOST_CHATTER: u32 = 100_000;
const MOST_CHATTER_BYTES: usize = 32 << 20;
/// The most of a server's words that is shown and kept.
const MOST_WORDS: usize = 300;
const BUFFER: usize = 128 << 10;

/// A connection that has been greeted.
pub struct Client {
    link: Link,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    tag: u32,
    capabilities: BTreeSet<String>,
    heard: Heard,
    /// How many messages the open mailbox has, as far as the server has told since it was opened.
    exists: Option<u32>,
    /// How many it has told to have come since then.
    arrived: u32,
    redactor: Redactor,
}

/// What came since the last command ended.
#[derive(Default)]
struct Heard {
    responses: u32,
    /// Of these, the ones that tell of no message, and their bytes.
    chatter: u32,
    chatter_bytes: usize,
}

impl Client {
    /// Connects, reads the greeting, protects the connection, and asks what the server can do.
    ///
    /// The redactor's secrets are kept out of all that the server says, from the greeting on: it may know them from an
    /// earlier conversation.
    pub fn connect(endpoint: &Endpoint, limits: IoLimits, redactor: Redactor) -> Result<Self, WireError> {
        let mut client = Self {
            link: Link::connect(endpoint, limits)?,
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
            tag: 0,
            capabilities: BTreeSet::new(),
            heard: Heard::default(),
            exists: None,
            arrived: 0,
            redactor,
        };
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
            Response::Status(Status::Bye, _, text) => {
                Err(self.link.closed(&format!(": {}", self.words(&text))))
            }
            _ => Err(self.protocol_error("no greeting of an IMAP server")),
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

    /// How many messages the open mailbox has by the server's last word; `None` when it gave none.
    #[must_use]
    pub const fn exists(&self) -> Option<u32> {
        self.exists
    }

    /// Forgets how many messages there were: another mailbox is opened.
    pub const fn forget_exists(&mut self) {
        self.exists = None;
        self.arrived = 0;
    }

    /// How many messages have come into the open mailbox since it was opened, by the server's word.
    #[must_use]
    pub const fn arrived(&self) -> u32 {
        self.arrived
    }

    /// A server's words as they are shown and kept: one line, not too long, and without a secret that comes out only
    /// when what hides in it is taken away.
    pub(super) fn words(&self, text: &str) -> String {
        brief(&self.redactor.text(&one_line(text)), MOST_WORDS).into_owned()
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
                    return self.outcome(command, status, code, &text);
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
                    return self.outcome(command, status, code, &text);
                }
                _ => {}
            }
        }
    }

    /// What the end of a command means.
    pub fn outcome(&self, command: &str, status: Status, code: Code, text: &str) -> Result<Code, WireError> {
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
        Err(WireError::Refused {
            server: self.server().to_owned(),
            what,
            detail: self.words(text),
            temporary,
        })
    }

    /// The next response, within the usual time.
    pub fn read(&mut self) -> Result<Response, WireError> {
        let silence = self.link.limits().silence;
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
            left = left
                .checked_sub(length)
                .ok_or_else(|| self.protocol_error("more bytes than any message has"))?;
            literals.push(self.read_literal(length)?);
        }
        self.redact(&mut line, &mut literals);
        let length = line.len();
        let mut response = response::parse(&line, literals);
        self.redact_names(&mut response);
        self.count(&response, length)?;
        self.notice(&response)?;
        Ok(response)
    }

    /// Takes our secrets out of what was said; the bytes of messages stay as they are.
    fn redact(&self, line: &mut Vec<u8>, literals: &mut [Vec<u8>]) {
        if !may_hold_literals(line) {
            return self.redactor.clean_text(line);
        }
        self.redactor.clean_data(line);
        if !is_fetch(line) {
            literals.iter_mut().for_each(|literal| self.redactor.clean_data(literal));
        }
    }

    /// The same for names, which may hold a secret only when they are decoded.
    fn redact_names(&self, response: &mut Response) {
        let clean = |name: &mut String| self.redactor.clean_name(name);
        match response {
            Response::List(listed) => {
                clean(&mut listed.wire_name);
                clean(&mut listed.name);
            }
            Response::Fetch(fetched) => {
                fetched.flags.iter_mut().flatten().for_each(clean);
                fetched.gmail_labels.iter_mut().flatten().for_each(clean);
            }
            _ => {}
        }
    }

    /// A server that talks without end is no use to anybody.
    fn count(&mut self, response: &Response, length: usize) -> Result<(), WireError> {
        if let Response::Done(..) = response {
            self.heard = Heard::default();
            return Ok(());
        }
        let is_of_messages =
            matches!(response, Response::Fetch(_) | Response::Search(_) | Response::Vanished(..));
        self.heard.responses += 1;
        if !is_of_messages {
            self.heard.chatter += 1;
            self.heard.chatter_bytes += length;
        }
        let messages = self.exists.unwrap_or(0);
        let is_endless = self.heard.responses > messages.saturating_mul(2).saturating_add(MOST_RESPONSES)
            || self.heard.chatter > MOST_CHATTER
            || self.heard.chatter_bytes > MOST_CHATTER_BYTES;
        if is_endless { Err(self.protocol_error("it talks without end")) } else { Ok(()) }
    }

    /// Learns what the server can do, wherever it says so; hears it hang up.
    fn notice(&mut self, response: &Response) -> Result<(), WireError> {
        match response {
            Response::Capability(names) => self.capabilities = names.iter().cloned().collect(),
            Response::Status(Status::Bye, _, text) if self.tag > 0 => {
                return Err(self.link.closed(&format!(": {}", self.words(text))));
            }
            Response::Exists(count) => {
                self.arrived += count.saturating_sub(self.exists.unwrap_or(*count));
                self.exists = Some(*count);
            }
            Response::Expunge(_) => self.exists = self.exists.map(|count| count.saturating_sub(1)),
            Response::Vanished(When::Now, uids) => {
                let gone = u32::try_from(uids.count()).unwrap_or(u32::MAX);
                self.exists = self.exists.map(|count| count.saturating_sub(gone));
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
                return Err(self.protocol_error("a line without end"));
            }
            self.start = self.end;
            self.fill(self.link.limits().silence)?;
        }
    }

    fn read_literal(&mut self, length: u64) -> Result<Vec<u8>, WireError> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let mut bytes = Vec::with_capacity(length.min(BUFFER * 8));
        while bytes.len() < length {
            if self.start == self.end {
                self.fill(self.link.limits().silence)?;
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

    fn protocol_error(&self, detail: &str) -> WireError {
        WireError::Protocol { server: self.server().to_owned(), detail: detail.to_owned() }
    }
}

/// The length a line announces at its end: `{42}`, `{42+}`.
fn literal_length(line: &[u8]) -> Option<u64> {
    let inner = line.strip_suffix(b"}")?;
    let start = memchr::memrchr(b'{', inner)?;
    let digits = inner[start + 1..].strip_suffix(b"+").unwrap_or(&inner[start + 1..]);
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Whether a response tells of a message.
fn is_fetch(line: &[u8]) -> bool {
    let mut words = line.split(|byte| *byte == b' ').skip(1);
    words.next().is_some_and(|number| number.iter().all(u8::is_ascii_digit))
        && words.next().is_some_and(|word| word.eq_ignore_ascii_case(b"FETCH"))
}

/// Text for people may end in anything, also in what looks like an announcement.
fn may_hold_literals(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"* ") else { return false };
    let word: Vec<u8> = rest.iter().take(4).map(u8::to_ascii_uppercase).collect();
    ![&b"OK "[..], b"NO ", b"BAD ", b"BYE ", b"PREA"].iter().any(|status| word.starts_with(status))
}
