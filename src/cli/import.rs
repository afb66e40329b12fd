//! `mailkeep import`: mail in from files.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::{counted, grouped};
use crate::cli::progress;
use crate::cli::{reports, semantic};
use crate::sync::{self, ImportReport, ImportRequest, Progress, SyncError};

/// Bring in mail from mbox, Maildir and .eml files
///
/// Takes mbox files, Maildirs with their folders, .eml files and directories of them, also compressed with gzip or
/// zstd. Importing the same files again stores nothing twice; an import that was stopped goes on.
#[derive(Args)]
#[command(after_help = "Example: mailkeep import ~/Mail/archive.mbox.gz --account ada@example.org")]
pub(super) struct Arguments {
    /// Files and directories
    #[arg(required = true)]
    paths: Vec<PathBuf>,

    /// Address of the account that the mail belongs to; made if it is not there
    #[arg(long, value_name = "ADDRESS")]
    account: String,

    /// Mailbox to put everything in [default: INBOX; Maildir folders keep their names]
    #[arg(long, value_name = "NAME")]
    mailbox: Option<String>,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    check_address(&arguments.account)?;
    let started = Instant::now();
    let progress = Arc::new(Progress::default());
    stop_on_signal(&progress);
    let request = ImportRequest {
        paths: &arguments.paths,
        account: &arguments.account,
        mailbox: arguments.mailbox.as_deref(),
    };
    context.apply_shield()?;
    let mut report = with_bar(&progress, || {
        sync::import(&context.home, &request, &Context::extractor(), &context.clock, &progress)
    })?;
    // A store that was just made goes by the usual rules until it learns the owner's.
    context.apply_shield()?;
    reports::look(context);
    let nothing_readable = report.stored + report.known == 0 && report.skipped == 0;
    if nothing_readable && report.problems.len() == 1 {
        return Err(report.problems.remove(0).into());
    }
    print(&report, started.elapsed(), context)?;
    semantic::advise(context)?;
    Ok(if report.problems.is_empty() && !report.interrupted { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

pub(super) fn check_address(address: &str) -> Result<(), Failure> {
    let parts = address.split_once('@').filter(|(local, domain)| !local.is_empty() && !domain.is_empty());
    if parts.is_some() && !address.contains(char::is_whitespace) {
        return Ok(());
    }
    let message = format!("`{address}` is not an address");
    Err(Failure::new("bad_address", message, "give the account as `--account ada@example.org`"))
}

/// The first Ctrl-C stops at a safe point; the second one ends the process at once, which loses nothing either.
fn stop_on_signal(progress: &Arc<Progress>) {
    let progress = Arc::clone(progress);
    let _ = ctrlc::set_handler(move || {
        if progress.stop.swap(true, Ordering::Relaxed) {
            std::process::abort();
        }
    });
}

fn with_bar(
    progress: &Progress,
    work: impl FnOnce() -> Result<ImportReport, SyncError>,
) -> Result<ImportReport, SyncError> {
    let done = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| draw(progress, &done));
        let report = work();
        done.store(true, Ordering::Relaxed);
        report
    })
}

fn draw(progress: &Progress, done: &std::sync::atomic::AtomicBool) {
    let bar = progress::spinner();
    let mut sized = None;
    while !done.load(Ordering::Relaxed) {
        let total = progress.total_bytes.load(Ordering::Relaxed);
        let bar = match &sized {
            Some(bar) => bar,
            None if total > 0 => {
                bar.finish_and_clear();
                sized.insert(progress::bytes(total))
            }
            None => &bar,
        };
        bar.set_position(progress.bytes.load(Ordering::Relaxed));
        let messages = i64::try_from(progress.messages.load(Ordering::Relaxed)).unwrap_or(i64::MAX);
        bar.set_message(format!("{} stored", counted(messages, "message")));
        thread::sleep(Duration::from_millis(50));
    }
    sized.unwrap_or(bar).finish_and_clear();
}

fn print(report: &ImportReport, took: Duration, context: &mut Context) -> Result<(), Failure> {
    let seconds = (took.as_secs_f64() * 1000.0).round() / 1000.0;
    let problems: Vec<_> = report
        .problems
        .iter()
        .map(|p| json!({"code": p.code(), "message": p.to_string(), "hint": p.hint()}))
        .collect();
    if context.output.is_json() {
        return Ok(context.output.json(&json!({
            "stored": report.stored, "known": report.known, "defective": report.defective, "seconds": seconds,
            "skipped": report.skipped, "interrupted": report.interrupted, "problems": problems,
        }))?);
    }
    for problem in &report.problems {
        Failure::tell(&problem.to_string(), problem.hint().as_deref());
    }
    if report.stored + report.known == 0 {
        return Ok(context.output.line("no messages found")?);
    }
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let rate = grouped((count(report.stored + report.known) as f64 / took.as_secs_f64().max(0.001)) as i64);
    let out = &mut context.output;
    out.line(format!(
        "{} stored in {seconds:.1} s ({rate} messages/s)",
        counted(count(report.stored), "message")
    ))?;
    if report.known > 0 {
        out.line(format!("{} already known", grouped(count(report.known))))?;
    }
    if report.defective > 0 {
        out.line(format!(
            "{} of them with defects: kept as they are, `mailkeep show ID` says what is wrong",
            grouped(count(report.defective))
        ))?;
    }
    if report.skipped > 0 {
        out.line(format!("{} skipped: not mail", counted(count(report.skipped), "file")))?;
    }
    if report.interrupted {
        out.line("stopped; run the same command again to go on")?;
    } else if report.problems.is_empty() {
        out.line("next: mailkeep search \"...\", or `mailkeep stats`")?;
    }
    Ok(())
}
