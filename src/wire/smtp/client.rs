//! A connection to a server that takes mail: greeted, protected, authenticated.

use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::model::{Endpoint, IoLimits, Tls};
use crate::wire::smtp::Reply;
use crate::wire::{Credential, Link, Redactor, WireError};

/// More than any server says at once.
const LONGEST_REPLY: usize = 64 << 10;

/// A connection that has been greeted.
pub struct SmtpClient {
    link: Link,
    /// What was read and not yet understood.
    heard: Vec<u8>,
    /// What the server can do, in upper case: `STARTTLS`, `AUTH PLAIN LOGIN`.
    extensions: Vec<String>,
    /// What the server said to `EHLO` where it knows only `HELO`.
    refused_hello: Option<Reply>,
    redactor: Redactor,
    /// Whether another message may begin; not in the middle of one.
    is_usable: bool,
    /// Lines of a reply whose last one has not come.
    begun: Vec<String>,
}

impl SmtpClient {
    /// Connects, reads the greeting, protects the connection, and asks what the server can do.
    pub fn connect(endpoint: &Endpoint, limits: IoLimits) -> Result<Self, WireError> {
        let commands = limits.silence;
        Self::connect_within(endpoint, limits, commands)
    }

    /// The same for who waits longer for answers than for a connection.
    pub fn connect_within(
        endpoint: &Endpoint,
        limits: IoLimits,
        commands: Duration,
    ) -> Result<Self, WireError> {
        let mut link = Link::connect(endpoint, limits)?;
        link.set_silence(commands);
        let mut client = Self {
            link,
            heard: Vec::new(),
            extensions: Vec::new(),
            refused_hello: None,
            redactor: Redactor::default(),
            is_usable: true,
            begun: Vec::new(),
        };
        let greeting = client.reply()?;
        client.expect(&greeting, 220, "the connection")?;
        client.hello()?;
        if endpoint.tls == Tls::StartTls {
            client.start_tls(&endpoint.host)?;
            client.hello()?;
        }
        Ok(client)
    }

    /// Asks what the server can do. One that does not know the question can take mail, and nothing else (RFC 5321, 3.2).
    fn hello(&mut self) -> Result<(), WireError> {
        let reply = self.run("EHLO [127.0.0.1]")?;
        if reply.is_permanent() {
            let plain = self.run("HELO [127.0.0.1]")?;
            if plain.code != 250 {
                return self.expect(&reply, 250, "`EHLO`");
            }
            self.extensions.clear();
            self.refused_hello = Some(reply);
            return Ok(());
        }
        self.expect(&reply, 250, "`EHLO`")?;
        self.refused_hello = None;
        self.extensions = reply.lines.iter().skip(1).map(|line| line.to_uppercase()).collect();
        Ok(())
    }

    fn start_tls(&mut self, host: &str) -> Result<(), WireError> {
        if !self.extensions.iter().any(|extension| extension == "STARTTLS") {
            return Err(self.no_tls("the server does not offer STARTTLS"));
        }
        let reply = self.run("STARTTLS")?;
        self.expect(&reply, 220, "`STARTTLS`")?;
        // What arrived in the clear behind the answer was put there by somebody in between (RFC 3207, 6).
        if !self.heard.is_empty() {
            return Err(self.no_tls("something was sent in the clear after STARTTLS: somebody interferes"));
        }
        self.link.protect(host)
    }

    /// Signs in; says whether the server wanted it. One that offers no way to sign in takes mail from anybody.
    pub fn sign_in(&mut self, user: &str, credential: &Credential) -> Result<bool, WireError> {
        if let Some(refused) = &self.refused_hello {
            return Err(self.refused("`EHLO`, without which nobody can sign in", refused.text(), false));
        }
        let Some(offered) = self.extensions.iter().find_map(|extension| extension.strip_prefix("AUTH "))
        else {
            return Ok(false);
        };
        self.redactor = credential.redactor(user);
        let (mechanism, answer) = credential.sasl(user);
        let has = |name: &str| offered.split(' ').any(|offer| offer == name);
        let by_login = !credential.is_token() && !has(mechanism) && has("LOGIN");
        let outcome = match by_login {
            true => self.login(user, credential.secret().reveal()),
            false => self.dialogue(&format!("AUTH {mechanism} {}", answer.reveal()), &[]),
        };
        let reply = outcome?;
        match reply.code {
            235 => Ok(true),
            400..=499 => Err(self.refused("the sign-in for now", reply.text(), true)),
            code => Err(WireError::SignIn {
                server: self.link.server().to_owned(),
                user: user.to_owned(),
                detail: format!("{code} {}", reply.text()),
                by_token: credential.is_token(),
            }),
        }
    }

    fn login(&mut self, user: &str, password: &str) -> Result<Reply, WireError> {
        self.dialogue("AUTH LOGIN", &[&STANDARD.encode(user), &STANDARD.encode(password)])
    }

    /// Sends a command and answers its questions in order. A question beyond them gets an empty line: with XOAUTH2 it
    /// holds the reason of a refusal, and the end comes only after it was answered.
    fn dialogue(&mut self, command: &str, answers: &[&str]) -> Result<Reply, WireError> {
        let mut reply = self.run(command)?;
        let mut answers = answers.iter();
        for _ in 0..=answers.len() {
            if reply.code != 334 {
                break;
            }
            reply = self.run(answers.next().unwrap_or(&""))?;
        }
        Ok(reply)
    }

    /// Says goodbye, unless it would be read as part of a message. The server need not answer.
    pub fn leave(mut self) {
        if self.is_usable {
            let _ = self.link.write(b"QUIT\r\n");
        }
    }

