//! `mailkeep approval set-pin`: a PIN, typed on the controlling terminal and nowhere else.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::controlling_terminal::ControllingTerminal;
use crate::cli::factor::{self, Deed};
use crate::cli::failure::Failure;
use crate::cli::{leaving, outbox};
use crate::model::Factor;
use crate::outbox::OutboxError;
use crate::outbox::approval::Proof;
use crate::outbox::approval::passkey::Purpose;
use crate::secret::Secret;

/// Set or change the PIN that a yes asks for
///
/// It is read from your terminal, never from arguments, the environment or a pipe. The PIN is asked for once
/// `factor = "pin"` stands under `[approval]` of the configuration.
#[derive(Args)]
#[command(after_help = "Example: mailkeep approval set-pin")]
pub(super) struct Arguments {}

pub(super) fn run(context: &mut Context) -> Result<ExitCode, Failure> {
    let mut terminal = ControllingTerminal::open("a PIN")?;
    let approvals = leaving::approvals(context);
    let in_force = factor::in_force(&approvals, &outbox::reader(context)?)?;
    if in_force.is_broken {
        return Err(OutboxError::Broken.into());
    }
    let proof = match (in_force.factor, in_force.has_pin) {
        (Factor::Passkey, has_pin) => {
            let words = if has_pin { "Change the PIN" } else { "Set a PIN" };
            let deed = Deed { purpose: &Purpose::SetPin, words, details: &[] };
            factor::ask_for(&mut terminal, &approvals, &in_force, &deed)?
        }
        (_, true) => factor::ask_pin(&mut terminal, &approvals, "the PIN that is set: ")?,
        (_, false) => Proof::click(),
    };
    let Some(new) = ask_twice(&mut terminal)? else {
        return Err(Failure::new("no_pin", "no PIN was given", "nothing was changed"));
    };
    approvals.set_pin(&new, &proof)?;
    let asked_for = context.config.approval.factor >= Factor::Pin;
    if context.output.is_json() {
        context.output.json(&json!({ "pin": true, "asked_for": asked_for }))?;
        return Ok(ExitCode::SUCCESS);
    }
    context.output.line("the PIN is set")?;
    if !asked_for {
        let file = context.config_file.path.as_ref().map(|path| path.display().to_string());
        let file = file.unwrap_or_else(|| "the configuration".to_owned());
        context.output.line(format!("to have every yes ask for it, write into `{file}`:"))?;
        context.output.line("  [approval]\n  factor = \"pin\"")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn ask_twice(terminal: &mut ControllingTerminal) -> Result<Option<Secret<String>>, Failure> {
    loop {
        let Some(first) = terminal.ask_hidden("new PIN: ")? else { return Ok(None) };
        let Some(second) = terminal.ask_hidden("the same again: ")? else { return Ok(None) };
        if first == second {
            return Ok(Some(first));
        }
        terminal.say("these are two different ones")?;
    }
}
