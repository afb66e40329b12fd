//! `mailkeep stats`: the archive in figures.

use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::{bar, counted, grouped, size};
use crate::cli::layout::{column, width};
use crate::cli::local_time::local_day;
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
        context.output.page();
        print(&figures, context)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the figures for a person.
pub(super) fn print(figures: &Figures, context: &mut Context) -> Result<(), Failure> {
    let Context { output: out, clock, .. } = context;
    let bytes = size(figures.bytes);
    let threads = counted(figures.threads, "thread");
    out.line(format!("{}, {threads}, {bytes}", counted(figures.messages, "message")))?;
    if let (Some(earliest), Some(latest)) = (&figures.earliest, &figures.latest) {
        out.line(format!("from {} to {}", local_day(earliest, clock), local_day(latest, clock)))?;
    }
    out.line(format!(
        "{} with attachments, {} with defects",
        grouped(figures.with_attachments),
        grouped(figures.defective)
    ))?;
    mailboxes(figures, out)?;
    chart("by year", &figures.years, out)?;
    chart("the last months", &figures.months, out)?;
    heatmap(&figures.week, out)?;
    chart("from whom", &figures.senders, out)?;
    chart("from where", &figures.domains, out)
}

/// The widest a name is shown where nothing limits it.
const NAME_COLUMNS: usize = 44;
/// What stands before and behind a name: an indent, a number, how many are unread.
const AROUND_MAILBOX: usize = 2 + 1 + 9 + 2 + 13;

fn mailboxes(figures: &Figures, out: &mut Output) -> Result<(), Failure> {
    const GONE: &str = "gone from the server, kept here (is:gone)";
    section("mailboxes", out)?;
    let most = out.columns().map_or(usize::MAX, |columns| columns - AROUND_MAILBOX);
    let names =
        figures.mailboxes.iter().map(|mailbox| one_line(&format!("{} {}", mailbox.account, mailbox.mailbox)));
    let names: Vec<String> = names.collect();
    let longest = names.iter().map(|name| width(name)).max().unwrap_or(0).max(NAME_COLUMNS).min(most);
    for (mailbox, name) in figures.mailboxes.iter().zip(&names) {
        let counts = format!("{:>9}  {} unread", grouped(mailbox.count), grouped(mailbox.unread));
        out.put(&format!("  {} {counts}", column(name, longest)))?;
    }
    if figures.gone > 0 {
        out.put(&format!("  {} {:>9}", column(GONE, longest), grouped(figures.gone)))?;
    }
    let placed: i64 = figures.mailboxes.iter().map(|mailbox| mailbox.count).sum();
    if placed + figures.gone != figures.messages {
        out.line("  a message in several mailboxes counts in each of them, here and below")?;
    }
    Ok(())
}

const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
/// From no message to the most.
const SHADES: [&str; 5] = ["·", "░", "▒", "▓", "█"];
/// Where an hour has two columns.
const WIDE_WEEK: usize = 66;

/// The hours of the week, the busier the darker; Monday first.
fn heatmap(week: &[[i64; 24]; 7], out: &mut Output) -> Result<(), Failure> {
    let most = week.iter().flatten().copied().max().unwrap_or(0);
    if most == 0 {
        return Ok(());
    }
    section("by hour of the week", out)?;
    let columns = if out.columns().is_some_and(|columns| columns < WIDE_WEEK) { 1 } else { 2 };
    let hours: Vec<_> =
        (0..24).step_by(3).map(|hour| format!("{hour:<width$}", width = 3 * columns)).collect();
    out.put(&format!("      {}", hours.concat().trim_end()))?;
    for day in [1, 2, 3, 4, 5, 6, 0] {
        let cells: String = week[day].iter().map(|count| shade(*count, most).repeat(columns)).collect();
        out.put(&format!("  {} {cells} {:>9}", DAYS[day], grouped(week[day].iter().sum::<i64>())))?;
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

/// The widest bar.
const BAR_COLUMNS: usize = 24;
/// What stands around a name and its bar: an indent, a number, blanks.
const AROUND_BAR: usize = 2 + 1 + 9 + 2;

fn chart(title: &str, shares: &[Share], out: &mut Output) -> Result<(), Failure> {
    if shares.is_empty() {
        return Ok(());
    }
    section(title, out)?;
    let most = shares.iter().map(|share| share.count).max().unwrap_or(1);
    let names: Vec<String> = shares.iter().map(|share| one_line(&share.name)).collect();
    let longest = names.iter().map(|name| width(name)).max().unwrap_or(0).max(4);
    let (name, blocks) = chart_columns(longest, out.columns());
    for (share, text) in shares.iter().zip(&names) {
        let bar = bar(share.count, most, blocks);
        out.put(&format!("  {} {:>9}  {bar}", column(text, name), grouped(share.count)))?;
    }
    Ok(())
}

/// How wide names and bars are: a bar gets shorter before a name is cut, and keeps a third of the line.
fn chart_columns(longest: usize, columns: Option<usize>) -> (usize, usize) {
    let Some(columns) = columns else { return (longest, BAR_COLUMNS) };
    let room = columns - AROUND_BAR;
    let bar = room.saturating_sub(longest).clamp(room / 3, BAR_COLUMNS.max(room / 3)).min(BAR_COLUMNS);
    (longest.min(room - bar), bar)
}

#[cfg(test)]
mod tests {
    use super::{chart_columns, shade};

    #[test]
    fn the_busiest_hour_is_the_darkest_and_an_empty_one_is_blank() {
        assert_eq!([0, 1, 50, 100].map(|count| shade(count, 100)), ["·", "░", "▒", "█"]);
    }

    #[test]
    fn a_bar_gets_shorter_before_a_name_is_cut() {
        assert_eq!(chart_columns(20, Some(80)), (20, 24));
        assert_eq!(chart_columns(44, Some(80)), (44, 22));
        assert_eq!(chart_columns(60, Some(60)), (31, 15));
        assert_eq!(chart_columns(60, None), (60, 24));
    }
}
