//! `mailkeep account remove`: forgets servers and secrets. Mail stays.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::account::{find, secrets};
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::store::Store;

/// Forget an account's servers and password; its mail stays
#[derive(Args)]
#[command(after_help = "Example: mailkeep account remove ada@example.org")]
pub(super) struct Arguments {
    /// The account's address
    address: String,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let key = find(context, &arguments.address)?;
    secrets(context).remove(&arguments.address)?;
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
