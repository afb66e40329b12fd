//! The child that reads risky documents. Hidden: the program calls itself this way.

use std::io;
use std::process::ExitCode;

use clap::Args;

use crate::index::attachment_text::run_child;

/// Read a document from standard input and print its text
#[derive(Args)]
pub(super) struct Arguments {
    kind: String,
}

pub(super) fn run(arguments: &Arguments) -> ExitCode {
    match run_child(&arguments.kind, io::stdin().lock(), io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
