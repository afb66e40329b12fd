//! `mailkeep` alone: what to do next.

use std::process::ExitCode;

use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;
use crate::cli::typed::{Typed, print_commands};

pub(super) fn run(context: &mut Context) -> Result<ExitCode, Failure> {
    let messages = if context.has_store()? { context.archive()?.count("", None)? } else { 0 };
    if context.output.is_json() {
        context
            .output
            .json(&json!({ "home": context.home.directory().display().to_string(), "messages": messages }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let typed =
        if context.home_is_named { Typed::on_home(context.home.directory()) } else { Typed::program() };
    let out = &mut context.output;
    out.line("mailkeep: your mail, kept on your own machine, found in milliseconds\n")?;
    let import = typed.command(&["import", "PATH", "--account", "you@example.org"]);
    let mut commands = if messages == 0 {
        out.line("There is no mail here yet. Next:")?;
        let add = typed.command(&["account", "add", "you@example.org"]);
        vec![
            (Typed::program().command(&["demo"]), "try it with a sample mailbox"),
            (import, "bring in an mbox, a Maildir or .eml files"),
            (add, "or fetch it from your server, with `sync`"),
        ]
    } else {
        let count = counted(messages, "message");
        out.line(format!("{count} in {}. Next:", context.home.directory().display()))?;
        vec![
            (typed.command(&["search", "invoice", "newer_than:1y"]), "find messages"),
            (typed.command(&["stats"]), "the archive in figures"),
            (typed.command(&["connect"]), "let an assistant search it too"),
            (import, "bring in more"),
        ]
    };
    commands.push((typed.command(&["--help"]), "everything else"));
    print_commands(&commands, out)?;
    Ok(ExitCode::SUCCESS)
}
