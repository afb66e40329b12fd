//! Lines that other programs want to read, in the shapes that their documents give: before a message goes out, after it,
//! and for each call of a tool. Dates in file names are UTC. What cannot be written is an error for who called.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::audit::preview;
use crate::model::SendRecords;
use crate::text_safety::one_line;

/// Characters of a text that the line before a send keeps.
const BEFORE: usize = 200;
/// Characters of anything that a line about a call keeps.
const CALL: usize = 50;

/// A message that is about to go out.
pub struct PreSend<'a> {
    /// When.
    pub at: Timestamp,
    /// Everybody who gets it.
    pub to: &'a [&'a str],
    /// Its subject.
    pub subject: &'a str,
    /// Its text.
    pub body: &'a str,
    /// The message it answers, as the caller named it.
    pub reply_to_message_id: Option<&'a str>,
}

/// An attempt that is over.
pub struct SendLine<'a> {
    /// When.
    pub at: Timestamp,
    /// Everybody who gets it.
    pub to: &'a [&'a str],
    /// Its subject.
    pub subject: &'a str,
    /// What the caller calls the approval: the item's id.
    pub approval_request_id: &'a str,
    /// Its Message-ID.
    pub message_id: &'a str,
    /// `success`, `failure`, `unknown`.
    pub result: &'a str,
    /// How long it took.
    pub execution_time_ms: i64,
    /// Attempts before this one.
    pub retry_count: usize,
    /// What went wrong.
    pub error: Option<&'a str>,
}

/// A call of a tool.
pub struct ActionLine<'a> {
    /// When.
    pub at: Timestamp,
    /// Which tool.
    pub tool: &'a str,
    /// What it was called with.
    pub arguments: &'a Value,
    /// Whether it went well.
    pub is_error: bool,
    /// How long it took.
    pub execution_time_ms: i64,
}

/// A call of another server's tool that gave nothing.
pub struct FallbackLine<'a> {
    /// When.
    pub at: Timestamp,
    /// The server's name.
    pub server: &'a str,
    /// Which tool.
    pub tool: &'a str,
    /// The word for what went wrong.
    pub error: &'a str,
    /// The same for people.
    pub message: &'a str,
    /// Whether something else was done instead.
    pub has_fallback: bool,
}

/// Writes a line about a call that gave nothing below the vault.
pub fn note_fallback(vault: &Path, line: &FallbackLine<'_>) -> io::Result<()> {
    let value = json!({
        "event": "mcp_fallback",
        "timestamp": milliseconds(line.at),
        "server": line.server,
        "tool": line.tool,
        "error": line.error,
        "message": preview(line.message, BEFORE),
        "fallback": line.has_fallback,
        "severity": "ERROR",
    });
    append(&day_file(&vault.join("Logs"), "orchestrator_", line.at), &value)
}

/// Whether lines can be added to a file, which is made with the first of them.
pub fn check_log(path: &Path) -> io::Result<()> {
    open(path).map(drop)
}

/// Writes the line before a send where it is asked for, and looks whether the one after can be written. Who cannot does not
/// send.
pub fn write_before(records: &SendRecords, line: &PreSend<'_>) -> io::Result<()> {
    records.log_file.as_deref().map_or(Ok(()), check_log)?;
    let Some(vault) = &records.vault else { return Ok(()) };
    let value = json!({
        "event": "pre_send_audit",
        "timestamp": line.at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        "to": line.to.join(", "),
        "subject": one_line(line.subject),
        "body_preview": preview(line.body, BEFORE),
        "reply_to_message_id": line.reply_to_message_id,
        "severity": "INFO",
    });
    append(&day_file(&vault.join("Logs"), "gmail_mcp_", line.at), &value)
}

/// Writes the line after an attempt where it is asked for.
pub fn write_after(records: &SendRecords, line: &SendLine<'_>) -> io::Result<()> {
    let Some(file) = &records.log_file else { return Ok(()) };
    let value = json!({
        "timestamp": milliseconds(line.at),
        "action_type": "email_send",
        "actor": "mcp_server",
        "target": line.to.join(", "),
        "parameters": {
            "subject": one_line(line.subject),
            "approval_request_id": line.approval_request_id,
            "messageId": line.message_id,
        },
        "result": line.result,
        "execution_time_ms": line.execution_time_ms,
        "retry_count": line.retry_count,
        "error": line.error.map(|error| preview(error, BEFORE)),
    });
    append(file, &value)
}

