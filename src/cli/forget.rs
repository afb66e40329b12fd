//! `mailkeep forget`: deletes mail here for good. The one command that does; everything else keeps.

use std::io::{IsTerminal, Write, stdin, stdout};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::{counted, counted_are};
use crate::cli::local_time::local_time;
use crate::cli::query_words::joined;
use crate::cli::{message_list, progress, semantic};
use crate::index::{Effort, Indexer};
use crate::model::{AccountKey, MessageKey};
use crate::query::{Leniency, Mode, Page, Question, SearchScope, iso_date};
use crate::store::{Again, Reader, Store, StoreError};

/// Messages that are shown before they are forgotten.
const SHOWN: usize = 10;
/// Messages that are forgotten in one transaction.
const STEP: usize = 50;
/// How long another process that writes the index is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// Delete messages here for good, after showing which
///
/// They go from the archive, the index and the free space of the files, in all accounts. What a server still has stays
/// there and is not fetched again. An import brings it back.
#[derive(Args)]
#[command(after_help = "Example: mailkeep forget \"from:shop@example.org older_than:5y\"")]
pub(super) struct Arguments {
    /// Query, as for `search`
    query: Vec<String>,

    /// Only what this account holds
    #[arg(long, value_name = "ADDRESS")]
    account: Option<String>,

    /// Do it without asking
    #[arg(long)]
    yes: bool,

    /// Show when how many messages were deleted here, and why
    #[arg(long, conflicts_with_all = ["query", "account", "yes"])]
    log: bool,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    if arguments.log {
        return print_log(context);
    }
    let query = joined(&arguments.query);
    if context.archive()?.means_everything(&query)? {
        let hint = "name what to forget, as for `mailkeep search`; for a whole account use `mailkeep account remove \
                    ADDRESS --forget`";
        return Err(Failure::new("no_query", "this would forget all mail", hint));
    }
    let keys = matching(&query, arguments, context)?;
    if keys.is_empty() && !is_unerased(context)? {
        return finish(0, context);
    }
    if !arguments.yes && !keys.is_empty() {
        confirm(&counted_messages(keys.len()), context)?;
    }
    erase(context, &Chosen { own: keys, ..Chosen::default() }).and_then(|count| finish(count, context))
}

/// Finds what is meant and shows it.
fn matching(query: &str, arguments: &Arguments, context: &mut Context) -> Result<Vec<MessageKey>, Failure> {
    let account = arguments.account.as_deref();
    let mut archive = context.archive()?;
    let keys = archive.matching(query, account)?;
    if archive.waiting() > 0 {
        let message =
            format!("{} not indexed yet, so some could be missed", counted_are(archive.waiting(), "message"));
        let hint = "run `mailkeep reindex --only-new`, then forget again";
        return Err(Failure::new("not_indexed", message, hint));
    }
    if !context.output.is_json() {
        let page = Page { limit: SHOWN, offset: 0 };
        let scope = SearchScope { account, without_drafts: true, ..SearchScope::default() };
        let question = Question {
            scope,
            mode: Some(Mode::Lexical),
            leniency: Leniency::Strict,
            ..Question::of(query, page)
        };
        message_list::print(&archive.search(&question)?, page, context)?;
        if !archive.matching_with_drafts(query, account)?.1.is_empty() {
            let note = "drafts that were written here stay; `mailkeep drafts discard ID` deletes one";
            context.output.note(note);
        }
        let there = archive.on_servers(&keys)?;
        if there > 0 {
            let count = counted_messages(there);
            context.output.note(&format!("{count} of these stay on the server; they are not fetched again"));
        }
    }
    Ok(keys)
}

/// Whether an earlier command was ended before it had erased all traces.
fn is_unerased(context: &Context) -> Result<bool, Failure> {
    match Reader::open(&context.home.store()) {
        Err(StoreError::Missing { .. }) => Ok(false),
        other => Ok(other?.is_unerased()?),
    }
}

/// Asks the person; without one to ask, nothing is deleted.
pub(super) fn confirm(what: &str, context: &Context) -> Result<(), Failure> {
    let refused =
        |message: String| Failure::new("not_confirmed", message, "to do it without a question, add `--yes`");
    if context.output.is_json() || !stdin().is_terminal() || !stdout().is_terminal() {
        return Err(refused(format!("{what} would be deleted here for good; nothing was deleted")));
    }
    let unreadable = |error: std::io::Error| refused(format!("no answer could be read: {error}"));
    let mut out = stdout();
    write!(out, "delete {what} here for good? type `yes`: ").map_err(unreadable)?;
    out.flush().map_err(unreadable)?;
    let mut answer = String::new();
    stdin().read_line(&mut answer).map_err(unreadable)?;
    match answer.trim() {
        "yes" => Ok(()),
        _ => Err(refused("nothing was deleted".to_owned())),
    }
}

