//! `mailkeep open`: the person's pages in their browser, signed in.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::controlling_terminal::ControllingTerminal;
use crate::cli::failure::Failure;
use crate::cli::{browser, factor, leaving, outbox, pages};
use crate::model::Factor;

/// Open your outbox in the browser, signed in
///
/// Starts `mailkeep serve` if none runs. The link lets one browser in, once, within 15 minutes; it stays signed in for 30
/// days. Where a PIN or a passkey counts, the page asks for it.
#[derive(Args)]
#[command(after_help = "Examples:\n  mailkeep open\n  mailkeep open K7QP")]
pub(super) struct Arguments {
    /// Id or code of an item to look at
    item: Option<String>,

    /// Show the link on your terminal instead; asks for your PIN where one counts
    #[arg(long)]
    print: bool,

    /// Sign every browser out
    #[arg(long, conflicts_with_all = ["item", "print"])]
    sign_out: bool,
}

/// How long a server may take to come up.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Where it listens, or else on any free port.
const PLACES: [&str; 2] = ["127.0.0.1:8025", "127.0.0.1:0"];

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    outbox::reader(context)?;
    if arguments.sign_out {
        return sign_out(context);
    }
    let item = match &arguments.item {
        Some(id) => Some(leaving::proposals(context).status(id)?.item.draft.id.to_string()),
        None => None,
    };
    let approvals = leaving::approvals(context);
    let in_force = factor::in_force(&approvals, &outbox::reader(context)?)?;
    let mut terminal =
        arguments.print.then(|| ControllingTerminal::open("a link to your pages")).transpose()?;
    if let Some(terminal) = &mut terminal {
        factor::ask(terminal, &approvals, &in_force)?;
    }
    let origin = match pages::origin(&context.home) {
        Some(origin) => origin,
        None => start(context)?,
    };
    match &mut terminal {
        Some(terminal) => terminal.say(&link(&origin, item.as_deref(), context)?)?,
        // Whatever is started as the browser gets no more than the door, which asks for the PIN or the passkey.
        None if in_force.factor > Factor::Click => show(&door(&origin, item.as_deref()), &origin, context)?,
        None => show(&link(&origin, item.as_deref(), context)?, &origin, context)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// An address that lets one browser in.
fn link(origin: &str, item: Option<&str>, context: &Context) -> Result<String, Failure> {
    let link = pages::access(context).new_link()?;
    let next = item.map(|id| format!("?next={id}")).unwrap_or_default();
    Ok(format!("{origin}/open/{}{next}", link.reveal()))
}

/// The same page for a browser that is let in already, or that is asked.
fn door(origin: &str, item: Option<&str>) -> String {
    let item = item.map(|id| format!("/{id}")).unwrap_or_default();
    format!("{origin}/outbox{item}")
}

fn show(url: &str, origin: &str, context: &mut Context) -> Result<(), Failure> {
    if !browser::show(url) {
        let hint = "`mailkeep open --print` shows the link on your terminal";
        return Err(Failure::new("no_browser", "there is no browser to open it in", hint));
    }
    let page = format!("{origin}/outbox");
    if context.output.is_json() {
        context.output.json(&json!({ "page": page }))?;
    } else {
        context.output.line(format!("opening {page} in your browser"))?;
    }
    Ok(())
}

fn sign_out(context: &mut Context) -> Result<ExitCode, Failure> {
    let ended = if context.has_store()? { pages::access(context).end_all()? } else { 0 };
    if context.output.is_json() {
        context.output.json(&json!({ "signed_out": ended }))?;
    } else {
        context.output.line(format!("{} signed out", crate::figures::counted(ended, "browser")))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Starts a server of this home that stays when this command ends.
fn start(context: &Context) -> Result<String, Failure> {
    for place in PLACES {
        let mut process = serve(place, context)?;
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until && matches!(process.try_wait(), Ok(None)) {
            if let Some(origin) = pages::origin(&context.home) {
                context
                    .output
                    .note("`mailkeep serve` was started; `mailkeep serve --install` keeps it running");
                return Ok(origin);
            }
            thread::sleep(LOOK_EVERY);
        }
    }
    let hint = "run `mailkeep serve` in another terminal and see what it says";
    Err(Failure::new("serve_failed", "`mailkeep serve` could not be started", hint))
}

fn serve(place: &str, context: &Context) -> Result<Child, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("--home").arg(context.home.directory());
    if let Some(file) = &context.config_file.path {
        command.arg("--config").arg(file);
    }
    // A group of its own: Ctrl-C in this terminal is not meant for it.
    command.args(["serve", "--listen", place]).process_group(0);
    Ok(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
}
