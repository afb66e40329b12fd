//! What the headers of a modern request repeat of its body, so that it can be routed without being read. They must say
//! the same.

use axum::http::HeaderMap;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::server::protocol::{self, code};
use crate::server::{LEGACY, MODERN, RpcError};
use crate::text_safety::{brief, one_line};

/// Fails when the headers say something else than the body.
pub(super) fn check(headers: &HeaderMap, body: &Value) -> Result<(), RpcError> {
    let version = text(headers, "mcp-protocol-version");
    let params = body.get("params").and_then(Value::as_object);
    let named = params.and_then(protocol::named_version);
    let modern_header = version.as_deref().is_some_and(|version| !LEGACY.contains(&version));
    if !modern_header && named.is_none() {
        return Ok(());
    }
    match (version.as_deref(), named) {
        (Some(header), Some(named)) if header != named => {
            return Err(mismatch("MCP-Protocol-Version", header, named));
        }
        (Some(header), _) if header != MODERN => return Err(protocol::unsupported_version(header)),
        (None, Some(named)) => return Err(mismatch("MCP-Protocol-Version", "", named)),
        _ => {}
    }
    if body.get("id").is_some() {
        protocol::request_meta(params.unwrap_or(&Map::new()))?;
    }
    let method = body.get("method").and_then(Value::as_str).unwrap_or_default();
    must_match(headers, "Mcp-Method", method)?;
    let field = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => return Ok(()),
    };
    match params.and_then(|params| params.get(field)).and_then(Value::as_str) {
        Some(name) => must_match(headers, "Mcp-Name", name),
        None => Ok(()),
    }
}

fn must_match(headers: &HeaderMap, name: &str, expected: &str) -> Result<(), RpcError> {
    let given = text(headers, name).unwrap_or_default();
    match decoded(&given) {
        Some(value) if value == expected => Ok(()),
        _ => Err(mismatch(name, &given, expected)),
    }
}

fn mismatch(name: &str, header: &str, body: &str) -> RpcError {
    let (header, body) = (brief(header, 200), brief(body, 200));
    let message = format!("Header mismatch: {name} is `{header}`, the message says `{body}`");
    RpcError::new(code::HEADER_MISMATCH, one_line(&message))
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(|value| value.trim().to_owned())
}

/// Values that a header cannot carry are wrapped: `=?base64?...?=`.
fn decoded(value: &str) -> Option<String> {
    let wrapped = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    match wrapped {
        None => Some(value.to_owned()),
        Some(inner) => STANDARD.decode(inner).ok().and_then(|bytes| String::from_utf8(bytes).ok()),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue};
    use serde_json::{Value, json};

    use super::check;

    fn code(fields: &[(&str, &str)], body: &Value) -> Option<i64> {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            headers.insert(name, HeaderValue::from_str(value).unwrap());
        }
        check(&headers, body).err().map(|error| error.code)
    }

    #[test]
    fn a_modern_request_repeats_its_method_and_name() {
        let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
        let body = json!({ "method": "tools/call", "params": { "name": "añb", "_meta": meta } });
        let version = ("mcp-protocol-version", "2026-07-28");
        let method = ("mcp-method", "tools/call");

        assert_eq!(code(&[version, method, ("mcp-name", "=?base64?YcOxYg==?=")], &body), None);
        assert_eq!(code(&[version, method, ("mcp-name", "other")], &body), Some(-32020));
        assert_eq!(code(&[version, method], &body), Some(-32020));
        assert_eq!(code(&[version, ("mcp-method", "TOOLS/CALL")], &body), Some(-32020));
        assert_eq!(code(&[method], &body), Some(-32020), "the version belongs into the header too");
        assert_eq!(code(&[("mcp-protocol-version", "v9")], &json!({ "method": "ping" })), Some(-32022));
    }

    #[test]
    fn older_requests_need_no_headers() {
        assert_eq!(code(&[], &json!({ "method": "tools/list" })), None);
        assert_eq!(code(&[("mcp-protocol-version", "2025-06-18")], &json!({ "method": "tools/list" })), None);
    }
}
