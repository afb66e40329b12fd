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

/// Servers hang up after half an hour of silence.
const RENEW_EVERY: Duration = Duration::from_secs(25 * 60);
/// The longest wait before a lost connection is made again.
const LONGEST_DELAY: Duration = Duration::from_secs(300);

/// Watches accounts side by side until it is stopped. `poll` is how often all mailboxes are looked at; the inbox
/// tells of news by itself where the server can. `on` hears of each pass. An account that is not let in is left alone.
pub fn watch(
    (home, clock): (&Home, &Clock),
    accounts: &[SyncAccount],
    (options, poll): (&SyncOptions, Duration),
    (extractor, progress): (&Extractor, &SyncProgress),
    on: &(dyn Fn(Result<AccountReport, SyncError>) + Sync),
) {
    thread::scope(|scope| {
        for account in accounts {
            scope.spawn(move || {
                let mut watcher =
                    Watcher { account, options, poll, progress, idler: None, delay: options.delay };
                while !progress.stop.load(Ordering::Relaxed) {
                    watcher.listen();
                    let one = std::slice::from_ref(account);
                    let outcome = account::sync((home, clock), one, options, extractor, progress);
                    let outcome = outcome.map(|mut reports| reports.pop().unwrap_or_default());
                    let goes_on = watcher.rests(&outcome);
                    on(outcome);
                    if !goes_on {
                        return;
                    }
                    watcher.wait();
                }
            });
        }
    });
}

/// One account that is watched.
struct Watcher<'a> {
    account: &'a SyncAccount,
    options: &'a SyncOptions,
    poll: Duration,
    progress: &'a SyncProgress,
    idler: Option<(ImapSource, Instant)>,
    delay: Duration,
}

impl Watcher<'_> {
    /// Has the server tell of news from now on, so that nothing falls between two looks.
    fn listen(&mut self) {
        if self.idler.is_some() || self.account.gmail.is_some() {
            return;
        }
        let source = account::connect(self.account, self.options, self.progress).ok();
        self.idler = source.filter(ImapSource::can_idle).and_then(|mut source| {
            source.idle("INBOX").ok()?;
            Some((source, Instant::now()))
        });
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
        self.idler = None;
        let goes_on =
            error.can_retry() || matches!(error, SyncError::Busy { .. }) || error.code() == "rate_limited";
        if goes_on {
            account::wait(self.delay, self.progress);
            self.delay = (self.delay * 2).min(LONGEST_DELAY);
        }
        goes_on
    }

    /// Waits for news, for the next look, or for a lost connection.
    fn wait(&mut self) {
        let until = Instant::now() + self.poll;
        while Instant::now() < until && !self.progress.stop.load(Ordering::Relaxed) {
            let left = until.saturating_duration_since(Instant::now());
            let Some((source, since)) = &mut self.idler else {
                account::wait(left, self.progress);
                return;
            };
            if since.elapsed() > RENEW_EVERY {
                *since = Instant::now();
                if source.renew_idle().is_err() {
                    self.idler = None;
                    return;
                }
            }
            match source.wait_for_news(left.min(Duration::from_secs(60))) {
                Ok(false) => {}
                Ok(true) => return,
                Err(_) => {
                    self.idler = None;
                    return;
                }
            }
        }
    }
}
