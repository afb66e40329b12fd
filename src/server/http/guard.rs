//! Who may talk to the server. A web page in the person's browser must not, even if it has found our address: so the
//! host that is asked for and the page that asks are checked, and everybody needs the token.

use axum::http::{HeaderMap, StatusCode};
use subtle::ConstantTimeEq;

use crate::server::RpcError;

/// Checks who asks.
pub struct Guard {
    token: Option<String>,
    hosts: Vec<String>,
}

impl Guard {
    /// A guard that asks for this token, if there is one. Beside loopback, `hosts` may be asked for.
    #[must_use]
    pub fn new(token: Option<String>, hosts: Vec<String>) -> Self {
        Self { token, hosts }
    }

    /// Whether a caller has to know something.
    pub(super) const fn asks_for_token(&self) -> bool {
        self.token.is_some()
    }

    /// Lets a request through, or says why not.
    pub(super) fn check(&self, headers: &HeaderMap) -> Result<(), (StatusCode, RpcError)> {
        let forbidden =
            |message: &str| (StatusCode::FORBIDDEN, RpcError::new(RpcError::UNAVAILABLE, message));
        let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        if !text("host").is_some_and(|host| self.is_known(host)) {
            return Err(forbidden("Forbidden: this Host is not served here"));
        }
        if let Some(origin) = text("origin") {
            let host = origin.split_once("://").map(|(_, host)| host);
            if !host.is_some_and(|host| self.is_known(host)) {
                return Err(forbidden("Forbidden: this Origin may not call"));
            }
        }
        let Some(token) = &self.token else { return Ok(()) };
        let given = text("authorization").and_then(bearer).unwrap_or_default();
        if bool::from(given.as_bytes().ct_eq(token.as_bytes())) {
            return Ok(());
        }
        let message = "Unauthorized: send the token as `Authorization: Bearer TOKEN`";
        Err((StatusCode::UNAUTHORIZED, RpcError::new(RpcError::UNAVAILABLE, message)))
    }

    pub(super) fn is_known(&self, host: &str) -> bool {
        let name = without_port(host).to_ascii_lowercase();
        matches!(name.as_str(), "localhost" | "127.0.0.1" | "[::1]") || self.hosts.contains(&name)
    }
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, StatusCode};

    use super::Guard;

    fn status(guard: &Guard, fields: &[(&'static str, &'static str)]) -> Option<StatusCode> {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        guard.check(&headers).err().map(|(status, _)| status)
    }

    #[test]
    fn only_loopback_names_and_pages_get_through() {
        let guard = Guard::new(None, vec!["mail.home".to_owned()]);

        for host in ["localhost:8025", "127.0.0.1", "[::1]:8025", "LOCALHOST", "mail.home:80"] {
            assert_eq!(status(&guard, &[("host", host)]), None, "{host}");
        }
        for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "[::1].x", ""] {
            assert_eq!(status(&guard, &[("host", host)]), Some(StatusCode::FORBIDDEN), "{host}");
        }
        for origin in ["http://evil.example", "null", "file://", "http://localhost.evil.example:8025"] {
            let fields = [("host", "localhost"), ("origin", origin)];
            assert_eq!(status(&guard, &fields), Some(StatusCode::FORBIDDEN), "{origin}");
        }
        assert_eq!(status(&guard, &[]), Some(StatusCode::FORBIDDEN));
    }

    #[test]
    fn the_token_is_asked_for_and_must_be_right() {
        let guard = Guard::new(Some("secret".to_owned()), Vec::new());
        let with = |value| status(&guard, &[("host", "localhost"), ("authorization", value)]);

        assert_eq!(with("Bearer secret"), None);
        assert_eq!(with("bearer secret"), None);
        for wrong in ["Bearer secre", "Bearer secrets", "secret", "Basic secret", "Bearer "] {
            assert_eq!(with(wrong), Some(StatusCode::UNAUTHORIZED), "{wrong}");
        }
    }
}
