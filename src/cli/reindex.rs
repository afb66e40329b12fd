//! `mailkeep reindex`: derived data, built again: what the headers of stored mail say, the text index, the vectors.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;
use crate::cli::{progress, semantic};
use crate::index::{Effort, Indexer};
use crate::model::DateHints;
use crate::parse;
use crate::store::{Reader, Store};

/// Read the headers of the stored mail anew and build the text index again
///
/// With `--semantic` the vectors by which mail is found by its meaning are made instead. That takes a while: about 50
/// passages a second on two cores. It can be stopped at any time.
#[derive(Args)]
#[command(after_help = "Example: mailkeep reindex --semantic --only-new")]
pub(super) struct Arguments {
    /// Only take in what the index has not seen
    #[arg(long)]
    only_new: bool,

    /// Also train a new compression dictionary on this mail and pack everything with it
    #[arg(long, conflicts_with = "only_new")]
    repack: bool,

    /// Make the vectors of semantic search, and nothing else
    #[arg(long, conflicts_with = "repack")]
    semantic: bool,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    if arguments.semantic {
        return make_vectors(arguments.only_new, context);
    }
    if arguments.repack {
        repack(context)?;
    }
    let has_store = context.has_store()?;
    let renewed = if has_store && !arguments.only_new { renew_headers(context)? } else { 0 };
    let done = if has_store { rebuild(context, arguments.only_new)? } else { 0 };
    if context.output.is_json() {
        context.output.json(&json!({ "indexed": done, "renewed": renewed }))?;
    } else {
        if renewed > 0 {
            let count = counted(renewed, "message");
            context.output.line(format!("{count} with headers that are understood better now"))?;
        }
        let count = counted(done, "message");
        context.output.line(format!("{count} indexed"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn make_vectors(only_new: bool, context: &mut Context) -> Result<ExitCode, Failure> {
    let done = if context.has_store()? { semantic::reindex(context, only_new)? } else { 0 };
    if context.output.is_json() {
        context.output.json(&json!({ "vectors_of": done }))?;
    } else {
        context.output.line(format!("{} can be found by meaning", counted(done, "message")))?;
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

/// Puts right what an earlier version made of headers, such as senders that it did not find.
fn renew_headers(context: &Context) -> Result<u64, Failure> {
    let mut store = Store::open(&context.home.store())?;
    let messages = Reader::open(&context.home.store())?.rows()?.len();
    let bar = progress::messages(messages, "reading headers");
    let read = |header: &[u8]| parse::message(header, &DateHints::default());
    let renewed = store.renew_headers(read, &mut |count| bar.set_position(count))?;
    bar.finish_and_clear();
    Ok(renewed)
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
