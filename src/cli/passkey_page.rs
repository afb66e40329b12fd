//! Asks a passkey on behalf of a command at the terminal: one page with one question at `http://localhost:PORT`, for as long
//! as the command waits. Keys work in browsers only; what the key signs says what the command is about to do.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use ring::rand::{SecureRandom, SystemRandom};
use serde_json::json;

use crate::cli::controlling_terminal::ControllingTerminal;
use crate::cli::factor::Deed;
use crate::cli::failure::Failure;
use crate::outbox::approval::passkey::{Answer, Question};
use crate::outbox::approval::{Approvals, Proof};
use crate::text_safety::plain_line;

/// As long as a question can be answered.
const PATIENCE: Duration = Duration::from_secs(300);
/// For one request.
const SILENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(50);
/// Browsers send some hundred bytes in each line, and a few thousand in a body.
const LONGEST_HEAD: u64 = 16 * 1_024;
const LONGEST_BODY: usize = 16 * 1_024;

const PAGE: &str = include_str!("passkey_page.html");

/// Shows the address on the terminal, and waits for what the key says.
pub(super) fn ask(
    terminal: &mut ControllingTerminal,
    approvals: &Approvals,
    deed: &Deed<'_>,
) -> Result<Proof, Failure> {
    let page = Page::open(deed)?;
    let question = approvals.ask_passkey(deed.purpose, &page.origin)?;
    terminal
        .say(&format!("Open this address in your browser, and use your passkey there:\n  {}", page.url()))?;
    let answer = page.wait(&question)?;
    Ok(approvals.prove_passkey(deed.purpose, &page.origin, &answer)?)
}

struct Page<'a> {
    deed: &'a Deed<'a>,
    listeners: Vec<TcpListener>,
    origin: String,
    /// Stands in the address and for the page's own script, so that no other program is taken for the browser.
    secret: String,
}

impl<'a> Page<'a> {
    /// Takes the same port of both loopback addresses: a program that had one of them could get the click.
    fn open(deed: &'a Deed<'a>) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| {
            Failure::new("no_port", format!("no port can be opened for your browser: {error}"), "try again")
        };
        let first = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
        let port = first.local_addr().map_err(failed)?.port();
        let mut listeners = vec![first];
        match TcpListener::bind((Ipv6Addr::LOCALHOST, port)) {
            Ok(second) => listeners.push(second),
            // No IPv6 here: nobody else can be there either.
            Err(error) if error.kind() == std::io::ErrorKind::AddrNotAvailable => {}
            Err(error) => return Err(failed(error)),
        }
        for listener in &listeners {
            listener.set_nonblocking(true).map_err(failed)?;
        }
        let mut secret = [0_u8; 16];
        SystemRandom::new().fill(&mut secret).expect("the system gives random numbers");
        let secret = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { deed, listeners, origin: format!("http://localhost:{port}"), secret })
    }

    fn url(&self) -> String {
        format!("{}/{}", self.origin, self.secret)
    }

    fn wait(&self, question: &Question) -> Result<Answer, Failure> {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            for listener in &self.listeners {
                let Ok((stream, _)) = listener.accept() else { continue };
                if let Some(answer) = self.hear(&stream, question) {
                    return Ok(answer);
                }
            }
            std::thread::sleep(PAUSE);
        }
        Err(Failure::new("passkey_silent", "no passkey answered in time", "run the command again"))
    }

    /// One request: the page, or what the key said. Whatever goes wrong with it is the other side's.
    fn hear(&self, stream: &TcpStream, question: &Question) -> Option<Answer> {
        stream.set_nonblocking(false).ok()?;
        stream.set_read_timeout(Some(SILENCE)).ok()?;
        stream.set_write_timeout(Some(SILENCE)).ok()?;
        let mut reader = BufReader::new(stream);
        let request = Request::read(&mut reader)?;
        let is_ours =
            request.host == self.origin["http://".len()..] && request.path == format!("/{}", self.secret);
        match (is_ours, request.method.as_str()) {
            (true, "GET") => {
                let _ = self.say(stream, "200 OK", "text/html; charset=utf-8", &self.page(question));
                None
            }
            (true, "POST") if request.origin == self.origin && request.is_json => {
                let mut body = vec![0; request.length];
                reader.read_exact(&mut body).ok()?;
                let answer = serde_json::from_slice(&body).ok();
                let status = if answer.is_some() { "200 OK" } else { "400 Bad Request" };
                let _ = self.say(stream, status, "text/plain", "");
                answer
            }
            _ => {
                let _ = self.say(stream, "404 Not Found", "text/plain", "");
                None
            }
        }
    }

    /// What is asked stands in it as JSON; its values are base64 for addresses and words of ours. Words of others come
    /// last, so that nothing in them is taken for a place to fill in.
    fn page(&self, question: &Question) -> String {
        let details = self.deed.details.iter().map(|line| format!("<li>{}</li>", escaped(line)));
        let page = PAGE.replace("{nonce}", &self.secret).replace("{question}", &json!(question).to_string());
        let (before, after) = page.split_once("{details}").expect("the page has a place for details");
        let [before, after] = [before, after].map(|half| half.replace("{deed}", &escaped(self.deed.words)));
        format!("{before}{}{after}", details.collect::<String>())
    }

    fn say(&self, mut stream: &TcpStream, status: &str, kind: &str, body: &str) -> std::io::Result<()> {
        let policy = format!(
            "default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; connect-src 'self'; base-uri 'none'; \
             form-action 'none'; frame-ancestors 'none'",
            self.secret
        );
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nContent-Security-Policy: {policy}\r\n\
             Cross-Origin-Opener-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )?;
        stream.flush()
    }
}

/// Words as a page shows them.
fn escaped(words: &str) -> String {
    let words = plain_line(words).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    words.replace('"', "&quot;").replace('\'', "&#39;")
}

/// The little that is asked of a request.
#[derive(Default)]
struct Request {
    method: String,
    path: String,
    host: String,
    origin: String,
    is_json: bool,
    length: usize,
}

impl Request {
    fn read(stream: &mut BufReader<&TcpStream>) -> Option<Self> {
        let mut lines = stream.take(LONGEST_HEAD).lines();
        let first = lines.next()?.ok()?;
        let mut words = first.split(' ');
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let mut request = Self { method, path, ..Self::default() };
        loop {
            let line = lines.next()?.ok()?;
            let Some((name, value)) = line.split_once(':') else { break };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "host" => value.clone_into(&mut request.host),
                "origin" => value.clone_into(&mut request.origin),
                "content-type" => request.is_json = value == "application/json",
                "content-length" => request.length = value.parse().ok()?,
                _ => {}
            }
        }
        (request.length <= LONGEST_BODY).then_some(request)
    }
}
