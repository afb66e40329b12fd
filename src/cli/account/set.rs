//! `mailkeep account set`: who mail of an account may be from.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::cli::account::find;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::drafts::{DraftError, read_address};
use crate::model::{AccountKey, Address};
use crate::store::{Reader, Store};
use crate::text_safety::one_line;

/// Set the name and the other addresses that you write from
///
/// The name stands before the address in From. An alias is an address that mail of the account may be from, too; no other
/// sender is accepted, whoever asks for it. Aliases have the account's name unless they are given with one.
#[derive(Args)]
#[command(after_help = "Examples:\n  mailkeep account set ada@example.org --name \"Ada Berg\"\n  \
                        mailkeep account set ada@example.org --alias \"Ada at work <ada@work.example>\"")]
pub(super) struct Arguments {
    /// The account's address
    address: String,

    /// Your name as recipients see it; empty: none
    #[arg(long)]
    name: Option<String>,

    /// Another address that you write from; may be given several times
    #[arg(long = "alias", value_name = "ADDRESS")]
    aliases: Vec<String>,

    /// An address that you no longer write from
    #[arg(long = "remove-alias", value_name = "ADDRESS")]
    removed: Vec<String>,

    /// Have mail become files in this directory, for trying things: it goes to no server; empty: no longer
    #[arg(long, value_name = "DIR")]
    send_folder: Option<OsString>,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let key = find(context, &arguments.address)?;
    let name = arguments.name.as_deref().map(checked_name).transpose()?;
    let aliases = arguments.aliases.iter().map(|alias| read_address("alias", alias));
    let aliases = aliases.collect::<Result<Vec<_>, _>>()?;
    let mut store = Store::open(&context.home.store())?;
    let transaction = store.begin()?;
    if let Some(name) = &name {
        transaction.set_display_name(key, name)?;
    }
    for alias in aliases.iter().filter(|alias| !alias.address.eq_ignore_ascii_case(&arguments.address)) {
        transaction.put_alias(key, alias)?;
    }
    for address in &arguments.removed {
        if !transaction.remove_alias(key, address.trim())? {
            return Err(unknown_alias(address, &arguments.address));
        }
    }
    if let Some(folder) = &arguments.send_folder {
        let folder = whole_path(Path::new(folder))?;
        transaction.set_send_folder(key, folder.as_deref())?;
    }
    transaction.commit()?;
    report(key, arguments, context)
}

/// Where a folder is, wherever this is run from; nothing for an empty name.
fn whole_path(folder: &Path) -> Result<Option<String>, Failure> {
    if folder.as_os_str().is_empty() {
        return Ok(None);
    }
    let whole = std::path::absolute(folder)?;
    let text = whole.to_str().map(str::to_owned);
    let unreadable = || {
        Failure::new(
            "bad_path",
            format!("`{}` cannot be kept as text", whole.display()),
            "nothing was changed; choose a directory with another name",
        )
    };
    text.map(Some).ok_or_else(unreadable)
}

/// A name that may stand before an address.
fn checked_name(name: &str) -> Result<String, DraftError> {
    let name = name.trim();
    let read = read_address("name", &format!("{name} <name@localhost>"))?;
    Ok(read.name)
}

fn unknown_alias(address: &str, account: &str) -> Failure {
    Failure::new(
        "unknown_alias",
        format!("`{}` is no alias of `{account}`", one_line(address)),
        "nothing was changed; `mailkeep account list --json` shows the aliases",
    )
}

fn report(key: AccountKey, arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let senders = Reader::open(&context.home.store())?.sending_addresses(key)?;
    let (own, aliases) =
        senders.split_first().map_or((None, senders.as_slice()), |(own, rest)| (Some(own), rest));
    let shown = |list: &[Address]| list.iter().map(Address::to_string).collect::<Vec<_>>();
    if context.output.is_json() {
        let name = own.map(|own| &own.name).filter(|name| !name.is_empty());
        context
            .output
            .json(&json!({ "address": arguments.address, "name": name, "aliases": shown(aliases) }))?;
        return Ok(ExitCode::SUCCESS);
    }
    context.output.line(format!("mail of {} may be from:", arguments.address))?;
    for sender in shown(&senders) {
        context.output.put(&format!("  {}", one_line(&sender)))?;
    }
    Ok(ExitCode::SUCCESS)
}
