//! `mailkeep outbox reject`, `cancel` and `pause`: what stops something from leaving. They ask for nothing: whoever can run
//! them may. `resume` undoes a stop and asks the person.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::controlling_terminal::ControllingTerminal;
use crate::cli::factor::{self, Deed};
use crate::cli::failure::Failure;
use crate::cli::figures::counted_are;
use crate::cli::leaving;
use crate::cli::outbox::view::ItemView;
use crate::model::ItemState;
use crate::outbox::approval::passkey::Purpose;
use crate::store::Item;
use crate::text_safety::plain_line;

/// Say no to an item
#[derive(Args)]
#[command(after_help = "Example: mailkeep outbox reject K7QP --reason \"wrong person\"")]
pub(super) struct Reject {
    /// Id or code
    id: String,

    /// Why; the assistant reads it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Take back an item that has not left
#[derive(Args)]
#[command(after_help = "Example: mailkeep outbox cancel K7QP")]
pub(super) struct Cancel {
    /// Id or code
    id: String,

    /// Why; the assistant reads it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Stop all sending at once
#[derive(Args)]
#[command(after_help = "Example: mailkeep outbox pause")]
pub(super) struct Pause {}

/// Let sending go on
///
/// Asks you on your terminal, with the factor that counts.
#[derive(Args)]
#[command(after_help = "Example: mailkeep outbox resume")]
pub(super) struct Resume {}

pub(super) fn resume(context: &mut Context) -> Result<ExitCode, Failure> {
    let reader = super::reader(context)?;
    if reader.outbox_state()?.paused.is_none() {
        return tell_paused(false, "sending was not paused", context);
    }
    let mut terminal = ControllingTerminal::open("letting mail go on")?;
    let waiting = reader.count_items(ItemState::Approved)?;
    let approvals = leaving::approvals(context);
    let in_force = factor::in_force(&approvals, &reader)?;
    let details = [format!("{} to be sent at once.", counted_are(waiting, "approved item"))];
    terminal.say(&details[0])?;
    let typed = terminal.ask("type `resume` to go on: ")?;
    if typed.is_none_or(|typed| !typed.eq_ignore_ascii_case("resume")) {
        return Err(Failure::new("not_resumed", "sending stays paused", "nothing was changed"));
    }
    let deed = Deed { purpose: &Purpose::Resume, words: "Let sending go on", details: &details };
    let proof = factor::ask_for(&mut terminal, &approvals, &in_force, &deed)?;
    approvals.resume(&proof)?;
    tell_paused(false, "sending goes on", context)
}

pub(super) fn reject(arguments: &Reject, context: &mut Context) -> Result<ExitCode, Failure> {
    super::reader(context)?;
    let item = leaving::approvals(context).reject(&arguments.id, arguments.reason.as_deref())?;
    tell(&item, "rejected", context)
}

pub(super) fn cancel(arguments: &Cancel, context: &mut Context) -> Result<ExitCode, Failure> {
    super::reader(context)?;
    let item = leaving::approvals(context).cancel(&arguments.id, arguments.reason.as_deref())?;
    tell(&item, "taken back", context)
}

pub(super) fn pause(context: &mut Context) -> Result<ExitCode, Failure> {
    super::reader(context)?;
    leaving::approvals(context).pause()?;
    tell_paused(true, "paused: nothing is sent until `mailkeep outbox resume`", context)
}

fn tell_paused(is_paused: bool, text: &str, context: &mut Context) -> Result<ExitCode, Failure> {
    if context.output.is_json() {
        context.output.json(&json!({ "paused": is_paused }))?;
    } else {
        context.output.line(text)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn tell(item: &Item, what: &str, context: &mut Context) -> Result<ExitCode, Failure> {
    if context.output.is_json() {
        context.output.json(&ItemView::of(item))?;
    } else {
        context.output.line(format!("{} {what}: {}", item.code, plain_line(&item.draft.subject)))?;
    }
    Ok(ExitCode::SUCCESS)
}
