//! The child that runs an assistant's SELECT. Hidden: the program calls itself this way.

use std::io;
use std::process::ExitCode;

use crate::query::run_sql_child;

pub(super) fn run() -> ExitCode {
    match run_sql_child(io::stdin().lock(), io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
