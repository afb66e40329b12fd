//! `mailkeep drafts list`: the drafts, newest first.

use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::drafts::show::attached;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;
use crate::cli::layout::{column, cut, filled};
use crate::cli::local_time::{TIME_COLUMNS, local_time};
use crate::query::{DraftItem, Page};
use crate::text_safety::{brief, one_line};

/// List the drafts, newest first
#[derive(Args)]
#[command(after_help = "Example: mailkeep drafts list --account ada@example.org")]
pub(super) struct Arguments {
    /// Only this account
    #[arg(long, value_name = "ADDRESS")]
    account: Option<String>,

    /// How many drafts to show
    #[arg(long, default_value = "20", value_name = "N")]
    limit: u32,

    /// How many to leave out first
    #[arg(long, default_value_t = 0, value_name = "N")]
    offset: u32,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let page = Page { limit: arguments.limit as usize, offset: arguments.offset as usize };
    let drafts = context.archive()?.drafts(arguments.account.as_deref(), page)?;
    if context.output.is_json() {
        context.output.json(&drafts)?;
        return Ok(ExitCode::SUCCESS);
    }
    for draft in &drafts.items {
        print(draft, context)?;
    }
    let last = page.offset + drafts.items.len();
    let total = i64::try_from(drafts.total).unwrap_or(i64::MAX);
    let dim = anstyle::Style::new().dimmed();
    let out = &mut context.output;
    match drafts.items.is_empty() {
        true if total == 0 => out.line("there are no drafts")?,
        true => out.line(format!("nothing more: there are only {}", counted(total, "draft")))?,
        false => out.line(format!("{dim}{} to {last} of {total}{dim:#}", page.offset + 1))?,
    }
    if !drafts.items.is_empty() && (last as u64) < drafts.total {
        out.line(format!("{dim}next page: add --offset {last}{dim:#}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The widest that recipients are shown.
const RECIPIENT_COLUMNS: usize = 30;
/// How wide an id is, with the blanks behind it.
const ID_COLUMNS: usize = 15;

fn print(draft: &DraftItem, context: &mut Context) -> Result<(), Failure> {
    let (bold, dim) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
    let subject = match one_line(&draft.subject) {
        subject if subject.is_empty() => "(no subject)".to_owned(),
        subject => subject,
    };
    let time = local_time(&draft.updated, &context.clock);
    let to = format!("to {}", one_line(&draft.to.join(", ")));
    let state = if draft.state == "draft" { String::new() } else { format!("  ({})", draft.state) };
    let body = one_line(&draft.body);
    let out = &mut context.output;
    let (to, subject, body) = match out.columns() {
        None => (filled(&to, RECIPIENT_COLUMNS), subject, brief(&body, 200).into_owned()),
        Some(columns) => {
            let recipients = (columns / 4).min(RECIPIENT_COLUMNS);
            let left = columns.saturating_sub(TIME_COLUMNS + recipients + 4 + state.len());
            let room = columns.saturating_sub(ID_COLUMNS);
            (column(&to, recipients), cut(&subject, left), cut(&body, room))
        }
    };
    out.put(&format!("{time}  {to}  {bold}{subject}{bold:#}{dim}{state}{dim:#}"))?;
    out.put(&format!("{dim}{}{dim:#}  {body}", draft.id))?;
    let other_sender = Some(&draft.from).filter(|from| **from != draft.account);
    for (word, value) in [("from", other_sender.cloned()), ("attached", Some(attached(draft)))] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            out.put(&format!("{dim}{word} {}{dim:#}", one_line(&value)))?;
        }
    }
    if draft.problem.is_some() {
        out.line(format!("{dim}{}{dim:#}", one_line(&draft.whereabouts())))?;
    }
    Ok(())
}
