//! `mailkeep outbox show`: one item, and what became of it.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::leaving;
use crate::cli::local_time::local_time;
use crate::cli::outbox::view::{self, ItemView};
use crate::cli::outbox::{evidence, letter};
use crate::drafts::{Contents, Drafts};
use crate::model::{Channel, ItemState};
use crate::outbox::channels::Reading;
use crate::outbox::propose::Status;
use crate::query::iso_date;
use crate::store::{Attempt, AttemptOutcome, ChangedCopy, ProviderChange};
use crate::text_safety::plain_line;

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
        context.output.bytes(&bytes(&status, context)?)?;
    } else if context.output.is_json() {
        let contents = contents(&status, context)?;
        let mut whole = view::whole(&status, &contents);
        whole["evidence"] = evidence::json(&evidence::of(&status.item, &mut context.archive()?, context)?);
        whole["changes_by_owner"] = json!(status.changes_by_owner);
        context.output.json(&whole)?;
    } else {
        print(&status, context)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The bytes that leave.
fn bytes(status: &Status, context: &Context) -> Result<Vec<u8>, Failure> {
    Ok(Drafts::new(&context.home, context.clock.clone()).bytes(&status.item.draft)?)
}

fn contents(status: &Status, context: &Context) -> Result<Contents, Failure> {
    Ok(Reading::of(&status.item.route, &bytes(status, context)?).contents)
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
        ("Channel", if status.item.channel == Channel::Mail { "" } else { item.channel }),
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
            out.hanging(&format!("{bold}{name}:{bold:#} {}", plain_line(value)), 2)?;
        }
    }
    print_evidence(status, context)?;
    print_fate(status, context)?;
    print_letter(&contents(status, context)?, context)
}

/// What the bytes that leave say and take along.
fn print_letter(contents: &Contents, context: &mut Context) -> Result<(), Failure> {
    for line in letter::files(contents) {
        context.output.hanging(&line, 2)?;
    }
    context.output.line("")?;
    for line in letter::words(contents) {
        context.output.line(line)?;
    }
    Ok(())
}

/// What is known about an item that somebody is still to decide about, and what the owner changed in it.
fn print_evidence(status: &Status, context: &mut Context) -> Result<(), Failure> {
    let mut lines = Vec::new();
    if status.item.draft.state == ItemState::PendingApproval {
        let evidence = evidence::of(&status.item, &mut context.archive()?, context)?;
        lines = evidence::warnings(&evidence, &context.clock);
    }
    let bold = anstyle::Style::new().bold();
    for line in lines {
        context.output.hanging(&format!("{bold}Careful:{bold:#} {}", plain_line(&line)), 2)?;
    }
    for line in status.changes_by_owner.iter().flat_map(evidence::by_owner) {
        context.output.line(line)?;
    }
    Ok(())
}

/// Attempts, and what became of it for each recipient.
fn print_fate(status: &Status, context: &mut Context) -> Result<(), Failure> {
    for attempt in &status.attempts {
        let at = local_time(&iso_date(attempt.begun_ms.div_euclid(1_000)), &context.clock);
        context.output.hanging(&format!("{at}  {}", plain_line(&told(attempt))), 2)?;
    }
    for delivery in &status.deliveries {
        let at = local_time(&iso_date(delivery.epoch), &context.clock);
        let doubt = if delivery.is_probable { ", probably" } else { "" };
        let detail = delivery.detail.as_deref().map(|it| format!(": {it}")).unwrap_or_default();
        let line = format!("{}: {}{doubt}{detail}", delivery.recipient, delivery.status.name());
        context.output.hanging(&format!("{at}  {}", plain_line(&line)), 2)?;
    }
    for copy in &status.changed_copies {
        let line = format!("the provider changed it: {} (`mailkeep show {}`)", changes(copy), copy.message);
        context.output.hanging(&plain_line(&line), 2)?;
    }
    Ok(())
}

fn changes(copy: &ChangedCopy) -> String {
    let one = |change: &ProviderChange| format!("{}, {}", change.what.replace('_', "-"), change.detail);
    copy.changes.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn told(attempt: &Attempt) -> String {
    let outcome = attempt.outcome.map_or("begun", AttemptOutcome::name);
    let reply = attempt.reply.as_deref().map(|reply| format!(": {reply}")).unwrap_or_default();
    format!("attempt at {}, {outcome}{reply}", attempt.host)
}
