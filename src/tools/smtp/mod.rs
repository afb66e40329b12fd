//! The tools of a server that only sends: `send-email`, `get-email-status`, `validate-email`, as their document has them.
//! The same three are reached over HTTP without MCP. Errors have that document's own shape.

mod get_email_status;
mod send_email;
mod typo;
mod validate_email;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::tools::{Tool, ToolError};

pub(super) use send_email::told;

/// The tools, in the order they are listed.
pub(super) const TOOLS: &[&Tool] =
    &[&send_email::SEND_EMAIL, &get_email_status::GET_EMAIL_STATUS, &validate_email::VALIDATE_EMAIL];

/// A time as this document writes them: UTC, to the millisecond.
pub(super) fn timestamp(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// An error in this document's shape.
#[must_use]
pub fn error_object(error: &ToolError, now: Timestamp) -> Value {
    let hint = error.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
    let mut object = json!({
        "success": false,
        "error": format!("{}{hint}", error.message),
        "errorCode": error.kind.documented_code(),
        "timestamp": timestamp(now),
        "retryable": error.kind.is_retryable(),
    });
    for name in ["retryAfter", "status", "duplicate_of"] {
        if let Some(value) = error.details.as_ref().and_then(|details| details.get(name)) {
            object[name] = value.clone();
        }
    }
    object
}
