//! What `sync --watch` says about itself: that it watches, that it has lost a server and why, that it is back. Each once,
//! however often it tries.

use std::collections::BTreeMap;

use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::sync::{AccountReport, SyncError};
use crate::text_safety::one_line;

/// What was last said about each account.
#[derive(Default)]
pub(super) struct WatchLog {
    said: BTreeMap<String, Said>,
}

#[derive(Clone, PartialEq)]
enum Said {
    Watching,
    Lost { error: String, for_good: bool },
}

impl WatchLog {
    /// Says what a pass has changed.
    pub(super) fn tell(&mut self, report: &AccountReport, context: &mut Context) -> Result<(), Failure> {
        let now = match &report.error {
            None => Said::Watching,
            Some(error) if error.is_stopped() => return Ok(()),
            Some(error) => Said::Lost { error: error.to_string(), for_good: is_final(error) },
        };
        let before = self.said.insert(report.address.clone(), now.clone());
        if before.as_ref() == Some(&now) {
            return Ok(());
        }
        let address = one_line(&report.address);
        match &report.error {
            Some(error) => lost(&address, error, context),
            None if before.is_none() => {
                say("watching", &address, "watching for news; Ctrl-C ends it", context)
            }
            None => say("back", &address, "the server is back, watching for news", context),
        }
    }

    /// Whether some account is not watched any more.
    pub(super) fn has_given_up(&self) -> bool {
        self.said.values().any(|said| matches!(said, Said::Lost { for_good: true, .. }))
    }
}

/// Whether nobody tries again.
fn is_final(error: &SyncError) -> bool {
    !(error.can_retry() || error.is_rate_limited() || error.is_busy())
}

fn say(event: &str, address: &str, words: &str, context: &mut Context) -> Result<(), Failure> {
    let out = &mut context.output;
    if out.is_json() {
        return Ok(out.json(&json!({ "event": event, "address": address }))?);
    }
    Ok(out.line(format!("{address}: {words}"))?)
}

fn lost(address: &str, error: &SyncError, context: &mut Context) -> Result<(), Failure> {
    let hint = error.hint(address);
    let event = match error {
        SyncError::Busy { .. } => "waiting",
        _ if is_final(error) => "ended",
        _ => "lost",
    };
    if context.output.is_json() {
        let error = json!({ "code": error.code(), "message": error.to_string(), "hint": hint });
        return Ok(context.output.json(&json!({ "event": event, "address": address, "error": error }))?);
    }
    let words = match event {
        "waiting" => "waits for it to end",
        "ended" => "not watched any more",
        _ => "lost the server, trying again",
    };
    context.output.line(format!("{address}: {words}"))?;
    Failure::tell(&error.to_string(), Some(&hint));
    Ok(())
}
