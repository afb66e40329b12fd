//! One call after the other: with a token, within the quota, and again when it may work another time.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use crate::model::IoLimits;
use crate::secret::Secret;
use crate::source::SourceError;
use crate::source::gmail::Quota;
use crate::wire::gmail::{GmailMethod, Problem, ProblemKind};
use crate::wire::http::{HttpClient, HttpRequest, HttpResponse};
use crate::wire::{Redactor, WireError};

/// We go on by ourselves after a wait of this length; a longer one ends the sync with a word.
const LONGEST_WAIT: Duration = Duration::from_secs(600);
/// The longest wait that we choose ourselves.
const LONGEST_BACKOFF: Duration = Duration::from_secs(64);
/// How often a rate limit is waited for without anything having come through.
const RATE_TRIES: u32 = 8;

/// Gives an access token; when one was refused, another one.
pub type TokenOf<'a> =
    Box<dyn Fn(Option<&Secret<String>>) -> Result<Secret<String>, SourceError> + Send + 'a>;

/// How an account reaches the API.
#[derive(Debug, Clone)]
pub struct GmailAccess {
    /// Scheme and host, and the port where it is not the usual one.
    pub base_url: String,
    /// What is left of the minute.
    pub quota: Arc<Quota>,
    /// How often a failed call is made again.
    pub tries: u32,
    /// The first wait before that; it doubles.
    pub delay: Duration,
    /// A message with more bytes than this is not taken.
    pub largest: u64,
}

/// Speaks to the API for one account.
pub struct GmailSource<'a> {
    pub(super) http: HttpClient,
    pub(super) access: GmailAccess,
    token_of: TokenOf<'a>,
    token: Option<Secret<String>>,
    redactor: Redactor,
    pub(super) user: String,
}

/// What a call asks for.
pub(super) struct Ask {
    pub(super) method: GmailMethod,
    /// How many calls it stands for.
    pub(super) count: u64,
    pub(super) request: Box<dyn Fn() -> HttpRequest>,
}

impl<'a> GmailSource<'a> {
    /// Speaks for this user. Nothing is sent yet.
    #[must_use]
    pub fn new(user: &str, access: GmailAccess, token_of: TokenOf<'a>, limits: IoLimits) -> Self {
        let (http, redactor) = (HttpClient::new(limits), Redactor::default());
        Self { http, access, token_of, token: None, redactor, user: user.to_owned() }
    }

    /// The address of a method.
    pub(super) fn url(&self, path: &str) -> String {
        format!("{}/gmail/v1/users/me/{path}", self.access.base_url)
    }

    /// Host and port, for messages.
    pub(super) fn server(&self) -> String {
        let base = &self.access.base_url;
        base.split_once("://").map_or(base.as_str(), |(_, rest)| rest).trim_end_matches('/').to_owned()
    }

    pub(super) fn protocol_error(&self, detail: impl Into<String>) -> SourceError {
        WireError::Protocol { server: self.server(), detail: detail.into() }.into()
    }

    /// A refusal that ends what we are doing.
    pub(super) fn refused(&self, method: GmailMethod, problem: &Problem) -> SourceError {
        WireError::Refused {
            server: self.server(),
            what: method.purpose().to_owned(),
            detail: problem.message.clone(),
            temporary: false,
        }
        .into()
    }

    /// Asks for JSON.
    pub(super) fn get<T: DeserializeOwned>(
        &mut self,
        method: GmailMethod,
        path: &str,
    ) -> Result<Result<T, Problem>, SourceError> {
        let url = self.url(path);
        let ask = Ask { method, count: 1, request: Box::new(move || HttpRequest::get(url.clone())) };
        self.read(&ask)
    }

    /// Makes a call that answers with JSON.
    pub(super) fn read<T: DeserializeOwned>(&mut self, ask: &Ask) -> Result<Result<T, Problem>, SourceError> {
        Ok(match self.call(ask)? {
            Ok(response) => {
                let read = serde_json::from_slice(&response.body);
                Ok(read.map_err(|error| self.protocol_error(unreadable(&error)))?)
            }
            Err(problem) => Err(problem),
        })
    }

