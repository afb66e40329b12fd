//! `mailkeep shield`: what is kept from assistants, and why.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::figures::counted;
use crate::model::MessageKey;
use crate::parse;
use crate::query::Archive;

/// Explain and apply what is kept from assistants
///
/// Mail that carries a one-time code, a password-reset or a sign-in link is withheld from tools, and so is what
/// `[shield]` in the configuration lists. You still see it with `search` and `show`.
#[derive(Args)]
#[command(after_help = "Examples:\n  mailkeep shield test m4k0c9w2vt1rh\n  mailkeep shield apply")]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Say whether a message is withheld, and why
    Test {
        /// Id as `search` prints it, or a Message-ID
        id: String,
    },
    /// Judge all mail by the rules of the configuration now
    Apply,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let changed = context.apply_shield()?;
    match &arguments.action {
        Action::Test { id } => test(id, context),
        Action::Apply => {
            match context.output.is_json() {
                true => context.output.json(&json!({ "changed": changed }))?,
                false => {
                    let count = counted(changed, "message");
                    context.output.line(format!("{count} judged differently than before"))?;
                }
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn test(id: &str, context: &mut Context) -> Result<ExitCode, Failure> {
    let archive = context.archive()?;
    let key = archive.resolve(id)?;
    let reasons = reasons(&archive, key, context)?;
    let withheld = context.config.shield.on && !reasons.is_empty();
    if context.output.is_json() {
        context.output.json(&json!({ "withheld": withheld, "reasons": reasons }))?;
        return Ok(ExitCode::SUCCESS);
    }
    context.output.line(match withheld {
        true => "withheld from assistants",
        false => "assistants can read it",
    })?;
    for reason in reasons {
        context.output.line(format!("  {reason}"))?;
    }
    if !context.config.shield.on {
        context.output.note("the shield is off: `on = false` in `[shield]`");
    }
    Ok(ExitCode::SUCCESS)
}

/// Everything that speaks for withholding a message.
fn reasons(archive: &Archive, key: MessageKey, context: &Context) -> Result<Vec<String>, Failure> {
    let rules = &context.config.shield;
    let message = archive.read(key)?;
    let mut reasons = Vec::new();
    if let Some(secret) = parse::shield::secret(&message.subject, &message.text) {
        reasons.push(format!("it carries a {}", secret.name()));
    }
    let stored = archive.reader().message(key)?;
    let sender = stored.map(|message| message.from_address).unwrap_or_default();
    if let Some(rule) = rules.for_sender(&sender) {
        reasons.push(format!("`{rule}` is listed in `senders`"));
    }
    for place in &message.placements {
        if let Some(rule) = rules.for_account(&place.account) {
            reasons.push(format!("`{rule}` is listed in `accounts`"));
        }
        let listed = place.labels.iter().filter_map(|label| rules.for_label(label));
        reasons.extend(listed.map(|rule| format!("`{rule}` is listed in `labels`")));
    }
    reasons.dedup();
    Ok(reasons)
}
