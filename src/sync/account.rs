//! Accounts on servers, side by side: one pass each, again after a lost connection, never two at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::account::Credentials;
use crate::clock::Clock;
use crate::home::Home;
use crate::index::attachment_text::Extractor;
use crate::model::{AccountKey, AccountSettings, GoneRule, IoLimits, MailboxKey};
use crate::source::SourceError;
use crate::source::gmail::{GmailAccess, GmailSource, Quota, TokenOf};
use crate::source::imap::ImapSource;
use crate::store::{Reader, Store, StoreError, SyncProblem};
use crate::sync::gmail::{Boxes, GmailPass};
use crate::sync::imap::pass::{Pass, Scope};
use crate::sync::lock::lock_for_sync;
use crate::sync::pipeline::{Destination, Feed, Pipeline, Writer};
use crate::sync::{Eagerness, SyncError, Tally};

/// An account to sync.
pub struct SyncAccount {
    /// Its row.
    pub key: AccountKey,
    /// Its address.
    pub address: String,
    /// Where its server is.
    pub settings: AccountSettings,
    /// What it signs in with.
    pub credentials: Credentials,
    /// How it is reached over Gmail's API; `None` for other servers.
    pub gmail: Option<GmailAccount>,
    /// What becomes of mail that the server no longer shows.
    pub gone: GoneRule,
    /// Says how long that has been.
    pub clock: Clock,
}

/// How an account is reached over Gmail's API.
#[derive(Debug, Clone)]
pub struct GmailAccount {
    /// Scheme and host of the API.
    pub base_url: String,
    /// What may be asked for in a minute.
    pub quota: Arc<Quota>,
    /// Whether an empty account is filled over IMAP, which is many times faster.
    pub fills_by_imap: bool,
    /// A message with more bytes than this is not taken.
    pub largest: u64,
}

/// How long to wait for what.
#[derive(Debug, Clone)]
pub struct SyncOptions {
    /// The longest silence of a server.
    pub silence: Duration,
    /// How often a lost connection is made anew without anything having come through.
    pub tries: u32,
    /// The first wait before that; it doubles.
    pub delay: Duration,
    /// Connections to one server at the same time, at most.
    pub connections: usize,
}

impl Default for SyncOptions {
    fn default() -> Self {
        let (silence, delay) = (Duration::from_secs(60), Duration::from_secs(1));
        Self { silence, tries: 3, delay, connections: 5 }
    }
}

/// What a sync did for one account.
#[derive(Debug, Default)]
pub struct AccountReport {
    /// Its address.
    pub address: String,
    /// Messages whose bytes came from the server.
    pub fetched: u64,
    /// Messages that were here already and got a new place.
    pub placed: u64,
    /// Messages with other flags or labels.
    pub changed: u64,
    /// Messages that the server no longer shows; they stay here.
    pub gone: Tally,
    /// Messages that were gone and are deleted here now, by the owner's rule.
    pub removed: Tally,
    /// Messages that this rule would have deleted, had they not been so many at once.
    pub held: u64,
    /// Changes made here that the server has made too.
    pub pushed: u64,
    /// Connections that were made.
    pub connections: u64,
    /// What did not go as it should.
    pub problems: Vec<String>,
    /// Whether any of it means that something the server has is not here.
    pub is_incomplete: bool,
    /// Why it ended before its end.
    pub error: Option<SyncError>,
    /// When its own sync ended, which others beside it may outlast.
    pub(super) ended: i64,
    /// Messages that cost us a connection, so that we leave them alone.
    pub(super) given_up: BTreeSet<(MailboxKey, u32)>,
    /// Whether messages are asked for one by one, to find the one that costs us connections.
    pub(super) is_careful: bool,
    /// Whether the server has refused or ended a connection beside the first one.
    pub(super) is_alone: bool,
}

impl AccountReport {
    /// A sync that came to nothing.
    pub(super) fn failed(address: &str, error: SyncError) -> Self {
        Self { address: address.to_owned(), error: Some(error), ..Self::default() }
    }

