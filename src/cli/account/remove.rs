//! `mailkeep account remove`: forgets servers and secrets. Mail stays.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::cli::account::{find, tokens};
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::store::Store;

/// Forget an account's servers, password and tokens; its mail stays
#[derive(Args)]
#[command(after_help = "Example: mailkeep account remove ada@example.org")]
pub(super) struct Arguments {
    /// The account's address
    address: String,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let key = find(context, &arguments.address)?;
    let tokens = tokens(context, Duration::from_secs(30), &Arc::default());
    tokens.forget(&arguments.address)?;
    tokens.secrets().remove(&arguments.address)?;
    let mut store = Store::open(&context.home.store())?;
    let batch = store.begin()?;
    batch.leave_servers(key)?;
    batch.commit()?;
    if context.output.is_json() {
        context.output.json(&json!({"address": arguments.address, "removed": true}))?;
    } else {
        context.output.line(format!("{} is no longer synced; its mail stays", arguments.address))?;
    }
    Ok(ExitCode::SUCCESS)
}
