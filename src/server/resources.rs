//! Messages and short manuals as resources.

use serde_json::{Map, Value, json};

use crate::server::{Era, RequestContext, RpcError};
use crate::text_safety::brief;
use crate::tools::{ArchivePool, Arguments, Selection, Toolbox, manual};

const SEARCH_MANUAL: &str = "mailkeep://search-language";
const SQL_MANUAL: &str = "mailkeep://sql";

/// The resources that can be listed: the manuals.
pub(super) fn list() -> Value {
    json!({ "resources": [
        { "uri": SEARCH_MANUAL, "name": "search-language", "title": "Search language",
          "description": "Every operator of search_emails with an example.", "mimeType": "text/plain" },
        { "uri": SQL_MANUAL, "name": "sql", "title": "SQL views",
          "description": "The views and columns that SQL can read.", "mimeType": "text/markdown" },
    ] })
}

/// What messages are called as resources.
pub(super) fn templates() -> Value {
    json!({ "resourceTemplates": [
        { "uriTemplate": "mail://{account}/message/{id}", "name": "message", "title": "Message",
          "description": "One message of an account, as read_email shows it.", "mimeType": "text/plain" },
    ] })
}

/// A resource that was read.
pub(super) struct Resource {
    pub(super) contents: Value,
    /// Short ids of the messages whose text stands in it.
    pub(super) opened: Vec<String>,
}

/// Reads a resource.
pub(super) fn read(
    archives: &ArchivePool,
    params: &Map<String, Value>,
    context: &RequestContext,
) -> Result<Resource, RpcError> {
    let uri = params.get("uri").and_then(Value::as_str).unwrap_or_default();
    if uri.is_empty() {
        return Err(RpcError::invalid_params("Invalid params: `uri` is missing"));
    }
    let (kind, text, opened) = match uri {
        SEARCH_MANUAL => ("text/plain", manual::search_language(), Vec::new()),
        SQL_MANUAL => ("text/markdown", manual::SQL.to_owned(), Vec::new()),
        _ => {
            let read = message(archives, uri, context);
            let (text, opened) = read.ok_or_else(|| not_found(uri, context.era))?;
            ("text/plain", text, opened)
        }
    };
    let contents = json!({ "contents": [{ "uri": uri, "mimeType": kind, "text": text }] });
    Ok(Resource { contents, opened })
}

fn message(archives: &ArchivePool, uri: &str, context: &RequestContext) -> Option<(String, Vec<String>)> {
    let (account, id) = uri.strip_prefix("mail://")?.split_once("/message/")?;
    let (account, id) = (decoded(account), decoded(id));
    let toolbox = Toolbox::new(&Selection::default()).ok()?;
    let tool = toolbox.find("read_email")?;
    let given = json!({ "account": account, "email_id": id, "full": true, "max_chars": 12_000 });
    let arguments = Arguments::check(tool.name, tool.arguments, Some(given)).ok()?;
    let mut tool_context = archives.context(context.cancellation());
    let read = toolbox.call(tool, &mut tool_context, &arguments).ok();
    let opened = tool_context.opened();
    read.map(|reply| (reply.text, opened))
}

fn not_found(uri: &str, era: Era) -> RpcError {
    let code = if era == Era::Modern { RpcError::INVALID_PARAMS } else { -32002 };
    RpcError::new(code, "Resource not found").with_data(json!({ "uri": brief(uri, 1_000) }))
}

/// A URI's text without its percent signs.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%')
            .then(|| bytes.get(at + 1..at + 3))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        plain.push(escaped.unwrap_or(bytes[at]));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn percent_signs_are_resolved_where_they_mean_something() {
        assert_eq!(decoded("ada%40example.org"), "ada@example.org");
        assert_eq!(decoded("100%"), "100%");
        assert_eq!(decoded("%zz%4"), "%zz%4");
    }
}
