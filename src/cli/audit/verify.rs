//! `mailkeep audit verify` and `export`: whether the chain holds, by itself and against what was written elsewhere.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::audit::{self, CallLog, Head};
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;
use crate::cli::{leaving, outbox};
use crate::store::Reader;

/// Check the chain, and name the first entry that is broken
#[derive(Args)]
#[command(after_help = "Example: mailkeep audit verify --against /media/stick/heads.jsonl")]
pub(super) struct Verify {
    /// Heads that `audit export` wrote
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
}

/// Write down the end of the chain, somewhere outside the home
///
/// A program of yours could compute the whole chain anew. What it cannot change is a head that lies where it cannot write:
/// on a stick, on another machine, on paper. Adds a line to the file.
#[derive(Args)]
#[command(after_help = "Example: mailkeep audit export /media/stick/heads.jsonl")]
pub(super) struct Export {
    /// The file, outside the home
    file: PathBuf,
}

pub(super) fn verify(arguments: &Verify, context: &mut Context) -> Result<ExitCode, Failure> {
    let reader = outbox::reader(context)?;
    let heads = arguments.against.as_deref().map(read_heads).transpose()?.unwrap_or_default();
    let verified = audit::verify(&reader, &heads)?;
    let approvals = leaving::approvals(context);
    let bad_seals = approvals.bad_seals(&reader)?;
    let is_confirmed = !approvals.now_in_force(&reader)?.is_broken;
    let changed_calls = changed_calls(&reader, context)?;
    let is_good =
        verified.broken.is_none() && bad_seals.items.is_empty() && is_confirmed && changed_calls == 0;
    let code = if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if context.output.is_json() {
        context.output.json(&json!({
            "ok": is_good, "links": verified.links, "broken": verified.broken, "heads": verified.heads,
            "approvals_without_seal": bad_seals.items,
            "spent_approvals_of_another_home": bad_seals.spent, "confirmation_ok": is_confirmed, "changed_calls": changed_calls,
        }))?;
        return Ok(code);
    }
    let out = &mut context.output;
    if let Some(broken) = &verified.broken {
        out.line(format!("broken at link {}: {}", broken.link, broken.problem))?;
    }
    for item in &bad_seals.items {
        out.line(format!("a yes to {item} was not given here: its seal is wrong"))?;
    }
    if !is_confirmed {
        out.line(
            "what you confirmed about sending was changed by another program: `mailkeep approval status`",
        )?;
    }
    if changed_calls > 0 {
        out.line(format!(
            "{} of assistants were changed after they were sealed",
            counted(changed_calls, "group of calls")
        ))?;
    }
    if bad_seals.spent > 0 {
        let spent = counted(bad_seals.spent, "yes that is used up");
        out.line(format!("{spent}: sealed by another home's key, as after a restore"))?;
    }
    if is_good {
        out.line(praise(verified.links, heads.len()))?;
    }
    Ok(code)
}

fn praise(links: i64, heads: usize) -> String {
    let links = counted(links, "link");
    match heads {
        0 => format!(
            "{links}, internally consistent. That is all that can be said: a program of yours could have cut off the end or \
             computed the chain anew. Compare with a head that `mailkeep audit export` wrote elsewhere."
        ),
        heads => {
            format!("{links}, as they were when {} exported", crate::cli::figures::counted_are(heads, "head"))
        }
    }
}

/// Groups of calls that are not as the chain sealed them.
fn changed_calls(reader: &Reader, context: &Context) -> Result<usize, Failure> {
    let log = CallLog::at(context.home.calls());
    let rows = reader.audit_rows(0, usize::MAX >> 1)?;
    let sealed = rows.iter().filter(|row| row.kind == "calls");
    let sealed = sealed.filter_map(|row| serde_json::from_str(&row.body).ok());
    Ok(sealed.filter(|body| matches!(log.is_as_sealed(body), Ok(false))).count())
}

pub(super) fn export(arguments: &Export, context: &mut Context) -> Result<ExitCode, Failure> {
    let reader = outbox::reader(context)?;
    let inside = |path: &Path| {
        let directory = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
        match (directory.canonicalize(), context.home.directory().canonicalize()) {
            (Ok(directory), Ok(home)) => directory.starts_with(home),
            _ => false,
        }
    };
    if inside(&arguments.file) {
        return Err(Failure::new(
            "inside_home",
            format!("`{}` is inside the home", arguments.file.display()),
            "a head proves something only where programs that write the home cannot write",
        ));
    }
    let known = if arguments.file.exists() { read_heads(&arguments.file)? } else { Vec::new() };
    let verified = audit::verify(&reader, &known)?;
    if let Some(broken) = verified.broken {
        return Err(Failure::new(
            "audit_broken",
            format!("the chain is broken at link {}: {}", broken.link, broken.problem),
            "nothing was written; `mailkeep audit verify` says more",
        ));
    }
    let Some(head) = audit::head(&reader)? else {
        return Err(Failure::new("audit_empty", "nothing has happened yet", "there is no head to write"));
    };
    let line = serde_json::to_string(&head).unwrap_or_default();
    let mut file = OpenOptions::new().append(true).create(true).open(&arguments.file)?;
    writeln!(file, "{line}")?;
    file.sync_all()?;
    if context.output.is_json() {
        context.output.json(&head)?;
    } else {
        context.output.line(format!("link {}, {}", head.id, head.hash))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn read_heads(path: &Path) -> Result<Vec<Head>, Failure> {
    let wrong = |detail: String| {
        let message = format!("cannot read heads from `{}`: {detail}", path.display());
        Failure::new("bad_heads", message, "name a file that `mailkeep audit export` wrote")
    };
    let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let heads: Vec<Head> = lines
        .map(|line| serde_json::from_str(line).map_err(|error| wrong(error.to_string())))
        .collect::<Result<_, _>>()?;
    if heads.is_empty() { Err(wrong("there is none".to_owned())) } else { Ok(heads) }
}