    /// Whether anything is other than before.
    #[must_use]
    pub fn has_news(&self) -> bool {
        let there = self.fetched + self.placed + self.changed + self.pushed;
        there + self.gone.count() + self.removed.count() + self.held > 0
    }

    /// Notes that something the server has, or says it has, is not here.
    pub(super) fn lacks(&mut self, problem: String) {
        self.is_incomplete = true;
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// What the sync lacks, in a few words; `None` when nothing.
    fn shortfall(&self) -> Option<SyncProblem> {
        if !self.is_incomplete {
            return None;
        }
        let more = match self.problems.len().saturating_sub(1) {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        Some(SyncProblem {
            code: "incomplete".to_owned(),
            message: format!("{}{more}", self.problems.first()?),
            hint: "run `mailkeep sync` again; what is here stays as it is".to_owned(),
        })
    }

    fn progress(&self) -> u64 {
        self.fetched + self.placed + self.given_up.len() as u64
    }
}

/// How far a sync is; may be read while it runs.
#[derive(Debug, Default)]
pub struct SyncProgress {
    /// Set to stop at the next safe point.
    pub stop: Arc<AtomicBool>,
    accounts: Mutex<BTreeMap<String, AccountProgress>>,
}

/// How far one account is.
#[derive(Debug, Clone, Default)]
pub struct AccountProgress {
    /// The mailbox that is being read.
    pub mailbox: String,
    /// Messages of it that were read, and that are to be read.
    pub in_mailbox: (u64, u64),
    /// Messages that were read.
    pub done: u64,
    /// Messages to read.
    pub total: u64,
    /// Messages a second that the server allows at most.
    pub most_per_second: Option<f64>,
}

impl AccountProgress {
    /// How long it takes at least, where the server lets us have only so many messages in a time.
    #[must_use]
    pub fn least_left(&self) -> Option<Duration> {
        let seconds = self.total.saturating_sub(self.done) as f64 / self.most_per_second?;
        Duration::try_from_secs_f64(seconds).ok()
    }
}

impl SyncProgress {
    /// Progress of what is stopped by another.
    #[must_use]
    pub fn stopped_by(stop: &Arc<AtomicBool>) -> Self {
        Self { stop: Arc::clone(stop), ..Self::default() }
    }

    /// How far each account is.
    #[must_use]
    pub fn accounts(&self) -> BTreeMap<String, AccountProgress> {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, AccountProgress>> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn begin(&self, address: &str, more: usize) {
        self.lock().entry(address.to_owned()).or_default().total += more as u64;
    }

    pub(super) fn mailbox(&self, address: &str, mailbox: &str, more: usize) {
        let mut accounts = self.lock();
        let account = accounts.entry(address.to_owned()).or_default();
        mailbox.clone_into(&mut account.mailbox);
        account.in_mailbox = (0, more as u64);
    }

    pub(super) fn limit(&self, address: &str, most_per_second: f64) {
        self.lock().entry(address.to_owned()).or_default().most_per_second = Some(most_per_second);
    }

    /// A message was read while another mailbox is shown.
    pub(super) fn done_beside(&self, address: &str) {
        if let Some(account) = self.lock().get_mut(address) {
            account.done += 1;
        }
    }

    /// An error when we are told to stop.
    pub(super) fn check_stop(&self) -> Result<(), SyncError> {
        if self.stop.load(Ordering::Relaxed) { Err(SourceError::stopped().into()) } else { Ok(()) }
    }

    pub(super) fn done(&self, address: &str, count: u64) {
        if let Some(account) = self.lock().get_mut(address) {
            account.done += count;
            account.in_mailbox.0 += count;
        }
    }
}

/// Syncs accounts side by side. Returns when everything that was brought in is on the disk and can be searched;
/// what went wrong with an account stands in its report, and in the store.
pub fn sync(
    (home, clock): (&Home, &Clock),
    accounts: &[SyncAccount],
    options: &SyncOptions,
    extractor: &Extractor,
    progress: &SyncProgress,
) -> Result<Vec<AccountReport>, SyncError> {
    let reports = Mutex::new(Vec::new());
    let pipeline = Pipeline { home, extractor, eagerness: Eagerness::WhenMany };
    let produce = |feed: Feed<Destination>| {
        thread::scope(|scope| {
            for account in accounts {
                let mut feed = feed.another();
                let reports = &reports;
                scope.spawn(move || {
                    let mut report = sync_one(home, account, options, &mut feed, progress);
                    report.ended = clock.now().as_second();
                    reports.lock().unwrap_or_else(PoisonError::into_inner).push(report);
                });
            }
            drop(feed);
        });
    };
    let writer = pipeline.run(produce, |_, to| Ok(to), |_| {})?;
    let reports = reports.into_inner().unwrap_or_default();
    match writer {
        Some(mut writer) => {
            note(&mut writer.store, accounts, &reports)?;
            Writer::finish(writer)?;
        }
        None => write_down(home, (accounts, &reports))?,
    }
    Ok(reports)
}

/// Writes down how each account's sync ended, with a store that is opened for it.
pub(super) fn write_down(
    home: &Home,
    (accounts, reports): (&[SyncAccount], &[AccountReport]),
) -> Result<(), StoreError> {
    note(&mut Store::open_for_notes(&home.store())?, accounts, reports)
}

/// Writes down how each account's sync ended.
fn note(store: &mut Store, accounts: &[SyncAccount], reports: &[AccountReport]) -> Result<(), StoreError> {
    let tx = store.begin()?;
    for report in reports {
        let Some(account) = accounts.iter().find(|account| account.address == report.address) else {
            continue;
        };
        match &report.error {
            Some(error) if error.is_busy() || error.is_stopped() || error.is_about_the_past() => {}
            Some(error) => {
                let problem = SyncProblem {
                    code: error.code().to_owned(),
                    message: error.to_string(),
                    hint: error.hint(&account.address),
                };
                tx.note_sync(account.key, Some(&problem))?;
            }
            None => {
                tx.note_sync(account.key, report.shortfall().as_ref())?;
                tx.touch_account(account.key, report.ended)?;
            }
        }
    }
    tx.commit()?;
    Ok(())
}

/// Syncs one account, again and again while connections are lost and something comes through.
fn sync_one(
    home: &Home,
    account: &SyncAccount,
    options: &SyncOptions,
    feed: &mut Feed<Destination>,
    progress: &SyncProgress,
) -> AccountReport {
    let mut report = AccountReport { address: account.address.clone(), ..AccountReport::default() };
    let _lock = match lock_for_sync(&home.sync_lock(account.key.0), &account.address) {
        Ok(lock) => lock,
        Err(error) => {
            report.error = Some(error);
            return report;
        }
    };
    let mut tries = 0;
    loop {
        let before = report.progress();
        let outcome = pass(home, account, options, feed, (progress, &mut report));
        // What was handed in is worth keeping, however the pass ended.
        let outcome = outcome.and(feed.flush_if_any().map_err(SyncError::from));
        let Err(error) = outcome else { return report };
        let is_stuck = report.progress() == before;
        report.is_careful |= is_stuck;
        tries = if is_stuck { tries + 1 } else { 1 };
        if !error.can_retry() || tries > options.tries || progress.stop.load(Ordering::Relaxed) {
            report.error = Some(error);
            return report;
        }
        wait(options.delay * 2_u32.saturating_pow(tries - 1), progress);
    }
}

/// One connection, one pass.
fn pass(
    home: &Home,
    account: &SyncAccount,
    options: &SyncOptions,
    feed: &mut Feed<Destination>,
    (progress, report): (&SyncProgress, &mut AccountReport),
) -> Result<(), SyncError> {
    let Some(gmail) = &account.gmail else {
        // A server takes its time to answer: enough to open the store.
        let (reader, source) = thread::scope(|scope| {
            let reader = scope.spawn(|| open_for(home, account));
            let source = connect(account, options, progress);
            (reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), source)
        });
        let (reader, source, spare) = (&reader?, source?, Vec::new());
        let scope = Scope::Everything;
        return imap_pass(Pass { source, spare, reader, feed, account, options, progress, report, scope });
    };
    let reader = open_for(home, account)?;
    let is_new = reader.gmail_history(account.key)?.is_none() && !reader.has_gmail_mail(account.key)?;
    if gmail.fills_by_imap && is_new && account.settings.imap.is_some() {
        let (scope, reader, spare) = (Scope::GmailMessages, &reader, Vec::new());
        let (feed, report) = (&mut *feed, &mut *report);
        let filled = connect(account, options, progress).and_then(|source| {
            imap_pass(Pass { source, spare, reader, feed, account, options, progress, report, scope })
        });
        match filled {
            Err(SyncError::Source(error)) if does_without_imap(&error, report) => {
                report
                    .problems
                    .push(format!("messages are fetched over the API, because IMAP fails: {error}"));
            }
            other => other?,
        }
    }
    report.connections += 1;
    let source = gmail_source(gmail, (account, options), &progress.stop);
    let (boxes, unread, lost) = (Boxes::default(), BTreeSet::new(), BTreeSet::new());
    GmailPass { source, reader: &reader, feed, account, progress, report, boxes, unread, lost }.run()
}

/// Whether to go on without IMAP: at once when we are not let in, and when it brings nothing for the second time. Who
/// has nothing to sign in with is not let in over the API either.
fn does_without_imap(error: &SourceError, report: &AccountReport) -> bool {
    let is_its_own = !matches!(error, SourceError::Account(_)) && !error.is_stopped();
    is_its_own && (!error.can_retry() || report.is_careful)
}

/// The store, as long as the account is in it as it was: it may have been removed or moved to another server while it
/// was watched.
pub(super) fn open_for(home: &Home, account: &SyncAccount) -> Result<Reader, SyncError> {
    let reader = Reader::open(&home.store())?;
    match reader.account_settings(account.key)? {
        Some(settings) if settings == account.settings => Ok(reader),
        Some(_) => Err(SyncError::Moved { address: account.address.clone() }),
        None => Err(SourceError::local(&account.address).into()),
    }
}

/// One pass over an IMAP server, with a goodbye.
fn imap_pass(mut pass: Pass<'_>) -> Result<(), SyncError> {
    pass.report.connections += 1;
    pass.run()?;
    let Pass { source, spare, .. } = pass;
    spare.into_iter().chain([source]).for_each(ImapSource::leave);
    Ok(())
}

/// Gmail's API, for this account.
pub fn gmail_source<'a>(
    gmail: &GmailAccount,
    (account, options): (&'a SyncAccount, &SyncOptions),
    stop: &Arc<AtomicBool>,
) -> GmailSource<'a> {
    let access = GmailAccess {
        base_url: gmail.base_url.clone(),
        quota: Arc::clone(&gmail.quota),
        tries: options.tries,
        delay: options.delay,
        largest: gmail.largest,
    };
    let credentials = &account.credentials;
    let token_of: TokenOf<'a> = Box::new(move |refused| Ok(credentials.token(refused)?));
    let limits = IoLimits { silence: options.silence, stop: Arc::clone(stop) };
    GmailSource::new(&account.settings.user, access, token_of, limits)
}

pub(super) fn connect(
    account: &SyncAccount,
    options: &SyncOptions,
    progress: &SyncProgress,
) -> Result<ImapSource, SyncError> {
    let endpoint = account.settings.imap.as_ref().ok_or_else(|| SourceError::no_server(&account.address))?;
    let limits = IoLimits { silence: options.silence, stop: Arc::clone(&progress.stop) };
    Ok(ImapSource::sign_in(&account.settings, endpoint, &account.credentials, limits)?)
}

/// Waits, unless we are told to stop.
pub(super) fn wait(time: Duration, progress: &SyncProgress) {
    let until = Instant::now() + time;
    while Instant::now() < until && !progress.stop.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(20).min(time));
    }
}
