//! `mailkeep approval passkey`: which keys sign a yes. A browser makes and uses them; here they are let in, listed and taken
//! away.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::cli::approval::confirm::{agrees, declined};
use crate::cli::context::Context;
use crate::cli::controlling_terminal::ControllingTerminal;
use crate::cli::factor::{self, Deed};
use crate::cli::failure::Failure;
use crate::cli::local_time::local_time;
use crate::cli::{leaving, outbox};
use crate::outbox::OutboxError;
use crate::outbox::approval::passkey::{Base64Url, Key, Purpose, Voucher};
use crate::query::iso_date;
use crate::text_safety::plain_line;

/// Keys that sign a yes
///
/// A passkey is on a security key, a phone or in a password manager. It signs exactly what leaves, on your page, and the
/// signature is kept. It is asked for once `factor = "passkey"` stands under `[approval]` of the configuration.
#[derive(Args)]
#[command(after_help = "Examples:\n  mailkeep approval passkey add\n  mailkeep approval passkey list")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Let your page enrol a key
    ///
    /// The first key takes your PIN, or where there is none a code that is shown here on your terminal. Each further one is
    /// signed by one that is there.
    #[command(after_help = "Example: mailkeep approval passkey add")]
    Add,
    /// Show the keys
    #[command(after_help = "Example: mailkeep approval passkey list --json")]
    List,
    /// Take a key away
    #[command(after_help = "Example: mailkeep approval passkey remove 'blue key'")]
    Remove {
        /// Its name, or the beginning of its fingerprint
        key: String,
    },
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    match &arguments.command {
        Command::Add => add(context),
        Command::List => list(context),
        Command::Remove { key } => remove(key, context),
    }
}

fn add(context: &mut Context) -> Result<ExitCode, Failure> {
    let reader = outbox::reader(context)?;
    let approvals = leaving::approvals(context);
    if factor::in_force(&approvals, &reader)?.is_broken {
        return Err(OutboxError::Broken.into());
    }
    let next = match approvals.voucher(&reader)? {
        Voucher::Passkey => "it asks for a key that is enrolled, and then for the new one",
        Voucher::Pin => "it asks for your PIN, and then for the new key",
        Voucher::Code => {
            let mut terminal = ControllingTerminal::open("a first passkey")?;
            terminal.say("A page that knows the code enrols the first key. Do not give it to anybody.")?;
            if !agrees(&mut terminal, "add")? {
                return Err(declined());
            }
            terminal.say(&format!("code: {} (for ten minutes, once)", approvals.enrolment_code()?))?;
            "it asks for the code that your terminal shows, and then for the new key"
        }
    };
    if context.output.is_json() {
        context.output.json(&json!({ "open": "mailkeep open", "message": next }))?;
    } else {
        context
            .output
            .line(format!("open your page with `mailkeep open` and go to \"PIN and passkeys\": {next}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn list(context: &mut Context) -> Result<ExitCode, Failure> {
    let reader = outbox::reader(context)?;
    let keys = leaving::approvals(context).passkeys(&reader)?;
    if context.output.is_json() {
        let passkeys: Vec<_> = keys.keys.iter().map(described).collect();
        context.output.json(&json!({ "passkeys": passkeys, "problems": keys.problems }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for key in &keys.keys {
        let since = local_time(&iso_date(key.since), &context.clock);
        let algorithm = key.public_key.algorithm().name();
        let line = format!("{}  {}  {algorithm}  since {since}", short(key), plain_line(&key.name));
        context.output.line(line)?;
    }
    for problem in &keys.problems {
        context.output.line(format!("notice: {}", plain_line(&problem.problem)))?;
    }
    if keys.keys.is_empty() {
        context.output.line("no key is enrolled: `mailkeep approval passkey add`")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn remove(wanted: &str, context: &mut Context) -> Result<ExitCode, Failure> {
    let reader = outbox::reader(context)?;
    let approvals = leaving::approvals(context);
    let in_force = factor::in_force(&approvals, &reader)?;
    let keys = approvals.passkeys(&reader)?.keys;
    let key = find(&keys, wanted)?;
    let mut terminal = ControllingTerminal::open("taking a key away")?;
    let words = format!("Take away the passkey `{}` ({})", plain_line(&key.name), short(key));
    terminal.say(&format!("{words}."))?;
    if !agrees(&mut terminal, "remove")? {
        return Err(declined());
    }
    let purpose = Purpose::Remove { credential: Base64Url(key.credential.clone()) };
    let deed = Deed { purpose: &purpose, words: &words, details: &[] };
    let proof = factor::ask_for(&mut terminal, &approvals, &in_force, &deed)?;
    approvals.remove_passkey(&key.credential, &proof)?;
    if context.output.is_json() {
        context.output.json(&json!({ "removed": described(key) }))?;
    } else {
        context.output.line("the key counts no more")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The one key that is called so, or whose fingerprint begins so.
fn find<'a>(keys: &'a [Key], wanted: &str) -> Result<&'a Key, Failure> {
    let begins = |key: &Key| wanted.len() >= 4 && key.fingerprint.starts_with(&wanted.to_ascii_lowercase());
    let mut fitting = keys.iter().filter(|key| key.name == wanted || begins(key));
    match (fitting.next(), fitting.next()) {
        (Some(key), None) => Ok(key),
        (Some(_), Some(_)) => Err(unclear(format!("`{}` names several keys", plain_line(wanted)))),
        (None, _) => Err(unclear(format!("no key is called `{}`", plain_line(wanted)))),
    }
}

fn unclear(message: String) -> Failure {
    Failure::new("unknown_passkey", message, "`mailkeep approval passkey list` shows names and fingerprints")
}

/// As many digits as people compare.
fn short(key: &Key) -> &str {
    &key.fingerprint[..16]
}

fn described(key: &Key) -> Value {
    json!({
        "name": key.name,
        "fingerprint": key.fingerprint,
        "credential": Base64Url(key.credential.clone()).to_string(),
        "algorithm": key.public_key.algorithm().name(),
        "since": iso_date(key.since),
        "counts": key.is_kept,
    })
}