/// What is to be deleted.
#[derive(Default)]
pub(super) struct Chosen {
    /// Messages that go for good.
    pub(super) own: Vec<MessageKey>,
    /// Whether another account may bring them.
    pub(super) again: Again,
    /// An account that others are taken out of.
    pub(super) account: AccountKey,
    /// Messages that other accounts hold too.
    pub(super) shared: Vec<MessageKey>,
}

/// Deletes messages, and every trace of them in the files of the home; says how many went for good.
pub(super) fn erase(context: &Context, chosen: &Chosen) -> Result<u64, Failure> {
    let path = context.home.store();
    let reader = Reader::open(&path)?;
    // Held before anything goes: an index that cannot be written would keep the words.
    let indexer = open_index(context, &reader)?;
    let mut store = Store::open(&path)?;
    let bar = progress::messages((chosen.own.len() + chosen.shared.len()) as u64, "forgetting");
    let mut forgotten = 0;
    for keys in chosen.own.chunks(STEP) {
        let mut batch = store.begin()?;
        forgotten += batch.forget(keys, chosen.again)?;
        batch.commit()?;
        bar.inc(keys.len() as u64);
    }
    for keys in chosen.shared.chunks(STEP) {
        let mut batch = store.begin()?;
        batch.leave_account(chosen.account, keys)?;
        batch.commit()?;
        bar.inc(keys.len() as u64);
    }
    bar.finish_and_clear();
    erase_traces(context, &mut store, indexer)?;
    Ok(forgotten)
}

fn erase_traces(context: &Context, store: &mut Store, mut indexer: Indexer) -> Result<(), Failure> {
    let reader = Reader::open(&context.home.store())?;
    indexer.catch_up(&reader, &Context::extractor(), &mut |_| {})?;
    indexer.erase_removed()?;
    indexer.close()?;
    semantic::erase_removed(context, &reader)?;
    let has_own_dictionary = reader.has_own_dictionary()?;
    drop(reader);
    if has_own_dictionary {
        let bar = progress::spinner().with_message("packing the rest anew");
        store.repack_without_past()?;
        bar.finish_and_clear();
    }
    if let Ok(files) = std::fs::read_dir(context.home.attachments_out()) {
        files.flatten().for_each(|file| drop(std::fs::remove_file(file.path())));
    }
    if !store.erase()? {
        context.output.note(
            "another process reads the archive: traces stay in `mail.db-wal` until it ends; forget anything again then",
        );
    }
    Ok(())
}

/// The index, once nobody else writes it.
fn open_index(context: &Context, reader: &Reader) -> Result<Indexer, Failure> {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(indexer) = Indexer::try_open(&context.home.text_index(), reader, Effort::Gentle)? {
            return Ok(indexer);
        }
        if Instant::now() > until {
            let hint = "wait for the import or sync that is running, then forget again";
            return Err(Failure::new(
                "index_busy",
                "another mailkeep process is writing the text index",
                hint,
            ));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

pub(super) fn counted_messages(count: usize) -> String {
    counted(count, "message")
}

fn finish(forgotten: u64, context: &mut Context) -> Result<ExitCode, Failure> {
    if context.output.is_json() {
        context.output.json(&json!({ "forgotten": forgotten }))?;
    } else {
        let count = counted_messages(usize::try_from(forgotten).unwrap_or(usize::MAX));
        context.output.line(format!("{count} forgotten"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print_log(context: &mut Context) -> Result<ExitCode, Failure> {
    let removals = match Reader::open(&context.home.store()) {
        Err(StoreError::Missing { .. }) => Vec::new(),
        other => other?.removals()?,
    };
    if context.output.is_json() {
        let item = |one: &crate::store::Removal| json!({ "date": iso_date(one.epoch), "cause": one.cause, "messages": one.messages });
        let items: Vec<_> = removals.iter().map(item).collect();
        context.output.json(&json!({ "removals": items }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for one in &removals {
        let why = if one.cause == "forgotten" { "forgotten" } else { "removed by the rule for what is gone" };
        let when = local_time(&iso_date(one.epoch), &context.clock);
        context.output.line(format!("{when}  {} {why}", counted(one.messages, "message")))?;
    }
    if removals.is_empty() {
        context.output.line("nothing was ever deleted here")?;
    }
    Ok(ExitCode::SUCCESS)
}
