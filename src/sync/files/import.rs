//! Brings mail in from files. The order of the files is kept.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::clock::Clock;
use crate::home::Home;
use crate::index::attachment_text::Extractor;
use crate::model::{AccountKey, Flags, MailboxKey};
use crate::source::files::{FileError, FileMessage, FileSource};
use crate::store::{Store, StoreError, WriteTransaction};
use crate::sync::pipeline::{Destination, Feed, HungUp, Pipeline, Writer};
use crate::sync::prepare::Raw;
use crate::sync::{Eagerness, SyncError};

/// What to import, and where to.
pub struct ImportRequest<'a> {
    /// Files and directories.
    pub paths: &'a [PathBuf],
    /// Address of the account; made when it is not there.
    pub account: &'a str,
    /// Mailbox for everything; without it, Maildir folders keep their names and the rest goes to INBOX.
    pub mailbox: Option<&'a str>,
}

/// What an import did.
#[derive(Debug, Default)]
pub struct ImportReport {
    /// Messages that are now in the mailbox and were not before.
    pub stored: u64,
    /// Messages that were there already.
    pub known: u64,
    /// Of the stored ones, those with defects.
    pub defective: u64,
    /// Files inside directories that are not mail.
    pub skipped: u64,
    /// Paths and messages that could not be taken.
    pub problems: Vec<FileError>,
    /// Whether it was stopped before the end.
    pub interrupted: bool,
}

/// How far an import is; may be read while it runs.
#[derive(Debug, Default)]
pub struct Progress {
    /// Messages done.
    pub messages: AtomicU64,
    /// Bytes read from disk.
    pub bytes: AtomicU64,
    /// Bytes to read; 0 when unknown.
    pub total_bytes: AtomicU64,
    /// Set to stop at the next safe point.
    pub stop: AtomicBool,
}

/// What the place a message was found in says about where it goes.
struct Found {
    mailbox: Option<String>,
    flags: Flags,
    labels: Vec<String>,
}

/// Imports files into a home. Returns when everything that is reported stored is on the disk and can be searched.
pub fn import(
    home: &Home,
    request: &ImportRequest<'_>,
    extractor: &Extractor,
    clock: &Clock,
    progress: &Progress,
) -> Result<ImportReport, SyncError> {
    let (paths, failed) = check_paths(request.paths, progress);
    if paths.is_empty() {
        return Ok(ImportReport { problems: failed, ..ImportReport::default() });
    }
    let mut store = Store::open(&home.store())?;
    let now = clock.now().as_second();
    let tx = store.begin()?;
    let account = tx.account(request.account, now)?;
    tx.commit()?;
    let problems = Mutex::new(failed);
    let skipped = AtomicU64::new(0);
    let mut mailboxes = Mailboxes { account, request, known: HashMap::new() };
    let mut report = ImportReport::default();
    let writer = Pipeline { home, extractor, eagerness: Eagerness::Always }.run(
        |feed| read_files(&paths, feed, &problems, &skipped, progress),
        |tx, found| mailboxes.place(tx, found),
        |tally| {
            progress.messages.fetch_add(tally.stored + tally.known, Ordering::Relaxed);
            report.stored += tally.stored;
            report.known += tally.known;
            report.defective += tally.defective;
        },
    )?;
    let tx = store.begin()?;
    tx.touch_account(account, now)?;
    tx.commit()?;
    writer.map_or(Ok(()), Writer::finish)?;
    report.problems = problems.into_inner().unwrap_or_default();
    report.skipped = skipped.into_inner();
    report.interrupted = progress.stop.load(Ordering::Relaxed);
    Ok(report)
}

/// Finds out what is at each path, before anything is written anywhere.
fn check_paths(paths: &[PathBuf], progress: &Progress) -> (Vec<PathBuf>, Vec<FileError>) {
    let mut readable = Vec::new();
    let mut failed = Vec::new();
    let mut total = Some(0);
    for path in paths {
        match FileSource::open(path) {
            Ok(source) => {
                total = total.zip(source.total_bytes()).map(|(total, bytes)| total + bytes);
                readable.push(path.clone());
            }
            Err(error) => failed.push(error),
        }
    }
    progress.total_bytes.store(total.unwrap_or(0), Ordering::Relaxed);
    (readable, failed)
}

/// Reads all paths, one after the other, and hands their messages on.
fn read_files(
    paths: &[PathBuf],
    mut feed: Feed<Found>,
    problems: &Mutex<Vec<FileError>>,
    skipped: &AtomicU64,
    progress: &Progress,
) {
    let report = |error| problems.lock().unwrap_or_else(PoisonError::into_inner).push(error);
    let mut read_before = 0;
    for path in paths {
        let mut source = match FileSource::open(path) {
            Ok(source) => source,
            Err(error) => {
                report(error);
                continue;
            }
        };
        while !progress.stop.load(Ordering::Relaxed)
            && let Some(message) = source.next()
        {
            progress.bytes.store(read_before + source.bytes_read(), Ordering::Relaxed);
            match message.map(|message| hand_on(message, &mut feed)) {
                Ok(Ok(())) => {}
                Ok(Err(HungUp)) => return,
                Err(error) => report(error),
            }
        }
        read_before += source.bytes_read();
        skipped.fetch_add(source.skipped(), Ordering::Relaxed);
    }
    let _ = feed.send();
}

fn hand_on(message: FileMessage, feed: &mut Feed<Found>) -> Result<(), HungUp> {
    let FileMessage { bytes, hints, mailbox, flags, labels, .. } = message;
    feed.message(Raw { bytes, hints, gmail: None }, Found { mailbox, flags, labels })
}

/// The mailboxes that were met.
struct Mailboxes<'a> {
    account: AccountKey,
    request: &'a ImportRequest<'a>,
    known: HashMap<String, MailboxKey>,
}

impl Mailboxes<'_> {
    fn place(&mut self, tx: &WriteTransaction<'_>, found: Found) -> Result<Destination, StoreError> {
        let mailbox = self.mailbox(tx, found.mailbox.as_deref())?;
        Ok(Destination {
            mailbox,
            flags: found.flags,
            labels: found.labels,
            on_server: None,
            afterwards: None,
        })
    }

    /// Maildir folders keep their names unless the request says otherwise.
    fn mailbox(&mut self, tx: &WriteTransaction<'_>, folder: Option<&str>) -> Result<MailboxKey, StoreError> {
        let name = self.request.mailbox.or(folder).unwrap_or("INBOX");
        if let Some(key) = self.known.get(name) {
            return Ok(*key);
        }
        let key = tx.mailbox(self.account, name)?;
        self.known.insert(name.to_owned(), key);
        Ok(key)
    }
}
