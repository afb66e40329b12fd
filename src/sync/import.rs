//! Brings mail in from files. Reading, parsing and writing run side by side; the order of the files is kept.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::clock::Clock;
use crate::home::Home;
use crate::index::Document;
use crate::index::attachment_text::Extractor;
use crate::model::{AccountKey, MailboxKey};
use crate::source::files::{FileError, FileMessage, FileSource};
use crate::store::{Batch, Codec, NewMessage, Place, Reader, Store, StoreError, Stored};
use crate::sync::prepare::{Content, Prepared, Preparer};
use crate::sync::{Follower, SyncError};

/// A write transaction is closed after this long, so that others get their turn.
const BATCH_TIME: Duration = Duration::from_millis(150);
/// Messages are handed from thread to thread in groups of about this size.
const GROUP_BYTES: usize = 512 << 10;
const GROUP_MESSAGES: usize = 64;
const WORKERS: usize = 2;

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

type Group = (u64, Vec<FileMessage>);
type PreparedGroup = (u64, Result<Vec<Prepared>, StoreError>);

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
    let store = Store::open(&home.store())?;
    let codec = store.codec().clone();
    let mut writer = Writer::new(store, home, request, extractor, clock)?;
    let problems = Mutex::new(failed);
    let skipped = AtomicU64::new(0);
    thread::scope(|scope| {
        let (group_sender, groups) = sync_channel::<Group>(WORKERS);
        // When the writer gives up, the workers end and with them the last receiver: the reader ends too.
        let groups = Arc::new(Mutex::new(groups));
        let (prepared_sender, prepared) = sync_channel::<PreparedGroup>(WORKERS);
        scope.spawn(|| read_files(&paths, group_sender, &problems, &skipped, progress));
        for _ in 0..WORKERS {
            let (groups, sender, codec) = (Arc::clone(&groups), prepared_sender.clone(), &codec);
            scope.spawn(move || prepare_groups(&groups, &sender, codec, &home.store(), extractor));
        }
        drop((groups, prepared_sender));
        writer.take_all(prepared, progress)
    })?;
    let mut report = writer.finish()?;
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

/// Reads all paths, one after the other, and hands their messages on in groups.
fn read_files(
    paths: &[PathBuf],
    groups: SyncSender<Group>,
    problems: &Mutex<Vec<FileError>>,
    skipped: &AtomicU64,
    progress: &Progress,
) {
    let report = |error| problems.lock().unwrap_or_else(PoisonError::into_inner).push(error);
    let mut grouper = Grouper { groups, number: 0, messages: Vec::new(), bytes: 0 };
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
            match message.map(|message| grouper.add(message)) {
                Ok(Ok(())) => {}
                Ok(Err(HungUp)) => return,
                Err(error) => report(error),
            }
        }
        read_before += source.bytes_read();
        skipped.fetch_add(source.skipped(), Ordering::Relaxed);
    }
    let _ = grouper.send();
}

/// Collects messages until a group is worth handing on.
struct Grouper {
    groups: SyncSender<Group>,
    number: u64,
    messages: Vec<FileMessage>,
    bytes: usize,
}

/// The other side has given up.
struct HungUp;

impl Grouper {
    fn add(&mut self, message: FileMessage) -> Result<(), HungUp> {
        self.bytes += message.bytes.len();
        self.messages.push(message);
        if self.bytes < GROUP_BYTES && self.messages.len() < GROUP_MESSAGES {
            return Ok(());
        }
        self.send()
    }

    fn send(&mut self) -> Result<(), HungUp> {
        let group = (self.number, std::mem::take(&mut self.messages));
        self.number += 1;
        self.bytes = 0;
        self.groups.send(group).map_err(|_| HungUp)
    }
}

fn prepare_groups(
    groups: &Mutex<Receiver<Group>>,
    sender: &SyncSender<PreparedGroup>,
    codec: &Codec,
    store: &Path,
    extractor: &Extractor,
) {
    let mut preparer = match codec.encoder() {
        Ok(encoder) => Preparer { known: Reader::open(store).ok(), encoder, extractor },
        Err(error) => {
            let _ = sender.send((0, Err(error)));
            return;
        }
    };
    loop {
        let group = groups.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, messages)) = group else { return };
        let prepared = messages.into_iter().map(|message| preparer.prepare(message)).collect();
        if sender.send((number, prepared)).is_err() {
            return;
        }
    }
}

/// Puts prepared groups back into their order and gives their messages out one by one.
struct Inbox {
    groups: Receiver<PreparedGroup>,
    early: BTreeMap<u64, Vec<Prepared>>,
    ready: VecDeque<Prepared>,
    next: u64,
}

impl Inbox {
    fn new(groups: Receiver<PreparedGroup>) -> Self {
        Self { groups, early: BTreeMap::new(), ready: VecDeque::new(), next: 0 }
    }

