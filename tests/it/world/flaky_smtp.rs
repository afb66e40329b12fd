//! A server that takes mail and misbehaves in one way at a time. What it has taken, and who came, can be asked.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// All that can be wrong with it.
pub(crate) const FAULTS: [&str; 31] = [
    "banner_delay",
    "banner_554",
    "drop_after_banner",
    "ehlo_502",
    "no_starttls",
    "auth_535",
    "auth_454",
    "mail_421",
    "mail_451",
    "rcpt_550",
    "rcpt_452",
    "rcpt_partial",
    "data_354_drop",
    "data_mid_drop",
    "dot_hang",
    "dot_drop",
    "dot_421",
    "dot_451",
    "dot_552",
    "dot_250_then_rst",
    "slow_reply",
    "multiline",
    "garbage",
    "split",
    "starttls_inject",
    "pipelined",
    "rcpt_two_minds",
    "data_twice",
    "early_250",
    "dot_two_minds",
    "dot_long_code",
];

/// A message that the server has taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) sender: String,
    pub(crate) recipients: Vec<String>,
    pub(crate) bytes: Vec<u8>,
}

#[derive(Default)]
struct Shared {
    taken: Mutex<Vec<Taken>>,
    sessions: AtomicUsize,
    sign_ins: Mutex<Vec<String>>,
    said: Mutex<Vec<String>>,
}

/// A server on a free port of this machine; it ends with the test program.
pub(crate) struct FlakySmtp {
    pub(crate) port: u16,
    shared: Arc<Shared>,
}

impl FlakySmtp {
    /// One that behaves.
    pub(crate) fn good() -> Self {
        Self::by_session(|_| "none")
    }

    /// One that is always wrong in this way.
    pub(crate) fn with(fault: &'static str) -> Self {
        Self::by_session(move |_| fault)
    }

    /// What is wrong depends on the number of the session, from 0 on.
    pub(crate) fn by_session(fault: impl Fn(usize) -> &'static str + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let (own, fault) = (Arc::clone(&shared), Arc::new(fault));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let number = own.sessions.fetch_add(1, Ordering::SeqCst);
                let (own, fault) = (Arc::clone(&own), fault(number));
                thread::spawn(move || Session { shared: &own, fault, reading: None }.run(&stream));
            }
        });
        Self { port, shared }
    }

    pub(crate) fn taken(&self) -> Vec<Taken> {
        self.shared.taken.lock().unwrap().clone()
    }

    /// How many have come.
    pub(crate) fn sessions(&self) -> usize {
        self.shared.sessions.load(Ordering::SeqCst)
    }

    /// What people signed in with, as it came.
    pub(crate) fn sign_ins(&self) -> Vec<String> {
        self.shared.sign_ins.lock().unwrap().clone()
    }

    /// All commands that were heard.
    pub(crate) fn commands(&self) -> Vec<String> {
        self.shared.said.lock().unwrap().clone()
    }
}

struct Session<'a> {
    shared: &'a Shared,
    fault: &'static str,
    reading: Option<(String, Vec<String>)>,
}

/// The session is over.
struct Over;

impl From<std::io::Error> for Over {
    fn from(_: std::io::Error) -> Self {
        Self
    }
}

