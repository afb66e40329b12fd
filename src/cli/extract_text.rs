//! The child that reads risky documents. Hidden: the program calls itself this way.

use std::io;
use std::process::ExitCode;

use clap::Args;

use crate::index::attachment_text::{run_child, serve_child};

/// Read a document from standard input and print its text
#[derive(Args)]
pub(super) struct Arguments {
    /// Without a kind, documents come one after the other, each with its own
    kind: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let (input, output) = (io::stdin().lock(), io::stdout().lock());
    let outcome = match &arguments.kind {
        Some(kind) => run_child(kind, input, output),
        None => serve_child(input, output),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
