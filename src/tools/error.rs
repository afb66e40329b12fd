//! Why a tool could not do it, once, with every name the outside knows it by: the taxonomy of the error results,
//! the JSON-RPC code, the word of the REST interface.

use serde_json::{Value, json};

use crate::drafts::DraftError;
use crate::labels::LabelError;
use crate::outbox::propose::OutboxError;
use crate::query::QueryError;
use crate::vault::VaultError;

/// What kind of error it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// An argument is missing or wrong.
    InvalidParameter,
    /// There is no such thing.
    NotFound,
    /// No account was named, or there is none.
    AccountRequired,
    /// The person has to sign in first.
    AuthRequired,
    /// The store was written by another version.
    SchemaMismatch,
    /// Too many calls.
    RateLimited,
    /// Not allowed, whoever asks.
    PermissionDenied,
    /// The server that takes mail refused it.
    SendFailed,
    /// It may have left, and nobody can say: the same call again could be a second one.
    OutcomeUnknown,
    /// It took too long.
    Timeout,
    /// It could not be done now and may work later.
    Unavailable,
    /// What is kept cannot be read.
    Unreadable,
    /// Something that should not happen.
    Internal,
}

impl ErrorKind {
    /// The name in error results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InvalidParameter | Self::AccountRequired => "invalid_request",
            Self::NotFound => "not_found",
            Self::AuthRequired => "auth_required",
            Self::RateLimited => "rate_limited",
            Self::PermissionDenied => "permission_denied",
            Self::SendFailed | Self::OutcomeUnknown => "send_failed",
            Self::Timeout | Self::Unavailable | Self::SchemaMismatch => "mcp_unavailable",
            Self::Unreadable => "parse_error",
            Self::Internal => "internal_error",
        }
    }

    /// The code in JSON-RPC errors.
    #[must_use]
    pub const fn code(self) -> i64 {
        match self {
            Self::InvalidParameter => -32602,
            Self::NotFound => -32001,
            Self::AccountRequired | Self::AuthRequired => -32002,
            Self::SchemaMismatch => -32003,
            Self::RateLimited => -32029,
            Self::Timeout | Self::Unavailable => -32000,
            Self::PermissionDenied => -32004,
            Self::SendFailed | Self::OutcomeUnknown => -32005,
            Self::Unreadable | Self::Internal => -32603,
        }
    }

    /// The code of the REST interface.
    #[must_use]
    pub const fn error_code(self) -> &'static str {
        match self {
            Self::InvalidParameter | Self::AccountRequired => "INVALID_REQUEST",
            Self::NotFound => "NOT_FOUND",
            Self::AuthRequired => "AUTH_FAILED",
            Self::SendFailed | Self::OutcomeUnknown => "SMTP_ERROR",
            Self::RateLimited => "RATE_LIMIT_EXCEEDED",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::Timeout => "TIMEOUT",
            Self::Unavailable => "NETWORK_ERROR",
            Self::SchemaMismatch | Self::Unreadable | Self::Internal => "INTERNAL_ERROR",
        }
    }

    /// The code among those six that the document of the REST interface has.
    #[must_use]
    pub const fn documented_code(self) -> &'static str {
        match self {
            Self::NotFound | Self::PermissionDenied => "INVALID_REQUEST",
            Self::Timeout => "NETWORK_ERROR",
            other => other.error_code(),
        }
    }

    /// Whether the same call may work later.
    #[must_use]
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::RateLimited | Self::Timeout | Self::Unavailable | Self::SendFailed)
    }
}

/// An error of a tool.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// What kind it is.
    pub kind: ErrorKind,
    /// What went wrong, and on what.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    /// More, for programs.
    pub details: Option<Value>,
}

impl ToolError {
    /// An error of this kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None, details: None }
    }

    /// An argument is missing or wrong.
    pub fn invalid(field: &str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidParameter, message).with_details(json!({ "field": field }))
    }

    /// There is no such thing.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// No account was named.
    #[must_use]
    pub fn account_required() -> Self {
        Self::new(ErrorKind::AccountRequired, "No account specified. Pass `account`, the address of one.")
    }

    /// The home has no store yet.
    #[must_use]
    pub fn database_missing() -> Self {
        let message =
            "mailkeep database not found. Please launch the mailkeep app first to set up your accounts.";
        Self::not_found(message).with_hint(
            "the user runs `mailkeep import PATH --account ADDRESS` in a terminal, or `mailkeep demo` to try it",
        )
    }

    /// The file that the server was started for is not there.
    #[must_use]
    pub fn no_such_database(file: &std::path::Path) -> Self {
        let file = crate::text_safety::one_line(&file.display().to_string());
        Self::not_found(format!("there is no database `{file}`")).with_hint(
            "the user checks --database and MAILKEEP_SQLITE_DB; without them the mail.db of the home is read",
        )
    }

    /// The store has no account yet.
    #[must_use]
    pub fn no_accounts() -> Self {
        Self::new(ErrorKind::AccountRequired, "No accounts configured")
            .with_hint("the user runs `mailkeep import PATH --account ADDRESS` in a terminal")
    }

    /// The account was never signed in, or its sign-in is refused, and no mail of it is here.
    #[must_use]
    pub fn authentication_required(address: &str) -> Self {
        let message = "Authentication required. Please open mailkeep and sign in to your account.";
        Self::new(ErrorKind::AuthRequired, message)
            .with_hint(format!("the user runs `mailkeep account login {address}`, then `mailkeep sync`"))
            .with_details(json!({ "account": address }))
    }

    /// Adds what to do next.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds more for programs.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// What programs are told beside the message: hint and details in one object.
    #[must_use]
    pub fn data(&self) -> Option<Value> {
        let mut data = match &self.details {
            Some(Value::Object(details)) => details.clone(),
            Some(other) => serde_json::Map::from_iter([("details".to_owned(), other.clone())]),
            None => serde_json::Map::new(),
        };
        if let Some(hint) = &self.hint {
            data.insert("hint".to_owned(), json!(hint));
        }
        (!data.is_empty()).then_some(Value::Object(data))
    }
}

