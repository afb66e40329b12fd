//! `mailkeep count`: how many messages match.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;
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
        context
            .output
            .note(&format!("{} messages are not indexed yet and may be missing here", archive.waiting()));
    }
    if context.output.is_json() {
        context.output.json(&json!({ "count": count }))?;
    } else {
        context.output.line(counted(i64::try_from(count).unwrap_or(i64::MAX), "message"))?;
    }
    Ok(ExitCode::SUCCESS)
}
