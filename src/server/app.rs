//! A page for clients that show pages beside a call (MCP Apps): what was proposed, how it stands, a way to the place where
//! the person decides, and a way to take it back. It is one file, fetches nothing, and cannot say yes: what it can do is
//! call the tools that the assistant has.

use serde_json::{Map, Value, json};

/// The extension that shows pages.
pub(super) const EXTENSION: &str = "io.modelcontextprotocol/ui";
/// What the page is called.
pub(super) const URI: &str = "ui://mailkeep/proposal";

const KIND: &str = "text/html;profile=mcp-app";
const PAGE: &str = include_str!("app.html");

/// Whether a request to read a resource is about the page.
pub(super) fn is_asked_for(params: &Map<String, Value>) -> bool {
    params.get("uri").and_then(Value::as_str) == Some(URI)
}

/// The page. It needs nothing from anywhere.
pub(super) fn read() -> Value {
    let nothing =
        json!({ "connectDomains": [], "resourceDomains": [], "frameDomains": [], "baseUriDomains": [] });
    json!({ "contents": [{
        "uri": URI, "mimeType": KIND, "text": PAGE,
        "_meta": { "ui": { "csp": nothing, "prefersBorder": true } },
    }] })
}
