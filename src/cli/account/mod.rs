//! `mailkeep account`: which accounts there are, and how they reach their servers.

mod add;
mod check;
mod list;
mod login;
mod password;
mod remove;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::{Args, Subcommand};

use crate::account::{AccountError, Secrets, Tokens};
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::model::{AccountKey, AccountSettings, IoLimits};
use crate::store::{Reader, StoreError};

/// Add, list, check and remove accounts
#[derive(Args)]
#[command(after_help = "Example: mailkeep account add ada@example.org --imap imap.example.org:993")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Add(add::Arguments),
    List(list::Arguments),
    Check(check::Arguments),
    Login(login::Arguments),
    Remove(remove::Arguments),
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    match &arguments.command {
        Command::Add(arguments) => add::run(arguments, context),
        Command::List(_) => list::run(context),
        Command::Check(arguments) => check::run(arguments, context),
        Command::Login(arguments) => login::run(arguments, context),
        Command::Remove(arguments) => remove::run(arguments, context),
    }
}

/// The secrets of this home.
pub(super) fn secrets(context: &Context) -> Secrets {
    Secrets::at(context.home.secrets(), context.config.secrets.store)
}

/// What gives accounts their passwords and tokens; a wait for others ends after this silence, or on `stop`.
pub(super) fn tokens(context: &Context, silence: Duration, stop: &Arc<AtomicBool>) -> Tokens {
    let limits = IoLimits { silence, stop: Arc::clone(stop) };
    Tokens::new(secrets(context), context.config.oauth.clone(), context.clock.clone(), limits)
}

/// The account with this address, which must be there.
fn find(context: &Context, address: &str) -> Result<AccountKey, Failure> {
    let unknown = || AccountError::Unknown { address: address.to_owned() };
    let reader = match Reader::open(&context.home.store()) {
        Err(StoreError::Missing { .. }) => return Err(unknown().into()),
        other => other?,
    };
    Ok(reader.account(address)?.ok_or_else(unknown)?)
}

/// The account with this address and its settings, which must be on a server.
fn on_server(context: &Context, address: &str) -> Result<(AccountKey, AccountSettings), Failure> {
    let key = find(context, address)?;
    let settings = Reader::open(&context.home.store())?.account_settings(key)?;
    Ok((key, settings.ok_or_else(|| AccountError::NoServer { address: address.to_owned() })?))
}
