//! `mailkeep export`: messages out, as they came in.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::{counted, counted_are};
use crate::cli::progress;
use crate::cli::query_words::joined;
use crate::model::{Flags, MessageKey};
use crate::query::{Archive, QueryError};
use crate::source::files::{MaildirWriter, MboxWriter};

/// Write messages to an mbox file or a Maildir
///
/// A name that ends in .mbox becomes an mbox file, any other a Maildir. Every message comes out
/// byte for byte as it was received.
#[derive(Args)]
#[command(after_help = "Example: mailkeep export \"label:taxes after:2025\" --to taxes.mbox")]
pub(super) struct Arguments {
    /// Query, as for `search`; empty for everything
    query: Vec<String>,

    /// FILE.mbox, or a directory that becomes a Maildir
    #[arg(long, value_name = "FILE.mbox|DIR")]
    to: PathBuf,

    /// Only this account
    #[arg(long, value_name = "ADDRESS")]
    account: Option<String>,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let mut archive = context.archive()?;
    let keys = archive.matching(&joined(&arguments.query), arguments.account.as_deref())?;
    if archive.waiting() > 0 {
        let message =
            format!("{} not indexed yet, and would be missing", counted_are(archive.waiting(), "message"));
        return Err(Failure::new(
            "not_indexed",
            message,
            "wait for the import that is running, then export again",
        ));
    }
    let bar = progress::messages(keys.len() as u64, "writing");
    let step = |_: &MessageKey| bar.inc(1);
    if arguments.to.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("mbox")) {
        to_mbox(&archive, keys.iter().inspect(|key| step(key)), &arguments.to)?;
    } else {
        to_maildir(&archive, keys.iter().inspect(|key| step(key)), &arguments.to)?;
    }
    bar.finish_and_clear();
    if context.output.is_json() {
        context.output.json(&json!({ "exported": keys.len(), "to": arguments.to.display().to_string() }))?;
    } else {
        let count = counted(keys.len(), "message");
        context.output.line(format!("{count} written to {}", arguments.to.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn to_mbox<'a>(
    archive: &Archive,
    keys: impl Iterator<Item = &'a MessageKey>,
    target: &Path,
) -> Result<(), Failure> {
    let cannot = |error: std::io::Error| {
        let message = format!("cannot write `{}`: {error}", target.display());
        Failure::new(
            "file_error",
            message,
            "choose a name that does not exist in a directory you can write to",
        )
    };
    if target.exists() {
        return Err(cannot(std::io::ErrorKind::AlreadyExists.into()));
    }
    let partial = target.with_added_extension("partial");
    let file = File::create(&partial).map_err(cannot)?;
    let mut mbox = MboxWriter::new(BufWriter::with_capacity(1 << 20, file));
    for key in keys {
        let (sender, epoch) =
            archive.reader().message(*key)?.map(|m| (m.from_address, m.date.epoch)).unwrap_or_default();
        mbox.append(&archive.reader().raw(*key)?, &sender, epoch).map_err(cannot)?;
    }
    let file = mbox.finish().map_err(cannot)?.into_inner().map_err(|error| cannot(error.into_error()))?;
    file.sync_all().map_err(cannot)?;
    std::fs::rename(&partial, target).map_err(cannot)
}

fn to_maildir<'a>(
    archive: &Archive,
    keys: impl Iterator<Item = &'a MessageKey>,
    target: &Path,
) -> Result<(), Failure> {
    let mut maildir = MaildirWriter::create(target)?;
    for key in keys {
        let message = archive.reader().message(*key)?;
        let epoch = message.map(|message| message.date.epoch).unwrap_or_default();
        let places = archive.reader().placements(*key).map_err(QueryError::from)?;
        let flags = places.iter().fold(Flags::NONE, |flags, place| flags | place.flags);
        maildir.append(&archive.reader().raw(*key)?, flags, epoch)?;
    }
    Ok(())
}