/// Writes a line about a call of a tool below the vault.
pub fn note_action(vault: &Path, line: &ActionLine<'_>) -> io::Result<()> {
    let value = json!({
        "timestamp": milliseconds(line.at),
        "tool": line.tool,
        "arguments": sanitised(line.arguments),
        "result": if line.is_error { "error" } else { "success" },
        "execution_time_ms": line.execution_time_ms,
    });
    append(&day_file(&vault.join("Logs").join("MCP_Actions"), "", line.at), &value)
}

/// The same value with the first characters of each text.
fn sanitised(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(preview(text, CALL)),
        Value::Array(items) => items.iter().map(sanitised).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (preview(name, CALL), sanitised(value))).collect()
        }
        other => other.clone(),
    }
}

fn milliseconds(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

fn day_file(directory: &Path, before: &str, at: Timestamp) -> PathBuf {
    directory.join(format!("{before}{}.jsonl", at.strftime("%Y-%m-%d")))
}

/// Adds a whole line with one write, so that lines of several processes do not mix; on the disk when this returns.
fn append(path: &Path, value: &Value) -> io::Result<()> {
    let mut file = open(path)?;
    file.write_all(format!("{value}\n").as_bytes())?;
    file.sync_data()
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    OpenOptions::new().append(true).create(true).open(path)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ActionLine, PreSend, SendLine, note_action, write_after, write_before};
    use crate::model::SendRecords;

    fn lines(path: &std::path::Path) -> Vec<Value> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn lines_have_exactly_the_keys_of_their_documents() {
        let vault = tempfile::tempdir().unwrap();
        let at = jiff::Timestamp::from_millisecond(1_771_932_645_123).unwrap();
        let log_file = vault.path().join("sub/mail.log");
        let records = SendRecords { vault: Some(vault.path().to_owned()), log_file: Some(log_file.clone()) };
        let body = "token=abcdefgh ".to_owned() + &"x ".repeat(300);
        let before = PreSend {
            at,
            to: &["bob@x.example", "eve@x.example"],
            subject: "Hi",
            body: &body,
            reply_to_message_id: None,
        };
        write_before(&records, &before).unwrap();
        let after = SendLine {
            at,
            to: &["bob@x.example"],
            subject: "Hi",
            approval_request_id: "d1",
            message_id: "a@x.example",
            result: "success",
            execution_time_ms: 12,
            retry_count: 0,
            error: None,
        };
        write_after(&records, &after).unwrap();
        let arguments = json!({ "body": "y".repeat(80), "n": 3, "to": ["bob@x.example"] });
        let call = ActionLine {
            at,
            tool: "send_email",
            arguments: &arguments,
            is_error: false,
            execution_time_ms: 2,
        };
        note_action(vault.path(), &call).unwrap();

        let before = &lines(&vault.path().join("Logs/gmail_mcp_2026-02-24.jsonl"))[0];
        let preview = before["body_preview"].as_str().unwrap();
        assert_eq!(preview.chars().count(), 200);
        assert!(!preview.contains("abcdefgh"));
        assert_eq!(before["timestamp"], "2026-02-24T11:30:45Z");
        assert_eq!(before["to"], "bob@x.example, eve@x.example");
        let keys: Vec<_> = before.as_object().unwrap().keys().cloned().collect();
        let wanted =
            ["body_preview", "event", "reply_to_message_id", "severity", "subject", "timestamp", "to"];
        assert_eq!(keys, wanted);
        assert!(before["reply_to_message_id"].is_null());
        assert_eq!(
            lines(&log_file)[0],
            json!({
                "timestamp": "2026-02-24T11:30:45.123Z", "action_type": "email_send", "actor": "mcp_server",
                "target": "bob@x.example",
                "parameters": { "subject": "Hi", "approval_request_id": "d1", "messageId": "a@x.example" },
                "result": "success", "execution_time_ms": 12, "retry_count": 0, "error": null,
            })
        );
        let call = &lines(&vault.path().join("Logs/MCP_Actions/2026-02-24.jsonl"))[0];
        assert!(call["arguments"]["body"].as_str().unwrap().chars().count() <= 50);
        assert_eq!(call["arguments"]["n"], 3);
    }

    #[test]
    fn a_line_that_cannot_be_written_is_an_error() {
        let vault = tempfile::tempdir().unwrap();
        std::fs::write(vault.path().join("Logs"), "in the way").unwrap();
        let records = SendRecords { vault: Some(vault.path().to_owned()), log_file: None };
        let at = jiff::Timestamp::UNIX_EPOCH;
        let line = PreSend { at, to: &[], subject: "", body: "", reply_to_message_id: None };

        assert!(write_before(&records, &line).is_err());
        assert!(write_before(&SendRecords::default(), &line).is_ok());
    }
}
