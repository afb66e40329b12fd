//! `mailkeep audit verify` and `export`: whether the chain holds, by itself and against what was written elsewhere.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use crate::audit::{self, CallLog, Head, Verified};
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;
use crate::cli::{leaving, outbox};
use crate::outbox::approval::BadSeals;
use crate::outbox::approval::passkey::{KeyProblem, Keys, SignatureReport};
use crate::store::Reader;
use crate::text_safety::one_line;

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
    let heads = arguments.against.as_deref().map(read_heads).transpose()?.unwrap_or_default();
    let findings = Findings::of(&heads, context)?;
    let code = if findings.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if context.output.is_json() {
        context.output.json(&findings.json())?;
        return Ok(code);
    }
    for line in findings.lines() {
        context.output.line(line)?;
    }
    if findings.is_good() {
        context.output.line(praise(findings.chain.links, heads.len()))?;
        let SignatureReport { keys, signatures, .. } = &findings.signatures;
        if !keys.is_empty() {
            let (made, keys) = (counted(*signatures, "signature"), counted(keys.len(), "key"));
            context.output.line(format!("{made} by passkey, all good; {keys}"))?;
        }
    }
    Ok(code)
}

/// What was found in the chain and in everything that it is held against.
struct Findings {
    chain: Verified,
    seals: BadSeals,
    is_confirmed: bool,
    changed_calls: usize,
    signatures: SignatureReport,
    are_tries_told: bool,
}

impl Findings {
    fn of(heads: &[Head], context: &Context) -> Result<Self, Failure> {
        let reader = outbox::reader(context)?;
        let approvals = leaving::approvals(context);
        let mut signatures = approvals.check_signatures(&reader)?;
        signatures.problems.extend(other_keys(&reader, heads)?);
        Ok(Self {
            chain: audit::verify(&reader, heads)?,
            seals: approvals.bad_seals(&reader)?,
            is_confirmed: !approvals.now_in_force(&reader)?.is_broken,
            changed_calls: changed_calls(&reader, context)?,
            signatures,
            are_tries_told: reader.are_pin_failures_told()?,
        })
    }

    fn is_good(&self) -> bool {
        self.chain.broken.is_none()
            && self.seals.items.is_empty()
            && self.is_confirmed
            && self.changed_calls == 0
            && self.signatures.problems.is_empty()
            && self.are_tries_told
    }

    fn json(&self) -> Value {
        json!({
            "ok": self.is_good(),
            "links": self.chain.links,
            "broken": self.chain.broken,
            "heads": self.chain.heads,
            "approvals_without_seal": self.seals.items,
            "spent_approvals_of_another_home": self.seals.spent,
            "confirmation_ok": self.is_confirmed,
            "changed_calls": self.changed_calls,
            "passkeys": self.signatures.keys,
            "signatures": self.signatures.signatures,
            "signature_problems": self.signatures.problems,
            "pin_tries_ok": self.are_tries_told,
        })
    }

    /// What is wrong, in words, and what looks so and is not.
    fn lines(&self) -> Vec<String> {
        let broken = self.chain.broken.iter();
        let mut lines: Vec<_> =
            broken.map(|broken| format!("broken at link {}: {}", broken.link, broken.problem)).collect();
        let unsealed = self.seals.items.iter();
        lines.extend(unsealed.map(|item| format!("a yes to {item} was not given here: its seal is wrong")));
        lines.extend(self.signatures.problems.iter().map(|KeyProblem { link, problem }| {
            let place = link.map_or_else(|| "passkeys".to_owned(), |link| format!("link {link}"));
            format!("{place}: {}", one_line(problem))
        }));
        if !self.are_tries_told {
            lines.push(
                "how often a wrong PIN was given was changed by another program; the stricter count holds"
                    .to_owned(),
            );
        }
        if !self.is_confirmed {
            let text =
                "what you confirmed about sending was changed by another program: `mailkeep approval status`";
            lines.push(text.to_owned());
        }
        if self.changed_calls > 0 {
            let groups = counted(self.changed_calls, "group of calls");
            lines.push(format!("{groups} of assistants were changed or removed after they were sealed"));
        }
        if self.seals.spent > 0 {
            let spent = counted(self.seals.spent, "yes that is used up");
            lines.push(format!("{spent}: sealed by another home's key, as after a restore"));
        }
        lines
    }
}

/// Heads that name other passkeys than the chain had then.
fn other_keys(reader: &Reader, heads: &[Head]) -> Result<Vec<KeyProblem>, Failure> {
    let mut problems = Vec::new();
    for head in heads {
        if Keys::until(reader, head.id)?.fingerprints() != head.passkeys {
            let problem = "the passkeys are others than when the head was exported".to_owned();
            problems.push(KeyProblem { link: Some(head.id), problem });
        }
    }
    Ok(problems)
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

/// Groups of calls that are not as the chain sealed them. A backup has none of them: what was sealed before a restore is
/// another home's, or an older time's.
fn changed_calls(reader: &Reader, context: &Context) -> Result<usize, Failure> {
    let log = CallLog::at(context.home.calls());
    let rows = reader.audit_rows(0, usize::MAX >> 1)?;
    let restored = rows.iter().rposition(|row| row.kind == "restored").unwrap_or_default();
    // The clock may have been set back since old calls went.
    let latest = rows.iter().map(|row| row.time_ms).max().unwrap_or_default();
    let now_ms = context.clock.now().as_millisecond().max(latest);
    let sealed = rows[restored..].iter().filter(|row| row.kind == "calls");
    let sealed = sealed.filter_map(|row| serde_json::from_str(&row.body).ok());
    Ok(sealed.filter(|body| !matches!(log.is_as_sealed(body, now_ms), Ok(true))).count())
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
    let Some(mut head) = audit::head(&reader)? else {
        return Err(Failure::new("audit_empty", "nothing has happened yet", "there is no head to write"));
    };
    head.passkeys = Keys::until(&reader, head.id)?.fingerprints();
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
