//! `mailkeep account check`: whether an account's servers can be reached and let us in. Nothing is sent.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use crate::account::{AccountError, Credentials, Provider, providers};
use crate::cli::account::{on_server, tokens};
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;
use crate::cli::sync::{gmail_account, stop_on_signal};
use crate::model::{AccountKey, AccountSettings, Endpoint, IoLimits, Via};
use crate::source::SourceError;
use crate::source::imap::ImapSource;
use crate::store::Store;
use crate::sync::{SyncAccount, SyncOptions, gmail_source};
use crate::wire::smtp::SmtpClient;
use crate::wire::{WireError, is_loopback};

/// The longest wait for a server that is only guessed.
const GUESS: Duration = Duration::from_secs(5);

/// Test an account's servers
///
/// Connects, checks the certificate and signs in, where mail is read and where it is handed in. Nothing is sent. Servers
/// that are not known are looked for in the usual places and remembered.
#[derive(Args)]
#[command(after_help = "Example: mailkeep account check ada@example.org")]
pub(super) struct Arguments {
    /// The account's address
    address: String,

    /// Seconds to wait for a server
    #[arg(long, default_value_t = 20.0, value_name = "SECONDS")]
    timeout: f64,
}

/// What every try needs.
struct Checker<'a> {
    address: &'a str,
    settings: AccountSettings,
    credentials: Credentials,
    limits: IoLimits,
}

/// A server that let us in, and what it said.
struct Answered {
    server: String,
    endpoint: Option<Endpoint>,
    state: String,
    mailboxes: Option<usize>,
}

impl Answered {
    fn at(endpoint: &Endpoint, state: String, mailboxes: Option<usize>) -> Self {
        Self { server: endpoint.to_string(), endpoint: Some(endpoint.clone()), state, mailboxes }
    }
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let address = &arguments.address;
    let (key, settings) = on_server(context, address)?;
    let stop = Arc::new(AtomicBool::new(false));
    stop_on_signal(&stop);
    let silence = Duration::from_secs_f64(arguments.timeout.clamp(0.05, 3600.0));
    let tokens = Arc::new(tokens(context, silence, &stop));
    let credentials = Credentials::new(tokens, address, settings.sign_in);
    credentials.get().map_err(|error| advised(&error.into(), address))?;
    let mut checker = Checker { address, settings, credentials, limits: IoLimits { silence, stop } };
    let imap = checker.imap(context);
    if let Ok(found) = &imap {
        checker.settings.imap.clone_from(&found.endpoint);
    }
    let smtp = checker.smtp(context);
    if let Some(Ok(found)) = &smtp {
        checker.settings.smtp.clone_from(&found.endpoint);
    }
    checker.keep(context)?;
    let gmail = (checker.settings.via == Via::Gmail).then(|| checker.gmail(key, context));
    print(address, [("gmail", gmail.as_ref()), ("imap", Some(&imap)), ("smtp", smtp.as_ref())], context)
}

