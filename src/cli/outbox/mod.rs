//! `mailkeep outbox`: what waits to leave, what left, and the person's word about it. The only commands that can say yes.

mod decide;
mod departure;
mod evidence;
mod letter;
mod list;
mod presented;
mod resend;
mod review;
mod send;
mod show;
mod view;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::model::Lane;
use crate::store::{Reader, Store, StoreError};
use crate::text_safety::plain_line;

/// See what waits to be sent, say yes or no
///
/// An assistant can only propose: what it proposes waits here until you say yes to exactly that. `review` shows each
/// item whole and asks you, on your terminal.
#[derive(Args)]
#[command(after_help = "Examples:\n  mailkeep outbox list --pending\n  mailkeep outbox review")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    List(list::Arguments),
    Show(show::Arguments),
    Review(review::Arguments),
    Reject(decide::Reject),
    Cancel(decide::Cancel),
    Pause(decide::Pause),
    Resume(decide::Resume),
    Resend(resend::Arguments),
    Send(send::Arguments),
}

impl Arguments {
    /// The channels that it carries.
    pub(super) const fn lane(&self) -> Lane {
        match &self.command {
            Command::Send(arguments) => arguments.channel.lane(),
            _ => Lane::Mail,
        }
    }
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    match &arguments.command {
        Command::List(arguments) => list::run(arguments, context),
        Command::Show(arguments) => show::run(arguments, context),
        Command::Review(arguments) => review::run(arguments, context),
        Command::Reject(arguments) => decide::reject(arguments, context),
        Command::Cancel(arguments) => decide::cancel(arguments, context),
        Command::Pause(_) => decide::pause(context),
        Command::Resume(_) => decide::resume(context),
        Command::Resend(arguments) => resend::run(arguments, context),
        Command::Send(arguments) => send::run(arguments, context),
    }
}

/// A line about an item.
fn field(name: &str, value: &str) -> String {
    let bold = anstyle::Style::new().bold();
    format!("{bold}{name}:{bold:#} {}", plain_line(value))
}

/// The store for reading. An older one is migrated first; a home without one is empty.
pub(super) fn reader(context: &Context) -> Result<Reader, Failure> {
    match Reader::open_or_empty(&context.home.store()) {
        Err(StoreError::OlderSchema { .. }) => {
            Store::open(&context.home.store())?;
            context.reader()
        }
        other => Ok(other?),
    }
}
