//! What a browser must keep to with every answer that is not for a client of MCP, refusals too: no script, no frame, nothing
//! from elsewhere, nothing kept. A page that needs something else says so itself, field by field.

use axum::extract::Request as HttpRequest;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

use crate::server::http::come_again;

/// On every answer outside `/mcp`.
pub(super) const HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("cache-control", "no-store"),
];

/// Puts the headers on every answer that is not for a client of MCP.
pub(super) async fn guarded(request: HttpRequest, next: Next) -> Response {
    let path = request.uri().path();
    let is_mcp = path == "/mcp" || path.starts_with("/mcp/");
    let mut response = next.run(request).await;
    come_again(&mut response);
    if !is_mcp {
        for (name, value) in HEADERS {
            let name = HeaderName::from_static(name);
            response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
        }
    }
    response
}