impl Checker<'_> {
    /// Where mail is read.
    fn imap(&self, context: &Context) -> Result<Answered, SourceError> {
        let known = self.settings.imap.clone();
        self.first(
            known,
            guesses("imap", || providers::imap_guesses(self.address)),
            context,
            |endpoint, wait| {
                let mut source = ImapSource::sign_in(&self.settings, endpoint, &self.credentials, wait)?;
                let count = source.mailboxes(&BTreeSet::new())?.mailboxes.len();
                source.leave();
                let state = format!("signed in, {}", counted(count, "mailbox"));
                Ok(Answered::at(endpoint, state, Some(count)))
            },
        )
    }

    /// The API, and whether it shows this person's mail.
    fn gmail(&self, key: AccountKey, context: &Context) -> Result<Answered, SourceError> {
        let gmail = gmail_account(&context.config.gmail);
        let account = SyncAccount {
            key,
            address: self.address.to_owned(),
            settings: self.settings.clone(),
            credentials: self.credentials.clone(),
            gmail: None,
            gone: context.config.sync.gone,
            clock: context.clock.clone(),
        };
        let options = SyncOptions { silence: self.limits.silence, tries: 1, ..SyncOptions::default() };
        gmail_source(&gmail, (&account, &options), &self.limits.stop).own_profile()?;
        let state = "signed in".to_owned();
        Ok(Answered { server: gmail.base_url.clone(), endpoint: None, state, mailboxes: None })
    }

    /// Where mail is handed in; `None` when nothing is known and nothing was found, which reading does not need.
    fn smtp(&self, context: &Context) -> Option<Result<Answered, SourceError>> {
        let known = self.settings.smtp.clone();
        let is_known = known.is_some();
        // A server on this machine says nothing about where its domain hands in mail.
        let is_here = self.settings.imap.as_ref().is_none_or(|imap| is_loopback(&imap.host));
        let places = guesses("smtp", || match is_here {
            true => Vec::new(),
            false => providers::smtp_guesses(self.address),
        });
        let tried = self.first(known, places, context, |endpoint, wait| self.try_smtp(endpoint, &wait));
        if is_known || tried.is_ok() { Some(tried) } else { None }
    }

    /// A token that is refused may only be old: another one is tried, once.
    fn try_smtp(&self, endpoint: &Endpoint, wait: &IoLimits) -> Result<Answered, SourceError> {
        let credential = self.credentials.get()?;
        let user = &self.settings.user;
        let sign_in = |credential| {
            let mut client = SmtpClient::connect(endpoint, wait.clone())?;
            let wanted = client.sign_in(user, credential)?;
            client.leave();
            Ok(wanted)
        };
        let outcome = match sign_in(&credential) {
            Err(error @ WireError::SignIn { .. }) => {
                let other = self.credentials.instead_of(&credential)?.ok_or(error)?;
                sign_in(&other)
            }
            outcome => outcome,
        };
        let state = if outcome? { "signed in" } else { "reached, wants no sign-in" };
        Ok(Answered::at(endpoint, state.to_owned(), None))
    }

    /// Tries the server that is known, or those that are likely until one lets us in or knows us and refuses.
    fn first(
        &self,
        known: Option<Endpoint>,
        likely: Vec<Endpoint>,
        context: &Context,
        try_one: impl Fn(&Endpoint, IoLimits) -> Result<Answered, SourceError>,
    ) -> Result<Answered, SourceError> {
        if let Some(endpoint) = known {
            return try_one(&endpoint, self.limits.clone());
        }
        let silence = self.limits.silence.min(GUESS);
        let mut last = SourceError::from(AccountError::NotFound { address: self.address.to_owned() });
        for endpoint in likely {
            context.output.note(&format!("trying {endpoint}"));
            match try_one(&endpoint, IoLimits { silence, ..self.limits.clone() }) {
                Ok(answered) => return Ok(answered),
                Err(error) if error.wants_sign_in() || error.is_stopped() => return Err(error),
                Err(SourceError::Wire(WireError::Unreachable { .. })) => {}
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn keep(&self, context: &Context) -> Result<(), Failure> {
        let (_, before) = on_server(context, self.address)?;
        if before == self.settings {
            return Ok(());
        }
        let mut store = Store::open(&context.home.store())?;
        let batch = store.begin()?;
        batch.set_account(self.address, &self.settings, context.clock.now().as_second())?;
        batch.commit()?;
        Ok(())
    }
}

/// Likely places. Debug builds can be told others, since a test has no domain of its own.
fn guesses(protocol: &str, usual: impl FnOnce() -> Vec<Endpoint>) -> Vec<Endpoint> {
    let told = cfg!(debug_assertions).then(|| std::env::var("MAILKEEP_TEST_GUESSES").ok()).flatten();
    let Some(told) = told else { return usual() };
    let of_protocol = told.split(' ').filter_map(|word| word.strip_prefix(protocol)?.strip_prefix('='));
    of_protocol.filter_map(|server| super::add::parse(server, None, 993).ok()).collect()
}

/// The error, with what to do for this very account.
fn advised(error: &SourceError, address: &str) -> Failure {
    let place = Provider::of(address).and_then(|provider| provider.app_password);
    let hint = match (error, place) {
        (SourceError::Wire(WireError::SignIn { by_token: false, .. }), Some(place)) => {
            format!("make a password for programs at {place}, then run `mailkeep account login {address}`")
        }
        _ => error.hint(address),
    };
    Failure::new(error.code(), error.to_string(), hint)
}

type Outcome = Result<Answered, SourceError>;

fn print(
    address: &str,
    parts: [(&str, Option<&Outcome>); 3],
    context: &mut Context,
) -> Result<ExitCode, Failure> {
    let first_error =
        parts.iter().find_map(|(_, outcome)| outcome.and_then(|outcome| outcome.as_ref().err()));
    let code = if first_error.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    let out = &mut context.output;
    if out.is_json() {
        let mut answer = json!({"address": address});
        for (name, outcome) in parts.iter().filter(|(name, outcome)| *name != "gmail" || outcome.is_some()) {
            answer[*name] = outcome.map_or(Value::Null, |outcome| described(outcome, address));
        }
        if let Some(error) = first_error {
            answer["error"] = advised(error, address).as_json();
        }
        out.json(&answer)?;
        return Ok(code);
    }
    for (name, outcome) in parts {
        match outcome {
            Some(Ok(answered)) => out.line(format!("{name}  {}: {}", answered.server, answered.state))?,
            Some(Err(error)) => {
                out.flush()?;
                advised(error, address).report(false);
            }
            None if name == "gmail" => {}
            None => {
                out.line(format!(
                    "{name}  not known; name it with `account add {address} --smtp HOST:PORT`"
                ))?;
            }
        }
    }
    if first_error.is_none() {
        out.line(format!("next: mailkeep sync {address}"))?;
    }
    Ok(code)
}

fn described(outcome: &Outcome, address: &str) -> Value {
    match outcome {
        Ok(answered) => {
            let mut found = json!({"server": answered.server, "ok": true, "state": answered.state});
            if let Some(count) = answered.mailboxes {
                found["mailboxes"] = count.into();
            }
            found
        }
        Err(error) => json!({"ok": false, "error": advised(error, address).as_json()}),
    }
}
