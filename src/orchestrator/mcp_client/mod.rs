//! Calls tools of MCP servers: our own in this process, others over their standard input and output or over HTTP. A call
//! that fails is written down in the vault, and what the caller has for that case is done instead. A server that does not
//! answer in its time is ended, and started anew for the next call.

mod http;
mod stdio;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

pub use http::HttpServer;
pub use stdio::StdioServer;

use crate::audit::{self, FallbackLine};
use crate::clock::Clock;
use crate::text_safety::{brief, one_line};

/// So long a server may take for a call.
pub const CALL_TIME: Duration = Duration::from_secs(30);
/// The revision of the protocol that is spoken with others.
const REVISION: &str = "2025-06-18";
/// So many characters of a server's words are kept.
const LONGEST_WORDS: usize = 300;

/// Why a call gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum McpError {
    /// The server could not be started or reached, did not answer in time, or said what is no answer.
    #[error("the MCP server `{server}` is not available: {detail}")]
    Unavailable {
        /// Its name.
        server: String,
        /// What happened.
        detail: String,
    },
    /// The tool said that it failed.
    #[error("`{tool}` failed: {detail}")]
    Tool {
        /// Which tool.
        tool: String,
        /// Its word for it.
        code: String,
        /// Its words.
        detail: String,
    },
}

impl McpError {
    /// The word for it.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Unavailable { .. } => "mcp_unavailable",
            Self::Tool { code, .. } => code,
        }
    }
}

/// Something that answers JSON-RPC requests of MCP: one after the other.
pub trait ToolServer: Send {
    /// Asks, and waits so long for the answer: the `result`, or the words of the error. Who does not answer in time is
    /// ended by this.
    fn request(&mut self, method: &str, params: Value, within: Duration) -> Result<Value, ServerFailure>;
}

/// Why a server gave no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerFailure {
    /// It is not there, or does not answer.
    Unavailable(String),
    /// It answered with an error of JSON-RPC.
    Error {
        /// The error's number.
        code: i64,
        /// Its words.
        message: String,
    },
}

/// What is done instead of a call that failed.
pub type Fallback<'a> = &'a dyn Fn(&McpError) -> Value;

/// Calls the tools of one server.
pub struct McpClient {
    server_name: String,
    server: Mutex<Box<dyn ToolServer>>,
    vault: PathBuf,
    clock: Clock,
    call_time: Duration,
}

impl McpClient {
    /// A client of the server with this name, which notes what fails in this vault.
    #[must_use]
    pub fn new(server_name: &str, server: Box<dyn ToolServer>, vault: &Path, clock: Clock) -> Self {
        let (server_name, vault) = (server_name.to_owned(), vault.to_owned());
        Self { server_name, server: Mutex::new(server), vault, clock, call_time: CALL_TIME }
    }

    /// The same with another time for a call.
    #[must_use]
    pub fn within(self, call_time: Duration) -> Self {
        Self { call_time, ..self }
    }

    /// The server's name.
    #[must_use]
    pub fn server_name(&self) -> &str {
        &self.server_name
    }

    /// Calls a tool. When it fails, that is noted in the vault, and the fallback gives the answer, if there is one.
    pub fn call_tool(
        &self,
        tool: &str,
        arguments: &Value,
        fallback: Option<Fallback<'_>>,
    ) -> Result<Value, McpError> {
        let error = match self.call(tool, arguments) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let line = FallbackLine {
            at: self.clock.now(),
            server: &self.server_name,
            tool,
            error: error.code(),
            message: &error.to_string(),
            has_fallback: fallback.is_some(),
        };
        // A vault that cannot be written to is told of by everything else that writes there.
        let _ = audit::note_fallback(&self.vault, &line);
        fallback.map_or(Err(error.clone()), |fallback| Ok(fallback(&error)))
    }

    fn call(&self, tool: &str, arguments: &Value) -> Result<Value, McpError> {
        let params = json!({ "name": tool, "arguments": arguments });
        let mut server = self.server.lock().unwrap_or_else(PoisonError::into_inner);
        let result =
            server.request("tools/call", params, self.call_time).map_err(|failure| match failure {
                ServerFailure::Unavailable(detail) => {
                    McpError::Unavailable { server: self.server_name.clone(), detail: words(&detail) }
                }
                ServerFailure::Error { code, message } => {
                    McpError::Tool { tool: tool.to_owned(), code: code.to_string(), detail: words(&message) }
                }
            })?;
        read(tool, result)
    }
}

