//! A provider of tokens on this machine, with the manners of Google and Microsoft: it checks the code's challenge, gives
//! access tokens that end, rotates refresh tokens if told to, and can be made to fail in all the usual ways. It also
//! tells a mail server whether a token is good.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Who we are for the provider. The secret must be found nowhere.
pub(crate) const CLIENT_ID: &str = "client-of-the-tests";
pub(crate) const CLIENT_SECRET: &str = "canary-client-8h2k";

/// What happens to one request for tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fault {
    /// Status 500.
    Broken,
    /// Nothing for so many milliseconds, then the usual answer.
    Slow(u64),
    /// The grant was taken back; the reason repeats what was handed in.
    Revoked,
    /// Not JSON.
    Nonsense,
}

/// What the provider knows.
#[derive(Default)]
pub(crate) struct Books {
    /// Codes that were given, with their challenge and the address to go back to.
    codes: BTreeMap<String, (String, String)>,
    /// Refresh tokens that are good.
    refresh: BTreeSet<String>,
    /// Access tokens that are good, and how often each may be shown.
    access: BTreeMap<String, u32>,
    /// What a device's next questions are answered with, before it is granted.
    pub(crate) device_answers: VecDeque<&'static str>,
    /// What happens to the next requests for tokens.
    pub(crate) faults: VecDeque<Fault>,
    /// Whether a renewal gives a new refresh token and ends the old one.
    pub(crate) rotates: bool,
    /// Whether a person who agrees again is thought to have the refresh token already.
    pub(crate) gives_refresh_once: bool,
    /// How often an access token may be shown to a mail server.
    pub(crate) uses: u32,
    /// Whether the person says no.
    pub(crate) denies: bool,
    /// The kinds of grants that were asked for, in order.
    pub(crate) asked: Vec<String>,
    /// All secrets that were ever given or taken.
    pub(crate) secrets: Vec<String>,
    /// What the pages were asked with.
    pub(crate) pages: Vec<String>,
    count: u32,
}

/// A provider that runs until the test ends.
pub(crate) struct Authority {
    pub(crate) port: u16,
    books: Arc<Mutex<Books>>,
}

impl Authority {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let books = Arc::new(Mutex::new(Books { uses: 1000, ..Books::default() }));
        let shared = Arc::clone(&books);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let books = Arc::clone(&shared);
                std::thread::spawn(move || serve(&stream, &books));
            }
        });
        Self { port, books }
    }

    pub(crate) fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap()
    }

    /// The configuration that makes mailkeep ask here.
    pub(crate) fn config(&self) -> String {
        let here = format!("http://127.0.0.1:{}", self.port);
        format!(
            "[secrets]\nstore = \"file\"\n[oauth.google]\nclient_id = \"{CLIENT_ID}\"\nclient_secret = \"{CLIENT_SECRET}\"\n\
             auth_url = \"{here}/auth\"\ntoken_url = \"{here}/token\"\ndevice_url = \"{here}/device\"\n\
             [oauth.microsoft]\nclient_id = \"{CLIENT_ID}\"\nclient_secret = \"{CLIENT_SECRET}\"\n\
             auth_url = \"{here}/auth?tenant=ours\"\ntoken_url = \"{here}/token\"\ndevice_url = \"{here}/device\"\n"
        )
    }

    /// How often tokens were renewed or asked to be.
    pub(crate) fn renewals(&self) -> usize {
        self.books().asked.iter().filter(|kind| *kind == "refresh_token").count()
    }

    /// Ends all access tokens.
    pub(crate) fn end_access(&self) {
        self.books().access.clear();
    }

    /// Ends everything that was granted.
    pub(crate) fn revoke(&self) {
        let mut books = self.books();
        books.access.clear();
        books.refresh.clear();
    }
}

/// The value of a name in a form or a query.
pub(crate) fn field(text: &str, name: &str) -> Option<String> {
    let pair = text.split('&').filter_map(|pair| pair.split_once('=')).find(|(known, _)| *known == name)?;
    Some(percent_decode_str(&pair.1.replace('+', " ")).decode_utf8_lossy().into_owned())
}

/// Asks like a browser that follows nothing; the status and the address it is sent to, or the text.
pub(crate) fn visit(url: &str) -> (u16, String) {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    let mut stream = TcpStream::connect(host.replace("localhost", "127.0.0.1")).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nAccept: text/html\r\n\r\n").unwrap();
    let mut text = String::new();
    let _ = stream.read_to_string(&mut text);
    let status = text.split(' ').nth(1).unwrap_or_else(|| panic!("{url}: {text:?}")).parse().unwrap();
    let location = text.lines().find_map(|line| line.strip_prefix("Location: "));
    (status, location.map_or_else(|| text.clone(), str::to_owned))
}

fn serve(stream: &TcpStream, books: &Mutex<Books>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut first, mut line, mut length) = (String::new(), String::new(), 0);
    let _ = reader.read_line(&mut first);
    while reader.read_line(&mut line).is_ok_and(|count| count > 2) {
        if let Some(value) = line.to_lowercase().strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let body = String::from_utf8(body).unwrap();
    let target = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let (status, more, text) = match path {
        "/auth" => page(&mut books.lock().unwrap(), query),
        "/device" => json_answer(device(&mut books.lock().unwrap(), &body)),
        "/token" => token(books, &body),
        "/introspect" => json_answer(introspect(&mut books.lock().unwrap(), &format!("{query}&{body}"))),
        _ => ("404 Not Found", String::new(), String::new()),
    };
    let length = text.len();
    let mut stream = stream;
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\n{more}Content-Length: {length}\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{text}"
    );
}

