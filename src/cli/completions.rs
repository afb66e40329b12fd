//! `mailkeep completions`: what a shell needs to complete our commands, made from the definitions they are read by.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use clap_complete::aot::{self, generate};

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::{NAME, as_shown};

/// Print completions for a shell
#[derive(Args)]
#[command(
    after_help = "Examples:\n  mailkeep completions bash > ~/.local/share/bash-completion/completions/mailkeep\n  \
                  mailkeep completions zsh > ~/.zfunc/_mailkeep\n  \
                  mailkeep completions fish > ~/.config/fish/completions/mailkeep.fish"
)]
pub(super) struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// The shells we look at.
#[derive(Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let shell = match arguments.shell {
        Shell::Bash => aot::Shell::Bash,
        Shell::Zsh => aot::Shell::Zsh,
        Shell::Fish => aot::Shell::Fish,
    };
    let mut script = Vec::new();
    generate(shell, &mut as_shown(), NAME, &mut script);
    context.output.bytes(&script)?;
    Ok(ExitCode::SUCCESS)
}
