//! `mailkeep outbox show`: one item, and what became of it.

use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::leaving;
use crate::cli::local_time::local_time;
use crate::cli::outbox::view::{self, ItemView};
use crate::drafts::Drafts;
use crate::outbox::propose::Status;
use crate::query::iso_date;
use crate::store::{Attempt, AttemptOutcome};
use crate::text_safety::{many_lines, one_line};

/// Show an item, and what became of it
#[derive(Args)]
#[command(after_help = "Example: mailkeep outbox show K7QP")]
pub(super) struct Arguments {
    /// Id, code or Message-ID
    id: String,

    /// The bytes that leave, all but the date
    #[arg(long, conflicts_with = "json")]
    raw: bool,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    super::reader(context)?;
    let status = leaving::proposals(context).status(&arguments.id)?;
    if arguments.raw {
        let bytes = Drafts::new(&context.home, context.clock.clone()).bytes(&status.item.draft)?;
        context.output.bytes(&bytes)?;
    } else if context.output.is_json() {
        context.output.json(&view::whole(&status))?;
    } else {
        print(&status, context)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(status: &Status, context: &mut Context) -> Result<(), Failure> {
    let item = ItemView::of(&status.item);
    let asked = [item.client.as_deref(), item.profile.as_deref(), item.tool.as_deref()];
    let asked = asked.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let asked = if asked.is_empty() { "you".to_owned() } else { asked };
    let state = match &item.reason {
        Some(reason) => format!("{}: {reason}", item.state),
        None => item.state.to_owned(),
    };
    let proposed = local_time(&item.created, &context.clock);
    let bold = anstyle::Style::new().bold();
    let out = &mut context.output;
    for (name, value) in [
        ("Code", item.code.as_str()),
        ("State", &state),
        ("From", &item.account),
        ("To", &item.to.join(", ")),
        ("Cc", &item.cc.join(", ")),
        ("Bcc", &item.bcc.join(", ")),
        ("Subject", &item.subject),
        ("Proposed", &format!("{proposed}, by {asked}")),
        ("Leaves by", &status.item.route.place()),
        ("Id", &item.id),
    ] {
        if !value.is_empty() {
            out.hanging(&format!("{bold}{name}:{bold:#} {}", one_line(value)), 2)?;
        }
    }
    print_fate(status, context)?;
    context.output.line("")?;
    context.output.line(many_lines(status.item.draft.body.trim_end()))?;
    Ok(())
}

/// Attempts, and what became of it for each recipient.
fn print_fate(status: &Status, context: &mut Context) -> Result<(), Failure> {
    for attempt in &status.attempts {
        let at = local_time(&iso_date(attempt.begun_ms.div_euclid(1_000)), &context.clock);
        context.output.hanging(&format!("{at}  {}", one_line(&told(attempt))), 2)?;
    }
    for delivery in &status.deliveries {
        let at = local_time(&iso_date(delivery.epoch), &context.clock);
        let doubt = if delivery.is_probable { ", probably" } else { "" };
        let detail = delivery.detail.as_deref().map(|it| format!(": {it}")).unwrap_or_default();
        let line = format!("{}: {}{doubt}{detail}", delivery.recipient, delivery.status.name());
        context.output.hanging(&format!("{at}  {}", one_line(&line)), 2)?;
    }
    Ok(())
}

fn told(attempt: &Attempt) -> String {
    let outcome = attempt.outcome.map_or("begun", AttemptOutcome::name);
    let reply = attempt.reply.as_deref().map(|reply| format!(": {reply}")).unwrap_or_default();
    format!("attempt at {}, {outcome}{reply}", attempt.host)
}
