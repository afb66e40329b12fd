//! `mailkeep man`: a page for the program and one for each command, made from the definitions they are read by. For
//! packages; hidden from the help.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Command};
use clap_mangen::Man;
use serde_json::json;

use crate::cli::as_shown;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;

/// Write the manual pages
#[derive(Args)]
pub(super) struct Arguments {
    /// Directory to write them to; made if it is not there
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let directory = &arguments.to;
    let cannot = |error: std::io::Error| {
        let message = format!("cannot write to `{}`: {error}", directory.display());
        Failure::new("file_error", message, "name a directory that you can write to")
    };
    fs::create_dir_all(directory).map_err(cannot)?;
    let mut program = as_shown().disable_help_subcommand(true);
    program.build();
    let pages = write(&program, directory).map_err(cannot)?;
    if context.output.is_json() {
        context.output.json(&json!({ "pages": pages, "to": directory.display().to_string() }))?;
    } else {
        context.output.line(format!("{} written to {}", counted(pages, "page"), directory.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the page of a command and those of the commands below it; says how many.
fn write(command: &Command, directory: &Path) -> std::io::Result<usize> {
    let page = Man::new(command.clone()).source(format!("mailkeep {}", env!("CARGO_PKG_VERSION")));
    page.generate_to(directory)?;
    let below = command.get_subcommands().map(|command| write(command, directory));
    below.sum::<std::io::Result<usize>>().map(|pages| pages + 1)
}
