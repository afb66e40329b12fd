//! Bearer tokens that expire, and the endpoint that gives new ones.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Access tokens and the refresh token behind them.
#[derive(Debug)]
pub(crate) struct Tokens {
    /// The refresh token that is good.
    pub(crate) refresh: String,
    /// How long an access token is good.
    pub(crate) lifetime: Duration,
    /// Whether the user has taken the permission back.
    pub(crate) revoked: bool,
    /// How often the endpoint was asked.
    pub(crate) asked: u64,
    good: BTreeMap<String, Instant>,
    count: u64,
}

impl Tokens {
    pub(crate) fn new(refresh: &str, lifetime: Duration) -> Self {
        Self {
            refresh: refresh.to_owned(),
            lifetime,
            revoked: false,
            asked: 0,
            good: BTreeMap::new(),
            count: 0,
        }
    }

    /// A new access token.
    pub(crate) fn grant(&mut self) -> String {
        self.count += 1;
        let token = format!("ya29.double-{}", self.count);
        self.good.insert(token.clone(), Instant::now() + self.lifetime);
        token
    }

    pub(crate) fn is_good(&self, token: &str) -> bool {
        !self.revoked && self.good.get(token).is_some_and(|until| Instant::now() < *until)
    }

    /// Ends all access tokens that were given.
    pub(crate) fn expire_all(&mut self) {
        self.good.clear();
    }

    /// What the token endpoint answers to a form.
    pub(crate) fn answer(&mut self, form: &BTreeMap<String, String>) -> (u16, Value) {
        self.asked += 1;
        let field = |name: &str| form.get(name).map_or("", String::as_str);
        match field("grant_type") {
            "refresh_token" if field("refresh_token") == self.refresh && !self.revoked => {
                let lifetime = self.lifetime.as_secs().max(1);
                let token = self.grant();
                let scope = "https://mail.google.com/";
                (
                    200,
                    json!({"access_token": token, "expires_in": lifetime, "scope": scope, "token_type": "Bearer"}),
                )
            }
            "refresh_token" => {
                let description = "Token has been expired or revoked.";
                (400, json!({"error": "invalid_grant", "error_description": description}))
            }
            other => (400, json!({"error": "unsupported_grant_type", "error_description": other})),
        }
    }
}
