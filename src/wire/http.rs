//! HTTP spoken to others: one request, one answer, connections kept for the next one. The bytes go over [`Link`], so
//! that certificates, silence and stopping are judged as everywhere else. Redirects are not followed: a token must not
//! travel to where a server points.

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use ureq::http::Method;
use ureq::http::{self, Uri};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport,
};
use ureq::{Agent, AsSendBody};

use crate::model::{Endpoint, IoLimits, Tls};
use crate::secret::Secret;
use crate::wire::{Link, WireError, is_loopback};

/// The longest answer, unless a request says otherwise.
const LONGEST_ANSWER: u64 = 32 << 20;
/// Within each silence at least this many bytes must come, or the rest of the answer: a drip is no answer.
const SLOWEST: usize = 1 << 10;
const BUFFER: usize = 64 << 10;

/// Speaks HTTP. Clones share their connections.
#[derive(Clone)]
pub struct HttpClient {
    agent: Agent,
    limits: IoLimits,
}

/// What is asked for.
pub struct HttpRequest {
    method: Method,
    url: String,
    headers: Vec<(&'static str, Secret<String>)>,
    body: Vec<u8>,
    at_most: u64,
    within: Option<Duration>,
}

/// What was answered, whatever its status.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpResponse {
    /// The status: 200, 404.
    pub status: u16,
    /// The header fields, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// Whether what a URL names is on this machine.
#[must_use]
pub fn is_here(url: &str) -> bool {
    let host = url.parse::<Uri>().ok().and_then(|uri| uri.host().map(str::to_owned));
    host.is_some_and(|host| is_loopback(host.trim_matches(['[', ']'])))
}

impl HttpRequest {
    /// A request with this method, `GET` or `DELETE`.
    #[must_use]
    pub fn new(method: Method, url: impl Into<String>) -> Self {
        let (url, headers, body) = (url.into(), Vec::new(), Vec::new());
        Self { method, url, headers, body, at_most: LONGEST_ANSWER, within: None }
    }

    /// Asks for what is there.
    #[must_use]
    pub fn get(url: impl Into<String>) -> Self {
        Self::new(Method::GET, url)
    }

    /// Hands in a body of this type.
    #[must_use]
    pub fn post(url: impl Into<String>, kind: impl Into<String>, body: impl Into<Vec<u8>>) -> Self {
        Self::new(Method::POST, url).with_body(kind, body)
    }

    /// With a body of this type.
    #[must_use]
    pub fn with_body(mut self, kind: impl Into<String>, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self.with_header("content-type", kind)
    }

    /// With a header field.
    #[must_use]
    pub fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, Secret::new(value.into())));
        self
    }

    /// With a token that says who asks.
    #[must_use]
    pub fn with_token(self, token: &Secret<String>) -> Self {
        let value = format!("Bearer {}", token.reveal());
        self.with_header("authorization", value)
    }

    /// With an end for all of it, connecting included, however steadily the answer comes.
    #[must_use]
    pub const fn within(mut self, time: Duration) -> Self {
        self.within = Some(time);
        self
    }

    /// With another bound on the answer's body, in bytes.
    #[must_use]
    pub const fn at_most(mut self, bytes: u64) -> Self {
        self.at_most = bytes;
        self
    }
}

impl HttpResponse {
    /// A header field; its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Seconds that the server asks us to wait, where it tells them as a number.
    #[must_use]
    pub fn retry_after(&self) -> Option<i64> {
        self.header("retry-after")?.trim().parse().ok().filter(|seconds| *seconds >= 0)
    }

    /// Whether it is what was asked for.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self.status, 200..=299)
    }
}

/// Answers may hold tokens, so that nothing of them is shown.
impl fmt::Debug for HttpResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HttpResponse({}, {} bytes)", self.status, self.body.len())
    }
}

impl HttpClient {
    /// A client with this limits for every answer.
    #[must_use]
    pub fn new(limits: IoLimits) -> Self {
        let agent = Agent::with_parts(config(), Dialer { limits: limits.clone() }, ByName);
        Self { agent, limits }
    }

    /// How long it waits, and who may end a wait.
    #[must_use]
    pub const fn limits(&self) -> &IoLimits {
        &self.limits
    }

