//! `mailkeep account`: which accounts there are, and how they reach their servers.

mod add;
mod check;
mod list;
mod login;
mod password;
mod remove;
mod set;

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
use crate::sync::{AccountLock, hold_account};

/// Add, list, check, set up and remove accounts
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
    Set(set::Arguments),
    Remove(remove::Arguments),
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    match &arguments.command {
        Command::Add(arguments) => add::run(arguments, context),
        Command::List(_) => list::run(context),
        Command::Check(arguments) => check::run(arguments, context),
        Command::Login(arguments) => login::run(arguments, context),
        Command::Set(arguments) => set::run(arguments, context),
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

/// Keeps syncs of an account away while it is changed: one that is running would go on with the old server, and take
/// what it finds there for the new one's.
fn hold(context: &Context, key: AccountKey, address: &str, wait: &Wait) -> Result<AccountLock, Failure> {
    match hold_account(&context.home, key, address, wait.time()) {
        Err(error) if error.is_busy() => Err(Failure::new(
            error.code(),
            error.to_string(),
            "nothing was changed; wait for it to finish or end it, then run this again",
        )),
        other => Ok(other?),
    }
}

/// How long a sync that is running is waited for.
#[derive(Args)]
struct Wait {
    /// Seconds to wait for a sync of the account that is running
    #[arg(long = "wait", default_value_t = 30.0, value_name = "SECONDS")]
    seconds: f64,
}

impl Wait {
    fn time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds.clamp(0.0, 86_400.0))
    }
}

/// The account with this address and its settings, which must be on a server.
fn on_server(context: &Context, address: &str) -> Result<(AccountKey, AccountSettings), Failure> {
    let key = find(context, address)?;
    let settings = Reader::open(&context.home.store())?.account_settings(key)?;
    Ok((key, settings.ok_or_else(|| AccountError::NoServer { address: address.to_owned() })?))
}
