//! Why a tool could not do it, once, with every name the outside knows it by: the taxonomy of the error results,
//! the JSON-RPC code, the word of the REST interface.

use std::fmt;

use serde_json::{Value, json};

use crate::drafts::DraftError;
use crate::labels::LabelError;
use crate::model::Fault;
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

impl ErrorKind {
    /// What a kind of fault of the library is called here.
    const fn of(fault: Fault) -> Self {
        match fault {
            Fault::Mistaken => Self::InvalidParameter,
            Fault::Unknown | Fault::NoStore => Self::NotFound,
            Fault::Forbidden => Self::PermissionDenied,
            Fault::SignIn => Self::AuthRequired,
            Fault::TooOften => Self::RateLimited,
            Fault::Passing => Self::Unavailable,
            Fault::OlderStore | Fault::NewerStore => Self::SchemaMismatch,
            Fault::Unreadable => Self::Unreadable,
            Fault::Internal => Self::Internal,
        }
    }
}

impl ToolError {
    /// An error of the library.
    fn of(fault: Fault, code: &'static str, message: &impl fmt::Display) -> Self {
        let mismatch = |cure| {
            Self::new(ErrorKind::SchemaMismatch, format!("Database schema version mismatch. {cure}"))
                .with_details(json!({ "reason": message.to_string() }))
        };
        match fault {
            Fault::NoStore => Self::database_missing(),
            Fault::OlderStore => mismatch("Please launch the mailkeep app to update the database."),
            Fault::NewerStore => mismatch("Please update mailkeep app to the latest version."),
            fault => {
                Self::new(ErrorKind::of(fault), message.to_string()).with_details(json!({ "code": code }))
            }
        }
    }

    /// Adds what to do next, unless that is said already.
    fn or_hint(self, hint: Option<String>) -> Self {
        let hint = self.hint.clone().or(hint);
        Self { hint, ..self }
    }
}

impl From<QueryError> for ToolError {
    fn from(error: QueryError) -> Self {
        Self::of(error.fault(), error.code(), &error).or_hint(error.hint())
    }
}

impl From<DraftError> for ToolError {
    fn from(error: DraftError) -> Self {
        Self::of(error.fault(), error.code(), &error).or_hint(Some(error.hint()))
    }
}

impl From<OutboxError> for ToolError {
    fn from(error: OutboxError) -> Self {
        let told = Self::of(error.fault(), error.code(), &error).or_hint(Some(error.hint()));
        match error {
            OutboxError::RateLimited { retry_after, limit, .. } => told.with_details(
                json!({ "code": "rate_limited", "retryAfter": retry_after.to_string(), "limit": limit }),
            ),
            OutboxError::Unfit { field, .. } => {
                told.with_details(json!({ "code": "unfit", "parameter": field }))
            }
            _ => told,
        }
    }
}

impl From<VaultError> for ToolError {
    fn from(error: VaultError) -> Self {
        let told = Self::of(error.fault(), error.code(), &error).or_hint(Some(error.hint().to_owned()));
        match error {
            VaultError::Unreadable { path, line, .. } => {
                told.with_details(json!({ "code": "parse_error", "path": path, "line": line }))
            }
            _ => told,
        }
    }
}

impl From<LabelError> for ToolError {
    fn from(error: LabelError) -> Self {
        Self::of(error.fault(), error.code(), &error).or_hint(Some(error.hint()))
    }
}

#[cfg(test)]
mod tests {
    use super::{ErrorKind, Fault, ToolError};

    #[test]
    fn a_word_that_is_wrong_is_not_called_unreadable_data() {
        assert_eq!(ErrorKind::InvalidParameter.name(), "invalid_request");
        assert_eq!(ErrorKind::Unreadable.name(), "parse_error");
    }

    #[test]
    fn each_kind_of_schema_mismatch_names_what_helps() {
        let message = |fault| ToolError::of(fault, "schema", &"").message;

        assert!(message(Fault::OlderStore).ends_with("launch the mailkeep app to update the database."));
        assert!(message(Fault::NewerStore).ends_with("update mailkeep app to the latest version."));
    }

    #[test]
    fn each_fault_of_the_library_has_its_word() {
        let name = |fault| ErrorKind::of(fault).name();

        assert_eq!(name(Fault::Mistaken), "invalid_request");
        assert_eq!(name(Fault::Unknown), "not_found");
        assert_eq!(name(Fault::Forbidden), "permission_denied");
        assert_eq!(name(Fault::SignIn), "auth_required");
        assert_eq!(name(Fault::TooOften), "rate_limited");
        assert_eq!(name(Fault::Passing), "mcp_unavailable");
        assert_eq!(name(Fault::Unreadable), "parse_error");
        assert_eq!(name(Fault::Internal), "internal_error");
    }

    #[test]
    fn a_missing_store_keeps_the_words_of_the_document_and_its_own_hint() {
        let error = ToolError::of(Fault::NoStore, "store_missing", &"gone").or_hint(Some("other".to_owned()));

        assert_eq!(error.kind, ErrorKind::NotFound);
        assert!(error.message.contains("database not found"), "{error}");
        assert!(error.hint.expect("a hint").contains("mailkeep import"));
    }
}
