//! `mailkeep approval confirm` and `renew`: the person's word that something may be weaker, on their terminal.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::approval::status::notices_json;
use crate::cli::context::Context;
use crate::cli::controlling_terminal::ControllingTerminal;
use crate::cli::factor::{self, Deed};
use crate::cli::failure::Failure;
use crate::cli::{leaving, outbox};
use crate::model::Factor;
use crate::outbox::OutboxError;
use crate::outbox::approval::passkey::Purpose;
use crate::outbox::approval::{Approvals, Proof};
use crate::outbox::policy::InForce;
use crate::text_safety::plain_line;

/// Let weaker rules of the configuration count
///
/// Shows what would get weaker and asks you on your terminal, with the factor that counts until then.
#[derive(Args)]
#[command(after_help = "Example: mailkeep approval confirm")]
pub(super) struct Confirm {}

/// Set anew what another program changed
///
/// What you confirmed is sealed. Where the seal is broken (another program wrote it, or the store was restored without
/// its secrets) nobody can say yes until you have run this: the rules become the usual ones again.
#[derive(Args)]
#[command(after_help = "Example: mailkeep approval renew")]
pub(super) struct Renew {}

const USUAL: &str = "From here on the usual rules count: nothing leaves without your yes.";

pub(super) fn confirm(context: &mut Context) -> Result<ExitCode, Failure> {
    let (approvals, in_force) = standing(context)?;
    if in_force.is_broken {
        return Err(OutboxError::Broken.into());
    }
    if in_force.waits.is_empty() {
        tell("nothing waits for your word: the rules of the configuration count", &in_force, context)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut terminal = ControllingTerminal::open("weaker rules")?;
    terminal.say("These rules for sending get weaker:")?;
    for change in &in_force.waits {
        terminal.say(&format!("  {}", plain_line(change)))?;
    }
    if !agrees(&mut terminal, "confirm")? {
        return Err(declined());
    }
    let purpose = approvals.to_confirm(&outbox::reader(context)?)?;
    let words = "Let these weaker rules for sending count";
    let deed = Deed { purpose: &purpose, words, details: &in_force.waits };
    let proof = factor::ask_for(&mut terminal, &approvals, &in_force, &deed)?;
    let in_force = approvals.confirm(&proof)?;
    tell("the weaker rules count from now on", &in_force, context)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn renew(context: &mut Context) -> Result<ExitCode, Failure> {
    let (approvals, in_force) = standing(context)?;
    if !in_force.is_broken {
        tell("nothing is broken", &in_force, context)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut terminal = ControllingTerminal::open("setting it anew")?;
    terminal.say(
        "What you confirmed about sending was changed by another program, or comes from another home.",
    )?;
    terminal.say("If you did not just restore a backup, find out which program that was.")?;
    terminal.say(USUAL)?;
    if !agrees(&mut terminal, "renew")? {
        return Err(declined());
    }
    let proof = match (in_force.factor, in_force.has_pin) {
        (Factor::Passkey, _) => {
            let words = "Set the rules for sending anew";
            let details = [USUAL.to_owned()];
            let deed = Deed { purpose: &Purpose::Renew, words, details: &details };
            factor::ask_for(&mut terminal, &approvals, &in_force, &deed)?
        }
        (_, true) => factor::ask_pin(&mut terminal, &approvals, "PIN: ")?,
        (_, false) => Proof::click(),
    };
    let in_force = approvals.renew(&proof)?;
    tell("the usual rules count from now on", &in_force, context)?;
    Ok(ExitCode::SUCCESS)
}

fn standing(context: &Context) -> Result<(std::sync::Arc<Approvals>, InForce), Failure> {
    let approvals = leaving::approvals(context);
    let in_force = factor::in_force(&approvals, &outbox::reader(context)?)?;
    Ok((approvals, in_force))
}

pub(super) fn agrees(terminal: &mut ControllingTerminal, word: &str) -> Result<bool, Failure> {
    let typed = terminal.ask(&format!("type `{word}` to go on: "))?;
    Ok(typed.is_some_and(|typed| typed.eq_ignore_ascii_case(word)))
}

pub(super) fn declined() -> Failure {
    Failure::new("not_confirmed", "nothing was changed", "the rules that counted before still count")
}

fn tell(text: &str, in_force: &InForce, context: &mut Context) -> Result<(), Failure> {
    if context.output.is_json() {
        let mut value = notices_json(in_force);
        value["factor"] = json!(in_force.factor.name());
        value["policy"] = json!(in_force.policy);
        context.output.json(&value)?;
    } else {
        context.output.line(text)?;
    }
    Ok(())
}
