//! What goes on beside a server, as long as it runs: one watcher for each account that has a server, also for those that
//! are added meanwhile, the one who sends what was approved, the one who sees to notes, and the one who makes vectors of new
//! mail.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use crate::account::Tokens;
use crate::cli::account::tokens;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::leaving;
use crate::cli::semantic::VectorMaker;
use crate::cli::sync::{Ways, ready};
use crate::clock::Clock;
use crate::config::{GmailSettings, SyncSettings};
use crate::home::Home;
use crate::model::{AccountKey, AccountSettings, ItemState};
use crate::orchestrator::Orchestrator;
use crate::outbox::delivery;
use crate::outbox::worker::{Told, Worker};
use crate::server::{Level, RequestLog};
use crate::store::{Account, Reader, StoreError};
use crate::sync::{self, AccountReport, SyncError, SyncOptions, SyncProgress};

/// How often accounts are looked for that are new, or can be let in again.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// When a watcher ended for a reason that may pass, the next one begins so much later.
const REST: Duration = Duration::from_secs(60);
/// So long a stop waits for what is being sent.
const LAST_ANSWER: Duration = Duration::from_secs(28);

/// All that is needed to bring in news.
pub(super) struct Background {
    home: Home,
    clock: Clock,
    settings: SyncSettings,
    tokens: Arc<Tokens>,
    gmail: GmailSettings,
    stop: Arc<AtomicBool>,
    /// What was last told about each account.
    told: Mutex<BTreeMap<String, String>>,
    sender: Option<Sender>,
    orchestrator: Option<Orchestrator>,
    vectors: Option<VectorMaker>,
}

/// Sends what was approved, on a thread of its own: a stop waits for it for a while, and not for ever.
struct Sender {
    worker: Arc<Worker>,
    log: RequestLog,
}

impl Sender {
    fn start(&self, stop: &Arc<AtomicBool>) -> JoinHandle<()> {
        let (worker, log, stop) = (Arc::clone(&self.worker), self.log.clone(), Arc::clone(stop));
        thread::spawn(move || {
            let run = || worker.run(&|told| log.write(level(told), "outbox", &line(told)));
            again_after_defects(&stop, run, || {
                log.write(Level::Error, "outbox", "what sends was ended by a defect and begins again");
            });
        })
    }
}

/// Runs something until it ends by itself. What a defect ended begins again: nothing that was approved stays because
/// something else could not be handled.
fn again_after_defects(stop: &AtomicBool, run: impl Fn(), tell: impl Fn()) {
    while catch_unwind(AssertUnwindSafe(&run)).is_err() && !stop.load(Ordering::Relaxed) {
        tell();
        thread::sleep(LOOK_EVERY);
    }
}

fn level(told: &Told) -> Level {
    match told.state {
        ItemState::Failed | ItemState::Unknown => Level::Warning,
        _ => Level::Info,
    }
}

/// No text and no address: what a server said stands in the store.
fn line(told: &Told) -> String {
    let again = if told.is_retry { ", to be tried again" } else { "" };
    format!("{} {}{again}", told.id, told.state)
}

/// Waits for a thread until then; whether it has ended.
fn join_until(thread: &JoinHandle<()>, until: Instant) -> bool {
    while !thread.is_finished() {
        if Instant::now() >= until {
            return false;
        }
        thread::sleep(Duration::from_millis(20));
    }
    true
}

/// A watcher of one account.
struct Watcher<'scope> {
    thread: ScopedJoinHandle<'scope, ()>,
    progress: Arc<SyncProgress>,
    settings: AccountSettings,
    since: Instant,
}

impl Watcher<'_> {
    fn stop(&self) {
        self.progress.stop.store(true, Ordering::Relaxed);
    }
}

