//! A double of the Gmail API, written from its published description: real HTTP, Google's error bodies, numbers as
//! strings, pages, batches, tokens that expire, a quota in units a minute, and faults that strike when a test says
//! so. Google's own Python client is run against it by `tests/clients/gmail_double.py`.

pub(crate) mod api;
pub(crate) mod batch;
pub(crate) mod faults;
pub(crate) mod mailbox;
pub(crate) mod mutator;
pub(crate) mod pages;
pub(crate) mod quota;
pub(crate) mod server;
pub(crate) mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::json;

pub(crate) use faults::Fault;
pub(crate) use mutator::Mutator;

use api::{Call, Reply};
use faults::{Faults, Where};
use mailbox::{Mailbox, from_hex};
use quota::Quota;
use tokens::Tokens;

type Twist = dyn FnMut(&mut Mailbox, &Call, Reply) -> Reply + Send;

/// Makes a lie of an honest answer to a call.
pub(crate) struct Lie(pub(crate) Box<Twist>);

impl fmt::Debug for Lie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lie")
    }
}

/// Changes the parts of an answer to a batch: the id of each, and what it says.
pub(crate) type BatchLie = fn(Vec<(String, Reply)>) -> Vec<(String, Reply)>;

/// Everything behind the double's port.
#[derive(Debug)]
pub(crate) struct Google {
    pub(crate) mailbox: Mailbox,
    pub(crate) tokens: Tokens,
    pub(crate) quota: Quota,
    pub(crate) faults: Faults,
    /// How often the bytes of each message were given.
    pub(crate) raw_given: BTreeMap<u64, u64>,
    /// How often each method was called, batches counted by their parts.
    pub(crate) calls: BTreeMap<String, u64>,
    /// How many HTTP requests came.
    pub(crate) requests: u64,
    /// After so many requests all access tokens end, again and again.
    pub(crate) tokens_end_every: Option<u64>,
    /// Messages that cannot be given, whoever asks and how often.
    pub(crate) poisoned: BTreeSet<u64>,
    /// Whether the permission that was given does not cover messages.
    pub(crate) forbidden: bool,
    /// What is told in the place of the truth.
    pub(crate) lie: Option<Lie>,
    /// The same for the parts of a batch.
    pub(crate) batch_lie: Option<BatchLie>,
    chance: super::random::Random,
}

/// What comes back, and what happens to it on its way.
pub(crate) struct Answer {
    pub(crate) reply: Reply,
    pub(crate) on_the_way: Option<Fault>,
}

impl Google {
    /// A user with an empty mailbox, 6,000 units a minute, and minutes of this length.
    pub(crate) fn new(address: &str, minute: Duration) -> Self {
        Self {
            mailbox: Mailbox::new(address),
            tokens: Tokens::new("1//refresh", Duration::from_secs(3600)),
            quota: Quota::new(6_000, minute),
            faults: Faults::default(),
            raw_given: BTreeMap::new(),
            calls: BTreeMap::new(),
            requests: 0,
            tokens_end_every: None,
            poisoned: BTreeSet::new(),
            forbidden: false,
            lie: None,
            batch_lie: None,
            chance: super::random::Random::new(4711),
        }
    }

    /// Answers one call, alone or in a batch.
    pub(crate) fn answer(&mut self, call: &Call, token: Option<&str>, in_batch: bool) -> Answer {
        let place = Where { method: call.method, in_batch, has_pages: call.has_pages() };
        let fault = self.faults.strike(&place);
        if let Some(fault) = fault {
            self.happen(fault, call);
        }
        let reply = match fault.and_then(|fault| self.refusal(fault)) {
            Some(refusal) => refusal,
            None => self.permitted(call, token),
        };
        let reply = fault.map_or_else(|| reply.clone(), |fault| twisted(fault, call, reply.clone()));
        let reply = match &mut self.lie {
            Some(lie) => (lie.0)(&mut self.mailbox, call, reply),
            None => reply,
        };
        if reply.status == 200 && call.get("format") == Some("raw") && call.method == "messages.get" {
            let id = reply.body["id"].as_str().and_then(from_hex).unwrap_or(0);
            *self.raw_given.entry(id).or_default() += 1;
        }
        let on_the_way =
            fault.filter(|f| [Fault::Truncated, Fault::SlowDrip, Fault::Stall, Fault::Cut].contains(f));
        Answer { reply, on_the_way }
    }

    fn permitted(&mut self, call: &Call, token: Option<&str>) -> Reply {
        if !token.is_some_and(|token| self.tokens.is_good(token)) {
            let message = "Request had invalid authentication credentials. Expected OAuth 2 access token.";
            return Reply::error(401, "global", "authError", message);
        }
        if call.method.is_empty() {
            return Reply::not_found();
        }
        *self.calls.entry(call.method.to_owned()).or_default() += 1;
        if !self.quota.take(call.method) {
            let message = "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute per user'";
            return Reply::error(429, "usageLimits", "rateLimitExceeded", message);
        }
        if self.forbidden && call.method == "messages.get" {
            let message = "Request had insufficient authentication scopes.";
            return Reply::error(403, "global", "insufficientPermissions", message);
        }
        let id = call.path.get(1).and_then(|text| from_hex(text));
        if call.method == "messages.get" && id.is_some_and(|id| self.poisoned.contains(&id)) {
            return Reply::error(500, "global", "backendError", "Backend Error");
        }
        self.mailbox.call(call)
    }

