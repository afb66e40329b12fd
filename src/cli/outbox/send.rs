//! `mailkeep outbox send`: sends what was approved, for who does not keep `mailkeep serve` running.

use std::cell::RefCell;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::leaving;
use crate::cli::sync::stop_on_signal;
use crate::model::{ItemState, Lane};
use crate::outbox::worker::{Report, Told};
use crate::text_safety::plain_line;

/// Send what was approved
///
/// `mailkeep serve` does this by itself. Without `--once` it goes on until you end it.
#[derive(Args)]
#[command(after_help = "Example: mailkeep outbox send --once")]
pub(super) struct Arguments {
    /// Send what may leave now, and end
    #[arg(long)]
    once: bool,

    /// What to send: mail, with requests to leave a list, or what needs the credentials of another channel
    #[arg(long, value_enum, default_value_t = SendChannel::Mail)]
    pub(super) channel: SendChannel,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SendChannel {
    Mail,
    Whatsapp,
    Linkedin,
}

impl SendChannel {
    pub(super) const fn lane(self) -> Lane {
        match self {
            Self::Mail => Lane::Mail,
            Self::Whatsapp => Lane::WhatsApp,
            Self::Linkedin => Lane::LinkedIn,
        }
    }
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    super::reader(context)?;
    if let Some(missing) = leaving::routes(context).missing {
        return Err(Failure::new("no_access", missing.problem, missing.hint));
    }
    let stop = Arc::new(AtomicBool::new(false));
    stop_on_signal(&stop);
    let worker = leaving::worker(context, &stop);
    if arguments.once {
        return if context.has_store()? {
            report(&worker.run_once()?, context)
        } else {
            Ok(ExitCode::SUCCESS)
        };
    }
    let output = RefCell::new(&mut context.output);
    worker.run(&|told| {
        // Who reads it may have gone; what is sent is in the store.
        let mut output = output.borrow_mut();
        let _ = if output.is_json() { output.json(&as_json(told)) } else { output.line(line(told)) };
        let _ = output.flush();
    });
    let was_asked = stop.load(Ordering::Relaxed);
    Ok(if was_asked { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn report(report: &Report, context: &mut Context) -> Result<ExitCode, Failure> {
    let went_wrong = |told: &&Told| matches!(told.state, ItemState::Failed | ItemState::Unknown);
    let code =
        if report.told.iter().any(|told| went_wrong(&told)) { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    if context.output.is_json() {
        let items: Vec<_> = report.told.iter().map(as_json).collect();
        context.output.json(&json!({ "items": items, "elsewhere": report.is_elsewhere }))?;
        return Ok(code);
    }
    if report.is_elsewhere {
        context.output.note("another mailkeep of this home sends already");
    }
    for told in &report.told {
        context.output.line(line(told))?;
    }
    if report.told.is_empty() && !report.is_elsewhere {
        context.output.note("nothing that was approved waits to be sent");
    }
    Ok(code)
}

fn line(told: &Told) -> String {
    let again = if told.is_retry { " (it is tried again)" } else { "" };
    format!("{}  {}{again}  {}", told.id, told.state, plain_line(&told.detail))
}

fn as_json(told: &Told) -> Value {
    json!({ "id": told.id.to_string(), "state": told.state.name(), "detail": told.detail, "retry": told.is_retry })
}