    /// Whether another message may go this way: none is in the middle, and the server has not hung up.
    pub fn is_usable(&mut self) -> bool {
        self.is_usable && self.is_silent()
    }

    /// Whether the server listens, and says nothing.
    pub(super) fn is_silent(&mut self) -> bool {
        self.heard.is_empty() && self.link.is_quiet()
    }

    /// The connection ended where nothing was to be heard.
    pub(super) fn gone(&self) -> WireError {
        self.link.closed(" in the middle of a message")
    }

    /// Whether the server knows nothing but how to take mail: nobody can sign in there.
    #[must_use]
    pub fn is_basic(&self) -> bool {
        self.refused_hello.is_some()
    }

    /// Whether the server lets people sign in.
    #[must_use]
    pub fn offers_sign_in(&self) -> bool {
        self.extension("AUTH").is_some()
    }

    pub(super) fn spoil(&mut self) {
        self.is_usable = false;
    }

    pub(super) fn mend(&mut self) {
        self.is_usable = true;
    }

    pub(super) fn server(&self) -> &str {
        self.link.server()
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), WireError> {
        self.link.write(bytes)
    }

    pub(super) fn write_slowly(&mut self, bytes: &[u8], patience: Duration) -> Result<(), WireError> {
        self.link.write_slowly(bytes, patience)
    }

    /// What stands behind the name of an extension, if the server has it.
    pub(super) fn extension(&self, name: &str) -> Option<&str> {
        let rest = self.extensions.iter().find_map(|extension| extension.strip_prefix(name));
        rest.filter(|rest| rest.is_empty() || rest.starts_with(' '))
    }

    pub(super) fn hung_up(&self, reply: &Reply) -> WireError {
        self.link.closed(&format!(": {} {}", reply.code, reply.text()))
    }

    /// Says something and hears the answer. What was said before it was asked for would be taken for the answer, and
    /// every answer behind it for that of the question before.
    pub(super) fn run(&mut self, command: &str) -> Result<Reply, WireError> {
        if !self.heard.is_empty() {
            return Err(self.nonsense("an answer to nothing"));
        }
        self.link.write(format!("{command}\r\n").as_bytes())?;
        self.reply()
    }

    fn reply(&mut self) -> Result<Reply, WireError> {
        self.reply_within(self.link.limits().silence)
    }

    /// Reads a reply: lines `250-text`, the last one `250 text`, all of one code and all within this time. What has come
    /// of it is kept when the wait ends.
    pub(super) fn reply_within(&mut self, patience: Duration) -> Result<Reply, WireError> {
        let until = Instant::now() + patience;
        loop {
            let line = self.line(until, patience)?;
            let Some(code) = code_of(&line) else { return Err(self.nonsense("this is no mail server")) };
            if self.begun.iter().any(|begun| code_of(begun) != Some(code)) {
                return Err(self.nonsense("an answer of two minds"));
            }
            let is_last = line.as_bytes().get(3) != Some(&b'-');
            self.begun.push(line);
            if self.begun.iter().map(String::len).sum::<usize>() > LONGEST_REPLY {
                return Err(self.nonsense("an answer without end"));
            }
            if is_last {
                let words = |line: &String| self.redactor.text(line.get(4..).unwrap_or_default());
                let lines = self.begun.iter().map(words).collect();
                self.begun.clear();
                return Ok(Reply { code, lines });
            }
        }
    }

    fn line(&mut self, until: Instant, patience: Duration) -> Result<String, WireError> {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.heard) {
                let line: Vec<u8> = self.heard.drain(..=end).collect();
                return Ok(String::from_utf8_lossy(&line).trim_end().to_owned());
            }
            if self.heard.len() > LONGEST_REPLY {
                return Err(self.nonsense("a line without end"));
            }
            let left = until.saturating_duration_since(Instant::now());
            let mut buffer = [0; 4096];
            let count = self.link.read(&mut buffer, left).map_err(|error| match error {
                WireError::Timeout { .. } => self.too_late(patience),
                other => other,
            })?;
            self.heard.extend_from_slice(&buffer[..count]);
            // Who says a letter now and then would never be done.
            if left.is_zero() && memchr::memchr(b'\n', &self.heard).is_none() {
                return Err(self.too_late(patience));
            }
        }
    }

    fn too_late(&self, after: Duration) -> WireError {
        WireError::Timeout { server: self.link.server().to_owned(), after }
    }

    fn nonsense(&self, detail: &str) -> WireError {
        WireError::Protocol { server: self.link.server().to_owned(), detail: detail.to_owned() }
    }

    fn expect(&self, reply: &Reply, code: u16, what: &str) -> Result<(), WireError> {
        match reply.code {
            good if good == code => Ok(()),
            421 => Err(self.link.closed(&format!(": {}", reply.text()))),
            other => Err(self.refused(what, reply.text(), (400..500).contains(&other))),
        }
    }

    fn refused(&self, what: &str, detail: String, temporary: bool) -> WireError {
        WireError::Refused { server: self.link.server().to_owned(), what: what.to_owned(), detail, temporary }
    }

    fn no_tls(&self, detail: &str) -> WireError {
        WireError::Tls { server: self.link.server().to_owned(), detail: detail.to_owned() }
    }
}

/// The code of a line: three digits, then nothing, a blank or, where more follows, a hyphen (RFC 5321, 4.2).
fn code_of(line: &str) -> Option<u16> {
    let digits = line.get(..3).filter(|code| code.bytes().all(|byte| byte.is_ascii_digit()))?;
    let ends = matches!(line.as_bytes().get(3), None | Some(b' ' | b'-' | b'\t'));
    digits.parse().ok().filter(|code| ends && (200..600).contains(code))
}
