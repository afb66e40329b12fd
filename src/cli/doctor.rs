//! `mailkeep doctor`: what is wrong, and how to mend it.

use std::fs;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::{counted, counted_are};
use crate::index::{FullText, LOOKED_THROUGH};
use crate::store::{Reader, StoreError};

/// Look for problems and say how to mend them
#[derive(Args)]
#[command(after_help = "Example: mailkeep doctor")]
pub(super) struct Arguments {}

/// How wide the marks before the findings are.
const MARK_COLUMNS: usize = 7;

/// One thing that was looked at.
struct Finding {
    what: &'static str,
    state: String,
    hint: Option<String>,
}

impl Finding {
    fn good(what: &'static str, state: impl Into<String>) -> Self {
        Self { what, state: state.into(), hint: None }
    }

    fn bad(what: &'static str, state: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what, state: state.into(), hint: Some(hint.into()) }
    }
}

pub(super) fn run(context: &mut Context) -> Result<ExitCode, Failure> {
    let findings = [home(context), privacy(context), store(context), index(context), zone(context)];
    let sound = findings.iter().all(|finding| finding.hint.is_none());
    let out = &mut context.output;
    if out.is_json() {
        let list: Vec<_> = findings
            .iter()
            .map(|f| json!({"what": f.what, "ok": f.hint.is_none(), "state": f.state, "hint": f.hint}))
            .collect();
        out.json(&json!({ "ok": sound, "findings": list }))?;
    } else {
        for finding in &findings {
            let mark = if finding.hint.is_none() { "ok" } else { "problem" };
            out.labelled(mark, MARK_COLUMNS, &format!("{}: {}", finding.what, finding.state))?;
            if let Some(hint) = &finding.hint {
                out.labelled("", MARK_COLUMNS, &format!("hint: {hint}"))?;
            }
        }
    }
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn home(context: &Context) -> Finding {
    let directory = context.home.directory();
    let shown = directory.display().to_string();
    match directory.try_exists() {
        Ok(true) => {}
        Ok(false) => {
            return Finding::good("home", format!("{shown} (not there yet; the first import makes it)"));
        }
        Err(error) => {
            let hint =
                "check the permissions of the directories above it, or choose another with `--home DIR`";
            return Finding::bad("home", format!("{shown} cannot be looked at: {error}"), hint);
        }
    }
    let probe = directory.join(".write-probe");
    match fs::write(&probe, b"probe").and_then(|()| fs::remove_file(&probe)) {
        Ok(()) => Finding::good("home", format!("{shown} can be written")),
        Err(error) => Finding::bad(
            "home",
            format!("{shown} cannot be written: {error}"),
            "free some space, change its permissions, or choose another with `--home DIR`",
        ),
    }
}

#[cfg(unix)]
fn privacy(context: &Context) -> Finding {
    use std::os::unix::fs::PermissionsExt;
    let readable_by_others = |path: std::path::PathBuf| {
        fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o077 != 0)
    };
    let directory = context.home.directory();
    if readable_by_others(directory.to_owned()) {
        let hint = format!("run `chmod -R go-rwx {}`", directory.display());
        return Finding::bad("privacy", "other users of this machine can look into the home", hint);
    }
    Finding::good("privacy", "only you can look into the home")
}

#[cfg(not(unix))]
fn privacy(_: &Context) -> Finding {
    Finding::good("privacy", "left to the system's own permissions")
}

fn store(context: &Context) -> Finding {
    match Reader::open(&context.home.store()).and_then(|reader| reader.check_pages()) {
        Ok(()) => Finding::good("mail store", "pages are sound; `mailkeep verify` checks every message"),
        Err(StoreError::Missing { .. }) => Finding::good("mail store", "none yet"),
        Err(error) => Finding::bad("mail store", error.to_string(), error.hint()),
    }
}

fn index(context: &Context) -> Finding {
    let reader = match Reader::open_or_empty(&context.home.store()) {
        Ok(reader) => reader,
        Err(error) => {
            return Finding::bad("text index", "cannot be judged without the mail store", error.hint());
        }
    };
    match FullText::open(&context.home.text_index(), &reader) {
        Err(error) => Finding::bad("text index", error.to_string(), error.hint()),
        Ok(text) => {
            let seen = text.as_ref().map_or(0, FullText::seen);
            match reader.count_changes_after(seen) {
                Ok(waiting) => judged(text.map(|text| text.documents()), waiting),
                Err(error) => Finding::bad("text index", error.to_string(), error.hint()),
            }
        }
    }
}

/// The index by how many messages it holds, if there is one, and how many changes it has not seen: so many are looked
/// through without it.
fn judged(documents: Option<u64>, waiting: usize) -> Finding {
    match (documents, waiting) {
        (None, 0) => Finding::good("text index", "none yet"),
        (None, 1..=LOOKED_THROUGH) => Finding::good(
            "text index",
            format!("none yet, {} looked through without it", counted_are(waiting, "message")),
        ),
        (None, _) => Finding::bad("text index", "missing", "run `mailkeep reindex`"),
        (Some(documents), 0) => {
            Finding::good("text index", format!("up to date, {}", counted(documents, "message")))
        }
        (Some(documents), 1..=LOOKED_THROUGH) => Finding::good(
            "text index",
            format!(
                "{}, the newest {} looked through without it",
                counted(documents, "message"),
                counted_are(waiting, "message")
            ),
        ),
        (Some(_), _) => Finding::bad(
            "text index",
            format!("{} behind the mail store", counted(waiting - LOOKED_THROUGH, "message")),
            "run `mailkeep reindex --only-new`, or wait for the import that is running",
        ),
    }
}

fn zone(context: &Context) -> Finding {
    let zone = context.clock.zone().iana_name().unwrap_or("UTC offset only").to_owned();
    Finding::good("time zone", format!("{zone}: days in `before:` and `after:` begin at its midnight"))
}
