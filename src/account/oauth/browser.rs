//! Signing in with a browser on this machine (RFC 8252): the provider's page sends the browser back to a port that only
//! this machine can reach, with a code that is worth nothing without what only this process knows (PKCE, RFC 7636).

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::account::AccountError;
use crate::account::oauth::{Authority, Grant, form, random_text};
use crate::secret::Secret;
use crate::text_safety::one_line;
use crate::wire::WireError;
use crate::wire::http::HttpClient;

/// How often we look for the browser.
const SLICE: Duration = Duration::from_millis(30);
/// A browser sends its few lines at once.
const READ_WITHIN: Duration = Duration::from_secs(2);
const LONGEST_REQUEST: u64 = 16 << 10;

/// A sign-in that waits for the person.
pub struct BrowserLogin {
    authority: Authority,
    listener: TcpListener,
    redirect: String,
    state: Secret<String>,
    verifier: Secret<String>,
    url: String,
}

/// What a request of a browser, or a pasted address, means.
enum Heard {
    /// The person agreed.
    Code(Secret<String>),
    /// The person, or the provider, said no.
    Denied(String),
    /// Not ours: no state, or another one.
    Stranger,
}

impl BrowserLogin {
    /// Listens, and makes the address of the page for this account.
    pub fn start(authority: Authority, address: &str) -> Result<Self, AccountError> {
        let no_port = |error: std::io::Error| AccountError::NoPort { detail: error.to_string() };
        let listener = TcpListener::bind("127.0.0.1:0").map_err(no_port)?;
        listener.set_nonblocking(true).map_err(no_port)?;
        let port = listener.local_addr().map_err(no_port)?.port();
        let redirect = format!("http://{}:{port}/", authority.usual.loopback);
        let (state, verifier) = (random_text(), random_text());
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.reveal()));
        let mut fields = vec![
            ("response_type", "code"),
            ("client_id", authority.client_id.as_str()),
            ("redirect_uri", &redirect),
            ("scope", authority.usual.scope),
            ("state", state.reveal()),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
            ("login_hint", address),
        ];
        fields.extend(authority.usual.more);
        let joint = if authority.auth_url.contains('?') { '&' } else { '?' };
        let url = format!("{}{joint}{}", authority.auth_url, form::encode(fields));
        Ok(Self { authority, listener, redirect, state, verifier, url })
    }

    /// The page where the person agrees.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Waits until the browser comes back, or until its last address comes in `pasted`: a browser on another machine
    /// cannot reach us. Requests that do not know our state are turned away and change nothing.
    pub(crate) fn wait(
        &self,
        http: &HttpClient,
        within: Duration,
        pasted: &Receiver<String>,
    ) -> Result<Grant, AccountError> {
        let until = Instant::now() + within;
        loop {
            if http.limits().stop.load(Ordering::Relaxed) {
                return Err(WireError::Stopped.into());
            }
            if Instant::now() >= until {
                return Err(AccountError::LoginExpired { provider: self.authority.name });
            }
            let heard = match self.listener.accept() {
                Ok((stream, _)) => self.hear(&stream),
                Err(_) => pasted.recv_timeout(SLICE).map_or(Heard::Stranger, |line| self.understand(&line)),
            };
            match heard {
                Heard::Code(code) => return self.redeem(http, &code),
                Heard::Denied(reason) => {
                    return Err(AccountError::Denied { provider: self.authority.name, reason });
                }
                Heard::Stranger => std::thread::sleep(SLICE),
            }
        }
    }

    fn redeem(&self, http: &HttpClient, code: &Secret<String>) -> Result<Grant, AccountError> {
        let fields = [
            ("grant_type", "authorization_code"),
            ("code", code.reveal().as_str()),
            ("redirect_uri", &self.redirect),
            ("code_verifier", self.verifier.reveal()),
        ];
        let granted = self.authority.grant(http, &fields);
        granted.map_err(|refusal| AccountError::from_refusal(refusal, self.authority.name))
    }

    /// Reads one request and tells the person how it went.
    fn hear(&self, stream: &TcpStream) -> Heard {
        let limits = stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(Some(READ_WITHIN)));
        let Some(target) = limits.ok().and_then(|()| read_target(stream)) else { return Heard::Stranger };
        let heard = self.understand(&target);
        let (status, text) = match &heard {
            Heard::Code(_) => ("200 OK", "mailkeep has what it needs. You can close this page."),
            Heard::Denied(_) => ("200 OK", "Nothing was granted. You can close this page."),
            Heard::Stranger => {
                ("400 Bad Request", "This does not belong to a sign-in that mailkeep waits for.")
            }
        };
        let mut writer = stream;
        let _ = write!(
            writer,
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
             Cache-Control: no-store\r\nConnection: close\r\n\r\n{text}",
            text.len()
        );
        heard
    }

    /// Reads the part behind the `?`.
    fn understand(&self, target: &str) -> Heard {
        let query = target.trim().split_once('?').map_or("", |(_, query)| query);
        let query = query.split('#').next().unwrap_or_default();
        let state = form::value(query, "state").unwrap_or_default();
        if !bool::from(subtle::ConstantTimeEq::ct_eq(state.as_bytes(), self.state.reveal().as_bytes())) {
            return Heard::Stranger;
        }
        if let Some(code) = form::value(query, "code").filter(|code| !code.is_empty()) {
            return Heard::Code(Secret::new(code));
        }
        let reason = form::value(query, "error_description").or_else(|| form::value(query, "error"));
        reason.map_or(Heard::Stranger, |reason| Heard::Denied(one_line(&reason).chars().take(200).collect()))
    }
}

/// The target of a GET request: `/?code=...`.
fn read_target(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream.take(LONGEST_REQUEST));
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut line = String::new();
    // To the end of the head: a browser that is not listened to sees an error instead of our words.
    while reader.read_line(&mut line).ok()? > 2 {
        line.clear();
    }
    first.strip_prefix("GET ")?.split(' ').next().map(str::to_owned)
}
