//! An error as a person or a script sees it: what, on what, and what next.

use std::io::Write;
use std::process::ExitCode;

use clap::error::ErrorKind;
use serde_json::json;

use crate::account::AccountError;
use crate::cli::output;
use crate::config::ConfigError;
use crate::index::IndexError;
use crate::query::QueryError;
use crate::source::files::FileError;
use crate::store::StoreError;
use crate::sync::SyncError;
use crate::text_safety::one_line;

/// Why a command failed.
#[derive(Debug)]
pub(super) struct Failure {
    code: &'static str,
    message: String,
    hint: Option<String>,
    /// The reader of our output has gone: nothing to say, nobody to say it to.
    silent: bool,
}

impl Failure {
    /// A failure that no part of the library knows about.
    pub(super) fn new(code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: Some(hint.into()), silent: false }
    }

    /// The same failure with another hint, made from the one there is.
    pub(super) fn with_hint(self, change: impl FnOnce(&str) -> String) -> Self {
        let hint = change(self.hint.as_deref().unwrap_or_default());
        Self { hint: Some(hint), ..self }
    }

    /// What is wrong, without the hint.
    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// The failure for scripts.
    pub(super) fn as_json(&self) -> serde_json::Value {
        json!({"code": self.code, "message": self.message, "hint": self.hint})
    }

    /// Prints the failure: to standard error as text, or to standard output as JSON.
    pub(super) fn report(&self, json: bool) -> ExitCode {
        if self.silent {
            return ExitCode::SUCCESS;
        }
        if json {
            let error = json!({"error": self.as_json()});
            let _ = writeln!(std::io::stdout(), "{error}");
        } else {
            Self::tell(&self.message, self.hint.as_deref());
        }
        ExitCode::FAILURE
    }

    /// Tells a person what is wrong and what to do about it.
    pub(super) fn tell(message: &str, hint: Option<&str>) {
        let red = anstyle::AnsiColor::Red.on_default();
        output::tell(&format!("{red}error{red:#}: {}", one_line(message)));
        if let Some(hint) = hint {
            output::tell(&format!("hint: {}", one_line(hint)));
        }
    }
}

/// Prints what clap found wrong, or the help that was asked for.
pub(super) fn usage(error: &clap::Error) -> ExitCode {
    let asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if !asked_for && std::env::args_os().any(|argument| argument == "--json") {
        let message = one_line(error.to_string().trim_start_matches("error: "));
        let error = json!({"error": {"code": "usage", "message": message, "hint": "see `mailkeep --help`"}});
        let _ = writeln!(std::io::stdout(), "{error}");
    } else {
        let _ = error.print();
    }
    if asked_for { ExitCode::SUCCESS } else { ExitCode::from(2) }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        let silent = error.kind() == std::io::ErrorKind::BrokenPipe;
        Self { code: "output", message: format!("cannot write: {error}"), hint: None, silent }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::new(error.code(), error.to_string(), error.hint())
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::new(
            "bad_config",
            error.to_string(),
            "correct the file, or name another one with `--config FILE`",
        )
    }
}

/// Stands for the address in a hint about no particular account.
const ANY_ADDRESS: &str = "ADDRESS";

impl From<AccountError> for Failure {
    fn from(error: AccountError) -> Self {
        Self::new(error.code(), error.to_string(), error.hint(ANY_ADDRESS))
    }
}

impl From<IndexError> for Failure {
    fn from(error: IndexError) -> Self {
        Self::new(error.code(), error.to_string(), error.hint())
    }
}

impl From<SyncError> for Failure {
    fn from(error: SyncError) -> Self {
        Self::new(error.code(), error.to_string(), error.hint(ANY_ADDRESS))
    }
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        Self { code: error.code(), message: error.to_string(), hint: error.hint(), silent: false }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self { code: error.code(), message: error.to_string(), hint: error.hint(), silent: false }
    }
}
