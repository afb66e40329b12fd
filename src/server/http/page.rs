//! The place that an answer points to: it says how the person decides. It shows nothing of what waits, so that nobody has
//! to prove who they are; it changes nothing.

use axum::extract::{Request as HttpRequest, State};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::Response;
use std::sync::Arc;

use crate::server::http::{Endpoints, empty};

const PAGE: &str = "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<title>mailkeep</title>
<h1>Something waits for you</h1>
<p>An assistant asks you to send a message. Look at it and decide in a terminal:</p>
<pre>mailkeep outbox review</pre>
<p>Nothing leaves before you say yes to exactly what you see there.</p>
</html>
";

/// On every answer here: no script, no frame, nothing from elsewhere.
const HEADERS: [(&str, &str); 7] = [
    ("content-type", "text/html; charset=utf-8"),
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

pub(super) async fn show(State(endpoints): State<Arc<Endpoints>>, request: HttpRequest) -> Response {
    let host = request.headers().get("host").and_then(|host| host.to_str().ok());
    let mut response = match *request.method() {
        _ if !host.is_some_and(|host| endpoints.guard.is_known(host)) => empty(StatusCode::FORBIDDEN),
        Method::GET | Method::HEAD => Response::new(PAGE.into()),
        _ => empty(StatusCode::METHOD_NOT_ALLOWED),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
