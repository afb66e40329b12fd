//! `mailkeep audit`: what happened to what was to leave, and whether that was tampered with.

mod show;
mod verify;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::cli::context::Context;
use crate::cli::failure::Failure;

/// See what happened to what was to leave
///
/// Everything is written into a chain in which each entry carries the hash of the one before.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  mailkeep audit show --item K7QP\n  mailkeep audit verify --against /media/stick/heads.jsonl"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Show(show::Arguments),
    Verify(verify::Verify),
    Export(verify::Export),
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    match &arguments.command {
        Command::Show(arguments) => show::run(arguments, context),
        Command::Verify(arguments) => verify::verify(arguments, context),
        Command::Export(arguments) => verify::export(arguments, context),
    }
}
