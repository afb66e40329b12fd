//! The binary: parse arguments, run, turn an error into text and an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    mailkeep::cli::main()
}