impl Session<'_> {
    fn run(&mut self, stream: &TcpStream) {
        let _ = stream.set_nodelay(true);
        let _ = self.converse(stream, &mut BufReader::new(stream));
    }

    fn say(&self, mut stream: &TcpStream, text: &str) -> Result<(), Over> {
        if self.fault == "slow_reply" {
            thread::sleep(Duration::from_millis(60));
        }
        let bytes = format!("{text}\r\n").into_bytes();
        if self.fault == "split" {
            for byte in bytes {
                stream.write_all(&[byte])?;
                thread::sleep(Duration::from_micros(200));
            }
            return Ok(());
        }
        Ok(stream.write_all(&bytes)?)
    }

    fn converse(&mut self, mut stream: &TcpStream, lines: &mut impl BufRead) -> Result<(), Over> {
        match self.fault {
            "banner_delay" => thread::sleep(Duration::from_millis(300)),
            "garbage" => {
                stream.write_all(&[&b"\0\xff\x16HTTP/1.1 200 OK\r\n"[..], &[b'A'; 70_000]].concat())?
            }
            "banner_554" => return self.say(stream, "554 no service"),
            _ => {}
        }
        self.say(stream, "220 flaky.example ESMTP")?;
        if self.fault == "drop_after_banner" {
            return Err(Over);
        }
        loop {
            let mut line = String::new();
            if lines.read_line(&mut line)? == 0 {
                return Err(Over);
            }
            self.shared.said.lock().unwrap().push(line.trim_end().to_owned());
            self.answer(stream, lines, line.trim_end())?;
        }
    }

    fn answer(&mut self, mut stream: &TcpStream, lines: &mut impl BufRead, line: &str) -> Result<(), Over> {
        let word = line.split([' ', ':']).next().unwrap_or_default().to_uppercase();
        match (word.as_str(), self.fault) {
            ("EHLO", "ehlo_502") => self.say(stream, "502 no EHLO"),
            ("HELO", "ehlo_502") => self.say(stream, "250 flaky.example"),
            ("EHLO", fault) => self.hello(stream, fault),
            ("STARTTLS", "starttls_inject") => {
                stream.write_all(b"220 go\r\n250 injected\r\n")?;
                Ok(())
            }
            ("STARTTLS", _) => self.say(stream, "502 no tls"),
            ("AUTH", "auth_535") => self.say(stream, "535 5.7.8 bad credentials"),
            ("AUTH", "auth_454") => self.say(stream, "454 4.7.0 temporary authentication failure"),
            ("AUTH", _) => {
                self.shared.sign_ins.lock().unwrap().push(line.to_owned());
                self.say(stream, "235 2.7.0 ok")
            }
            ("MAIL", "mail_421") => self.say(stream, "421 4.3.2 shutting down").and(Err(Over)),
            ("MAIL", "mail_451") => self.say(stream, "451 4.3.0 try later"),
            ("MAIL", _) => {
                self.reading = Some((path(line), Vec::new()));
                let ahead = if self.fault == "pipelined" { "\r\n250 2.1.5 ok\r\n354 go on" } else { "" };
                self.say(stream, &format!("250 2.1.0 ok{ahead}"))
            }
            ("RCPT", fault) => self.recipient(stream, fault, &path(line)),
            ("DATA", "data_354_drop") => Err(Over),
            ("DATA", _) => self.message(stream, lines),
            ("QUIT", _) => self.say(stream, "221 bye").and(Err(Over)),
            ("RSET", _) => {
                self.reading = None;
                self.say(stream, "250 ok")
            }
            _ => self.say(stream, "500 5.5.2 unrecognised"),
        }
    }

    fn hello(&self, stream: &TcpStream, fault: &str) -> Result<(), Over> {
        if fault == "multiline" {
            for number in 0..400 {
                self.say(stream, &format!("250-X-EXT{number} {}", "y".repeat(400)))?;
            }
        }
        let tls = if fault == "starttls_inject" { "250-STARTTLS\r\n" } else { "" };
        self.say(
            stream,
            &format!(
                "250-flaky.example\r\n{tls}250-SIZE 26214400\r\n250-DSN\r\n250 AUTH PLAIN LOGIN XOAUTH2"
            ),
        )
    }

    fn recipient(&mut self, stream: &TcpStream, fault: &str, address: &str) -> Result<(), Over> {
        let Some((_, recipients)) = &mut self.reading else { return self.say(stream, "503 MAIL first") };
        let place = recipients.len();
        recipients.push(address.to_owned());
        match fault {
            "rcpt_550" => self.say(stream, "550 5.1.1 no such user"),
            "rcpt_452" => self.say(stream, "452 4.5.3 too many"),
            "rcpt_two_minds" => self.say(stream, "250-2.1.5 ok\r\n550 5.1.1 no such user"),
            "rcpt_partial" if place % 2 == 1 => {
                if let Some((_, recipients)) = &mut self.reading {
                    recipients.pop();
                    recipients.push(String::new());
                }
                self.say(stream, "550 5.1.1 no such user")
            }
            _ => self.say(stream, "250 2.1.5 ok"),
        }
    }

    fn message(&mut self, stream: &TcpStream, lines: &mut impl BufRead) -> Result<(), Over> {
        let ahead = match self.fault {
            "data_twice" => "\r\n354 go on",
            "early_250" => "\r\n250 2.0.0 queued",
            _ => "",
        };
        self.say(stream, &format!("354 go on{ahead}"))?;
        let mut bytes = Vec::new();
        loop {
            let mut line = Vec::new();
            if lines.read_until(b'\n', &mut line)? == 0 {
                return Err(Over);
            }
            if line == b".\r\n" {
                break;
            }
            bytes.extend_from_slice(line.strip_prefix(b".").unwrap_or(&line));
            if self.fault == "data_mid_drop" && bytes.len() > 100 {
                return Err(Over);
            }
        }
        match self.fault {
            "dot_451" => return self.say(stream, "451 4.3.0 try later"),
            "dot_552" => return self.say(stream, "552 5.3.4 too big"),
            _ => {}
        }
        let (sender, recipients) = self.reading.take().unwrap_or_default();
        let recipients = recipients.into_iter().filter(|address| !address.is_empty()).collect();
        self.shared.taken.lock().unwrap().push(Taken { sender, recipients, bytes });
        match self.fault {
            "dot_drop" => Err(Over),
            "dot_silence" => {
                thread::sleep(Duration::from_secs(20));
                Err(Over)
            }
            "dot_421" => self.say(stream, "421 4.3.2 shutting down").and(Err(Over)),
            "dot_two_minds" => self.say(stream, "250-2.0.0 queued\r\n554 5.7.1 no"),
            "dot_long_code" => self.say(stream, "2500 queued"),
            "dot_hang" => {
                thread::sleep(Duration::from_millis(500));
                self.say(stream, "250 2.0.0 queued")
            }
            "dot_250_then_rst" => {
                self.say(stream, "250 2.0.0 queued")?;
                let _ = socket2::SockRef::from(stream).set_linger(Some(Duration::ZERO));
                Err(Over)
            }
            _ => self.say(stream, "250 2.0.0 <Q17.given@flaky.example> queued"),
        }
    }
}

/// What stands between the angle brackets of a command.
fn path(line: &str) -> String {
    let (_, behind) = line.split_once('<').unwrap_or_default();
    behind.split_once('>').map(|(path, _)| path.to_owned()).unwrap_or_default()
}
