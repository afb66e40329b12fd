//! A few more connections for one pass: while an account is filled, they look into mailboxes and fetch whole ones
//! beside the first connection. They only help. Whatever goes wrong with one of them is left to the first connection,
//! which meets it again and decides as if it were alone; so is what takes much memory.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::model::MailboxKey;
use crate::source::SourceError;
use crate::source::imap::{FetchFailure, FetchMode, ImapSource, Listing, Opened, Remote};
use crate::store::RemoteMailbox;
use crate::sync::SyncError;
use crate::sync::account::{SyncAccount, SyncOptions, SyncProgress, connect};
use crate::sync::imap::pass::{Pass, UnmatchedBySize, incoming};
use crate::sync::imap::plan::Plan;
use crate::sync::pipeline::{Destination, Feed};

/// From how many mailboxes on another connection is worth its sign-in.
const MAILBOXES_EACH: usize = 4;
/// The longest silence on a connection that can be done without.
const SILENCE: Duration = Duration::from_secs(10);
/// How many messages listings may hold before plans are made of them, and the most of one mailbox.
const LISTED: u32 = 50_000;

/// How the server of an account is reached.
#[derive(Clone, Copy)]
struct Door<'a> {
    account: &'a SyncAccount,
    options: &'a SyncOptions,
    progress: &'a SyncProgress,
}

impl Door<'_> {
    fn connect(&self) -> Result<ImapSource, SyncError> {
        let silence = self.options.silence.min(SILENCE);
        connect(self.account, &SyncOptions { silence, ..self.options.clone() }, self.progress)
    }
}

/// What became of the connections beside the first one.
#[derive(Default)]
struct Crew {
    connected: AtomicU64,
    has_lost_one: AtomicBool,
}

impl Crew {
    /// Does the work with a connection, a new one if none is given; gives back one that is still good.
    fn help(
        &self,
        door: Door<'_>,
        spare: Option<ImapSource>,
        work: impl Fn(&mut ImapSource) -> Result<(), SyncError>,
    ) -> Option<ImapSource> {
        let outcome = spare.map_or_else(|| self.sign_in(door), Ok).and_then(|mut source| {
            work(&mut source)?;
            Ok(source)
        });
        if outcome.is_err() {
            self.has_lost_one.store(true, Ordering::Relaxed);
        }
        outcome.ok()
    }

    fn sign_in(&self, door: Door<'_>) -> Result<ImapSource, SyncError> {
        let source = door.connect()?;
        self.connected.fetch_add(1, Ordering::Relaxed);
        Ok(source)
    }
}

/// A mailbox that was looked into: its state and all that it has.
pub(in crate::sync) struct Looked {
    pub(in crate::sync) opened: Opened,
    pub(in crate::sync) listing: Listing,
}

impl Looked {
    fn at(source: &mut ImapSource, wire_name: &str) -> Result<Self, SourceError> {
        let opened = source.examine(wire_name, None)?;
        let nothing = Listing { is_whole: true, ..Listing::default() };
        let listing = if opened.exists == 0 { nothing } else { source.list_all(&opened)? };
        Ok(Self { opened, listing })
    }
}

/// Mailboxes to look into, and what was found.
struct Looks<'a> {
    left: Mutex<VecDeque<&'a str>>,
    found: Mutex<HashMap<String, Looked>>,
}

