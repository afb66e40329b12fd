//! `mailkeep verify`: store, counts and index against each other.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::{counted, grouped};
use crate::cli::{progress, reindex, semantic};
use crate::index::{FullText, IndexError, MAY_WAIT};
use crate::store::{Reader, Store, VerifyReport};

/// Check every message, the counts and the index; repair what is derived
#[derive(Args)]
#[command(after_help = "Example: mailkeep verify")]
pub(super) struct Arguments {}

pub(super) fn run(context: &mut Context) -> Result<ExitCode, Failure> {
    let reader = Reader::open(&context.home.store())?;
    let bar = progress::messages(reader.rows()?.len(), "checking");
    let mut report = reader.verify(&mut |done| bar.set_position(done))?;
    bar.finish_and_clear();
    Store::open(&context.home.store())?.repair_counts(&mut report)?;
    check_index(context, &reader, &mut report)?;
    semantic::verify(context, &reader, &mut report)?;
    print(&report, context)?;
    Ok(if report.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Compares the index with the store and builds it again where they differ.
fn check_index(context: &Context, reader: &Reader, report: &mut VerifyReport) -> Result<(), Failure> {
    let problem = match FullText::open(&context.home.text_index(), reader) {
        // So few messages are left to the tail, and were never indexed.
        Ok(None) if reader.count_changes_after(0)? <= MAY_WAIT => {
            reindex::rebuild(context, true)?;
            None
        }
        Ok(None) => Some("the text index was missing".to_owned()),
        Ok(Some(mut text)) => {
            if text.seen() < reader.newest_content_change()? {
                reindex::rebuild(context, true)?;
                text.refresh()?;
            }
            difference(&text, reader)?
        }
        Err(error @ IndexError::Damaged { .. }) => Some(error.to_string()),
        Err(error) => return Err(error.into()),
    };
    if let Some(problem) = problem {
        reindex::rebuild(context, false)?;
        report.add("text index", problem, true);
    }
    Ok(())
}

fn difference(text: &FullText, reader: &Reader) -> Result<Option<String>, Failure> {
    let (indexed, stored) = (text.rows()?, reader.rows()?);
    let (missing, extra) = (&stored - &indexed, &indexed - &stored);
    if missing.is_empty() && extra.is_empty() && text.documents() == stored.len() {
        return Ok(None);
    }
    Ok(Some(format!(
        "in the text index {} missing and {} too many",
        grouped(missing.len()),
        grouped(extra.len())
    )))
}

fn print(report: &VerifyReport, context: &mut Context) -> Result<(), Failure> {
    let out = &mut context.output;
    if out.is_json() {
        let findings: Vec<_> = report
            .findings
            .iter()
            .map(|f| json!({"subject": f.subject, "problem": f.problem, "repaired": f.repaired}))
            .collect();
        let answer = json!({"sound": report.is_sound(), "messages": report.messages, "findings": findings});
        return Ok(out.json(&answer)?);
    }
    for finding in &report.findings {
        let state = if finding.repaired { "repaired" } else { "not repaired" };
        out.line(format!("{}: {} ({state})", finding.subject, finding.problem))?;
    }
    let count = counted(report.messages, "message");
    let verdict = if report.is_sound() { "all sound" } else { "there are problems" };
    out.line(format!("{count} checked against their hashes, with counts and index: {verdict}"))?;
    Ok(())
}
