//! `mailkeep` alone: what to do next.

use std::process::ExitCode;

use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;

pub(super) fn run(context: &mut Context) -> Result<ExitCode, Failure> {
    let messages = if context.has_store()? { context.archive()?.count("", None)? } else { 0 };
    if context.output.is_json() {
        context
            .output
            .json(&json!({ "home": context.home.directory().display().to_string(), "messages": messages }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let out = &mut context.output;
    out.line("mailkeep: your mail, kept on your own machine, found in milliseconds\n")?;
    if messages == 0 {
        out.line("There is no mail here yet. Next:")?;
        out.line("  mailkeep demo                                        try it with a sample mailbox")?;
        out.line("  mailkeep import PATH --account you@example.org       bring in an mbox, a Maildir or .eml files")?;
        out.line("  mailkeep account add you@example.org                 or fetch it from your server, with `sync`")?;
    } else {
        let count = counted(i64::try_from(messages).unwrap_or(i64::MAX), "message");
        out.line(format!("{count} in {}. Next:", context.home.directory().display()))?;
        out.line("  mailkeep search invoice after:2025                   find messages")?;
        out.line("  mailkeep stats                                       the archive in figures")?;
        out.line("  mailkeep connect                                     let an assistant search it too")?;
        out.line("  mailkeep import PATH --account you@example.org       bring in more")?;
    }
    out.line("  mailkeep --help                                      everything else")?;
    Ok(ExitCode::SUCCESS)
}
