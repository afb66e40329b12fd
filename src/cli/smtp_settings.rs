//! The server that the environment names, with its limits: `SMTP_HOST` and its like. It is for the account with the
//! address `SMTP_USER` alone, and only with the password beside it. What the environment says can make the owner's limits
//! smaller and never larger.

use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::cli::context::Context;
use crate::cli::environment::Variables;
use crate::cli::failure::Failure;
use crate::drafts::read_address;
use crate::model::{Endpoint, IoLimits, PolicySettings, Tls};
use crate::outbox::EnvironmentServer;
use crate::secret::Secret;
use crate::store::Store;
use crate::wire::smtp::SmtpClient;
use crate::wire::{Credential, is_loopback};

/// How long the server may take to let us in when we start.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the environment says about sending.
#[derive(Debug, Clone)]
pub(super) struct SmtpSettings {
    /// The server.
    pub(super) server: EnvironmentServer,
    /// Items in an hour.
    per_hour: Option<NonZeroU32>,
    /// Items in a day.
    per_day: Option<NonZeroU32>,
}

impl SmtpSettings {
    /// What the environment says; `None` where it names no server. A value that makes no sense is an error that names
    /// it and never repeats it: it may be a password in the wrong place.
    pub(super) fn read(variables: &Variables) -> Result<Option<Self>, Failure> {
        let Some(host) = variables.get("SMTP_HOST") else {
            let orphan = ["SMTP_USER", "SMTP_PASS", "SMTP_PASSWORD", "SMTP_SECURE", "SMTP_PORT"];
            return match orphan.into_iter().find(|name| variables.get(name).is_some()) {
                Some(name) => Err(wrong("SMTP_HOST", &format!("is missing, and `{name}` is set"))),
                None => Ok(None),
            };
        };
        check_retries(variables)?;
        Ok(Some(Self {
            server: server(host, variables)?,
            per_hour: parsed(variables, "RATE_LIMIT_PER_HOUR", "a number from 1 on")?,
            per_day: parsed(variables, "RATE_LIMIT_PER_DAY", "a number from 1 on")?,
        }))
    }

    /// The owner's rules with limits that are not above these.
    pub(super) fn strengthen(&self, policy: &mut PolicySettings) {
        let least = |limit: u32, other: Option<NonZeroU32>| other.map_or(limit, |it| limit.min(it.get()));
        policy.per_hour = least(policy.per_hour, self.per_hour);
        policy.per_day = least(policy.per_day, self.per_day);
    }

    /// Sees to it that there is an account to send from.
    pub(super) fn ensure_account(&self, context: &Context) -> Result<(), Failure> {
        let mut store = Store::open(&context.home.store())?;
        let tx = store.begin()?;
        tx.account(&self.server.user, context.clock.now().as_second())?;
        tx.commit()?;
        Ok(())
    }

    /// Connects and signs in, and sends nothing.
    pub(super) fn test(&self) -> Result<(), Failure> {
        let EnvironmentServer { endpoint, user, password } = &self.server;
        let limits = IoLimits { silence: PATIENCE, stop: Arc::new(AtomicBool::new(false)) };
        let signed_in = SmtpClient::connect(endpoint, limits).and_then(|mut client| {
            if let Some(password) = password {
                client.sign_in(user, &Credential::Password(password.clone()))?;
            }
            client.leave();
            Ok(())
        });
        signed_in.map_err(|error| {
            let hint = "check SMTP_HOST, SMTP_PORT, SMTP_SECURE, SMTP_USER and SMTP_PASS";
            Failure::new("smtp_unusable", format!("the server of SMTP_HOST cannot be used: {error}"), hint)
        })
    }
}

/// What the worker reads, so that a slip is told and not passed over.
fn check_retries(variables: &Variables) -> Result<(), Failure> {
    parsed::<NonZeroU32>(variables, "MAX_RETRIES", "a number from 1 on")?;
    parsed::<u32>(variables, "RETRY_DELAY_MS", "a number of milliseconds")?;
    parsed::<NonZeroU32>(variables, "RETRY_BACKOFF_MULTIPLIER", "a whole number from 1 on")?;
    let level = variables.get("LOG_LEVEL").map(|level| level.to_lowercase());
    if level.is_some_and(|level| !["debug", "info", "warn", "warning", "error"].contains(&level.as_str())) {
        return Err(wrong("LOG_LEVEL", "must be `debug`, `info`, `warn` or `error`"));
    }
    Ok(())
}

fn server(host: String, variables: &Variables) -> Result<EnvironmentServer, Failure> {
    if host.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '/' | '@')) {
        return Err(wrong("SMTP_HOST", "must be the name of a server"));
    }
    let secure = secure(variables)?;
    let usual = if secure == Some(true) { 465 } else { 587 };
    let port: u16 = parsed(variables, "SMTP_PORT", "a port from 1 to 65535")?.unwrap_or(usual);
    if port == 0 {
        return Err(wrong("SMTP_PORT", "must be a port from 1 to 65535"));
    }
    let tls = match secure.unwrap_or(port == 465) {
        true => Tls::Implicit,
        // Nobody listens in between on the own machine, where test servers have no certificates.
        false if is_loopback(&host) => Tls::None,
        false => Tls::StartTls,
    };
    let user = variables.get("SMTP_USER").ok_or_else(|| wrong("SMTP_USER", "is missing"))?;
    let user = read_address("SMTP_USER", &user).map_err(|_| wrong("SMTP_USER", "must be a mail address"))?;
    let password = variables.get("SMTP_PASS").or_else(|| variables.get("SMTP_PASSWORD"));
    if password.is_none() && !is_loopback(&host) {
        return Err(wrong("SMTP_PASS", "is missing"));
    }
    Ok(EnvironmentServer {
        endpoint: Endpoint { host, port, tls },
        user: user.address,
        password: password.map(Secret::new),
    })
}

fn secure(variables: &Variables) -> Result<Option<bool>, Failure> {
    match variables.get("SMTP_SECURE").map(|word| word.to_ascii_lowercase()).as_deref() {
        None => Ok(None),
        Some("true" | "1" | "yes") => Ok(Some(true)),
        Some("false" | "0" | "no") => Ok(Some(false)),
        Some(_) => Err(wrong("SMTP_SECURE", "must be `true` (TLS at once) or `false` (STARTTLS)")),
    }
}

fn parsed<T: FromStr>(variables: &Variables, name: &str, allowed: &str) -> Result<Option<T>, Failure> {
    let Some(text) = variables.get(name) else { return Ok(None) };
    text.parse().map(Some).map_err(|_| wrong(name, &format!("must be {allowed}")))
}

fn wrong(name: &str, problem: &str) -> Failure {
    Failure::new("bad_environment", format!("`{name}` {problem}"), "`mailkeep config reference` lists them")
}
