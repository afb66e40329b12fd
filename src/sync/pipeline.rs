//! Reading, parsing and writing side by side. Whoever finds messages hands them on with a tag that says where they
//! belong; two workers prepare them; one writer puts them back into their order and stores them in short
//! transactions, with the changes that were handed on between them, and lets the index follow.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::home::Home;
use crate::index::attachment_text::Extractor;
use crate::index::{Document, IndexError};
use crate::model::{Flags, MailboxKey, MessageKey};
use crate::store::{
    Codec, NewMessage, NewPlacement, Reader, ServerUid, Store, StoreError, Stored, WriteTransaction,
};
use crate::sync::prepare::{Content, Prepared, Preparer, Raw};
use crate::sync::{Eagerness, Follower, SyncError};

/// A write transaction is closed after this long, so that others get their turn.
const BATCH_TIME: Duration = Duration::from_millis(150);
/// Messages are handed from thread to thread in groups of about this size.
const GROUP_BYTES: usize = 512 << 10;
const GROUP_STEPS: usize = 64;
const WORKERS: usize = 2;
/// So many prepared groups may wait while the writer waits for the disk.
const PREPARED: usize = 6;

/// A change of the store that must happen in its turn between messages. Keep it short.
pub(super) type Change = Box<dyn FnOnce(&mut WriteTransaction<'_>) -> Result<(), StoreError> + Send>;

/// What belongs to storing a message and must happen in the same transaction.
pub(super) type Afterwards =
    Box<dyn FnOnce(&mut WriteTransaction<'_>, MessageKey) -> Result<(), StoreError> + Send>;

/// What is handed on.
pub(super) enum Step<M, T> {
    /// A message and where it belongs.
    Message(M, T),
    /// Something else to do in its turn.
    Change(Change),
    /// Tells when everything before it is on the disk.
    Barrier(SyncSender<()>),
}

type Group<M, T> = (u64, Vec<Step<M, T>>);
type PreparedGroup<T> = (u64, Result<Vec<Step<Prepared, T>>, StoreError>);

/// The other side has given up.
#[derive(Debug)]
pub(super) struct HungUp;

/// Where steps are handed in.
pub(super) struct Feed<T> {
    groups: SyncSender<Group<Raw, T>>,
    numbers: Arc<Mutex<u64>>,
    steps: Vec<Step<Raw, T>>,
    bytes: usize,
    is_flushed: bool,
}

impl From<HungUp> for SyncError {
    fn from(_: HungUp) -> Self {
        Self::HungUp
    }
}

impl<T> Feed<T> {
    fn into(groups: SyncSender<Group<Raw, T>>) -> Self {
        Self { groups, numbers: Arc::default(), steps: Vec::new(), bytes: 0, is_flushed: true }
    }

    /// One more place to hand in at; what is handed in here keeps its own order.
    pub(super) fn another(&self) -> Self {
        let (groups, numbers) = (self.groups.clone(), Arc::clone(&self.numbers));
        Self { groups, numbers, steps: Vec::new(), bytes: 0, is_flushed: true }
    }

    /// Takes back what was handed in at another place: what is handed in here from now on comes after it.
    pub(super) fn join(&mut self, mut other: Self) -> Result<(), HungUp> {
        other.send()?;
        self.is_flushed &= other.is_flushed;
        Ok(())
    }

    pub(super) fn message(&mut self, message: Raw, tag: T) -> Result<(), HungUp> {
        self.bytes += message.bytes.len();
        self.add(Step::Message(message, tag))
    }

    pub(super) fn change(&mut self, change: Change) -> Result<(), HungUp> {
        self.add(Step::Change(change))
    }

    /// Waits until everything that was handed in is on the disk.
    pub(super) fn flush(&mut self) -> Result<(), HungUp> {
        let (sender, done) = sync_channel(1);
        self.steps.push(Step::Barrier(sender));
        self.send()?;
        done.recv().map_err(|_| HungUp)?;
        self.is_flushed = true;
        Ok(())
    }

    /// The same, when anything was handed in since the last time.
    pub(super) fn flush_if_any(&mut self) -> Result<(), HungUp> {
        if self.is_flushed { Ok(()) } else { self.flush() }
    }

    fn add(&mut self, step: Step<Raw, T>) -> Result<(), HungUp> {
        self.is_flushed = false;
        self.steps.push(step);
        if self.bytes < GROUP_BYTES && self.steps.len() < GROUP_STEPS {
            return Ok(());
        }
        self.send()
    }

    /// Hands on what has been gathered.
    pub(super) fn send(&mut self) -> Result<(), HungUp> {
        self.bytes = 0;
        if self.steps.is_empty() {
            return Ok(());
        }
        let mut number = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let group = (*number, std::mem::take(&mut self.steps));
        *number += 1;
        self.groups.send(group).map_err(|_| HungUp)
    }
}

/// Where a message goes.
pub(super) struct Destination {
    pub(super) mailbox: MailboxKey,
    pub(super) flags: Flags,
    pub(super) labels: Vec<String>,
    pub(super) on_server: Option<ServerUid>,
    pub(super) afterwards: Option<Afterwards>,
}

/// What one transaction did; it counts only once the transaction is on the disk.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) stored: u64,
    pub(super) known: u64,
    pub(super) defective: u64,
    documents: Vec<Document>,
}

/// Where messages go through.
pub(super) struct Pipeline<'a> {
    pub(super) home: &'a Home,
    pub(super) extractor: &'a Extractor,
    pub(super) eagerness: Eagerness,
}

