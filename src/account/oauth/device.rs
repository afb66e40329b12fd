//! Signing in on a machine without a browser (RFC 8628): the person types a short code on any other machine.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::account::AccountError;
use crate::account::oauth::{Authority, Grant, Refusal};
use crate::secret::Secret;
use crate::text_safety::one_line;
use crate::wire::WireError;
use crate::wire::http::HttpClient;

const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";
/// How much longer we wait between two questions when we are told to slow down (RFC 8628, 3.5).
const SLOWER: Duration = Duration::from_secs(5);
/// The longest time between two questions, whatever the provider says.
const SLOWEST: Duration = Duration::from_secs(60);

/// A sign-in that waits for the person.
pub struct DeviceLogin {
    authority: Authority,
    device_code: Secret<String>,
    /// Where the person goes.
    pub url: String,
    /// What the person types there.
    pub code: String,
    every: Duration,
    until: Instant,
}

#[derive(Deserialize)]
struct Started {
    device_code: String,
    user_code: String,
    /// Google's name for it.
    #[serde(alias = "verification_url")]
    verification_uri: String,
    expires_in: u64,
    /// Five seconds when it is not said (RFC 8628, 3.2). Debug builds count in milliseconds if a test asks for it.
    #[serde(default = "five")]
    interval: u64,
}

fn five() -> u64 {
    5
}

impl DeviceLogin {
    /// Asks for a code.
    pub fn start(authority: Authority, http: &HttpClient) -> Result<Self, AccountError> {
        let url = authority.device_url.clone();
        let answer = authority.ask(http, &url, &[("scope", authority.usual.scope)]).and_then(|answer| {
            serde_json::from_slice::<Started>(&answer).map_err(|_| authority.protocol_error())
        });
        let started = answer.map_err(|refusal| AccountError::from_refusal(refusal, authority.name))?;
        Ok(Self {
            device_code: Secret::new(started.device_code),
            url: one_line(&started.verification_uri),
            code: one_line(&started.user_code),
            every: Duration::from_secs(started.interval).min(SLOWEST),
            until: Instant::now() + Duration::from_secs(started.expires_in.min(3600)),
            authority,
        })
    }

    /// Asks again and again, as slowly as the provider wants, until the person has decided.
    pub(crate) fn wait(&self, http: &HttpClient) -> Result<Grant, AccountError> {
        let provider = self.authority.name;
        let mut every = self.every;
        loop {
            self.rest(every, http)?;
            let fields = [("grant_type", GRANT), ("device_code", self.device_code.reveal().as_str())];
            let refusal = match self.authority.grant(http, &fields) {
                Ok(grant) => return Ok(grant),
                Err(refusal) => refusal,
            };
            match &refusal {
                Refusal::Said { code, .. } => match code.as_str() {
                    "authorization_pending" => continue,
                    "slow_down" => every = (every + slower()).min(SLOWEST),
                    "expired_token" => return Err(AccountError::LoginExpired { provider }),
                    _ => return Err(AccountError::from_refusal(refusal, provider)),
                },
                Refusal::Wire(error) if error.can_retry() => every = (every * 2).min(SLOWEST),
                Refusal::Wire(_) => return Err(AccountError::from_refusal(refusal, provider)),
            }
        }
    }

    fn rest(&self, time: Duration, http: &HttpClient) -> Result<(), AccountError> {
        let until = Instant::now() + time;
        loop {
            if http.limits().stop.load(Ordering::Relaxed) {
                return Err(WireError::Stopped.into());
            }
            if Instant::now() >= self.until {
                return Err(AccountError::LoginExpired { provider: self.authority.name });
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(Duration::from_millis(50)));
        }
    }
}

/// Debug builds can be told to hurry, so that a test need not wait for seconds.
fn slower() -> Duration {
    let hurry = cfg!(debug_assertions) && std::env::var_os("MAILKEEP_TEST_HURRY").is_some();
    if hurry { SLOWER / 100 } else { SLOWER }
}
