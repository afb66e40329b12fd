//! The one place that talks to a token endpoint (RFC 6749, 5).

use serde::Deserialize;

use crate::account::oauth::{Authority, form};
use crate::secret::Secret;
use crate::text_safety::one_line;
use crate::wire::http::{HttpClient, HttpRequest, HttpResponse};
use crate::wire::{Redactor, WireError};

/// A token endpoint says little; more is not for us.
const LONGEST_ANSWER: u64 = 256 << 10;
const LONGEST_REASON: usize = 200;

/// What was granted.
pub(crate) struct Grant {
    pub(crate) access: Secret<String>,
    /// Seconds it is good for, if the endpoint says so.
    pub(crate) lasts: Option<i64>,
    /// For the next one; endpoints leave it out when the last one stays good.
    pub(crate) refresh: Option<Secret<String>>,
}

/// Why nothing was granted.
pub(crate) enum Refusal {
    /// The endpoint said no: its short name, and its reason without our secrets.
    Said { code: String, reason: String },
    /// It could not be asked, or cannot answer now.
    Wire(WireError),
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
    refresh_token: Option<String>,
    #[serde(default)]
    expires_in: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Denied {
    error: String,
    #[serde(default)]
    error_description: String,
}

impl Authority {
    /// Asks for tokens. `fields` say with what right; who we are is added.
    pub(crate) fn grant(&self, http: &HttpClient, fields: &[(&str, &str)]) -> Result<Grant, Refusal> {
        let answer = self.ask(http, &self.token_url, fields)?;
        let granted: Granted = serde_json::from_slice(&answer).map_err(|_| self.protocol_error())?;
        // Some write the number as text.
        let lasts = granted.expires_in.and_then(|v| v.as_i64().or_else(|| v.as_str()?.parse().ok()));
        Ok(Grant {
            access: Secret::new(granted.access_token),
            lasts,
            refresh: granted.refresh_token.filter(|token| !token.is_empty()).map(Secret::new),
        })
    }

    /// Hands in a form; the answer when it is a good one.
    pub(super) fn ask(
        &self,
        http: &HttpClient,
        url: &str,
        fields: &[(&str, &str)],
    ) -> Result<Vec<u8>, Refusal> {
        let mut all = fields.to_vec();
        all.push(("client_id", &self.client_id));
        if let Some(secret) = &self.client_secret {
            all.push(("client_secret", secret.reveal()));
        }
        let body = form::encode(all.iter().copied());
        let request = HttpRequest::post(url, "application/x-www-form-urlencoded", body)
            .with_header("accept", "application/json")
            .at_most(LONGEST_ANSWER);
        let answer = http.send(&request).map_err(Refusal::Wire)?;
        if answer.is_success() {
            return Ok(answer.body);
        }
        Err(self.refusal(&answer, &all))
    }

    fn refusal(&self, answer: &HttpResponse, sent: &[(&str, &str)]) -> Refusal {
        let is_temporary = answer.status >= 500 || answer.status == 429;
        let said: Option<Denied> = serde_json::from_slice(&answer.body).ok();
        match said {
            Some(said) if !is_temporary => {
                let reason =
                    if said.error_description.is_empty() { &said.error } else { &said.error_description };
                Refusal::Said {
                    code: without_secrets(&said.error, sent),
                    reason: without_secrets(reason, sent),
                }
            }
            _ => Refusal::Wire(WireError::Refused {
                server: format!("{}'s token service", self.name),
                what: "a token".to_owned(),
                detail: format!("status {}", answer.status),
                temporary: is_temporary,
            }),
        }
    }

    pub(super) fn protocol_error(&self) -> Refusal {
        Refusal::Wire(WireError::Protocol {
            server: format!("{}'s token service", self.name),
            detail: "not the JSON of a grant".to_owned(),
        })
    }
}

/// The reason for a person to read. An endpoint may repeat what it was given; that must go no further.
fn without_secrets(reason: &str, sent: &[(&str, &str)]) -> String {
    const PUBLIC: [&str; 4] = ["client_id", "grant_type", "scope", "redirect_uri"];
    let secrets = sent.iter().filter(|(name, _)| !PUBLIC.contains(name)).map(|(_, value)| *value);
    let redactor = Redactor::new(&secrets.collect::<Vec<_>>());
    // What hides in a secret is taken away first, so that none comes out whole.
    let line = redactor.text(&one_line(&redactor.text(reason)));
    line.chars().take(LONGEST_REASON).collect()
}

#[cfg(test)]
mod tests {
    use super::without_secrets;

    #[test]
    fn a_reason_repeats_nothing_that_was_handed_in() {
        let sent =
            [("refresh_token", "1//canary"), ("client_secret", "GOCSPX-x"), ("grant_type", "refresh_token")];

        let reason = without_secrets("refresh_token 1//canary of GOCSPX-x\nis void", &sent);

        assert_eq!(reason, "refresh_token ... of ... is void");
        assert_eq!(without_secrets(&"x".repeat(1000), &sent).len(), 200);
    }
}
