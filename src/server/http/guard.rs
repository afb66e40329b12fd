//! Who may talk to the server. A web page in the person's browser must not, even if it has found our address: so the
//! host that is asked for and the page that asks are checked, and everybody needs the token.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, StatusCode};
use subtle::ConstantTimeEq;

use crate::server::RpcError;

/// Who speaks to this port need not name it.
const HTTP_PORT: u16 = 80;

/// Checks who asks.
pub struct Guard {
    token: String,
    /// Whether who only reads and proposes needs no token.
    is_open: bool,
    /// Names under which we are reached, with the port.
    hosts: Vec<String>,
}

/// Why a request is not let through.
pub(super) type Refused = (StatusCode, RpcError);

impl Guard {
    /// A guard that asks for this token.
    #[must_use]
    pub fn new(token: String) -> Self {
        Self { token, is_open: false, hosts: Vec::new() }
    }

    /// The same, or one that asks for the token only where something may leave without anybody being asked.
    #[must_use]
    pub fn open(mut self, is_open: bool) -> Self {
        self.is_open = is_open;
        self
    }

    /// The same, for who listens on this address.
    #[must_use]
    pub fn at(mut self, address: SocketAddr) -> Self {
        let own = match address.ip() {
            IpAddr::V6(ip) => format!("[{ip}]"),
            IpAddr::V4(ip) => ip.to_string(),
        };
        let names = ["127.0.0.1", "localhost", "[::1]", &own];
        self.hosts = names.iter().map(|name| format!("{name}:{}", address.port())).collect();
        if address.port() == HTTP_PORT {
            self.hosts.extend(names.iter().map(|name| (*name).to_owned()));
        }
        self
    }

    /// Whether who only reads and proposes needs no token.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Lets a request through that asks for us, and comes from no page or from ours.
    pub(super) fn check_place(&self, headers: &HeaderMap) -> Result<(), Refused> {
        let forbidden =
            |message: &str| (StatusCode::FORBIDDEN, RpcError::new(RpcError::UNAVAILABLE, message));
        if ["host", "origin"].into_iter().any(|name| headers.get_all(name).iter().count() > 1) {
            return Err(forbidden("Forbidden: a field that may stand once stands twice"));
        }
        if !text(headers, "host").is_some_and(|host| self.is_known(host)) {
            return Err(forbidden("Forbidden: this Host is not served here"));
        }
        let from = text(headers, "origin").map(|origin| origin.strip_prefix("http://"));
        if from.is_some_and(|host| !host.is_some_and(|host| self.is_known(host))) {
            return Err(forbidden("Forbidden: this Origin may not call"));
        }
        Ok(())
    }

    /// Lets a request through that knows the token.
    pub(super) fn check_token(&self, headers: &HeaderMap) -> Result<(), Refused> {
        let given = text(headers, "authorization").and_then(bearer).unwrap_or_default();
        if !given.is_empty() && bool::from(given.as_bytes().ct_eq(self.token.as_bytes())) {
            return Ok(());
        }
        let why = match self.is_open {
            true => "mail may leave here without anybody being asked, so `--no-token` does not hold; ",
            false => "",
        };
        let message = format!(
            "Unauthorized: {why}send the token that stands in the home's `token` file as \
            `Authorization: Bearer TOKEN`"
        );
        Err((StatusCode::UNAUTHORIZED, RpcError::new(RpcError::UNAVAILABLE, message)))
    }

    pub(super) fn is_known(&self, host: &str) -> bool {
        self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host))
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, StatusCode};

    use super::Guard;

    fn headers(fields: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    fn place(guard: &Guard, fields: &[(&'static str, &'static str)]) -> Option<StatusCode> {
        guard.check_place(&headers(fields)).err().map(|(status, _)| status)
    }

    fn at(address: &str) -> Guard {
        Guard::new("secret".to_owned()).at(address.parse().unwrap())
    }

    #[test]
    fn only_our_own_names_with_our_own_port_get_through() {
        let guard = at("192.168.1.5:8025");

        for host in ["localhost:8025", "127.0.0.1:8025", "[::1]:8025", "LOCALHOST:8025", "192.168.1.5:8025"] {
            assert_eq!(place(&guard, &[("host", host)]), None, "{host}");
        }
        for host in ["localhost", "localhost:80", "127.0.0.1:3000", "evil.example:8025", "[::1].x:8025", ""] {
            assert_eq!(place(&guard, &[("host", host)]), Some(StatusCode::FORBIDDEN), "{host}");
        }
        assert_eq!(place(&guard, &[]), Some(StatusCode::FORBIDDEN));
    }

    #[test]
    fn who_names_two_hosts_or_two_pages_is_not_believed_either() {
        let guard = at("127.0.0.1:8025");
        let (host, origin) = (("host", "localhost:8025"), ("origin", "http://localhost:8025"));

        assert_eq!(place(&guard, &[host, origin]), None);
        for twice in [
            [host, ("host", "evil.example"), origin],
            [("host", "evil.example"), host, origin],
            [host, origin, ("origin", "https://evil.example")],
            [host, origin, origin],
        ] {
            assert_eq!(place(&guard, &twice), Some(StatusCode::FORBIDDEN), "{twice:?}");
        }
    }

    #[test]
    fn only_our_own_pages_get_through() {
        let guard = at("[::1]:8025");
        let from = |origin| place(&guard, &[("host", "localhost:8025"), ("origin", origin)]);

        assert_eq!(from("http://localhost:8025"), None);
        for origin in [
            "http://evil.example",
            "null",
            "file://",
            "http://localhost:3000",
            "http://localhost",
            "https://localhost:8025",
            "http://localhost.evil.example:8025",
        ] {
            assert_eq!(from(origin), Some(StatusCode::FORBIDDEN), "{origin}");
        }
    }

    #[test]
    fn the_port_may_be_left_out_where_it_is_the_usual_one() {
        let guard = at("127.0.0.1:80");

        assert_eq!(place(&guard, &[("host", "localhost")]), None);
        assert_eq!(place(&guard, &[("host", "localhost:80"), ("origin", "http://127.0.0.1")]), None);
    }

    #[test]
    fn the_token_is_asked_for_and_must_be_right() {
        let guard = at("127.0.0.1:8025");
        let with =
            |value| guard.check_token(&headers(&[("authorization", value)])).err().map(|(status, _)| status);

        assert_eq!(with("Bearer secret"), None);
        assert_eq!(with("bearer secret"), None);
        for wrong in ["Bearer secre", "Bearer secrets", "secret", "Basic secret", "Bearer "] {
            assert_eq!(with(wrong), Some(StatusCode::UNAUTHORIZED), "{wrong}");
        }
    }
}