impl Looks<'_> {
    /// Looks until nothing is left. What is refused is passed over: it will be asked for again, and told.
    fn take_part(&self, source: &mut ImapSource) -> Result<(), SyncError> {
        loop {
            let Some(remote) = locked(&self.left).pop_front() else { return Ok(()) };
            match Looked::at(source, remote) {
                Ok(looked) => {
                    locked(&self.found).insert(remote.to_owned(), looked);
                }
                Err(error) if ImapSource::is_refusal(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The mailboxes whose messages are to be fetched, by their place among the plans.
struct Board<'a> {
    plans: &'a [Plan],
    given_up: BTreeSet<(MailboxKey, u32)>,
    state: Mutex<BoardState>,
    changed: Condvar,
    fetched: AtomicU64,
}

#[derive(Default)]
struct BoardState {
    waiting: VecDeque<usize>,
    /// Mailboxes that others are at.
    busy: usize,
    /// What others could not bring in: for the first connection.
    left: Vec<Share>,
    /// What others are done with.
    done: Vec<(Share, Vec<FetchFailure>)>,
}

/// Some of the messages of a mailbox.
struct Share {
    plan: usize,
    uids: Vec<u32>,
}

/// What the first connection does next.
enum Next {
    Whole(usize),
    Rest(Share),
}

/// A mailbox that somebody is at; the others may wait for it.
struct Turn<'a>(&'a Board<'a>);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        locked(&self.0.state).busy -= 1;
        self.0.changed.notify_all();
    }
}

impl<'a> Board<'a> {
    fn new(plans: &'a [Plan], given_up: &BTreeSet<(MailboxKey, u32)>) -> Self {
        let waiting = (0..plans.len()).filter(|place| !plans[*place].new.is_empty()).collect();
        Self {
            plans,
            given_up: given_up.clone(),
            state: Mutex::new(BoardState { waiting, ..BoardState::default() }),
            changed: Condvar::new(),
            fetched: AtomicU64::new(0),
        }
    }

    /// What is next for the first connection; waits for what others may leave to it.
    fn next(&self) -> Option<Next> {
        let mut state = locked(&self.state);
        loop {
            if let Some(share) = state.left.pop() {
                return Some(Next::Rest(share));
            }
            if let Some(place) = state.waiting.pop_front() {
                return Some(Next::Whole(place));
            }
            if state.busy == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nothing more is begun.
    fn close(&self) {
        locked(&self.state).waiting.clear();
    }

    /// Fetches mailbox after mailbox until none waits.
    fn take_part(
        &self,
        source: &mut ImapSource,
        feed: &Mutex<Feed<Destination>>,
        door: Door<'_>,
    ) -> Result<(), SyncError> {
        let mut feed = locked(feed);
        while let Some((place, _turn)) = self.begin() {
            let mut had = Vec::new();
            let outcome = self.fetch(place, source, |message| {
                door.progress.check_stop()?;
                let uid = message.uid;
                let (raw, to) = incoming(self.plans[place].mailbox, message);
                feed.message(raw, to)?;
                had.push(uid);
                self.fetched.fetch_add(1, Ordering::Relaxed);
                door.progress.done_beside(&door.account.address);
                Ok(())
            });
            // Handed on before the turn ends: whoever waits for it may rely on the order of what is handed in.
            feed.send()?;
            self.end(place, &had, outcome)?;
        }
        Ok(())
    }

    fn begin(&self) -> Option<(usize, Turn<'_>)> {
        let mut state = locked(&self.state);
        let place = state.waiting.pop_front()?;
        state.busy += 1;
        Some((place, Turn(self)))
    }

    fn fetch(
        &self,
        place: usize,
        source: &mut ImapSource,
        on: impl FnMut(crate::source::imap::Message) -> Result<(), SyncError>,
    ) -> Result<Vec<FetchFailure>, SyncError> {
        let plan = &self.plans[place];
        source.reopen(&plan.wire_name, plan.uidvalidity)?;
        source.fetch(&self.wanted(place), FetchMode::Small, on)
    }

    fn wanted(&self, place: usize) -> Vec<u32> {
        let plan = &self.plans[place];
        let is_wanted = |uid: &u32| !self.given_up.contains(&(plan.mailbox, *uid));
        plan.new.iter().copied().filter(is_wanted).collect()
    }

    /// Notes what came, and leaves the rest to the first connection. A refusal is its to hear, too, but costs no
    /// connection.
    fn end(
        &self,
        place: usize,
        had: &[u32],
        outcome: Result<Vec<FetchFailure>, SyncError>,
    ) -> Result<(), SyncError> {
        let (unread, lost) = match outcome {
            Ok(unread) => (unread, Ok(())),
            Err(SyncError::Source(error)) if ImapSource::is_refusal(&error) => (Vec::new(), Ok(())),
            Err(error) => (Vec::new(), Err(error)),
        };
        let settled: BTreeSet<u32> = had.iter().copied().chain(unread.iter().map(|item| item.uid)).collect();
        let rest: Vec<u32> = self.wanted(place).into_iter().filter(|uid| !settled.contains(uid)).collect();
        let mut state = locked(&self.state);
        if !rest.is_empty() {
            state.left.push(Share { plan: place, uids: rest });
        }
        state.done.push((Share { plan: place, uids: settled.into_iter().collect() }, unread));
        lost
    }
}

impl<'a> Pass<'a> {
    /// Looks into the mailboxes that were never filled, several at a time. What is not found here is left to look for.
    pub(in crate::sync) fn look_ahead(
        &mut self,
        remotes: &[Remote],
        locals: &[RemoteMailbox],
    ) -> Result<HashMap<String, Looked>, SyncError> {
        let left = unfilled(remotes, locals);
        let helpers = self.helpers_for(left.len());
        let looks = Looks { left: Mutex::new(left), found: Mutex::default() };
        if helpers > 0 {
            let (door, spare, crew) = (self.door(), std::mem::take(&mut self.spare), Crew::default());
            let (outcome, spare) = thread::scope(|scope| {
                let threads: Vec<_> = spared(spare, helpers)
                    .map(|spare| scope.spawn(|| crew.help(door, spare, |source| looks.take_part(source))))
                    .collect();
                let outcome = looks.take_part(&mut self.source);
                if outcome.is_err() {
                    locked(&looks.left).clear();
                }
                (outcome, threads.into_iter().filter_map(joined).collect())
            });
            self.dismiss(&crew, spare);
            outcome?;
        }
        Ok(looks.found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Brings in what is new, mailbox by mailbox; several at a time where none can hold what another one asks for.
    pub(in crate::sync) fn bring_in_all(
        &mut self,
        plans: &[Plan],
        unmatched: &UnmatchedBySize,
    ) -> Result<(), SyncError> {
        let full = plans.iter().filter(|plan| !plan.new.is_empty()).count();
        let is_free = unmatched.is_empty() && !self.source.is_gmail();
        let helpers = if is_free { self.helpers_for(full) } else { 0 };
        for plan in plans {
            self.set_facts(plan)?;
            if helpers == 0 {
                self.bring_in(plan, unmatched)?;
            }
        }
        if helpers == 0 { Ok(()) } else { self.bring_in_beside(plans, unmatched, helpers) }
    }

    fn bring_in_beside(
        &mut self,
        plans: &[Plan],
        unmatched: &UnmatchedBySize,
        helpers: usize,
    ) -> Result<(), SyncError> {
        let board = Board::new(plans, &self.report.given_up);
        let feeds: Vec<_> = (0..helpers).map(|_| Mutex::new(self.feed.another())).collect();
        let (door, spare, crew) = (self.door(), std::mem::take(&mut self.spare), Crew::default());
        let (outcome, spare) = thread::scope(|scope| {
            let (board, crew) = (&board, &crew);
            let threads: Vec<_> = spared(spare, helpers)
                .zip(&feeds)
                .map(|(spare, feed)| {
                    scope.spawn(move || crew.help(door, spare, |source| board.take_part(source, feed, door)))
                })
                .collect();
            let outcome = self.take_part(board, unmatched);
            board.close();
            (outcome, threads.into_iter().filter_map(joined).collect())
        });
        self.dismiss(&crew, spare);
        for feed in feeds {
            self.feed.join(feed.into_inner().unwrap_or_else(PoisonError::into_inner))?;
        }
        self.report.fetched += board.fetched.load(Ordering::Relaxed);
        outcome?;
        let done = std::mem::take(&mut locked(&board.state).done);
        done.into_iter().try_for_each(|(share, unread)| {
            self.note_failures(&plans[share.plan].with_new(share.uids), unread)
        })
    }

    /// The first connection's own part: what waits, and what the others left.
    fn take_part(&mut self, board: &Board<'_>, unmatched: &UnmatchedBySize) -> Result<(), SyncError> {
        while let Some(next) = board.next() {
            match next {
                Next::Whole(place) => self.bring_in(&board.plans[place], unmatched)?,
                Next::Rest(share) => {
                    self.bring_in(&board.plans[share.plan].with_new(share.uids), unmatched)?;
                }
            }
        }
        Ok(())
    }

    fn door(&self) -> Door<'a> {
        Door { account: self.account, options: self.options, progress: self.progress }
    }

    /// How many connections to use beside the first one. After the server has refused or ended one, no new ones are
    /// made; who looks for a message that costs connections does so alone.
    fn helpers_for(&self, mailboxes: usize) -> usize {
        let most = match (self.report.is_careful, self.report.is_alone) {
            (true, _) => 0,
            (false, true) => self.spare.len(),
            (false, false) => self.options.connections.saturating_sub(1),
        };
        most.min(mailboxes / MAILBOXES_EACH)
    }

    fn dismiss(&mut self, crew: &Crew, spare: Vec<ImapSource>) {
        self.spare = spare;
        self.report.connections += crew.connected.load(Ordering::Relaxed);
        self.report.is_alone |= crew.has_lost_one.load(Ordering::Relaxed);
    }
}

/// Mailboxes that were never filled, as far as the server says that their listings are small.
fn unfilled<'a>(remotes: &'a [Remote], locals: &[RemoteMailbox]) -> VecDeque<&'a str> {
    let is_filled =
        |remote: &Remote| locals.iter().any(|local| local.wire_name == remote.wire_name && local.filled);
    let size = |remote: &Remote| remote.status.as_ref().and_then(|status| status.messages);
    let mut room = LISTED;
    let mut fits = |remote: &Remote| {
        let left = size(remote).and_then(|size| room.checked_sub(size));
        room = left.unwrap_or(room);
        left.is_some()
    };
    let unfilled = remotes.iter().filter(|remote| !is_filled(remote) && fits(remote));
    unfilled.map(|remote| remote.wire_name.as_str()).collect()
}

/// The connections that there are, and as many new ones as are wanted beyond them.
fn spared(spare: Vec<ImapSource>, wanted: usize) -> impl Iterator<Item = Option<ImapSource>> {
    spare.into_iter().map(Some).chain(std::iter::repeat_with(|| None)).take(wanted)
}

fn joined<T>(thread: thread::ScopedJoinHandle<'_, Option<T>>) -> Option<T> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
