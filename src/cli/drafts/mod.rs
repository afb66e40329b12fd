//! `mailkeep drafts`: what waits to be sent, for the person: the assistant's drafts are the person's.

mod discard;
mod edit;
mod letter;
mod list;
pub(super) mod show;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::drafts::{DraftError, Drafts};
use crate::query::DraftItem;

/// List, show, edit and discard drafts
///
/// Drafts that an assistant wrote, or you. They are kept in mailkeep, and in the server's mailbox for drafts where the
/// account has a server. Nothing is sent by these commands. `mailkeep search is:draft` finds them too, together with
/// those that other programs left on the server.
#[derive(Args)]
#[command(after_help = "Examples:\n  mailkeep drafts list\n  mailkeep drafts edit d4k0c9w2vt1rh")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    List(list::Arguments),
    Show(show::Arguments),
    Edit(edit::Arguments),
    Discard(discard::Arguments),
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    match &arguments.command {
        Command::List(arguments) => list::run(arguments, context),
        Command::Show(arguments) => show::run(arguments, context),
        Command::Edit(arguments) => edit::run(arguments, context),
        Command::Discard(arguments) => discard::run(arguments, context),
    }
}

fn drafts(context: &Context) -> Drafts {
    Drafts::new(&context.home, context.clock.clone()).for_person()
}

/// The draft with this id, as answers print it.
fn item(context: &Context, id: &str) -> Result<DraftItem, Failure> {
    let found = context.archive()?.draft(id)?;
    found.ok_or_else(|| DraftError::UnknownDraft { id: id.trim().to_owned() }.into())
}

/// Deletes texts that were kept for drafts that are no more.
pub(super) fn drop_kept_texts(context: &Context) {
    let files = std::fs::read_dir(context.home.edited_drafts()).into_iter().flatten().flatten();
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        let id = name.split('-').next().unwrap_or_default();
        if matches!(drafts(context).get(id), Err(DraftError::UnknownDraft { .. })) {
            let _ = std::fs::remove_file(file.path());
        }
    }
}

impl From<DraftError> for Failure {
    fn from(error: DraftError) -> Self {
        let hint = match &error {
            DraftError::UnknownDraft { .. } => {
                "`mailkeep drafts list` shows the drafts; their ids begin with `d`".to_owned()
            }
            other => other.hint(),
        };
        Self::new(error.code(), error.to_string(), hint)
    }
}
