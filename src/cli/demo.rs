//! `mailkeep demo`: the main job on a sample mailbox, with nothing to set up.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;
use crate::cli::{search, stats};
use crate::home::Home;
use crate::model::Audience;
use crate::query::{Archive, Page, Question};
use crate::store::Reader;
use crate::sync::{self, ImportRequest, Progress};

/// Try mailkeep with a sample mailbox of about 300 messages
///
/// Needs no account, no server and no answers. The sample goes into a home of its own; yours is not touched.
#[derive(Args)]
#[command(after_help = "Example: mailkeep demo")]
pub(super) struct Arguments {
    /// Exit when the show is over
    #[arg(long)]
    once: bool,
}

const SAMPLES: [(&str, &str, &[u8]); 2] = [
    ("ada.berg@example.org", "personal.mbox", include_bytes!("../../demo/personal.mbox")),
    ("a.berg@northwind-optics.example", "work.mbox", include_bytes!("../../demo/work.mbox")),
];

const SEARCHES: [(&str, &str); 3] = [
    ("a project, only where something is attached", "halcyon has:attachment"),
    (
        "two senders and a span of time, newest first",
        "from:(elena OR ruben) after:2024-01-01 before:2025-01-01",
    ),
    ("an exact phrase, or another script", "\"61 steps\" OR 反射防止膜"),
];

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    // The demonstration ends by itself; the flag is the promise that it always will.
    let Arguments { once: _ } = arguments;
    let home = demo_home(context)?;
    let started = Instant::now();
    let stored = fill(&home, context)?;
    let seconds = started.elapsed().as_secs_f64();
    let mut archive = Archive::open(&home, Audience::Person, context.clock.clone(), Context::extractor())?;
    if context.output.is_json() {
        return print_json(&home, &mut archive, context);
    }
    let count = counted(i64::try_from(archive.count("", None)?).unwrap_or(i64::MAX), "message");
    let news = if stored == 0 {
        "already there".to_owned()
    } else {
        format!("imported and indexed in {seconds:.2} s")
    };
    context.output.line(format!("A sample mailbox: {count} of two accounts over three years, {news}."))?;
    for (what, query) in SEARCHES {
        let bold = anstyle::Style::new().bold();
        context.output.line(format!("\n{bold}$ mailkeep search '{query}'{bold:#}    {what}"))?;
        let page = Page { limit: 3, offset: 0 };
        search::print(&archive.search(&Question::of(query, page))?, page, context)?;
    }
    let bold = anstyle::Style::new().bold();
    context.output.line(format!("\n{bold}$ mailkeep stats{bold:#}"))?;
    stats::print(&archive.figures(5)?, &mut context.output)?;
    next_steps(&home, context)?;
    Ok(ExitCode::SUCCESS)
}

/// A home of the sample's own. One that the person names must not hold other mail: the sample never mixes with it.
fn demo_home(context: &Context) -> Result<Home, Failure> {
    let named =
        std::env::args_os().any(|argument| argument.to_string_lossy().split('=').next() == Some("--home"));
    if !named {
        return Ok(Home::at(context.home.directory().with_file_name("mailkeep-demo")));
    }
    let accounts = Reader::open_or_empty(&context.home.store(), Audience::Person)?.accounts()?;
    if accounts.iter().all(|account| SAMPLES.iter().any(|(address, ..)| *address == account.address)) {
        return Ok(context.home.clone());
    }
    let message = format!("`{}` holds other mail", context.home.directory().display());
    Err(Failure::new("home_in_use", message, "leave `--home` out, or name a new directory for the sample"))
}

fn fill(home: &Home, context: &Context) -> Result<u64, Failure> {
    let samples = tempfile::tempdir().map_err(|error| {
        Failure::new("file_error", format!("cannot make a temporary directory: {error}"), "free some space")
    })?;
    let mut stored = 0;
    for (account, name, bytes) in SAMPLES {
        let paths = [unpack(samples.path(), name, bytes)?];
        let request = ImportRequest { paths: &paths, account, mailbox: None };
        let report =
            sync::import(home, &request, &Context::extractor(), &context.clock, &Progress::default())?;
        stored += report.stored;
    }
    Ok(stored)
}

fn unpack(directory: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
    let path = directory.join(name);
    fs::write(&path, bytes)?;
    Ok(path)
}

fn print_json(home: &Home, archive: &mut Archive, context: &mut Context) -> Result<ExitCode, Failure> {
    let page = Page { limit: 3, offset: 0 };
    let searches = SEARCHES
        .iter()
        .map(|(_, query)| archive.search(&Question::of(query, page)))
        .collect::<Result<Vec<_>, _>>()?;
    let answer = json!({"home": home.directory().display().to_string(), "searches": searches, "stats": archive.figures(5)?});
    context.output.json(&answer)?;
    Ok(ExitCode::SUCCESS)
}

fn next_steps(home: &Home, context: &mut Context) -> Result<(), Failure> {
    let directory = home.directory().display();
    let out = &mut context.output;
    out.line("\nWhat to do next:")?;
    out.line(format!("  mailkeep --home {directory} search 'halcyon is:starred'     go on with the sample"))?;
    out.line(format!(
        "  mailkeep --home {directory} connect claude-desktop          let an assistant try it"
    ))?;
    out.line("  mailkeep search --help                                          all operators")?;
    out.line("  mailkeep import PATH --account you@example.org                  bring in your own mail")?;
    out.line(
        "  mailkeep account add you@example.org && mailkeep sync           or fetch it from your server",
    )?;
    Ok(())
}