/// What a tool answered: its data, or its text as JSON, or its text.
fn read(tool: &str, mut result: Value) -> Result<Value, McpError> {
    let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    let value = serde_json::from_str::<Value>(&text).unwrap_or_else(|_| json!(text));
    if result["isError"] == json!(true) {
        let code = value["error"].as_str().unwrap_or("internal_error").to_owned();
        let detail = words(value["message"].as_str().unwrap_or(&text));
        return Err(McpError::Tool { tool: tool.to_owned(), code, detail });
    }
    // A server of document 001 answers with the tool's fields themselves.
    match (result.get("structuredContent").is_some_and(Value::is_object), result.get("content").is_some()) {
        (true, _) => Ok(result["structuredContent"].take()),
        (false, true) => Ok(value),
        (false, false) => Ok(result),
    }
}

fn words(text: &str) -> String {
    brief(&one_line(text), LONGEST_WORDS).into_owned()
}

/// The first request that a server gets.
fn greeting() -> Value {
    json!({
        "protocolVersion": REVISION,
        "capabilities": {},
        "clientInfo": { "name": "mailkeep-orchestrator", "version": env!("CARGO_PKG_VERSION") },
    })
}

/// The result of an answer to the request with this number; `None`: it is not that answer.
fn answer_to(id: u64, message: &Value) -> Option<Result<Value, ServerFailure>> {
    if message.get("method").is_some() || message["id"] != json!(id) {
        return None;
    }
    if let Some(error) = message.get("error").filter(|error| !error.is_null()) {
        let (code, text) = (error["code"].as_i64().unwrap_or_default(), error["message"].as_str());
        let message = text.unwrap_or("no reason was given").to_owned();
        return Some(Err(ServerFailure::Error { code, message }));
    }
    Some(Ok(message["result"].clone()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{McpClient, McpError, ServerFailure, ToolServer, Value, answer_to, read};
    use crate::clock::Clock;

    struct Dead;

    impl ToolServer for Dead {
        fn request(&mut self, _: &str, _: Value, _: std::time::Duration) -> Result<Value, ServerFailure> {
            Err(ServerFailure::Unavailable("gone".to_owned()))
        }
    }

    #[test]
    fn a_server_that_is_gone_is_noted_in_the_vault_and_the_fallback_answers() {
        let vault = tempfile::tempdir().unwrap();
        let clock = Clock::frozen("2026-02-24T12:00:00Z".parse().unwrap());
        let client = McpClient::new("gmail", Box::new(Dead), vault.path(), clock);

        let answer = client.call_tool("add_label", &json!({}), Some(&|_| json!("instead")));
        let error = client.call_tool("add_label", &json!({}), None).unwrap_err();

        assert_eq!(answer, Ok(json!("instead")));
        assert_eq!(error.code(), "mcp_unavailable");
        let log = std::fs::read_to_string(vault.path().join("Logs/orchestrator_2026-02-24.jsonl")).unwrap();
        let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["error"], "mcp_unavailable");
        assert_eq!((&lines[0]["fallback"], &lines[1]["fallback"]), (&json!(true), &json!(false)));
        assert_eq!((&lines[0]["server"], &lines[0]["tool"]), (&json!("gmail"), &json!("add_label")));
    }

    #[test]
    fn the_answer_of_a_tool_is_its_data_its_json_or_its_fields() {
        let data = json!({ "content": [{ "type": "text", "text": "x" }], "structuredContent": { "a": 1 } });
        let text = json!({ "content": [{ "type": "text", "text": "{\"a\":1}" }], "isError": false });
        let failed = json!({ "content": [{ "type": "text", "text": "{\"error\":\"not_found\",\"message\":\"no\"}" }],
                             "isError": true });

        assert_eq!(read("t", data), Ok(json!({ "a": 1 })));
        assert_eq!(read("t", text), Ok(json!({ "a": 1 })));
        assert_eq!(read("t", json!({ "a": 1 })), Ok(json!({ "a": 1 })));
        let told =
            McpError::Tool { tool: "t".to_owned(), code: "not_found".to_owned(), detail: "no".to_owned() };
        assert_eq!(read("t", failed), Err(told));
    }

    #[test]
    fn only_the_answer_to_a_request_is_taken_for_it() {
        assert!(answer_to(2, &json!({ "id": 1, "result": {} })).is_none());
        assert!(answer_to(2, &json!({ "id": 2, "method": "ping" })).is_none());
        assert_eq!(answer_to(2, &json!({ "id": 2, "result": 5 })), Some(Ok(json!(5))));
        assert!(matches!(answer_to(2, &json!({ "id": 2, "error": { "code": -32601 } })), Some(Err(_))));
    }
}
