//! `mailkeep backup`: a consistent copy while everything goes on.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::size;
use crate::cli::progress;
use crate::store::{self, Reader};

/// Copy the mail store to a file, while others may use it
#[derive(Args)]
#[command(after_help = "Example: mailkeep backup /media/disk/mail-2026-11-15.db")]
pub(super) struct Arguments {
    /// File to write; must not exist
    file: PathBuf,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let bar = progress::spinner().with_message("copying the mail store");
    let reader = Reader::open(&context.home.store())?;
    store::backup(&reader, &arguments.file)?;
    bar.finish_and_clear();
    let bytes = std::fs::metadata(&arguments.file).map(|file| file.len()).unwrap_or_default();
    let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
    if context.output.is_json() {
        context.output.json(&json!({ "file": arguments.file.display().to_string(), "bytes": bytes }))?;
    } else {
        let file = arguments.file.display();
        context.output.line(format!(
            "{} written to {file}; the text index is not in it, `restore` builds it",
            size(bytes)
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
