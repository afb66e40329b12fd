//! Takes changes to servers at once: one thread a process, one connection at a time, and whoever asks waits for a moment
//! only. What does not get through stays noted in the store, for the next try and for the next sync. After a failure
//! nobody waits, and nothing is tried, until a rest is over that doubles each time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::account::Tokens;
use crate::cli::account::tokens;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::sync::{Ways, ready};
use crate::clock::Clock;
use crate::config::{GmailSettings, SyncSettings};
use crate::home::Home;
use crate::store::Reader;
use crate::sync::{self, SyncError, SyncOptions, SyncProgress};
use crate::tools::{ChangePusher, Pushed};

/// The longest silence of a server: a sync would wait longer, but must itself not be kept waiting.
const SILENCE: Duration = Duration::from_secs(10);
/// How often one who waits for another process looks whether it has ended.
const BUSY_REST: Duration = Duration::from_millis(250);
/// The rest after a failure, and the longest one.
const FIRST_REST: Duration = Duration::from_secs(5);
const LONGEST_REST: Duration = Duration::from_secs(300);

/// Takes changes to servers in the background.
pub(super) struct Pusher {
    worker: Arc<Worker>,
    settings: SyncSettings,
}

/// What the thread works with.
struct Worker {
    home: Home,
    clock: Clock,
    settings: SyncSettings,
    tokens: Arc<Tokens>,
    gmail: GmailSettings,
    stop: Arc<AtomicBool>,
    queue: Mutex<Queue>,
    news: Condvar,
}

/// What is to be done, by the address of the account.
#[derive(Default)]
struct Queue {
    is_running: bool,
    /// Each request has a number; what is done up to it answers it.
    newest: u64,
    wanted: BTreeMap<String, u64>,
    done: BTreeMap<String, (u64, Pushed)>,
    rests: BTreeMap<String, Rest>,
}

/// Why an account is left alone for a while.
#[derive(Clone)]
struct Rest {
    until: Instant,
    length: Duration,
    why: Pushed,
}

/// How a try ended.
enum Tried {
    Done,
    Busy,
    /// Trying again later can help, or not before the person has done something.
    Failed {
        reason: String,
        again: bool,
    },
}

impl Pusher {
    pub(super) fn of(context: &Context) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let settings = context.config.sync;
        let worker = Worker {
            home: context.home.clone(),
            clock: context.clock.clone(),
            settings,
            tokens: Arc::new(tokens(context, SILENCE, &stop)),
            gmail: context.config.gmail.clone(),
            stop,
            queue: Mutex::default(),
            news: Condvar::new(),
        };
        Self { worker: Arc::new(worker), settings }
    }

    /// Starts the thread when there is something to do for the first time.
    fn start(&self, queue: &mut Queue) {
        if !queue.is_running {
            queue.is_running = true;
            let worker = Arc::clone(&self.worker);
            thread::spawn(move || worker.run());
        }
    }
}

