//! `mailkeep reindex`: derived data, built again.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;
use crate::cli::progress;
use crate::index::{Effort, Indexer};
use crate::store::{Reader, Store};

/// Build the text index again from the stored mail
#[derive(Args)]
#[command(after_help = "Example: mailkeep reindex")]
pub(super) struct Arguments {
    /// Only take in what the index has not seen
    #[arg(long)]
    only_new: bool,

    /// Also train a new compression dictionary on this mail and pack everything with it
    #[arg(long, conflicts_with = "only_new")]
    repack: bool,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    if arguments.repack {
        repack(context)?;
    }
    let done = if context.has_store()? { rebuild(context, arguments.only_new)? } else { 0 };
    if context.output.is_json() {
        context.output.json(&json!({ "indexed": done }))?;
    } else {
        let count = counted(done, "message");
        context.output.line(format!("{count} indexed"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds the index, or only what is missing; returns how many messages were taken in.
pub(super) fn rebuild(context: &Context, only_new: bool) -> Result<u64, Failure> {
    let index = context.home.text_index();
    let reader = Reader::open(&context.home.store())?;
    let opened = if only_new {
        Indexer::try_open(&index, &reader, Effort::Full)?
    } else {
        Indexer::start_over(&index, &reader)?
    };
    let indexer = opened.ok_or_else(|| {
        let hint = "wait for the import or server that is running, then try again";
        Failure::new("index_busy", "another mailkeep process is writing the text index", hint)
    })?;
    follow(indexer, &reader)
}

/// Takes in what the index has not seen, with a bar, and gives the index free; returns how many messages that were.
pub(super) fn follow(mut indexer: Indexer, reader: &Reader) -> Result<u64, Failure> {
    let waiting = reader.newest_change()? - indexer.seen();
    let bar = progress::messages(waiting.max(0).cast_unsigned(), "indexing");
    let mut done = 0;
    indexer.catch_up(reader, &Context::extractor(), &mut |count| {
        done = count;
        bar.set_position(count);
    })?;
    indexer.close()?;
    bar.finish_and_clear();
    Ok(done)
}

fn repack(context: &Context) -> Result<(), Failure> {
    let bar = progress::spinner().with_message("packing messages with a dictionary of their own");
    let packed = Store::open(&context.home.store())?.repack()?;
    bar.finish_and_clear();
    if !packed {
        context.output.note("there is too little mail to learn a dictionary from; nothing was packed anew");
    }
    Ok(())
}
