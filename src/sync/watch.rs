//! Stays and brings in news: told by the server where it can, and looked for now and then.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use crate::clock::Clock;
use crate::home::Home;
use crate::index::attachment_text::Extractor;
use crate::source::imap::ImapSource;
use crate::sync::SyncError;
use crate::sync::account::{self, AccountReport, SyncAccount, SyncOptions, SyncProgress};
use crate::sync::lock::{AccountLock, lock};

/// Servers hang up after half an hour of silence.
const RENEW_EVERY: Duration = Duration::from_secs(25 * 60);
/// The longest wait before a lost connection is made again.
const LONGEST_DELAY: Duration = Duration::from_secs(300);

/// How often one who waits for another process looks whether it has ended.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Watches accounts side by side until it is stopped. `poll` is how often all mailboxes are looked at; the inbox
/// tells of news by itself where the server can. `on` hears of each pass. An account that another process watches is
/// taken over when that one ends; an account that is not let in is left alone.
pub fn watch(
    (home, clock): (&Home, &Clock),
    accounts: &[SyncAccount],
    (options, poll): (&SyncOptions, Duration),
    (extractor, progress): (&Extractor, &SyncProgress),
    on: &(dyn Fn(Result<AccountReport, SyncError>) + Sync),
) {
    thread::scope(|scope| {
        for account in accounts {
            let context = WatchContext { home, clock, extractor };
            scope.spawn(move || Watcher::new(account, options, poll, progress).watch(&context, on));
        }
    });
}

/// What a watcher works with.
struct WatchContext<'a> {
    home: &'a Home,
    clock: &'a Clock,
    extractor: &'a Extractor,
}

type Listener<'a> = dyn Fn(Result<AccountReport, SyncError>) + Sync + 'a;

/// One account that is watched.
struct Watcher<'a> {
    account: &'a SyncAccount,
    options: &'a SyncOptions,
    poll: Duration,
    progress: &'a SyncProgress,
    idler: Option<(ImapSource, Instant)>,
    /// Whether the server can tell of news by itself.
    may_idle: bool,
    delay: Duration,
    /// How long to wait when the server has hung up on one who only listens.
    idle_delay: Duration,
}

impl<'a> Watcher<'a> {
    fn new(
        account: &'a SyncAccount,
        options: &'a SyncOptions,
        poll: Duration,
        progress: &'a SyncProgress,
    ) -> Self {
        let (delay, idle_delay) = (options.delay, options.delay);
        let may_idle = account.gmail.is_none();
        Self { account, options, poll, progress, idler: None, may_idle, delay, idle_delay }
    }

    /// Looks, listens, and looks again, until it is stopped or not let in.
    fn watch(&mut self, context: &WatchContext<'_>, on: &Listener<'_>) {
        let Some(_lock) = self.take_over(context.home, on) else { return };
        while !self.is_stopped() {
            let one = std::slice::from_ref(self.account);
            let outcome = account::sync(
                (context.home, context.clock),
                one,
                self.options,
                context.extractor,
                self.progress,
            );
            let outcome = outcome.map(|mut reports| reports.pop().unwrap_or_default());
            let is_good = outcome.as_ref().is_ok_and(|report| report.error.is_none());
            let goes_on = self.rests(&outcome);
            on(outcome);
            match goes_on {
                false => return,
                true if !is_good => continue,
                true => {}
            }
            match self.listen() {
                // News may have come between the look and the listening.
                Ok(true) => {}
                Err(error) if !error.can_retry() => return self.give_up(error, context, on),
                _ => self.wait(),
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.progress.stop.load(Ordering::Relaxed)
    }

    /// Waits until no other process watches the account; `None` when it is stopped first.
    fn take_over(&self, home: &Home, on: &Listener<'_>) -> Option<AccountLock> {
        let mut is_told = false;
        while !self.is_stopped() {
            match lock(&home.watch_lock(self.account.key.0), &self.account.address) {
                Ok(lock) => return Some(lock),
                Err(error @ SyncError::Busy { .. }) if !is_told => {
                    is_told = true;
                    on(Ok(AccountReport::failed(&self.account.address, error)));
                }
                Err(SyncError::Busy { .. }) => {}
                Err(error) => {
                    on(Err(error));
                    return None;
                }
            }
            account::wait(LOOK_EVERY, self.progress);
        }
        None
    }

    /// The server does not let us in any more: that is told and kept, and not tried again.
    fn give_up(&self, error: SyncError, context: &WatchContext<'_>, on: &Listener<'_>) {
        let report = AccountReport::failed(&self.account.address, error);
        let one = (std::slice::from_ref(self.account), std::slice::from_ref(&report));
        match account::write_down(context.home, one) {
            Ok(()) => on(Ok(report)),
            Err(error) => on(Err(error.into())),
        }
    }

    /// Has the server tell of news from now on; says whether it has only now begun to.
    fn listen(&mut self) -> Result<bool, SyncError> {
        if self.idler.is_some() || !self.may_idle {
            return Ok(false);
        }
        let mut source = account::connect(self.account, self.options, self.progress)?;
        self.may_idle = source.can_idle();
        if self.may_idle {
            source.idle("INBOX")?;
            self.idler = Some((source, Instant::now()));
        }
        Ok(self.may_idle)
    }

    /// Adapts to how a pass ended; says whether to go on.
    fn rests(&mut self, outcome: &Result<AccountReport, SyncError>) -> bool {
        let error = match outcome {
            Ok(report) => report.error.as_ref(),
            Err(error) => Some(error),
        };
        let Some(error) = error else {
            self.delay = self.options.delay;
            return true;
        };
        if matches!(error, SyncError::Busy { .. }) {
            account::wait(LOOK_EVERY, self.progress);
            return true;
        }
        self.idler = None;
        let goes_on = error.can_retry() || error.is_rate_limited();
        if goes_on {
            account::wait(self.delay, self.progress);
            self.delay = (self.delay * 2).min(LONGEST_DELAY);
        }
        goes_on
    }

    /// Waits for news, for the next look, or for a lost connection.
    fn wait(&mut self) {
        let until = Instant::now() + self.poll;
        while Instant::now() < until && !self.is_stopped() {
            let left = until.saturating_duration_since(Instant::now());
            let Some((source, since)) = &mut self.idler else {
                account::wait(left, self.progress);
                return;
            };
            if since.elapsed() > RENEW_EVERY {
                *since = Instant::now();
                if source.renew_idle().is_err() {
                    return self.lose_idler(until);
                }
            }
            match source.wait_for_news(left.min(Duration::from_secs(60))) {
                Ok(false) => {}
                Ok(true) => {
                    self.idle_delay = self.options.delay;
                    return;
                }
                Err(_) => return self.lose_idler(until),
            }
        }
    }

    /// The server hung up. One that does so again and again is asked less and less often, down to every `poll`.
    fn lose_idler(&mut self, until: Instant) {
        let lasted = self.idler.take().map_or(Duration::ZERO, |(_, since)| since.elapsed());
        if lasted > LONGEST_DELAY {
            self.idle_delay = self.options.delay;
        }
        let left = until.saturating_duration_since(Instant::now());
        account::wait(self.idle_delay.min(left), self.progress);
        self.idle_delay = (self.idle_delay * 2).min(LONGEST_DELAY);
    }
}
