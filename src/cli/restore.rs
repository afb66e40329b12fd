//! `mailkeep restore`: a backup becomes the store, and proves itself.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::{reindex, verify};
use crate::outbox::mark::forget_marks;
use crate::store;

/// Put a backup in place, build the index and verify everything
///
/// Refuses to replace a mail store that is there: move it away first, or name another home.
#[derive(Args)]
#[command(after_help = "Example: mailkeep --home ~/mail-restored restore mail-2026-11-15.db")]
pub(super) struct Arguments {
    /// A file that `backup` wrote
    file: PathBuf,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    store::restore(&arguments.file, &context.home.store())?;
    forget_marks(&context.home)?;
    reindex::rebuild(context, false)?;
    verify::run(context)
}
