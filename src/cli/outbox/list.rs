//! `mailkeep outbox list`: items, newest first.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::approval::status::{notices, notices_json};
use crate::cli::context::Context;
use crate::cli::factor;
use crate::cli::failure::Failure;
use crate::cli::layout::{column, cut, filled};
use crate::cli::leaving;
use crate::cli::local_time::{TIME_COLUMNS, local_time};
use crate::cli::outbox::reader;
use crate::cli::outbox::view::ItemView;
use crate::model::ItemState;
use crate::query::iso_date;
use crate::store::ItemFilter;
use crate::text_safety::plain_line;

/// List what waits and what left, newest first
#[derive(Args)]
#[command(after_help = "Example: mailkeep outbox list --pending --json")]
pub(super) struct Arguments {
    /// Only what waits for your yes
    #[arg(long)]
    pending: bool,

    /// How many items to show
    #[arg(long, default_value = "20", value_name = "N")]
    limit: u32,

    /// How many to leave out first
    #[arg(long, default_value_t = 0, value_name = "N")]
    offset: u32,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let reader = reader(context)?;
    let states = if arguments.pending { vec![ItemState::PendingApproval] } else { Vec::new() };
    let (limit, offset) = (arguments.limit as usize, arguments.offset as usize);
    let items: Vec<_> =
        reader.items(&ItemFilter { states, limit, offset })?.iter().map(ItemView::of).collect();
    let paused = reader.outbox_state()?.paused.map(iso_date);
    let in_force = factor::in_force(&leaving::approvals(context), &reader)?;
    if context.output.is_json() {
        let mut value = notices_json(&in_force);
        value["items"] = json!(items);
        value["waiting"] = json!(reader.count_items(ItemState::PendingApproval)?);
        value["paused"] = json!(paused);
        context.output.json(&value)?;
        return Ok(ExitCode::SUCCESS);
    }
    for notice in notices(&in_force) {
        context.output.line(plain_line(&notice))?;
    }
    if let Some(since) = paused {
        let since = local_time(&since, &context.clock);
        context
            .output
            .line(format!("paused since {since}: nothing is sent until `mailkeep outbox resume`"))?;
    }
    if items.is_empty() {
        let what = if arguments.pending { "nothing waits for you" } else { "the outbox is empty" };
        context.output.line(what)?;
    }
    items.iter().try_for_each(|item| print(item, context))?;
    Ok(ExitCode::SUCCESS)
}

/// The widest that recipients are shown.
const RECIPIENT_COLUMNS: usize = 30;
const CODE_COLUMNS: usize = 4;

/// When, the code, to whom, about what, and how far it is.
fn print(item: &ItemView, context: &mut Context) -> Result<(), Failure> {
    let (bold, dim) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
    let subject = match plain_line(&item.subject) {
        subject if subject.is_empty() => "(no subject)".to_owned(),
        subject => subject,
    };
    let time = local_time(&item.created, &context.clock);
    let everybody: Vec<_> = item.to.iter().chain(&item.cc).chain(&item.bcc).cloned().collect();
    let to = format!("to {}", plain_line(&everybody.join(", ")));
    let out = &mut context.output;
    let (to, subject) = match out.columns() {
        None => (filled(&to, RECIPIENT_COLUMNS), subject),
        Some(columns) => {
            let recipients = (columns / 4).min(RECIPIENT_COLUMNS);
            let left = columns.saturating_sub(TIME_COLUMNS + CODE_COLUMNS + recipients + 6);
            (column(&to, recipients), cut(&subject, left))
        }
    };
    out.put(&format!("{time}  {bold}{}{bold:#}  {to}  {subject}", item.code))?;
    let reason = item.reason.as_deref().map(|reason| format!(": {}", plain_line(reason))).unwrap_or_default();
    out.hanging(&format!("{dim}{}  {}{reason}{dim:#}", item.id, item.state), 2)?;
    Ok(())
}