impl ChangePusher for Pusher {
    fn push(&self, address: &str) -> Pushed {
        if !self.settings.push {
            return Pushed::Off;
        }
        let until = Instant::now() + Duration::from_secs(u64::from(self.settings.push_wait));
        let mut queue = self.worker.lock();
        let ticket = queue.ask(address);
        self.start(&mut queue);
        self.worker.news.notify_all();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match queue.answer(address, ticket) {
                Some(answer) => return answer,
                None if left.is_zero() => return queue.so_far(address),
                None => {}
            }
            let waited = self.worker.news.wait_timeout(queue, left);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Pusher {
    fn drop(&mut self) {
        self.worker.stop.store(true, Ordering::Relaxed);
        self.worker.news.notify_all();
    }
}

impl Queue {
    fn ask(&mut self, address: &str) -> u64 {
        self.newest += 1;
        self.wanted.insert(address.to_owned(), self.newest);
        self.newest
    }

    /// What is known about a request: how it ended, or why nobody tries for a while.
    fn answer(&self, address: &str, ticket: u64) -> Option<Pushed> {
        let ended = self.done.get(address).filter(|(done, _)| *done >= ticket);
        let rest = self.rests.get(address).filter(|rest| rest.why != Pushed::Busy);
        let rest = rest.filter(|rest| rest.until > Instant::now());
        ended.map(|(_, how)| how.clone()).or_else(|| rest.map(|rest| rest.why.clone()))
    }

    /// What to say to one who will not wait any longer.
    fn so_far(&self, address: &str) -> Pushed {
        self.rests.get(address).map_or(Pushed::UnderWay, |rest| rest.why.clone())
    }

    /// An account that is to be tried now, or how long until there is one.
    fn next(&self) -> Result<(String, u64), Option<Duration>> {
        let now = Instant::now();
        let rest = |address: &String| {
            self.rests.get(address).map_or(Duration::ZERO, |rest| rest.until.saturating_duration_since(now))
        };
        let first = self.wanted.iter().map(|(address, ticket)| (rest(address), address, *ticket)).min();
        match first {
            Some((Duration::ZERO, address, ticket)) => Ok((address.clone(), ticket)),
            other => Err(other.map(|(rest, ..)| rest)),
        }
    }

    /// Notes how a try ended, and when the next one may be.
    fn settle(&mut self, address: &str, ticket: u64, tried: Tried) {
        let before = self.rests.remove(address).map_or(Duration::ZERO, |rest| rest.length);
        let (answer, again) = match tried {
            Tried::Done => (Pushed::Done, None),
            Tried::Busy => {
                self.rest(address, BUSY_REST, Pushed::Busy);
                return;
            }
            Tried::Failed { reason, again } => {
                (Pushed::Failed(reason), again.then(|| (before * 2).clamp(FIRST_REST, LONGEST_REST)))
            }
        };
        self.done.insert(address.to_owned(), (ticket, answer.clone()));
        match again {
            Some(length) => self.rest(address, length, answer),
            None if self.wanted.get(address) == Some(&ticket) => drop(self.wanted.remove(address)),
            None => {}
        }
    }

    fn rest(&mut self, address: &str, length: Duration, why: Pushed) {
        self.rests.insert(address.to_owned(), Rest { until: Instant::now() + length, length, why });
    }
}

impl Worker {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        while let Some((address, ticket)) = self.next() {
            let tried = self.attempt(&address);
            self.lock().settle(&address, ticket, tried);
            self.news.notify_all();
        }
    }

    /// Waits for something to do; `None` when it is over.
    fn next(&self) -> Option<(String, u64)> {
        let mut queue = self.lock();
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            let rest = match queue.next() {
                Ok(next) => return Some(next),
                Err(rest) => rest.unwrap_or(LONGEST_REST),
            };
            queue = self.news.wait_timeout(queue, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn attempt(&self, address: &str) -> Tried {
        match self.push(address) {
            Ok(tried) => tried,
            Err(failure) => Tried::Failed { reason: failure.message().to_owned(), again: false },
        }
    }

    fn push(&self, address: &str) -> Result<Tried, Failure> {
        let reader = Reader::open(&self.home.store())?;
        let account = reader.accounts()?.into_iter().find(|account| account.address == address);
        let Some(account) = account.filter(|account| account.kind != "local") else { return Ok(Tried::Done) };
        // A server that turned us down is not asked again before the person has signed in.
        if let Some(problem) = reader.sync_problem(account.key)?.filter(|problem| problem.wants_sign_in()) {
            return Ok(Tried::Failed { reason: problem.message, again: false });
        }
        let ways =
            Ways { tokens: &self.tokens, gmail: &self.gmail, gone: self.settings.gone, clock: &self.clock };
        let account = ready(&account, &reader, &ways)?;
        let options = SyncOptions { silence: SILENCE, tries: 0, ..SyncOptions::default() };
        let progress = SyncProgress::stopped_by(&self.stop);
        Ok(match sync::push(&self.home, &account, &options, &progress) {
            Ok(()) => Tried::Done,
            Err(error) if error.is_busy() => Tried::Busy,
            Err(error) => Tried::Failed { again: is_worth_a_try(&error), reason: error.to_string() },
        })
    }
}

/// Whether the same may go well later without anybody doing anything.
fn is_worth_a_try(error: &SyncError) -> bool {
    error.can_retry() || error.is_rate_limited()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{FIRST_REST, LONGEST_REST, Queue, Tried};
    use crate::tools::Pushed;

    fn failed(again: bool) -> Tried {
        Tried::Failed { reason: "offline".to_owned(), again }
    }

    #[test]
    fn requests_that_come_while_one_is_done_are_done_together_afterwards() {
        let mut queue = Queue::default();
        let first = queue.ask("ada");
        let (address, ticket) = queue.next().unwrap();
        let (second, third) = (queue.ask("ada"), queue.ask("ada"));

        queue.settle(&address, ticket, Tried::Done);

        assert_eq!(queue.answer("ada", first), Some(Pushed::Done));
        assert_eq!(queue.answer("ada", second), None, "it came too late for that try");
        let (address, ticket) = queue.next().unwrap();
        queue.settle(&address, ticket, Tried::Done);
        assert_eq!(
            (queue.answer("ada", second), queue.answer("ada", third)),
            (Some(Pushed::Done), Some(Pushed::Done))
        );
        assert_eq!(queue.next(), Err(None));
    }

    #[test]
    fn after_a_failure_nobody_waits_and_nothing_is_tried_until_the_rest_is_over() {
        let mut queue = Queue::default();
        let ticket = queue.ask("ada");
        queue.settle("ada", ticket, failed(true));

        let later = queue.ask("ada");

        assert_eq!(queue.answer("ada", later), Some(Pushed::Failed("offline".to_owned())));
        let rest = queue.next().unwrap_err().unwrap();
        assert!(rest > Duration::ZERO && rest <= FIRST_REST);
        queue.ask("bob");
        assert_eq!(queue.next().unwrap().0, "bob", "other accounts are none the worse for it");
        queue.rests.get_mut("ada").unwrap().until = Instant::now();
        queue.wanted.remove("bob");
        assert_eq!(
            queue.next().unwrap(),
            ("ada".to_owned(), later),
            "what did not get through is tried again"
        );
    }

    #[test]
    fn rests_double_up_to_a_longest_one_and_end_with_a_success() {
        let mut queue = Queue::default();
        let mut lengths = Vec::new();
        for _ in 0..10 {
            let ticket = queue.ask("ada");
            queue.settle("ada", ticket, failed(true));
            lengths.push(queue.rests["ada"].length);
        }
        let ticket = queue.ask("ada");
        queue.settle("ada", ticket, Tried::Done);

        assert_eq!((lengths[0], lengths[1], lengths[9]), (FIRST_REST, FIRST_REST * 2, LONGEST_REST));
        assert!(queue.rests.is_empty() && queue.wanted.is_empty());
    }

    #[test]
    fn what_only_the_person_can_mend_is_not_tried_again_by_itself() {
        let mut queue = Queue::default();
        let ticket = queue.ask("ada");

        queue.settle("ada", ticket, failed(false));

        assert_eq!(queue.next(), Err(None));
        queue.ask("ada");
        assert_eq!(queue.next().unwrap().0, "ada", "the person may have mended it by now");
    }

    #[test]
    fn another_process_is_waited_for_and_said_to_be_the_reason() {
        let mut queue = Queue::default();
        let ticket = queue.ask("ada");

        queue.settle("ada", ticket, Tried::Busy);

        assert_eq!((queue.answer("ada", ticket), queue.so_far("ada")), (None, Pushed::Busy));
        assert!(queue.wanted.contains_key("ada"));
    }
}