    /// The next message; `None` when there are no more, or none came in time.
    fn next(&mut self, until: Option<Instant>) -> Result<Option<Prepared>, StoreError> {
        let is_over = until.is_some_and(|until| Instant::now() >= until);
        while !is_over && self.ready.is_empty() {
            let Some((number, group)) = self.receive(until) else { return Ok(None) };
            self.early.insert(number, group?);
            while let Some(group) = self.early.remove(&self.next) {
                self.ready.extend(group);
                self.next += 1;
            }
        }
        Ok(if is_over { None } else { self.ready.pop_front() })
    }

    fn receive(&self, until: Option<Instant>) -> Option<PreparedGroup> {
        match until {
            None => self.groups.recv().ok(),
            Some(until) => self.groups.recv_timeout(until.saturating_duration_since(Instant::now())).ok(),
        }
    }
}

/// The one writer: takes prepared groups in their order, stores them in short transactions, lets the index follow.
struct Writer<'a> {
    store: Store,
    follower: Follower,
    request: &'a ImportRequest<'a>,
    account: AccountKey,
    mailboxes: HashMap<String, MailboxKey>,
    now: i64,
    report: ImportReport,
}

impl<'a> Writer<'a> {
    fn new(
        mut store: Store,
        home: &Home,
        request: &'a ImportRequest<'a>,
        extractor: &Extractor,
        clock: &Clock,
    ) -> Result<Self, SyncError> {
        let now = clock.now().as_second();
        let batch = store.begin()?;
        let account = batch.account(request.account, now)?;
        batch.commit()?;
        let follower = Follower::start(&home.store(), &home.text_index(), extractor)?;
        let (mailboxes, report) = (HashMap::new(), ImportReport::default());
        Ok(Self { store, follower, request, account, mailboxes, now, report })
    }

    /// Stores all messages. A transaction takes in what arrives until its time is up: fewer of them mean fewer
    /// waits for the disk.
    fn take_all(&mut self, prepared: Receiver<PreparedGroup>, progress: &Progress) -> Result<(), SyncError> {
        let mut inbox = Inbox::new(prepared);
        while let Some(first) = inbox.next(None)? {
            let until = Instant::now() + BATCH_TIME;
            let mut tally = Tally::default();
            let mut batch = self.store.begin()?;
            let before = batch.newest_change()?;
            let mut message = Some(first);
            while let Some(next) = message {
                let mailbox = mailbox_of(&batch, &mut self.mailboxes, self.account, self.request, &next)?;
                tally.store(&mut batch, next, mailbox)?;
                message = inbox.next(Some(until))?;
            }
            let after = batch.commit()?;
            progress.messages.fetch_add(tally.stored + tally.known, Ordering::Relaxed);
            tally.add_to(&mut self.report);
            self.follower.take(tally.documents, before, after.max(before))?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<ImportReport, SyncError> {
        let batch = self.store.begin()?;
        batch.touch_account(self.account, self.now)?;
        batch.commit()?;
        self.follower.finish()?;
        self.store.checkpoint();
        Ok(self.report)
    }
}

/// Maildir folders keep their names unless the request says otherwise.
fn mailbox_of(
    batch: &Batch<'_>,
    known: &mut HashMap<String, MailboxKey>,
    account: AccountKey,
    request: &ImportRequest<'_>,
    message: &Prepared,
) -> Result<MailboxKey, StoreError> {
    let name = request.mailbox.or(message.mailbox.as_deref()).unwrap_or("INBOX");
    if let Some(key) = known.get(name) {
        return Ok(*key);
    }
    let key = batch.mailbox(account, name)?;
    known.insert(name.to_owned(), key);
    Ok(key)
}

/// What one transaction did; it counts only once the transaction is on the disk.
#[derive(Default)]
struct Tally {
    stored: u64,
    known: u64,
    defective: u64,
    documents: Vec<Document>,
}

impl Tally {
    fn store(
        &mut self,
        batch: &mut Batch<'_>,
        message: Prepared,
        mailbox: MailboxKey,
    ) -> Result<(), StoreError> {
        let place = Place { mailbox, flags: message.flags, labels: &message.labels };
        let Some(content) = message.content else {
            let outcome = batch.place_known(&message.hash, &place)?;
            self.count(outcome.ok_or_else(|| StoreError::content(&"a known message has gone"))?, false);
            return Ok(());
        };
        let Content { size, parsed, frame, document } = *content;
        let new = NewMessage { hash: message.hash, size, parsed: &parsed, frame: &frame };
        let outcome = batch.store(&new, &place)?;
        self.count(outcome, !parsed.defects.is_empty());
        if let Stored::New(key) = outcome {
            self.documents.push(document.stored_as(key));
        }
        Ok(())
    }

    fn count(&mut self, outcome: Stored, defective: bool) {
        match outcome {
            Stored::Known(_) => self.known += 1,
            Stored::Placed(_) => self.stored += 1,
            Stored::New(_) => {
                self.stored += 1;
                self.defective += u64::from(defective);
            }
        }
    }

    fn add_to(&self, report: &mut ImportReport) {
        report.stored += self.stored;
        report.known += self.known;
        report.defective += self.defective;
    }
}
