//! `mailkeep sync`: brings in what the servers have.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::ProgressBar;
use serde_json::{Value, json};

use crate::account::{AccountError, Credentials, Tokens};
use crate::cli::account::tokens;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::{counted, grouped};
use crate::cli::progress;
use crate::cli::watch_log::WatchLog;
use crate::cli::{reports, semantic};
use crate::clock::Clock;
use crate::config::{FirstFill, GmailSettings, SyncSettings};
use crate::model::{GoneRule, Via};
use crate::source::gmail::Quota;
use crate::store::{Account, Reader, Store, StoreError};
use crate::sync::{self, AccountReport, GmailAccount, SyncAccount, SyncOptions, SyncProgress};
use crate::text_safety::one_line;

/// How often the bars are drawn.
const REDRAW: Duration = Duration::from_millis(50);
/// A message with more bytes than this is refused by name.
const LARGEST_MESSAGE: u64 = 256 << 20;

/// Bring in new mail from the accounts' servers
///
/// The first time everything is fetched, newest first; later only what has changed. It may be stopped at any time:
/// the next sync goes on where it was.
#[derive(Args)]
#[command(after_help = "Example: mailkeep sync ada@example.org")]
pub(super) struct Arguments {
    /// Addresses of accounts [default: all that have a server]
    addresses: Vec<String>,

    /// Stay, and bring in news as they come
    #[arg(long)]
    watch: bool,

    /// With --watch: seconds between two looks at all mailboxes
    #[arg(long, default_value_t = 300.0, value_name = "SECONDS")]
    poll: f64,

    /// Seconds to wait for a server that says nothing
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    timeout: f64,

    /// How often a lost connection is made again without anything having come through
    #[arg(long, default_value_t = 3, value_name = "N")]
    tries: u32,

    /// Seconds before a lost connection is made again; doubles each time
    #[arg(long, default_value_t = 1.0, value_name = "SECONDS")]
    retry_delay: f64,
}