impl ToolError {
    /// An error of the library, told by its code.
    fn of(code: &'static str, message: String, hint: Option<String>) -> Self {
        let kind = match code {
            "store_missing" => return Self::database_missing(),
            "schema_newer" | "schema_older" => ErrorKind::SchemaMismatch,
            "store_busy" | "draft_changed" | "item_changed" | "endpoint_failed" => ErrorKind::Unavailable,
            "rate_limited" => ErrorKind::RateLimited,
            "forbidden" => ErrorKind::PermissionDenied,
            "content_damaged" => ErrorKind::Unreadable,
            "store_damaged" | "store_error" | "disk_full" | "store_read_only" | "file_error"
            | "vectors_damaged" | "other_model" | "model_unusable" => ErrorKind::Internal,
            code if code.starts_with("index_") => ErrorKind::Internal,
            code if code.starts_with("unknown_") || code == "not_in_account" => ErrorKind::NotFound,
            _ => ErrorKind::InvalidParameter,
        };
        let error = match kind {
            ErrorKind::SchemaMismatch => {
                let cure = if code == "schema_older" {
                    "Please launch the mailkeep app to update the database."
                } else {
                    "Please update mailkeep app to the latest version."
                };
                Self::new(kind, format!("Database schema version mismatch. {cure}"))
                    .with_details(json!({ "reason": message }))
            }
            kind => Self::new(kind, message).with_details(json!({ "code": code })),
        };
        match hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }
}

impl From<QueryError> for ToolError {
    fn from(error: QueryError) -> Self {
        Self::of(error.code(), error.to_string(), error.hint())
    }
}

impl From<DraftError> for ToolError {
    fn from(error: DraftError) -> Self {
        Self::of(error.code(), error.to_string(), Some(error.hint()))
    }
}

impl From<OutboxError> for ToolError {
    fn from(error: OutboxError) -> Self {
        let told = Self::of(error.code(), error.to_string(), Some(error.hint()));
        match error {
            OutboxError::RateLimited { retry_after, limit, .. } => told.with_details(
                json!({ "code": "rate_limited", "retryAfter": retry_after.to_string(), "limit": limit }),
            ),
            OutboxError::NoAccess { .. } => Self { kind: ErrorKind::AuthRequired, ..told },
            OutboxError::Unfit { field, .. } => {
                told.with_details(json!({ "code": "unfit", "parameter": field }))
            }
            _ => told,
        }
    }
}

impl From<VaultError> for ToolError {
    fn from(error: VaultError) -> Self {
        let kind = match error.code() {
            // The document has no word of its own for a name that is taken.
            "permission_denied" | "already_exists" => ErrorKind::PermissionDenied,
            "not_found" | "vault_missing" => ErrorKind::NotFound,
            "parse_error" => ErrorKind::Unreadable,
            "note_changed" => ErrorKind::Unavailable,
            "io" | "disk_full" => ErrorKind::Internal,
            _ => ErrorKind::InvalidParameter,
        };
        let mut details = json!({ "code": error.code() });
        if let VaultError::Unreadable { path, line, .. } = &error {
            details["path"] = json!(path);
            details["line"] = json!(line);
        }
        Self::new(kind, error.to_string()).with_hint(error.hint()).with_details(details)
    }
}

impl From<LabelError> for ToolError {
    fn from(error: LabelError) -> Self {
        Self::of(error.code(), error.to_string(), Some(error.hint()))
    }
}

#[cfg(test)]
mod tests {
    use super::{ErrorKind, ToolError};

    #[test]
    fn a_word_that_is_wrong_is_not_called_unreadable_data() {
        assert_eq!(ErrorKind::InvalidParameter.name(), "invalid_request");
        assert_eq!(ErrorKind::Unreadable.name(), "parse_error");
    }

    #[test]
    fn each_kind_of_schema_mismatch_names_what_helps() {
        let message = |code| ToolError::of(code, String::new(), None).message;

        assert!(message("schema_older").ends_with("launch the mailkeep app to update the database."));
        assert!(message("schema_newer").ends_with("update mailkeep app to the latest version."));
    }

    #[test]
    fn an_error_of_the_library_finds_its_kind_by_its_code() {
        let kind = |code| ToolError::of(code, String::new(), None).kind;

        assert_eq!(kind("bad_query"), ErrorKind::InvalidParameter);
        assert_eq!(kind("unknown_label"), ErrorKind::NotFound);
        assert_eq!(kind("store_busy"), ErrorKind::Unavailable);
        assert_eq!(kind("schema_older"), ErrorKind::SchemaMismatch);
        assert_eq!(kind("disk_full"), ErrorKind::Internal);
        assert_eq!(kind("content_damaged"), ErrorKind::Unreadable);
        assert!(ToolError::of("store_missing", String::new(), None).message.contains("database not found"));
    }
}
