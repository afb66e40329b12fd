//! The revisions of the protocol and what a request says about itself.

use serde_json::{Map, Value, json};

use crate::server::RpcError;
use crate::text_safety::{brief, one_line};
use crate::tools::arguments::text_length;

/// The stateless revision: every request says which revision it speaks and what its client can do.
pub const MODERN: &str = "2026-07-28";
/// The revisions with a handshake, newest first.
pub const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The revision with a handshake that has tasks and links to open.
pub(super) const WITH_TASKS: &str = LEGACY[0];
/// The revisions in which several messages may come as one array.
const WITH_BATCHES: [&str; 2] = ["2025-03-26", "2024-11-05"];

/// The most messages that may come as one array.
const MOST_IN_BATCH: usize = 100;
/// The longest list of what a client can do.
const LONGEST_CAPABILITIES: usize = 16 << 10;

/// The prefix of what the protocol itself puts into `_meta`.
pub(super) const PREFIX: &str = "io.modelcontextprotocol/";
/// The prefix of what we put into `_meta`.
pub(super) const OUR_PREFIX: &str = "mailkeep/";

/// Which kind of protocol a request speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// With a handshake.
    Legacy,
    /// Without.
    Modern,
}

/// What the codes mean that only the modern era has.
pub(super) mod code {
    pub(crate) const HEADER_MISMATCH: i64 = -32020;
    pub(crate) const MISSING_CAPABILITY: i64 = -32021;
    pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;
}

/// What a modern request says about itself.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RequestMeta {
    pub(super) client: Option<String>,
    pub(super) client_capabilities: Value,
    pub(super) log_level: Option<String>,
}

/// The revision that a request names in its `_meta`.
pub(super) fn named_version(params: &Map<String, Value>) -> Option<&str> {
    params.get("_meta")?.get(format!("{PREFIX}protocolVersion"))?.as_str()
}

/// Reads what a modern request must say.
pub(super) fn request_meta(params: &Map<String, Value>) -> Result<RequestMeta, RpcError> {
    let missing =
        |name: &str| RpcError::invalid_params(format!("Invalid params: _meta lacks {PREFIX}{name}"));
    let Some(meta) = params.get("_meta").and_then(Value::as_object) else {
        return Err(RpcError::invalid_params("Invalid params: _meta is missing"));
    };
    let get = |name: &str| meta.get(&format!("{PREFIX}{name}"));
    let version = get("protocolVersion").and_then(Value::as_str).ok_or_else(|| missing("protocolVersion"))?;
    if version != MODERN {
        return Err(unsupported_version(version));
    }
    let given = get("clientCapabilities").filter(|value| value.is_object());
    Ok(RequestMeta {
        client: get("clientInfo").and_then(client_name),
        client_capabilities: capabilities(Some(given.ok_or_else(|| missing("clientCapabilities"))?))?,
        log_level: get("logLevel").and_then(Value::as_str).map(str::to_owned),
    })
}

/// The name that a client gives itself.
pub(super) fn client_name(info: &Value) -> Option<String> {
    let name = info.get("name").and_then(Value::as_str).map(|name| one_line(&brief(name, 80)))?;
    (!name.is_empty()).then_some(name)
}

/// What a client says it can do. It is kept with its session, so it must be short.
pub(super) fn capabilities(given: Option<&Value>) -> Result<Value, RpcError> {
    if given.is_some_and(|given| text_length(given) > LONGEST_CAPABILITIES) {
        let most = LONGEST_CAPABILITIES >> 10;
        return Err(RpcError::invalid_params(format!(
            "Invalid params: the capabilities are longer than {most} KiB"
        )));
    }
    Ok(given.cloned().unwrap_or_else(|| json!({})))
}

pub(super) fn unsupported_version(requested: &str) -> RpcError {
    RpcError::new(code::UNSUPPORTED_VERSION, "Unsupported protocol version")
        .with_data(json!({ "supported": supported_versions(), "requested": brief(requested, 80) }))
}

/// All revisions, newest first.
pub(super) fn supported_versions() -> Vec<&'static str> {
    std::iter::once(MODERN).chain(LEGACY).collect()
}

/// The revision that `initialize` answers: the one asked for where we know it, else the newest with a handshake.
pub(super) fn negotiated(asked: &str) -> &'static str {
    LEGACY.into_iter().find(|known| *known == asked).unwrap_or(LEGACY[0])
}

/// Whether a client that agreed on this revision may send so many messages as one array; if not, why.
pub(super) fn check_batch(length: usize, agreed: Option<&str>) -> Result<(), String> {
    if agreed.is_some_and(|version| !WITH_BATCHES.contains(&version)) {
        return Err("this revision has no batches".to_owned());
    }
    match length {
        0 => Err("a batch must not be empty".to_owned()),
        1..=MOST_IN_BATCH => Ok(()),
        _ => Err(format!("a batch may have {MOST_IN_BATCH} messages, this one has {length}")),
    }
}

/// Whether the answer to a method may be kept: it changes with the program only.
pub(super) fn is_cacheable(method: &str) -> bool {
    matches!(
        method,
        "server/discover"
            | "tools/list"
            | "prompts/list"
            | "resources/list"
            | "resources/templates/list"
            | "resources/read"
    )
}
