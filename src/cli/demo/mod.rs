//! `mailkeep demo`: the main job on a sample mailbox, with nothing to set up.

mod exchange;
mod proposal;
mod sample;

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Args, Parser};
use serde_json::{Value, json};

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;
use crate::cli::typed::{Command, Typed, print_commands};
use crate::cli::{message_list, search_json, serve, stats};
use crate::home::Home;
use crate::model::Audience;
use crate::query::{Archive, Page, QueryError, Question};
use crate::store::Reader;
use crate::sync::{self, ImportRequest, Progress};

use sample::SAMPLES;

/// Try mailkeep with a sample mailbox of about 300 messages
///
/// Needs no account, no server and no answers. The sample goes into a home of its own; yours is not touched. At the end a
/// proposed reply waits on a page for your yes, which is served until you press Ctrl-C.
#[derive(Args)]
#[command(after_help = "Example: mailkeep demo")]
pub(super) struct Arguments {
    /// Exit when the show is over, and serve no page
    #[arg(long)]
    once: bool,
}

const SEARCHES: [(&str, &str); 3] = [
    ("a project, only where something is attached", "halcyon has:attachment"),
    ("two senders and a span of time, newest first", "from:(elena OR ruben) newer_than:3y older_than:1y"),
    ("an exact phrase, or another script", "\"61 steps\" OR 反射防止膜"),
];
/// A sample that is older says how to get a new one.
const OLD_DAYS: i64 = 30;

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let home = demo_home(context)?;
    context.home = home.clone();
    let started = Instant::now();
    let stored = fill(&home, context)?;
    let seconds = started.elapsed().as_secs_f64();
    let mut archive = open(&home, context)?;
    let proposed = proposal::propose(context)?;
    if context.output.is_json() {
        return print_json(&proposed, &mut archive, context);
    }
    let count = counted(archive.count("", None)?, "message");
    let news = if stored == 0 {
        "already there".to_owned()
    } else {
        format!("imported and indexed in {seconds:.2} s")
    };
    context.output.line(format!("A sample mailbox: {count} of two accounts over three years, {news}."))?;
    let typed = Typed::on_home(home.directory());
    for (what, query) in SEARCHES {
        print_command(&typed.command(&["search", "--limit", "3", query]), what, context)?;
        let page = Page { limit: 3, offset: 0 };
        message_list::print(&archive.search(&Question::of(query, page))?, page, context)?;
    }
    print_command(&typed.command(&["stats", "--top", "5"]), "the archive in figures", context)?;
    stats::print(&archive.figures(5)?, context)?;
    exchange::print(&home, context)?;
    proposal::print(&proposed, context)?;
    next_steps(&typed, context)?;
    // Who reads this through a pipe wants it to end.
    if arguments.once || !std::io::stdout().is_terminal() {
        return Ok(ExitCode::SUCCESS);
    }
    context.output.line("")?;
    context
        .output
        .line("Now open the address behind `pages` in your browser: read the reply, and say yes or no.")?;
    context.output.flush()?;
    serve::run(&PageServer::parse_from(["serve", "--no-sync", "--listen", "127.0.0.1:0"]).serve, context)
}

/// The server of the sample's pages, on a port that is nobody's.
#[derive(Parser)]
struct PageServer {
    #[command(flatten)]
    serve: serve::Arguments,
}

/// A command as it can be typed, below what it is for.
fn print_command(command: &Command, what: &str, context: &mut Context) -> Result<(), Failure> {
    let (bold, dim) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
    let out = &mut context.output;
    out.line(format!("\n{dim}# {what}{dim:#}"))?;
    for line in command.lines(out.columns()) {
        out.put(&format!("{bold}{line}{bold:#}"))?;
    }
    Ok(())
}

fn open(home: &Home, context: &Context) -> Result<Archive, Failure> {
    let archive = Archive::open(home, Audience::Person, context.clock.clone(), Context::extractor())?;
    Ok(archive.with_models(&context.models))
}

/// A home of the sample's own. One that the person names must not hold other mail: the sample never mixes with it.
fn demo_home(context: &Context) -> Result<Home, Failure> {
    if !context.home_is_named {
        return Ok(Home::at(context.home.directory().with_file_name("mailkeep-demo")));
    }
    let accounts = Reader::open_or_empty(&context.home.store())?.accounts()?;
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
    let days = days(home, context)?;
    let mut stored = 0;
    for (account, name, bytes) in SAMPLES {
        let paths = [unpack(samples.path(), name, &sample::moved(bytes, days))?];
        let request = ImportRequest { paths: &paths, account, mailbox: None };
        let report =
            sync::import(home, &request, &Context::extractor(), &context.clock, &Progress::default())?;
        stored += report.stored;
    }
    Ok(stored)
}

/// By how many days the sample is moved: as it was when it was first made here, so that it is not stored twice.
fn days(home: &Home, context: &Context) -> Result<i64, Failure> {
    let today = sample::days_until(context.clock.now().as_second());
    let archive = open(home, context)?;
    let Ok(key) = archive.resolve(sample::NEWEST_ID) else { return Ok(today) };
    let newest = archive.message(key)?.map(|message| message.date.epoch);
    let days = newest.map_or(today, sample::days_moved);
    if today - days > OLD_DAYS {
        context.output.note(&format!(
            "the sample was made {} ago; delete `{}` and run this again to have it with today's dates",
            counted(today - days, "day"),
            home.directory().display()
        ));
    }
    Ok(days)
}

fn unpack(directory: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
    let path = directory.join(name);
    fs::write(&path, bytes)?;
    Ok(path)
}

fn print_json(proposed: &Value, archive: &mut Archive, context: &mut Context) -> Result<ExitCode, Failure> {
    let page = Page { limit: 3, offset: 0 };
    let searches = SEARCHES
        .iter()
        .map(|(_, query)| Ok(search_json::answer(query, &archive.search(&Question::of(query, page))?)))
        .collect::<Result<Vec<_>, QueryError>>()?;
    let home = context.home.directory().display().to_string();
    let answer =
        json!({"home": home, "searches": searches, "stats": archive.figures(5)?, "proposed": proposed});
    context.output.json(&answer)?;
    Ok(ExitCode::SUCCESS)
}

fn next_steps(on_sample: &Typed, context: &mut Context) -> Result<(), Failure> {
    let program = Typed::program();
    let import = ["import", "PATH", "--account", "you@example.org"];
    let fetch = program.command(&["account", "add", "you@example.org"]).and(program.command(&["sync"]));
    context.output.line("\nWhat to do next:")?;
    let commands = [
        (on_sample.command(&["search", "halcyon is:starred"]), "go on with the sample"),
        (on_sample.command(&["open"]), "look at what waits, and decide"),
        (on_sample.command(&["connect", "claude-desktop"]), "let an assistant try it"),
        (on_sample.command(&["reindex", "--semantic"]), "find mail by its meaning too"),
        (program.command(&["search", "--help"]), "all operators"),
        (program.command(&import), "bring in your own mail"),
        (fetch, "or fetch it from your server"),
    ];
    Ok(print_commands(&commands, &mut context.output)?)
}
