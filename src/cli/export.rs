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
use crate::model::{Draft, Flags, MessageKey};
use crate::query::{Archive, QueryError};
use crate::source::files::{MaildirWriter, MboxWriter};

/// Write messages to an mbox file or a Maildir
///
/// A name that ends in .mbox becomes an mbox file, any other a Maildir. Every message comes out
/// byte for byte as it was received. Drafts that were written here come out as they would leave, when the query asks
/// for drafts (is:draft, in:drafts).
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
    let (query, account) = (joined(&arguments.query), arguments.account.as_deref());
    let (keys, drafts) = archive.matching_with_drafts(&query, account)?;
    let messages = keys
        .into_iter()
        .map(Exported::Message)
        .chain(drafts.into_iter().map(|draft| Exported::Draft(Box::new(draft))));
    let messages: Vec<_> = messages.collect();
    let remarks = archive.remarks(&query, account, messages.len() as u64)?;
    remarks.iter().for_each(|note| context.output.note(note));
    if archive.waiting() > 0 {
        let message =
            format!("{} not indexed yet, and would be missing", counted_are(archive.waiting(), "message"));
        return Err(Failure::new(
            "not_indexed",
            message,
            "wait for the import that is running, then export again",
        ));
    }
    let bar = progress::messages(messages.len() as u64, "writing");
    let each = messages.iter().inspect(|_| bar.inc(1));
    if arguments.to.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("mbox")) {
        to_mbox(&archive, each, &arguments.to)?;
    } else {
        to_maildir(&archive, each, &arguments.to)?;
    }
    bar.finish_and_clear();
    if context.output.is_json() {
        context
            .output
            .json(&json!({ "exported": messages.len(), "to": arguments.to.display().to_string() }))?;
    } else {
        let count = counted(messages.len(), "message");
        context.output.line(format!("{count} written to {}", arguments.to.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What is written out.
enum Exported {
    Message(MessageKey),
    /// A draft that was written here, as it would leave.
    Draft(Box<Draft>),
}

/// What the formats know of a message beside its bytes.
struct Outside {
    sender: String,
    epoch: i64,
    flags: Flags,
}

impl Exported {
    fn bytes(&self, archive: &Archive) -> Result<Vec<u8>, QueryError> {
        match self {
            Self::Message(key) => archive.raw(*key),
            Self::Draft(draft) => archive.draft_bytes(draft),
        }
    }

    fn outside(&self, archive: &Archive) -> Result<Outside, QueryError> {
        let key = match self {
            Self::Message(key) => *key,
            Self::Draft(draft) => {
                let flags = Flags::DRAFT | Flags::SEEN;
                return Ok(Outside { sender: draft.account.clone(), epoch: draft.updated, flags });
            }
        };
        let message = archive.message(key)?;
        let (sender, epoch) = message.map(|m| (m.from_address, m.date.epoch)).unwrap_or_default();
        let places = archive.stored_placements(key)?;
        let flags = places.iter().fold(Flags::NONE, |flags, place| flags | place.flags);
        Ok(Outside { sender, epoch, flags })
    }
}

fn to_mbox<'a>(
    archive: &Archive,
    messages: impl Iterator<Item = &'a Exported>,
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
    for message in messages {
        let Outside { sender, epoch, .. } = message.outside(archive)?;
        mbox.append(&message.bytes(archive)?, &sender, epoch).map_err(cannot)?;
    }
    let file = mbox.finish().map_err(cannot)?.into_inner().map_err(|error| cannot(error.into_error()))?;
    file.sync_all().map_err(cannot)?;
    std::fs::rename(&partial, target).map_err(cannot)
}

fn to_maildir<'a>(
    archive: &Archive,
    messages: impl Iterator<Item = &'a Exported>,
    target: &Path,
) -> Result<(), Failure> {
    let mut maildir = MaildirWriter::create(target)?;
    for message in messages {
        let Outside { epoch, flags, .. } = message.outside(archive)?;
        maildir.append(&message.bytes(archive)?, flags, epoch)?;
    }
    Ok(())
}