    /// What a fault does to the mailbox or the tokens.
    fn happen(&mut self, fault: Fault, call: &Call) {
        match fault {
            Fault::TokenExpires => self.tokens.expire_all(),
            Fault::Revoked => self.tokens.revoked = true,
            Fault::MessageGone => {
                if let Some(id) = call.path.get(1).and_then(|text| from_hex(text)) {
                    self.mailbox.delete(id);
                }
            }
            Fault::LabelGone => {
                if let Some(id) = self.mailbox.labels.keys().next().cloned() {
                    self.mailbox.delete_label(&id);
                }
            }
            Fault::HistoryGone => self.mailbox.forget_history(),
            _ => {}
        }
    }

    /// The error that a fault answers with.
    fn refusal(&mut self, fault: Fault) -> Option<Reply> {
        let rate = "Rate Limit Exceeded";
        Some(match fault {
            Fault::RateGlobal => Reply::error(429, "global", "rateLimitExceeded", rate),
            Fault::RateUsage => Reply::error(403, "usageLimits", "rateLimitExceeded", rate),
            Fault::RateUser => {
                Reply::error(403, "usageLimits", "userRateLimitExceeded", "User Rate Limit Exceeded")
            }
            Fault::Concurrent => {
                Reply::error(429, "global", "rateLimitExceeded", "Too many concurrent requests for user.")
            }
            Fault::RetryAfterText => {
                let moment = server::moment_after(Duration::from_millis(600));
                let message = format!("User-rate limit exceeded.  Retry after {moment}");
                Reply::error(429, "global", "rateLimitExceeded", &message)
            }
            Fault::RetryAfterField => {
                Reply { retry_after: Some(1), ..Reply::error(429, "global", "rateLimitExceeded", rate) }
            }
            Fault::Internal => Reply::error(500, "global", "backendError", "Backend Error"),
            Fault::Unavailable => {
                Reply::error(503, "global", "backendError", "The service is currently unavailable.")
            }
            Fault::MixedBatch => match self.chance.below(5) {
                0 => {
                    Reply::error(429, "global", "rateLimitExceeded", "Too many concurrent requests for user.")
                }
                1 => Reply::error(500, "global", "backendError", "Backend Error"),
                2 => Reply::error(503, "global", "backendError", "The service is currently unavailable."),
                3 => Reply::error(403, "usageLimits", "userRateLimitExceeded", "User Rate Limit Exceeded"),
                _ => return None,
            },
            _ => return None,
        })
    }
}

/// What a fault does to a good answer.
fn twisted(fault: Fault, call: &Call, mut reply: Reply) -> Reply {
    match fault {
        Fault::RepeatedPage if reply.status == 200 => {
            reply.body["nextPageToken"] = json!(call.get("pageToken").unwrap_or("page0"));
        }
        Fault::HistoryTwice => {
            if let Some(history) = reply.body["history"].as_array_mut() {
                let again: Vec<_> = history.iter().take(history.len().div_ceil(2)).cloned().collect();
                history.extend(again);
            }
        }
        _ => {}
    }
    reply
}

/// The phrase behind a status.
pub(crate) fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        409 => "Conflict",
        429 => "Too Many Requests",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}

/// The double, listening on a free port of this machine until it is dropped.
pub(crate) struct GmailDouble {
    pub(crate) port: u16,
    google: Arc<Mutex<Google>>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl GmailDouble {
    /// A double with an empty mailbox whose minutes have this length.
    pub(crate) fn start(address: &str, minute: Duration) -> Self {
        Self::listen(address, minute, "127.0.0.1:0".parse().unwrap())
    }

    /// The same, at an address of the caller's.
    pub(crate) fn listen(address: &str, minute: Duration, at: std::net::SocketAddr) -> Self {
        let google = Arc::new(Mutex::new(Google::new(address, minute)));
        let (runtime, port) = server::start(Arc::clone(&google), at);
        Self { port, google, runtime: Some(runtime) }
    }

    /// What is behind the port; nothing is answered while it is held.
    pub(crate) fn google(&self) -> MutexGuard<'_, Google> {
        self.google.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a message in.
    pub(crate) fn deliver(&self, raw: &[u8], labels: &[&str]) -> u64 {
        self.google().mailbox.add(raw, labels, None)
    }

    /// Another handle on what is behind the port.
    pub(crate) fn share(&self) -> Arc<Mutex<Google>> {
        Arc::clone(&self.google)
    }

    /// Every message with the names of its labels, as a mirror must have them.
    pub(crate) fn everything(&self) -> BTreeMap<u64, (Vec<u8>, BTreeSet<String>)> {
        let google = self.google();
        let named =
            |labels: &BTreeSet<String>| labels.iter().map(|id| google.mailbox.label_name(id)).collect();
        let all = google.mailbox.messages.values();
        all.map(|message| (message.id, (message.raw.clone(), named(&message.labels)))).collect()
    }
}

impl Drop for GmailDouble {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
