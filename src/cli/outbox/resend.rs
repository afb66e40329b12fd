//! `mailkeep outbox resend`: sends again what may have left before, because only a person can take that risk.

use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::controlling_terminal::ControllingTerminal;
use crate::cli::factor;
use crate::cli::failure::Failure;
use crate::cli::leaving;
use crate::cli::outbox::departure::Departure;
use crate::cli::outbox::presented::Presented;
use crate::cli::outbox::view::ItemView;
use crate::model::{ItemCode, ItemState};
use crate::outbox::OutboxError;
use crate::outbox::approval::Door;

/// Send an item again of which nobody can say whether it left
///
/// Only for items that are `unknown`. Asks you on your terminal. The message keeps its Message-ID, so that mail programs
/// can tell a second copy.
#[derive(Args)]
#[command(after_help = "Example: mailkeep outbox resend K7QP")]
pub(super) struct Arguments {
    /// Id or code
    id: String,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let mut terminal = ControllingTerminal::open("a yes")?;
    let reader = super::reader(context)?;
    let (approvals, proposals) = (leaving::approvals(context), leaving::proposals(context));
    let in_force = factor::in_force(&approvals, &reader)?;
    let item = proposals.status(&arguments.id)?.item;
    let (id, state) = (item.draft.id, item.draft.state);
    if state != ItemState::Unknown {
        return Err(OutboxError::WrongState { id: id.to_string(), state, wanted: "sent again" }.into());
    }
    let shown = Presented::of(&item, &mut context.archive()?, context)?;
    for line in &shown.lines {
        terminal.say(line)?;
    }
    terminal
        .say("\nIt may have arrived already. Sending it again can mean a second copy for everybody above.")?;
    let typed = terminal.ask(&format!("{} sends it again, all else does not: ", item.code))?;
    if typed.and_then(|typed| ItemCode::parse(&typed)) != Some(item.code) {
        return Err(Failure::new("not_resent", "nothing was sent", "it stays `unknown`"));
    }
    let proof = factor::ask(&mut terminal, &approvals, &in_force)?;
    approvals.resend(&id.to_string(), &shown.hash, Door::Terminal, &proof)?;
    let mut departure =
        Departure { terminal: &mut terminal, approvals: &approvals, proposals: &proposals, context };
    let sent = departure.see_off(&[id], in_force.policy.undo)?;
    let is_sent = sent.iter().all(|item| item.draft.state == ItemState::Sent);
    if context.output.is_json() {
        context.output.json(&ItemView::of(&sent[0]))?;
    }
    Ok(if is_sent { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
