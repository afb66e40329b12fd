//! `mailkeep outbox reject`, `cancel` and `pause`: what stops something from leaving. It asks for nothing: whoever can
//! run it may.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::leaving;
use crate::cli::outbox::view::ItemView;
use crate::store::Item;
use crate::text_safety::one_line;

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
    if context.output.is_json() {
        context.output.json(&json!({ "paused": true }))?;
    } else {
        context.output.line("paused: nothing is sent until `mailkeep outbox resume`")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn tell(item: &Item, what: &str, context: &mut Context) -> Result<ExitCode, Failure> {
    if context.output.is_json() {
        context.output.json(&ItemView::of(item))?;
    } else {
        context.output.line(format!("{} {what}: {}", item.code, one_line(&item.draft.subject)))?;
    }
    Ok(ExitCode::SUCCESS)
}
