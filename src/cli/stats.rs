//! `mailkeep stats`: the archive in figures.

use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::{bar, column, counted, grouped, size};
use crate::cli::output::Output;
use crate::query::{Figures, Share};
use crate::text_safety::one_line;

/// Show figures: how much mail, from when, from whom
#[derive(Args)]
#[command(after_help = "Example: mailkeep stats --top 20")]
pub(super) struct Arguments {
    /// How many senders and domains to list
    #[arg(long, default_value_t = 10, value_name = "N")]
    top: usize,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let figures = context.archive()?.figures(arguments.top)?;
    if context.output.is_json() {
        context.output.json(&figures)?;
    } else {
        print(&figures, &mut context.output)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the figures for a person.
pub(super) fn print(figures: &Figures, out: &mut Output) -> Result<(), Failure> {
    let bytes = size(figures.bytes);
    let threads = counted(figures.threads, "thread");
    out.line(format!("{}, {threads}, {bytes}", counted(figures.messages, "message")))?;
    if let (Some(earliest), Some(latest)) = (&figures.earliest, &figures.latest) {
        let day = |date: &str| date.get(..10).unwrap_or(date).to_owned();
        out.line(format!("from {} to {}", day(earliest), day(latest)))?;
    }
    out.line(format!(
        "{} with attachments, {} with defects",
        grouped(figures.with_attachments),
        grouped(figures.defective)
    ))?;
    section("mailboxes", out)?;
    for mailbox in &figures.mailboxes {
        let name = one_line(&format!("{} {}", mailbox.account, mailbox.mailbox));
        let counts = format!("{:>9}  {} unread", grouped(mailbox.count), grouped(mailbox.unread));
        out.line(format!("  {} {counts}", column(&name, 44)))?;
    }
    let placed: i64 = figures.mailboxes.iter().map(|mailbox| mailbox.count).sum();
    if placed != figures.messages {
        out.line("  a message in several mailboxes counts in each of them, here and below")?;
    }
    chart("by year", &figures.years, out)?;
    chart("from whom", &figures.senders, out)?;
    chart("from where", &figures.domains, out)
}

fn section(title: &str, out: &mut Output) -> Result<(), Failure> {
    let bold = anstyle::Style::new().bold();
    Ok(out.line(format!("\n{bold}{title}{bold:#}"))?)
}

fn chart(title: &str, shares: &[Share], out: &mut Output) -> Result<(), Failure> {
    if shares.is_empty() {
        return Ok(());
    }
    section(title, out)?;
    let most = shares.iter().map(|share| share.count).max().unwrap_or(1);
    let width = shares.iter().map(|share| share.name.chars().count()).max().unwrap_or(4).clamp(4, 44);
    for share in shares {
        let name = column(&one_line(&share.name), width);
        out.line(format!("  {name} {:>9}  {}", grouped(share.count), bar(share.count, most, 24)))?;
    }
    Ok(())
}
