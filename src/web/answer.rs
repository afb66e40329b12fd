//! What a page answers with, and the policy that a browser keeps to while it shows it. The headers that stand on every
//! answer are put on by the server; those that a page needs otherwise stand here.

use askama::Template;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;

/// For our own pages: our script and style, our frames and forms, nothing from elsewhere, nothing inline.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// For a mail as it was written: an origin of its own, no script, nothing loaded; only our pages may show it.
const MAIL_POLICY: &str = "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; \
    style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'";
/// For files that are saved: were one shown after all, it could do nothing.
const FILE_POLICY: &str =
    "sandbox; default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// An answer.
pub(super) struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    fn new(status: StatusCode, content_type: &'static str, policy: &'static str, body: Vec<u8>) -> Self {
        let headers = HeaderMap::new();
        Self { status, headers, body }
            .with("content-type", content_type)
            .with("content-security-policy", policy)
    }

    /// One of our pages. A browser must name the page that a form stands on, which `no-referrer` would forbid; no other
    /// server learns it from this either.
    pub(super) fn page(status: StatusCode, template: &impl Template) -> Self {
        match template.render() {
            Ok(text) => Self::new(status, "text/html; charset=utf-8", PAGE_POLICY, text.into_bytes())
                .with("referrer-policy", "same-origin"),
            Err(error) => Self::text(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
        }
    }

    /// Plain words.
    pub(super) fn text(status: StatusCode, text: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", FILE_POLICY, text.as_bytes().to_vec())
    }

    /// Something for our script.
    pub(super) fn json(value: &serde_json::Value) -> Self {
        Self::new(StatusCode::OK, "application/json", FILE_POLICY, value.to_string().into_bytes())
    }

    /// A mail as it was written, for a frame.
    pub(super) fn mail(html: String) -> Self {
        Self::new(StatusCode::OK, "text/html; charset=utf-8", MAIL_POLICY, html.into_bytes())
    }

    /// A file to be saved, whatever is in it.
    pub(super) fn file(name: &str, bytes: Vec<u8>) -> Self {
        let answer = Self::new(StatusCode::OK, "application/octet-stream", FILE_POLICY, bytes);
        let encoded = percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC);
        answer.with("content-disposition", &format!("attachment; filename*=UTF-8''{encoded}"))
    }

    /// A part of our pages that never changes under its name.
    pub(super) fn asset(content_type: &'static str, bytes: &'static [u8]) -> Self {
        Self::new(StatusCode::OK, content_type, FILE_POLICY, bytes.to_vec())
            .with("cache-control", "public, max-age=31536000, immutable")
    }

    /// Go there and read it.
    pub(super) fn see(path: &str) -> Self {
        Self::text(StatusCode::SEE_OTHER, "").with("location", path)
    }

    /// The same with another header.
    pub(super) fn with(mut self, name: &'static str, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(HeaderName::from_static(name), value);
        }
        self
    }
}

impl From<Answer> for Response {
    fn from(answer: Answer) -> Self {
        let mut response = Self::new(Body::from(answer.body));
        *response.status_mut() = answer.status;
        *response.headers_mut() = answer.headers;
        response
    }
}