    /// Sends a request and reads the whole answer. A status that says no is an answer, not an error.
    pub fn send(&self, request: &HttpRequest) -> Result<HttpResponse, WireError> {
        let place = Target::of(&request.url)?;
        if self.limits.stop.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(WireError::Stopped);
        }
        exchange(&self.agent, request).map_err(|error| explain(error, &place, self.limits.silence))
    }
}

fn config() -> ureq::config::Config {
    Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .user_agent(concat!("mailkeep/", env!("CARGO_PKG_VERSION")))
        .build()
}

fn exchange(agent: &Agent, request: &HttpRequest) -> Result<HttpResponse, ureq::Error> {
    let mut head = http::Request::builder().method(request.method.clone()).uri(&request.url);
    for (name, value) in &request.headers {
        head = head.header(*name, value.reveal());
    }
    let has_body = !request.body.is_empty() || request.method == Method::POST;
    let answer = match has_body {
        true => run(agent, head.body(request.body.as_slice())?, request.within),
        false => run(agent, head.body(())?, request.within),
    }?;
    let (head, body) = answer.into_parts();
    let body = body.into_with_config().limit(request.at_most).read_to_vec()?;
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value)));
    Ok(HttpResponse { status: head.status.as_u16(), headers: headers.collect(), body })
}

fn run(
    agent: &Agent,
    request: http::Request<impl AsSendBody>,
    within: Option<Duration>,
) -> Result<http::Response<ureq::Body>, ureq::Error> {
    agent.run(agent.configure_request(request).timeout_global(within).build())
}

/// A connection over which nothing has been said: who has one has sent nothing, and one request goes over it.
pub struct HttpConnection {
    link: Link,
    target: Target,
}

impl HttpConnection {
    /// Connects to where a URL leads.
    pub fn open(url: &str, limits: IoLimits) -> Result<Self, WireError> {
        let target = Target::of(url)?;
        Ok(Self { link: Link::connect(&target.endpoint, limits)?, target })
    }

    /// The same at exactly this address.
    pub fn open_at(url: &str, at: SocketAddr, limits: IoLimits) -> Result<Self, WireError> {
        let target = Target::of(url)?;
        Ok(Self { link: Link::connect_at(&target.endpoint, at, limits)?, target })
    }

    /// Sends the request and reads the whole answer. Whatever fails here may have been heard.
    pub fn send(self, request: &HttpRequest) -> Result<HttpResponse, WireError> {
        let (target, silence) = (self.target, self.link.limits().silence);
        if Target::of(&request.url)?.endpoint != target.endpoint {
            let detail = "the request is for another server".to_owned();
            return Err(WireError::Protocol { server: target.endpoint.to_string(), detail });
        }
        let is_tls = target.endpoint.tls == Tls::Implicit;
        let opened = Opened { wire: Mutex::new(Some(Wire::over(self.link, is_tls))) };
        let agent = Agent::with_parts(config(), opened, ByName);
        exchange(&agent, request).map_err(|error| explain(error, &target, silence))
    }
}

/// Gives the one connection away, once.
#[derive(Debug)]
struct Opened {
    wire: Mutex<Option<Wire>>,
}

impl Connector for Opened {
    type Out = Wire;

    fn connect(&self, _: &ConnectionDetails<'_>, _: Option<()>) -> Result<Option<Wire>, ureq::Error> {
        let wire = self.wire.lock().unwrap_or_else(PoisonError::into_inner).take();
        wire.map(Some).ok_or(ureq::Error::ConnectionFailed)
    }
}

/// Where a URL leads.
struct Target {
    endpoint: Endpoint,
}

impl Target {
    fn of(url: &str) -> Result<Self, WireError> {
        let wrong = || WireError::Unreachable {
            server: crate::text_safety::one_line(url.split(['?', '#']).next().unwrap_or_default()),
            detail: "this is not a URL".to_owned(),
        };
        let uri: Uri = url.parse().map_err(|_| wrong())?;
        let place = Self::of_uri(&uri).ok_or_else(wrong)?;
        let Endpoint { host, tls, .. } = &place.endpoint;
        if *tls == Tls::None && !is_loopback(host.trim_matches(['[', ']'])) {
            let detail = "only https:// is spoken with other machines".to_owned();
            return Err(WireError::Tls { server: place.endpoint.to_string(), detail });
        }
        Ok(place)
    }