impl Pipeline<'_> {
    /// Runs `produce` beside the workers and stores all it hands in. `resolve` turns a tag into a place;
    /// `committed` hears of each transaction that is on the disk. The store and the index are opened when the
    /// first step arrives, and given back; `None` when there was none.
    pub(super) fn run<T: Send>(
        &self,
        produce: impl FnOnce(Feed<T>) + Send,
        resolve: impl FnMut(&WriteTransaction<'_>, T) -> Result<Destination, StoreError>,
        committed: impl FnMut(&Tally),
    ) -> Result<Option<Writer>, SyncError> {
        let (sender, groups) = sync_channel::<Group<Raw, T>>(WORKERS);
        let feed = Feed::into(sender);
        thread::scope(|scope| {
            scope.spawn(move || produce(feed));
            let Ok(first) = groups.recv() else { return Ok(None) };
            let intake = Intake { first: Some(first), rest: groups };
            self.prepare_and_write(intake, resolve, committed).map(Some)
        })
    }

    fn prepare_and_write<T: Send>(
        &self,
        intake: Intake<T>,
        resolve: impl FnMut(&WriteTransaction<'_>, T) -> Result<Destination, StoreError>,
        committed: impl FnMut(&Tally),
    ) -> Result<Writer, SyncError> {
        let store = Store::open(&self.home.store())?;
        let codec = store.codec().clone();
        let extractor = self.extractor.for_many();
        // When the writer gives up, the workers end and with them the last receiver: the producer ends too.
        let intake = Arc::new(Mutex::new(intake));
        thread::scope(|scope| {
            let (sender, prepared) = sync_channel::<PreparedGroup<T>>(PREPARED);
            for _ in 0..WORKERS {
                let (intake, sender) = (Arc::clone(&intake), sender.clone());
                let (codec, extractor) = (&codec, &extractor);
                scope.spawn(move || self.prepare_groups(&intake, &sender, codec, extractor));
            }
            drop((intake, sender));
            // Opened while the workers are busy already.
            let follower = self.follower()?;
            let mut writer = Writer { store, follower };
            writer.take_all(Inbox::new(prepared), resolve, committed)?;
            Ok(writer)
        })
    }

    fn follower(&self) -> Result<Follower, IndexError> {
        Follower::start(&self.home.store(), &self.home.text_index(), self.extractor, self.eagerness)
    }

    fn prepare_groups<T>(
        &self,
        intake: &Mutex<Intake<T>>,
        sender: &SyncSender<PreparedGroup<T>>,
        codec: &Codec,
        extractor: &Extractor,
    ) {
        let next = || intake.lock().unwrap_or_else(PoisonError::into_inner).next();
        // Nothing is opened by a worker that nothing is left for.
        let Some(mut group) = next() else { return };
        // A store that was empty knows no message; those that come twice now are met by the writer.
        let has_any = |reader: &Reader| !reader.newest_change().is_ok_and(|newest| newest == 0);
        let known = Reader::open(&self.home.store()).ok().filter(has_any);
        let mut preparer = match codec.encoder() {
            Ok(encoder) => Preparer { encoder, extractor },
            Err(error) => {
                let _ = sender.send((group.0, Err(error)));
                return;
            }
        };
        loop {
            let (number, steps) = group;
            if sender.send((number, prepare_group(&mut preparer, known.as_ref(), steps))).is_err() {
                return;
            }
            let Some(following) = next() else { return };
            group = following;
        }
    }
}

/// Runs `produce` beside a writer that only makes changes: no message is stored, the index is left to others, and a
/// store that is not there is not made.
pub(super) fn changes_only(
    store: &Path,
    produce: impl FnOnce(Feed<Destination>) + Send,
) -> Result<(), SyncError> {
    let (sender, groups) = sync_channel(1);
    let feed = Feed::into(sender);
    thread::scope(|scope| {
        scope.spawn(move || produce(feed));
        make_changes(store, groups)
    })
}

/// Makes the changes of each group in one transaction; the receiver ends with us, so that the producer does too.
#[expect(clippy::needless_pass_by_value, reason = "a receiver that is dropped tells the producer")]
fn make_changes(store: &Path, groups: Receiver<Group<Raw, Destination>>) -> Result<(), SyncError> {
    let mut opened = None;
    for (_, steps) in &groups {
        let store = match &mut opened {
            Some(store) => store,
            None => opened.insert(Store::open_existing(store)?),
        };
        let mut transaction = store.begin()?;
        let mut waiting = Vec::new();
        for step in steps {
            match step {
                Step::Change(change) => change(&mut transaction)?,
                Step::Barrier(sender) => waiting.push(sender),
                Step::Message(..) => return Err(SyncError::HungUp),
            }
        }
        transaction.commit()?;
        for sender in waiting {
            let _ = sender.send(());
        }
    }
    Ok(())
}

fn prepare_group<T>(
    preparer: &mut Preparer<'_>,
    known: Option<&Reader>,
    steps: Vec<Step<Raw, T>>,
) -> Result<Vec<Step<Prepared, T>>, StoreError> {
    let _one_state = known.map(Reader::snapshot).transpose()?;
    let prepared = steps.into_iter().map(|step| {
        Ok(match step {
            Step::Message(message, tag) => Step::Message(preparer.prepare(&message, known)?, tag),
            Step::Change(change) => Step::Change(change),
            Step::Barrier(sender) => Step::Barrier(sender),
        })
    });
    prepared.collect()
}

/// The groups that were handed in.
struct Intake<T> {
    first: Option<Group<Raw, T>>,
    rest: Receiver<Group<Raw, T>>,
}

impl<T> Intake<T> {
    fn next(&mut self) -> Option<Group<Raw, T>> {
        self.first.take().or_else(|| self.rest.recv().ok())
    }
}

/// The store and the index that follows it.
pub(super) struct Writer {
    pub(super) store: Store,
    follower: Follower,
}

impl Writer {
    /// Stores all that comes. A transaction takes in what arrives until its time is up: fewer of them mean fewer
    /// waits for the disk.
    fn take_all<T>(
        &mut self,
        mut inbox: Inbox<T>,
        mut resolve: impl FnMut(&WriteTransaction<'_>, T) -> Result<Destination, StoreError>,
        mut committed: impl FnMut(&Tally),
    ) -> Result<(), SyncError> {
        while let Some(first) = inbox.next(None)? {
            let until = Instant::now() + BATCH_TIME;
            let mut tally = Tally::default();
            let mut tx = self.store.begin()?;
            let before = tx.newest_change()?;
            let mut step = Some(first);
            let mut waiting = None;
            while let Some(next) = step {
                match next {
                    Step::Message(message, tag) => {
                        let place = resolve(&tx, tag)?;
                        tally.store(&mut tx, message, place)?;
                    }
                    Step::Change(change) => change(&mut tx)?,
                    Step::Barrier(sender) => {
                        waiting = Some(sender);
                        break;
                    }
                }
                step = inbox.next(Some(until))?;
            }
            let has_removed = tx.has_removed();
            let after = tx.commit()?;
            committed(&tally);
            match has_removed {
                true => self.follower.catch_up()?,
                false => self.follower.take(tally.documents, before, after.max(before))?,
            }
            if let Some(sender) = waiting {
                let _ = sender.send(());
            }
        }
        Ok(())
    }

    /// Makes everything searchable.
    pub(super) fn finish(self) -> Result<(), SyncError> {
        // The index still has work to do beside it.
        self.store.checkpoint();
        Ok(self.follower.finish()?)
    }
}

/// Puts prepared groups back into their order and gives their steps out one by one.
struct Inbox<T> {
    groups: Receiver<PreparedGroup<T>>,
    early: BTreeMap<u64, Vec<Step<Prepared, T>>>,
    ready: VecDeque<Step<Prepared, T>>,
    next: u64,
}

impl<T> Inbox<T> {
    fn new(groups: Receiver<PreparedGroup<T>>) -> Self {
        Self { groups, early: BTreeMap::new(), ready: VecDeque::new(), next: 0 }
    }

    /// The next step; `None` when there are no more, or none came in time.
    fn next(&mut self, until: Option<Instant>) -> Result<Option<Step<Prepared, T>>, StoreError> {
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

    fn receive(&self, until: Option<Instant>) -> Option<PreparedGroup<T>> {
        match until {
            None => self.groups.recv().ok(),
            Some(until) => self.groups.recv_timeout(until.saturating_duration_since(Instant::now())).ok(),
        }
    }
}

impl Tally {
    fn store(
        &mut self,
        tx: &mut WriteTransaction<'_>,
        message: Prepared,
        to: Destination,
    ) -> Result<(), StoreError> {
        let place = NewPlacement {
            mailbox: to.mailbox,
            flags: to.flags,
            labels: &to.labels,
            on_server: to.on_server,
        };
        if tx.stays_forgotten(&message.hash, &place)? {
            return tx.leave_forgotten(&place);
        }
        let outcome = self.store_content(tx, message, &place)?;
        let (Stored::New(key) | Stored::Placed(key) | Stored::Known(key)) = outcome;
        to.afterwards.map_or(Ok(()), |afterwards| afterwards(tx, key))
    }

    fn store_content(
        &mut self,
        tx: &mut WriteTransaction<'_>,
        message: Prepared,
        place: &NewPlacement<'_>,
    ) -> Result<Stored, StoreError> {
        let Some(content) = message.content else {
            let outcome = tx.place_known(&message.hash, place)?;
            let outcome = outcome.ok_or_else(|| StoreError::content(&"a known message has gone"))?;
            self.count(outcome, false);
            return Ok(outcome);
        };
        let Content { size, parsed, frame, document } = *content;
        let gmail_id = message.gmail.map(|ids| ids.message);
        let new = NewMessage { hash: message.hash, size, parsed: &parsed, frame: &frame, gmail_id };
        let outcome = tx.store(&new, place)?;
        self.count(outcome, !parsed.defects.is_empty());
        if let Stored::New(key) = outcome {
            self.documents.push(document.stored_as(key));
        }
        Ok(outcome)
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
}