impl Background {
    pub(super) fn of(context: &Context, log: &RequestLog) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let sender = context
            .config
            .outbox
            .background
            .then(|| Sender { worker: Arc::new(leaving::worker(context, &stop)), log: log.clone() });
        let vectors = VectorMaker::of(context, &stop, log);
        Self {
            home: context.home.clone(),
            clock: context.clock.clone(),
            settings: context.config.sync,
            tokens: Arc::new(tokens(context, SyncOptions::default().silence, &stop)),
            gmail: context.config.gmail.clone(),
            stop,
            told: Mutex::default(),
            sender,
            orchestrator: None,
            vectors,
        }
    }

    /// Set when everything beside the server is to end.
    pub(super) fn stop(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// The same, with somebody who sees to the notes of a vault.
    pub(super) fn with_orchestrator(self, orchestrator: Option<Orchestrator>) -> Self {
        Self { orchestrator, ..self }
    }

    /// Sends, and brings in news, until `work` has ended, as far as the owner wants it. What is being sent then has a
    /// while to be answered.
    pub(super) fn beside<T>(&self, brings_news: bool, work: impl FnOnce() -> T) -> T {
        let sending = self.sender.as_ref().map(|sender| sender.start(&self.stop));
        let result = thread::scope(|scope| {
            if let Some(vectors) = &self.vectors {
                scope.spawn(|| vectors.run());
            }
            if brings_news && self.settings.background {
                scope.spawn(|| self.supervise(scope));
            }
            if let Some(orchestrator) = &self.orchestrator {
                scope.spawn(|| orchestrator.run(&self.stop));
            }
            let result = work();
            self.stop.store(true, Ordering::Relaxed);
            result
        });
        if let Some(sending) = sending {
            join_until(&sending, Instant::now() + LAST_ANSWER);
        }
        result
    }

    fn supervise<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        let mut watchers = BTreeMap::new();
        while !self.stop.load(Ordering::Relaxed) {
            // A store that is not there yet, or not of our version, is looked at again later.
            let _ = self.look(scope, &mut watchers);
            let _ = delivery::look(&self.home, &self.clock);
            let until = Instant::now() + LOOK_EVERY;
            while Instant::now() < until && !self.stop.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(50));
            }
        }
        watchers.values().for_each(Watcher::stop);
    }

    /// Starts a watcher for each account that needs one, and stops those whose account is another one now.
    fn look<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        watchers: &mut BTreeMap<AccountKey, Watcher<'scope>>,
    ) -> Result<(), StoreError> {
        let reader = Reader::open(&self.home.store())?;
        let mut wanted = BTreeMap::new();
        for account in reader.accounts()?.into_iter().filter(|account| account.kind != "local") {
            if let Some(settings) = reader.account_settings(account.key)? {
                wanted.insert(account.key, (account, settings));
            }
        }
        for (key, watcher) in watchers.iter() {
            if wanted.get(key).is_none_or(|(_, settings)| *settings != watcher.settings) {
                watcher.stop();
            }
        }
        for (key, (account, settings)) in wanted {
            if let Some(watcher) = watchers.get(&key)
                && !self.may_begin_again(watcher, &settings, &account, &reader)?
            {
                continue;
            }
            let progress = Arc::new(SyncProgress::default());
            let own = Arc::clone(&progress);
            let thread = scope.spawn(move || self.watch(&account, &own));
            watchers.insert(key, Watcher { thread, progress, settings, since: Instant::now() });
        }
        Ok(())
    }

    /// A watcher that has ended is followed by another when the account was changed or let in since, or when what
    /// ended it was not the account.
    fn may_begin_again(
        &self,
        watcher: &Watcher<'_>,
        settings: &AccountSettings,
        account: &Account,
        reader: &Reader,
    ) -> Result<bool, StoreError> {
        if !watcher.thread.is_finished() {
            return Ok(false);
        }
        let is_free = reader.sync_problem(account.key)?.is_none();
        Ok(watcher.settings != *settings || is_free && watcher.since.elapsed() > self.rest())
    }

    /// Nobody polls more often than the owner wants, and a test need not wait for a minute.
    fn rest(&self) -> Duration {
        REST.min(self.settings.poll())
    }

    fn watch(&self, account: &Account, progress: &SyncProgress) {
        let (tokens, gmail, clock) = (&self.tokens, &self.gmail, &self.clock);
        let ways = Ways { tokens, gmail, gone: self.settings.gone, clock };
        let ready = Reader::open(&self.home.store())
            .map_err(Failure::from)
            .and_then(|reader| ready(account, &reader, &ways));
        let Ok(ready) = ready else { return };
        let place = (&self.home, &self.clock);
        let connections = self.settings.connections.get();
        let options = SyncOptions { connections, ..SyncOptions::default() };
        let extractor = Context::extractor();
        let how = (&options, self.settings.poll());
        sync::watch(place, &[ready], how, (&extractor, progress), &|outcome| {
            self.tell(&account.address, &outcome);
        });
    }

    /// Tells what goes wrong once, and when it goes well again. Waiting for another process is nothing wrong.
    fn tell(&self, address: &str, outcome: &Result<AccountReport, SyncError>) {
        let error = match outcome {
            Ok(report) => report.error.as_ref(),
            Err(error) => Some(error),
        };
        let error = error.filter(|error| !(error.is_busy() || error.is_stopped()));
        let now = error.map(ToString::to_string).unwrap_or_default();
        let mut told = self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let before = told.insert(address.to_owned(), now.clone()).unwrap_or_default();
        if let Some(error) = error.filter(|_| before != now) {
            Failure::tell(&now, Some(&error.hint(address)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::again_after_defects;

    #[test]
    fn what_a_defect_ended_begins_again_and_what_ended_by_itself_does_not() {
        let (runs, told) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let run = || assert!(runs.fetch_add(1, Ordering::Relaxed) > 0, "a defect");

        again_after_defects(&AtomicBool::new(false), run, || {
            told.fetch_add(1, Ordering::Relaxed);
        });

        assert_eq!((runs.into_inner(), told.into_inner()), (2, 1));
    }
}
