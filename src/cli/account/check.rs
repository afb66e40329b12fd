//! `mailkeep account check`: whether an account's servers can be reached and let us in.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use crate::account::{Provider, providers};
use crate::cli::account::{on_server, secrets};
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::sync::credential_of;
use crate::model::{AccountSettings, Endpoint};
use crate::source::SourceError;
use crate::source::imap::{Credential, ImapSource, Patience};
use crate::store::Store;

/// Test an account's servers
#[derive(Args)]
#[command(after_help = "Example: mailkeep account check ada@example.org")]
pub(super) struct Arguments {
    /// The account's address
    address: String,

    /// Seconds to wait for a server
    #[arg(long, default_value_t = 20.0)]
    timeout: f64,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let address = &arguments.address;
    let (_, mut settings) = on_server(context, address)?;
    let secrets = secrets(context);
    let credential =
        credential_of(&secrets, address, settings.sign_in)().map_err(|error| advised(&error, address))?;
    let patience = Patience {
        silence: Duration::from_secs_f64(arguments.timeout.clamp(0.05, 3600.0)),
        stop: Arc::new(AtomicBool::new(false)),
    };
    let (endpoint, mailboxes) =
        imap(address, &settings, &credential, &patience).map_err(|error| advised(&error, address))?;
    if settings.imap.as_ref() != Some(&endpoint) {
        settings.imap = Some(endpoint.clone());
        keep(address, &settings, context)?;
    }
    print(address, &endpoint, mailboxes, context)
}

/// Signs in where the account says, or where a server usually is.
fn imap(
    address: &str,
    settings: &AccountSettings,
    credential: &Credential,
    patience: &Patience,
) -> Result<(Endpoint, usize), SourceError> {
    let places = settings.imap.clone().map_or_else(|| providers::guesses(address), |known| vec![known]);
    let mut last = SourceError::no_server(address);
    for endpoint in places {
        let tried = ImapSource::sign_in(settings, &endpoint, credential, patience.clone())
            .and_then(|mut source| source.mailboxes(&BTreeSet::new()));
        match tried {
            Ok(mailboxes) => return Ok((endpoint, mailboxes.len())),
            Err(error) => {
                let is_refused = error.code() == "sign_in";
                last = error;
                if is_refused {
                    break;
                }
            }
        }
    }
    Err(last)
}

fn keep(address: &str, settings: &AccountSettings, context: &Context) -> Result<(), Failure> {
    let mut store = Store::open(&context.home.store())?;
    let batch = store.begin()?;
    batch.set_account(address, settings, context.clock.now().as_second())?;
    batch.commit()?;
    Ok(())
}

/// The error, with what to do for this very account.
fn advised(error: &SourceError, address: &str) -> Failure {
    let place = Provider::of(address).and_then(|provider| provider.app_password);
    let hint = match (error.code(), place) {
        ("sign_in", Some(place)) => {
            format!("make a password for programs at {place}, then run `mailkeep account login {address}`")
        }
        _ => error.hint().replace("ADDRESS", address),
    };
    Failure::new(error.code(), error.to_string(), hint)
}

fn print(
    address: &str,
    endpoint: &Endpoint,
    mailboxes: usize,
    context: &mut Context,
) -> Result<ExitCode, Failure> {
    let out = &mut context.output;
    if out.is_json() {
        let imap = json!({"server": endpoint.to_string(), "ok": true, "mailboxes": mailboxes});
        let answer: Value = json!({"address": address, "imap": imap});
        out.json(&answer)?;
    } else {
        out.line(format!("imap  {endpoint}: signed in, {mailboxes} mailboxes"))?;
        out.line("next: mailkeep sync")?;
    }
    Ok(ExitCode::SUCCESS)
}