    fn of_uri(uri: &Uri) -> Option<Self> {
        let (tls, usual) = match uri.scheme_str()? {
            "https" => (Tls::Implicit, 443),
            "http" => (Tls::None, 80),
            _ => return None,
        };
        let host = uri.host().filter(|host| !host.is_empty())?.to_owned();
        Some(Self { endpoint: Endpoint { host, port: uri.port_u16().unwrap_or(usual), tls } })
    }
}

/// What went wrong, in the words of all conversations.
fn explain(error: ureq::Error, place: &Target, silence: Duration) -> WireError {
    let server = place.endpoint.to_string();
    let broken = |detail: String| WireError::Protocol { server: server.clone(), detail };
    match error {
        ureq::Error::Other(inner) => match inner.downcast::<WireError>() {
            Ok(own) => *own,
            Err(other) => broken(other.to_string()),
        },
        ureq::Error::Timeout(_) => WireError::Timeout { server, after: silence },
        ureq::Error::Io(inner) => WireError::Closed { server, detail: format!(": {inner}") },
        ureq::Error::BodyStalled => {
            WireError::Closed { server, detail: " in the middle of an answer".to_owned() }
        }
        ureq::Error::BodyExceedsLimit(limit) => broken(format!("more than {limit} bytes")),
        other => broken(other.to_string()),
    }
}

/// Gives no address: [`Link`] looks names up itself.
#[derive(Debug)]
struct ByName;

impl Resolver for ByName {
    fn resolve(
        &self,
        _: &Uri,
        _: &ureq::config::Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        Ok(self.empty())
    }
}

/// Makes connections.
#[derive(Debug)]
struct Dialer {
    limits: IoLimits,
}

impl Connector for Dialer {
    type Out = Wire;

    fn connect(&self, details: &ConnectionDetails<'_>, _: Option<()>) -> Result<Option<Wire>, ureq::Error> {
        let place = Target::of_uri(details.uri).ok_or_else(|| ureq::Error::BadUri("no host".to_owned()))?;
        let silence = self.limits.silence.min(*details.timeout.after);
        let limits = IoLimits { silence, ..self.limits.clone() };
        let link = Link::connect(&place.endpoint, limits).map_err(passed_on)?;
        Ok(Some(Wire::over(link, place.endpoint.tls == Tls::Implicit)))
    }
}

fn passed_on(error: WireError) -> ureq::Error {
    ureq::Error::Other(Box::new(error))
}

/// One connection.
struct Wire {
    link: Link,
    buffers: LazyBuffers,
    is_tls: bool,
    /// Since when we wait for bytes, and how many have come since.
    since: Instant,
    came: usize,
}

impl Wire {
    fn over(link: Link, is_tls: bool) -> Self {
        Self { link, buffers: LazyBuffers::new(BUFFER, BUFFER), is_tls, since: Instant::now(), came: 0 }
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Wire({})", self.link.server())
    }
}

impl Transport for Wire {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, _: NextTimeout) -> Result<(), ureq::Error> {
        self.link.write(&self.buffers.output()[..amount]).map_err(passed_on)?;
        (self.since, self.came) = (Instant::now(), 0);
        Ok(())
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, ureq::Error> {
        let silence = self.link.limits().silence;
        let left = silence.saturating_sub(self.since.elapsed()).min(*timeout.after);
        if left.is_zero() {
            let server = self.link.server().to_owned();
            return Err(passed_on(WireError::Timeout { server, after: silence }));
        }
        match self.link.read(self.buffers.input_append_buf(), left) {
            Ok(count) => {
                self.buffers.input_appended(count);
                self.came += count;
                if self.came >= SLOWEST {
                    (self.since, self.came) = (Instant::now(), 0);
                }
                Ok(true)
            }
            // The usual end of a body without a length; ureq knows whether it may be one.
            Err(WireError::Closed { detail, .. }) if detail.is_empty() => Ok(false),
            Err(WireError::Timeout { server, .. }) => {
                Err(passed_on(WireError::Timeout { server, after: silence }))
            }
            Err(error) => Err(passed_on(error)),
        }
    }

    fn is_open(&mut self) -> bool {
        self.link.is_quiet()
    }

    fn is_tls(&self) -> bool {
        self.is_tls
    }
}

#[cfg(test)]
#[path = "http_tests.rs"]
mod tests;
