//! `mailkeep count`: how many messages match.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::{counted, counted_are};
use crate::cli::query_words::joined;

/// Count the messages that match a query
#[derive(Args)]
#[command(after_help = "Example: mailkeep count is:unread newer_than:7d")]
pub(super) struct Arguments {
    /// Query, as for `search`
    query: Vec<String>,

    /// Only this account
    #[arg(long, value_name = "ADDRESS")]
    account: Option<String>,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let mut archive = context.archive()?;
    let (query, account) = (joined(&arguments.query), arguments.account.as_deref());
    let count = archive.count(&query, account)?;
    archive.remarks(&query, account, count)?.iter().for_each(|note| context.output.note(note));
    if archive.waiting() > 0 {
        let waiting = counted_are(archive.waiting(), "message");
        context.output.note(&format!("{waiting} not indexed yet and may be missing here"));
    }
    if context.output.is_json() {
        context.output.json(&json!({ "count": count }))?;
    } else {
        context.output.line(counted(count, "message"))?;
    }
    Ok(ExitCode::SUCCESS)
}