impl Arguments {
    fn options(&self, settings: &SyncSettings) -> SyncOptions {
        let seconds = |value: f64, least: f64| Duration::from_secs_f64(value.clamp(least, 86_400.0));
        SyncOptions {
            silence: seconds(self.timeout, 0.05),
            tries: self.tries,
            delay: seconds(self.retry_delay, 0.0),
            connections: settings.connections.get(),
        }
    }
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let progress = SyncProgress::default();
    let options = arguments.options(&context.config.sync);
    let tokens = tokens(context, options.silence, &progress.stop);
    let accounts = accounts(&arguments.addresses, &Arc::new(tokens), context)?;
    if accounts.is_empty() {
        let hint = "add one with `mailkeep account add ADDRESS`";
        return Err(Failure::new("no_accounts", "no account has a server", hint));
    }
    stop_on_signal(&progress.stop);
    if arguments.watch {
        return watch(arguments, &accounts, &progress, context);
    }
    let reports = with_bar(&progress, || {
        let place = (&context.home, &context.clock);
        sync::sync(place, &accounts, &options, &Context::extractor(), &progress)
    })?;
    reports::look(context);
    print(&reports, started.elapsed(), context)?;
    semantic::advise(context)?;
    let failed = reports.iter().any(|report| report.error.is_some() || report.is_incomplete);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Stays until it is stopped, or until no account can sign in any more.
fn watch(
    arguments: &Arguments,
    accounts: &[SyncAccount],
    progress: &SyncProgress,
    context: &mut Context,
) -> Result<ExitCode, Failure> {
    let poll = Duration::from_secs_f64(arguments.poll.clamp(0.1, 86_400.0));
    let options = arguments.options(&context.config.sync);
    let (sender, outcomes) = std::sync::mpsc::channel();
    let (home, clock) = (context.home.clone(), context.clock.clone());
    thread::scope(|scope| {
        let place = (&home, &clock);
        scope.spawn(move || {
            let extractor = Context::extractor();
            sync::watch(place, accounts, (&options, poll), (&extractor, progress), &|outcome| {
                let _ = sender.send(outcome);
            });
        });
        let mut told = WatchLog::default();
        for outcome in outcomes {
            let report = outcome.inspect_err(|_| progress.stop.store(true, Ordering::Relaxed))?;
            reports::look(context);
            if (report.has_news() || report.is_incomplete) && report.error.is_none() {
                print(std::slice::from_ref(&report), Duration::ZERO, context)?;
            }
            told.tell(&report, context)?;
            context.output.flush()?;
        }
        Ok(if told.has_given_up() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    })
}

/// What a sync of any account goes by.
pub(super) struct Ways<'a> {
    /// What accounts sign in with.
    pub(super) tokens: &'a Arc<Tokens>,
    /// How Gmail's API is used.
    pub(super) gmail: &'a GmailSettings,
    /// What becomes of mail that a server no longer shows.
    pub(super) gone: GoneRule,
    pub(super) clock: &'a Clock,
}

/// The accounts that were named, or all that have a server; with a store that goes by the owner's rules.
pub(super) fn accounts(
    named: &[String],
    tokens: &Arc<Tokens>,
    context: &Context,
) -> Result<Vec<SyncAccount>, Failure> {
    let open = || Reader::open(&context.home.store());
    let reader = match open() {
        Err(StoreError::Missing { .. }) => return Ok(Vec::new()),
        Err(StoreError::OlderSchema { .. }) => {
            Store::open(&context.home.store())?;
            open()?
        }
        other => other?,
    };
    if !reader.shield()?.is_settled(&context.config.shield) {
        context.apply_shield()?;
    }
    let all = reader.accounts()?;
    let mut chosen = Vec::new();
    for address in named {
        let account = all.iter().find(|account| account.address.eq_ignore_ascii_case(address));
        let account = account.ok_or_else(|| AccountError::Unknown { address: address.clone() })?;
        if account.kind == "local" {
            return Err(AccountError::NoServer { address: address.clone() }.into());
        }
        chosen.push(account);
    }
    if named.is_empty() {
        chosen = all.iter().filter(|account| account.kind != "local").collect();
    }
    chosen.dedup_by_key(|account| account.key);
    let (gmail, gone) = (&context.config.gmail, context.config.sync.gone);
    let ways = Ways { tokens, gmail, gone, clock: &context.clock };
    chosen.into_iter().map(|account| ready(account, &reader, &ways)).collect()
}

/// An account with all that a sync of it needs.
pub(super) fn ready(account: &Account, reader: &Reader, ways: &Ways<'_>) -> Result<SyncAccount, Failure> {
    let settings = reader.account_settings(account.key)?;
    let settings = settings.ok_or_else(|| AccountError::NoServer { address: account.address.clone() })?;
    let address = account.address.clone();
    let credentials = Credentials::new(Arc::clone(ways.tokens), &address, settings.sign_in);
    let gmail = (settings.via == Via::Gmail).then(|| gmail_account(ways.gmail));
    let (gone, clock) = (ways.gone, ways.clock.clone());
    Ok(SyncAccount { key: account.key, address, settings, credentials, gmail, gone, clock })
}

/// How an account is reached over Gmail's API. Debug builds, and only those, can be told how long a minute is.
pub(super) fn gmail_account(settings: &GmailSettings) -> GmailAccount {
    let told = if cfg!(debug_assertions) { std::env::var("MAILKEEP_TEST_MINUTE").ok() } else { None };
    let minute =
        told.and_then(|text| text.parse().ok()).map_or(Duration::from_secs(60), Duration::from_millis);
    GmailAccount {
        base_url: settings.base_url.trim_end_matches('/').to_owned(),
        quota: Arc::new(Quota::new(settings.units_per_minute, minute)),
        fills_by_imap: settings.first_fill == FirstFill::Imap,
        largest: LARGEST_MESSAGE,
    }
}

/// The first Ctrl-C stops at a safe point; the second one ends the process at once, which loses nothing either.
pub(super) fn stop_on_signal(stop: &Arc<AtomicBool>) {
    let stop = Arc::clone(stop);
    let _ = ctrlc::set_handler(move || {
        if stop.swap(true, Ordering::Relaxed) {
            std::process::abort();
        }
    });
}

fn with_bar<T>(progress: &SyncProgress, work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let artist = scope.spawn(|| draw(progress, &done));
        let result = work();
        done.store(true, Ordering::Relaxed);
        artist.thread().unpark();
        result
    })
}