type Answer = (&'static str, String, String);

fn json_answer((status, value): (&'static str, Value)) -> Answer {
    (status, String::new(), value.to_string())
}

/// The page where a person agrees, and does so at once.
fn page(books: &mut Books, query: &str) -> Answer {
    books.pages.push(query.to_owned());
    let get = |name: &str| field(query, name).unwrap_or_default();
    let is_right = get("client_id") == CLIENT_ID
        && get("response_type") == "code"
        && get("code_challenge_method") == "S256"
        && !get("scope").is_empty();
    if !is_right {
        return ("400 Bad Request", String::new(), query.to_owned());
    }
    let state = utf8_percent_encode(&get("state"), NON_ALPHANUMERIC).to_string();
    let redirect = get("redirect_uri");
    let outcome = match books.denies {
        true => "error=access_denied".to_owned(),
        false => {
            let code = books.secret("code");
            books.codes.insert(code.clone(), (get("code_challenge"), redirect.clone()));
            format!("code={code}")
        }
    };
    ("302 Found", format!("Location: {redirect}?{outcome}&state={state}\r\n"), String::new())
}

fn device(books: &mut Books, body: &str) -> (&'static str, Value) {
    if field(body, "client_id").as_deref() != Some(CLIENT_ID) {
        return ("401 Unauthorized", json!({"error": "invalid_client"}));
    }
    let code = books.secret("device");
    let answer = json!({"device_code": code, "user_code": "WDJB-MJHT", "interval": 0, "expires_in": 300,
                        "verification_url": "https://provider.example/device"});
    ("200 OK", answer)
}

fn token(books: &Mutex<Books>, body: &str) -> Answer {
    let fault = {
        let mut books = books.lock().unwrap();
        let kind = field(body, "grant_type").unwrap_or_default();
        books.asked.push(kind.rsplit(':').next().unwrap_or_default().to_owned());
        books.secrets.extend(field(body, "code_verifier"));
        books.faults.pop_front()
    };
    let handed_in = field(body, "refresh_token").unwrap_or_default();
    match fault {
        Some(Fault::Broken) => ("500 Internal Server Error", String::new(), format!("oops {handed_in}")),
        Some(Fault::Nonsense) => ("200 OK", String::new(), format!("<html>{handed_in}")),
        Some(Fault::Revoked) => {
            let reason = format!("the token {handed_in} of {CLIENT_SECRET} was taken back");
            json_answer(("400 Bad Request", json!({"error": "invalid_grant", "error_description": reason})))
        }
        Some(Fault::Slow(time)) => {
            std::thread::sleep(Duration::from_millis(time));
            json_answer(books.lock().unwrap().grant(body))
        }
        None => json_answer(books.lock().unwrap().grant(body)),
    }
}

/// Whether a token is good, for a mail server (RFC 7662). The user is always ada.
fn introspect(books: &mut Books, form: &str) -> (&'static str, Value) {
    let token = field(form, "token").or_else(|| field(form, "access_token")).unwrap_or_default();
    match books.access.get_mut(&token) {
        Some(left) if *left > 0 => {
            *left -= 1;
            ("200 OK", json!({"active": true, "email": "ada", "scope": "mail"}))
        }
        _ => ("200 OK", json!({"active": false})),
    }
}

impl Books {
    /// A secret that nobody had before.
    fn secret(&mut self, what: &str) -> String {
        self.count += 1;
        let secret = format!("canary-{what}-{:04}x7Qw", self.count);
        self.secrets.push(secret.clone());
        secret
    }

    fn grant(&mut self, body: &str) -> (&'static str, Value) {
        let refused = |error: &str| ("400 Bad Request", json!({"error": error}));
        let get = |name: &str| field(body, name).unwrap_or_default();
        if get("client_id") != CLIENT_ID || get("client_secret") != CLIENT_SECRET {
            return ("401 Unauthorized", json!({"error": "invalid_client"}));
        }
        match get("grant_type").as_str() {
            "authorization_code" => {
                let Some((challenge, redirect)) = self.codes.remove(&get("code")) else {
                    return refused("invalid_grant");
                };
                let proof = URL_SAFE_NO_PAD.encode(Sha256::digest(get("code_verifier")));
                if proof != challenge || redirect != get("redirect_uri") {
                    return refused("invalid_grant");
                }
                self.granted(!self.gives_refresh_once || self.refresh.is_empty())
            }
            "urn:ietf:params:oauth:grant-type:device_code" => match self.device_answers.pop_front() {
                Some(answer) => refused(answer),
                None => self.granted(true),
            },
            "refresh_token" if !self.refresh.contains(&get("refresh_token")) => refused("invalid_grant"),
            "refresh_token" => {
                if self.rotates {
                    self.refresh.remove(&get("refresh_token"));
                }
                self.granted(self.rotates)
            }
            _ => refused("unsupported_grant_type"),
        }
    }

    fn granted(&mut self, with_refresh: bool) -> (&'static str, Value) {
        let access = self.secret("access");
        self.access.insert(access.clone(), self.uses);
        let mut answer = json!({"access_token": access, "token_type": "Bearer", "expires_in": 3600});
        if with_refresh {
            let refresh = self.secret("refresh");
            self.refresh.insert(refresh.clone());
            answer["refresh_token"] = refresh.into();
        }
        ("200 OK", answer)
    }
}
