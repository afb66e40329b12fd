//! `mailkeep approval`: how a yes is given, and the person's word when that is to be made weaker.

mod confirm;
mod passkey;
mod set_pin;
pub(super) mod status;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::cli::context::Context;
use crate::cli::failure::Failure;

/// How you say yes: the PIN, passkeys, and changes of the rules
///
/// Rules under `[policy]` and `[approval]` of the configuration that are stricter than before count at once. Weaker ones
/// count after `mailkeep approval confirm`, which asks you on your terminal.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  mailkeep approval set-pin\n  mailkeep approval passkey add\n  mailkeep approval status"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    SetPin(set_pin::Arguments),
    Passkey(passkey::Arguments),
    Status(status::Arguments),
    Confirm(confirm::Confirm),
    Renew(confirm::Renew),
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    match &arguments.command {
        Command::SetPin(_) => set_pin::run(context),
        Command::Passkey(arguments) => passkey::run(arguments, context),
        Command::Status(_) => status::run(context),
        Command::Confirm(_) => confirm::confirm(context),
        Command::Renew(_) => confirm::renew(context),
    }
}
