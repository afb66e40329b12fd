//! `mailkeep account login`: a new password for an account.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::account::{on_server, password, secrets};
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::store::Store;

/// Sign in to an account's server
#[derive(Args)]
#[command(after_help = "Example: mailkeep account login ada@example.org")]
pub(super) struct Arguments {
    /// The account's address
    address: String,

    /// Read the password from standard input
    #[arg(long)]
    password_stdin: bool,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let (key, _) = on_server(context, &arguments.address)?;
    let password = password::read(&arguments.address, arguments.password_stdin)?.ok_or_else(|| {
        Failure::new("no_password", "there is no terminal to ask on", "pipe it in with `--password-stdin`")
    })?;
    secrets(context).set(&arguments.address, &password)?;
    let mut store = Store::open(&context.home.store())?;
    let batch = store.begin()?;
    batch.note_sync(key, None)?;
    batch.commit()?;
    if context.output.is_json() {
        context.output.json(&json!({"address": arguments.address, "signed_in": true}))?;
    } else {
        context.output.line(format!("password kept; next: mailkeep account check {}", arguments.address))?;
    }
    Ok(ExitCode::SUCCESS)
}