/// A line for each account: its mailbox, how far that is, and rate and time left of the whole account.
fn draw(progress: &SyncProgress, done: &AtomicBool) {
    let lines = progress::lines();
    let mut bars = BTreeMap::new();
    while !done.load(Ordering::Relaxed) {
        for (address, account) in progress.accounts() {
            let bar = bars
                .entry(address)
                .or_insert_with_key(|address| lines.add(progress::account(&one_line(address))));
            bar.set_length(account.total);
            bar.set_position(account.done);
            bar.set_message(what_is_read(&account));
        }
        thread::park_timeout(REDRAW);
    }
    bars.values().for_each(ProgressBar::finish_and_clear);
}

/// The mailbox that is read and how far, or how long the provider's limits make it last.
fn what_is_read(account: &sync::AccountProgress) -> String {
    let (read, all) = account.in_mailbox;
    let number = |number: u64| grouped(number);
    match account.least_left().map(|left| left.as_secs().div_ceil(60)) {
        None => format!("{} {} of {}", one_line(&account.mailbox), number(read), number(all)),
        Some(minutes @ 0..120) => format!("(at least {minutes} min left: Google allows no more at once)"),
        Some(minutes) => format!("(at least {} h left: Google allows no more at once)", minutes.div_ceil(60)),
    }
}

fn print(reports: &[AccountReport], took: Duration, context: &mut Context) -> Result<(), Failure> {
    let seconds = (took.as_secs_f64() * 1000.0).round() / 1000.0;
    let out = &mut context.output;
    if out.is_json() {
        let items: Vec<_> = reports.iter().map(as_json).collect();
        return Ok(out.json(&json!({ "accounts": items, "seconds": seconds }))?);
    }
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    for report in reports {
        for problem in &report.problems {
            out.note(&format!("{}: {problem}", report.address));
        }
        let rate = grouped((count(report.fetched) as f64 / took.as_secs_f64().max(0.001)) as i64);
        let fetched = match report.fetched {
            0 => "nothing new".to_owned(),
            number => format!("{} fetched ({rate}/s)", counted(count(number), "message")),
        };
        if let Some(error) = &report.error {
            Failure::tell(&error.to_string(), Some(&error.hint(&report.address)));
            if report.fetched > 0 {
                out.note(&format!("{}: {fetched} before that", report.address));
            }
            continue;
        }
        out.line(format!(
            "{}: {fetched}, {} moved, {} changed{}, {seconds:.1} s",
            report.address,
            grouped(count(report.placed)),
            grouped(count(report.changed)),
            what_has_gone(report),
        ))?;
        if report.held > 0 {
            out.note(&format!(
                "{}: {} gone at once, which is much of the account: they stay here; `mailkeep forget is:gone` \
                 removes them",
                report.address,
                counted(count(report.held), "message")
            ));
        }
    }
    Ok(())
}

/// What the server no longer shows, and what was deleted for that, where there is any.
fn what_has_gone(report: &AccountReport) -> String {
    let part = |number: u64, what: &str| match i64::try_from(number).unwrap_or(i64::MAX) {
        0 => String::new(),
        number => format!(", {} {what}", grouped(number)),
    };
    part(report.gone.count(), "gone from the server (kept here)") + &part(report.removed.count(), "removed")
}

fn as_json(report: &AccountReport) -> Value {
    let error = report.error.as_ref().map(|error| {
        let hint = error.hint(&report.address);
        json!({"code": error.code(), "message": error.to_string(), "hint": hint})
    });
    json!({
        "address": report.address, "fetched": report.fetched, "placed": report.placed, "changed": report.changed,
        "gone": report.gone.count(), "removed": report.removed.count(), "held": report.held,
        "incomplete": report.is_incomplete, "pushed": report.pushed, "connections": report.connections, "problems": report.problems, "error": error,
    })
}