    /// Makes a call, again and again while that may help. A refusal that will not change is given back.
    pub(super) fn call(&mut self, ask: &Ask) -> Result<Result<HttpResponse, Problem>, SourceError> {
        let mut failures = 0;
        let mut has_new_token = false;
        loop {
            match self.call_once(ask) {
                Ok(response) if response.is_success() => return Ok(Ok(response)),
                Ok(response) => {
                    let problem = self.problem(&response);
                    match problem.kind {
                        ProblemKind::NotFound | ProblemKind::Refused => return Ok(Err(problem)),
                        ProblemKind::Token if has_new_token => return Err(self.not_let_in(&problem)),
                        ProblemKind::Token => {
                            has_new_token = true;
                            self.take_another_token()?;
                        }
                        ProblemKind::Rate | ProblemKind::Temporary => {
                            failures += 1;
                            self.wait_after(&problem, ask.method, failures)?;
                        }
                    }
                }
                Err(error) if error.can_retry() && failures < self.access.tries => {
                    failures += 1;
                    self.pause(self.backoff(failures))?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Makes a call once, within the quota.
    pub(super) fn call_once(&mut self, ask: &Ask) -> Result<HttpResponse, SourceError> {
        let units = ask.method.units() * ask.count;
        while let Err(wait) = self.access.quota.take(units) {
            self.pause(wait)?;
        }
        let outcome = self.token().and_then(|token| {
            let request = (ask.request)().with_token(&token);
            let mut response = self.http.send(&request)?;
            self.redact(&mut response);
            Ok(response)
        });
        self.access.quota.answered(units);
        outcome
    }

    /// What a server says is shown and kept; it must not be able to give the token away. In an answer that is good,
    /// only the token as it is: anything else may be somebody's mail.
    pub(super) fn redact(&self, response: &mut HttpResponse) {
        match response.is_success() {
            true => self.redactor.clean_plain(&mut response.body),
            false => self.redactor.clean_text(&mut response.body),
        }
    }

    /// What a refusal means; its words lose the token once more, because cleaning them can put one together.
    pub(super) fn problem(&self, response: &HttpResponse) -> Problem {
        let problem = Problem::of(response);
        Problem { message: self.redactor.text(&problem.message), ..problem }
    }

    fn token(&mut self) -> Result<Secret<String>, SourceError> {
        if let Some(token) = &self.token {
            return Ok(token.clone());
        }
        let token = (self.token_of)(None)?;
        self.redactor.learn(token.reveal());
        Ok(self.token.insert(token).clone())
    }

    /// The token was refused: it may just have ended.
    pub(super) fn take_another_token(&mut self) -> Result<(), SourceError> {
        let refused = self.token.take();
        let token = (self.token_of)(refused.as_ref())?;
        self.redactor.learn(token.reveal());
        self.token = Some(token);
        Ok(())
    }

    /// A token that is fresh and refused all the same.
    pub(super) fn not_let_in(&self, problem: &Problem) -> SourceError {
        let detail = problem.message.clone();
        WireError::SignIn { server: self.server(), user: self.user.clone(), detail, by_token: true }.into()
    }

    /// Waits as long as we are told, or longer and longer; an error when that has been tried often enough.
    pub(super) fn wait_after(
        &self,
        problem: &Problem,
        method: GmailMethod,
        failures: u32,
    ) -> Result<(), SourceError> {
        let is_rate = problem.kind == ProblemKind::Rate;
        let tries = if is_rate { self.access.tries.max(RATE_TRIES) } else { self.access.tries };
        let wait = problem.wait.unwrap_or_default().max(self.backoff(failures));
        if failures <= tries && wait <= LONGEST_WAIT {
            return self.pause(wait);
        }
        let server = self.server();
        Err(match is_rate {
            true => WireError::RateLimited { server, retry_after: wait },
            false => WireError::Refused {
                server,
                what: method.purpose().to_owned(),
                detail: problem.message.clone(),
                temporary: true,
            },
        }
        .into())
    }

    /// Twice as long each time, and never quite the same, so that many who were refused do not come back together.
    pub(super) fn backoff(&self, failures: u32) -> Duration {
        let whole = self.access.delay.saturating_mul(2_u32.saturating_pow(failures.saturating_sub(1)));
        let chance = std::hash::RandomState::new().build_hasher().finish() % 1024;
        let whole = whole.min(LONGEST_BACKOFF);
        whole / 2 + whole.mul_f64(chance as f64 / 1024.0)
    }

    /// Waits, unless we are told to stop.
    pub(super) fn pause(&self, time: Duration) -> Result<(), SourceError> {
        let until = Instant::now() + time;
        loop {
            if self.http.limits().stop.load(Ordering::Relaxed) {
                return Err(SourceError::stopped());
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(Duration::from_millis(50)));
        }
    }
}

/// Where an answer stops making sense, without repeating any of it.
pub(super) fn unreadable(error: &serde_json::Error) -> String {
    format!("it cannot be read from character {} on", error.column())
}
