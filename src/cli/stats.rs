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
    if figures.gone > 0 {
        out.line(format!(
            "  {} {:>9}",
            column("gone from the server, kept here (is:gone)", 44),
            grouped(figures.gone)
        ))?;
    }
    let placed: i64 = figures.mailboxes.iter().map(|mailbox| mailbox.count).sum();
    if placed + figures.gone != figures.messages {
        out.line("  a message in several mailboxes counts in each of them, here and below")?;
    }
    chart("by year", &figures.years, out)?;
    chart("the last months", &figures.months, out)?;
    heatmap(&figures.week, out)?;
    chart("from whom", &figures.senders, out)?;
    chart("from where", &figures.domains, out)
}

const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
/// From no message to the most.
const SHADES: [&str; 5] = ["··", "░░", "▒▒", "▓▓", "██"];

/// The hours of the week, the busier the darker; Monday first.
fn heatmap(week: &[[i64; 24]; 7], out: &mut Output) -> Result<(), Failure> {
    let most = week.iter().flatten().copied().max().unwrap_or(0);
    if most == 0 {
        return Ok(());
    }
    section("by hour of the week", out)?;
    let hours: Vec<_> = (0..24).step_by(3).map(|hour| format!("{hour:<6}")).collect();
    out.line(format!("      {}", hours.concat().trim_end()))?;
    for day in [1, 2, 3, 4, 5, 6, 0] {
        let cells: String = week[day].iter().map(|count| shade(*count, most)).collect();
        out.line(format!("  {} {cells} {:>9}", DAYS[day], grouped(week[day].iter().sum::<i64>())))?;
    }
    Ok(())
}

fn shade(count: i64, most: i64) -> &'static str {
    let darkest = SHADES.len() - 1;
    let step = (count.max(0) as f64 / most.max(1) as f64 * darkest as f64).ceil() as usize;
    SHADES[step.min(darkest)]
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

#[cfg(test)]
mod tests {
    use super::shade;

    #[test]
    fn the_busiest_hour_is_the_darkest_and_an_empty_one_is_blank() {
        assert_eq!([0, 1, 50, 100].map(|count| shade(count, 100)), ["··", "░░", "▒▒", "██"]);
    }
}
