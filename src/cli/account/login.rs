//! `mailkeep account login`: a new password for an account, or a new agreement on the provider's page.

use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::account::{Login, Tokens};
use crate::cli::account::{on_server, password, secrets, tokens};
use crate::cli::browser;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::sync::stop_on_signal;
use crate::model::SignIn;
use crate::store::Store;

/// Sign in to an account
///
/// Asks for the password, or opens the page of Google or Microsoft where you agree. On a machine without a browser open
/// the address elsewhere and paste the one the browser ends on, or use --device.
#[derive(Args)]
#[command(after_help = "Examples:\n  mailkeep account login ada@example.org\n  \
                        mailkeep account login ada@outlook.com --device")]
pub(super) struct Arguments {
    /// The account's address
    address: String,

    /// Read the password from standard input
    #[arg(long)]
    password_stdin: bool,

    /// Show a code to type in on another machine (not for Google, which gives no mail to devices)
    #[arg(long, conflicts_with = "password_stdin")]
    device: bool,

    /// Only print the address of the page
    #[arg(long)]
    no_browser: bool,

    /// Seconds to wait for you to agree
    #[arg(long, default_value_t = 600.0, value_name = "SECONDS")]
    timeout: f64,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let (key, settings) = on_server(context, &arguments.address)?;
    match settings.sign_in {
        SignIn::Password => by_password(arguments, context)?,
        way => by_page(arguments, way, context)?,
    }
    let mut store = Store::open(&context.home.store())?;
    let batch = store.begin()?;
    batch.note_sync(key, None)?;
    batch.commit()?;
    if context.output.is_json() {
        context.output.json(&json!({"address": arguments.address, "signed_in": true}))?;
    } else {
        let kept = if settings.sign_in == SignIn::Password { "password kept" } else { "signed in" };
        context.output.line(format!("{kept}; next: mailkeep account check {}", arguments.address))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn by_password(arguments: &Arguments, context: &Context) -> Result<(), Failure> {
    if arguments.device {
        return Err(crate::account::AccountError::NoToken { address: arguments.address.clone() }.into());
    }
    let password = password::read(&arguments.address, arguments.password_stdin)?.ok_or_else(|| {
        Failure::new("no_password", "there is no terminal to ask on", "pipe it in with `--password-stdin`")
    })?;
    Ok(secrets(context).set(&arguments.address, &password)?)
}

fn by_page(arguments: &Arguments, way: SignIn, context: &Context) -> Result<(), Failure> {
    if arguments.password_stdin {
        let message = format!("`{}` signs in on its provider's page, not with a password", arguments.address);
        let hint = "leave out `--password-stdin`, or add the account again with `--sign-in password`";
        return Err(Failure::new("no_password_wanted", message, hint));
    }
    let stop = Arc::new(AtomicBool::new(false));
    stop_on_signal(&stop);
    let tokens = tokens(context, Duration::from_secs(30), &stop);
    if arguments.device {
        let login = tokens.with_device(&arguments.address, way)?;
        context.output.note(&format!("open {} on any machine and type {}", login.url, login.code));
        return Ok(tokens.finish(&arguments.address, &Login::Device(&login))?);
    }
    with_browser(arguments, way, &tokens, context)
}

fn with_browser(
    arguments: &Arguments,
    way: SignIn,
    tokens: &Tokens,
    context: &Context,
) -> Result<(), Failure> {
    let login = tokens.with_browser(&arguments.address, way)?;
    context.output.note(&format!("sign in on this page: {}", login.url()));
    if !arguments.no_browser && std::io::stderr().is_terminal() {
        browser::show(login.url());
        context.output.note("if the browser is on another machine, paste the address it ends on here");
    }
    let within = Duration::from_secs_f64(arguments.timeout.clamp(0.05, 86_400.0));
    let pasted = lines();
    Ok(tokens.finish(&arguments.address, &Login::Browser(&login, within, &pasted))?)
}

/// What is typed while we wait for something else.
fn lines() -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}
