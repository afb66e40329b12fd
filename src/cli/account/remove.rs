//! `mailkeep account remove`: forgets servers and secrets. Mail stays, unless it is to be forgotten too.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::cli::account::{Wait, find, hold, tokens};
use crate::cli::context::Context;
use crate::cli::drafts::drop_kept_texts;
use crate::cli::failure::Failure;
use crate::cli::forget::{Chosen, confirm, counted_messages, erase};
use crate::store::{Again, Reader, Store};

/// Forget an account's servers, password and tokens; its mail stays unless you say otherwise
#[derive(Args)]
#[command(after_help = "Example: mailkeep account remove ada@example.org")]
pub(super) struct Arguments {
    /// The account's address
    address: String,

    /// Delete its mail and drafts here for good, too; what other accounts hold stays in them
    #[arg(long)]
    forget: bool,

    /// With --forget: do it without asking
    #[arg(long, requires = "forget")]
    yes: bool,

    #[command(flatten)]
    wait: Wait,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let key = find(context, &arguments.address)?;
    let messages = || Reader::open(&context.home.store())?.messages_of(key);
    if arguments.forget && !arguments.yes {
        confirm(&counted_messages(messages()?.own.len()), context)?;
    }
    let held = hold(context, key, &arguments.address, &arguments.wait)?;
    // A sync that has just ended may have brought in more.
    let messages = messages()?;
    let tokens = tokens(context, Duration::from_secs(30), &Arc::default());
    tokens.forget(&arguments.address)?;
    tokens.secrets().remove(&arguments.address)?;
    let mut store = Store::open(&context.home.store())?;
    let batch = store.begin()?;
    batch.leave_servers(key)?;
    if arguments.forget {
        batch.drop_drafts(key)?;
    }
    batch.commit()?;
    let forgotten = match arguments.forget {
        // With the account nobody brings it back, and another account may hold the same mail.
        true => {
            let (own, shared) = (messages.own, messages.shared);
            erase(context, &Chosen { own, again: Again::Maybe, account: key, shared })?
        }
        false => 0,
    };
    let batch = store.begin()?;
    let is_dropped = batch.drop_account(key)?;
    batch.commit()?;
    drop(held);
    drop_kept_texts(context);
    let address = &arguments.address;
    if context.output.is_json() {
        context.output.json(&json!({"address": address, "removed": true, "forgotten": forgotten}))?;
        return Ok(ExitCode::SUCCESS);
    }
    context.output.line(match (is_dropped, forgotten) {
        (true, 0) => format!("{address} is removed"),
        (true, count) => format!("{address} is removed, and {} forgotten", counted_messages(count as usize)),
        (false, _) => format!("{address} is no longer synced; its mail stays"),
    })?;
    Ok(ExitCode::SUCCESS)
}
