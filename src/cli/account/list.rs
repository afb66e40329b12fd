//! `mailkeep account list`.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use crate::account::{Credentials, Tokens};
use crate::cli::account::tokens;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::layout::{cut, filled, width, wrapped};
use crate::cli::local_time::local_time;
use crate::clock::Clock;
use crate::model::{Address, Endpoint};
use crate::store::{Account, Reader};
use crate::text_safety::one_line;

/// List accounts
#[derive(Args)]
#[command(after_help = "Example: mailkeep account list --json")]
pub(super) struct Arguments {}

pub(super) fn run(context: &mut Context) -> Result<ExitCode, Failure> {
    context.archive()?;
    let reader = Reader::open_or_empty(&context.home.store())?;
    let accounts = reader.accounts()?;
    let tokens = Arc::new(tokens(context, Duration::from_secs(30), &Arc::default()));
    let items = accounts.iter().map(|account| describe(account, &reader, &tokens));
    let items: Vec<Value> = items.collect::<Result<_, _>>()?;
    let Context { output: out, clock, .. } = context;
    if out.is_json() {
        out.json(&json!({ "accounts": items }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let columns = out.columns();
    for line in table(&items, clock).iter().flat_map(|row| row.lines(columns)) {
        out.put(&line)?;
    }
    if items.is_empty() {
        out.line("no accounts; add one with `mailkeep account add ADDRESS`")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// An account as a person reads it.
struct Row {
    /// Address, kind and server, filled up so that they stand below each other.
    account: String,
    state: String,
}

impl Row {
    /// One line, or the state below the account where both do not fit.
    fn lines(&self, columns: Option<usize>) -> Vec<String> {
        let whole = format!("{}  {}", self.account, self.state);
        match columns.filter(|columns| width(&whole) > *columns) {
            None => vec![whole],
            Some(columns) => {
                let account = cut(self.account.trim_end(), columns);
                let state = wrapped(&format!("  {}", self.state), columns, 2);
                [account].into_iter().chain(state).collect()
            }
        }
    }
}

fn table(items: &[Value], clock: &Clock) -> Vec<Row> {
    let text = |item: &Value, name: &str| one_line(item[name].as_str().unwrap_or("-"));
    let longest = |name: &str| items.iter().map(|item| width(&text(item, name))).max().unwrap_or(0);
    let names = ["address", "kind", "imap"].map(|name| (name, longest(name)));
    let row = |item: &Value| {
        let cells = names.map(|(name, columns)| filled(&text(item, name), columns));
        Row { account: cells.join("  "), state: state(item, clock) }
    };
    items.iter().map(row).collect()
}

/// What keeps mail from coming, or when it last came.
fn state(item: &Value, clock: &Clock) -> String {
    let state = match (&item["problem"], item["signed_in"].as_bool()) {
        (Value::Object(problem), _) => problem["message"].as_str().unwrap_or_default().to_owned(),
        (_, Some(false)) if item["kind"] != "local" => {
            format!(
                "not signed in; run `mailkeep account login {}`",
                item["address"].as_str().unwrap_or_default()
            )
        }
        _ => item["synced_at"]
            .as_str()
            .map_or("no mail yet".to_owned(), |at| format!("mail last came in {}", local_time(at, clock))),
    };
    one_line(&state)
}

fn describe(account: &Account, reader: &Reader, tokens: &Arc<Tokens>) -> Result<Value, Failure> {
    let settings = reader.account_settings(account.key)?;
    let problem = reader.sync_problem(account.key)?;
    let signed_in = match &settings {
        Some(settings) => {
            Credentials::new(Arc::clone(tokens), &account.address, settings.sign_in).are_there()?
        }
        None => false,
    };
    let shown = |endpoint: Option<&Endpoint>| endpoint.map(Endpoint::to_string);
    let senders = reader.sending_addresses(account.key)?;
    let name = senders.first().map(|own| &own.name).filter(|name| !name.is_empty());
    let aliases: Vec<_> = senders.iter().skip(1).map(Address::to_string).collect();
    Ok(json!({
        "address": account.address,
        "name": name,
        "aliases": aliases,
        "kind": account.kind,
        "imap": shown(settings.as_ref().and_then(|s| s.imap.as_ref())),
        "smtp": shown(settings.as_ref().and_then(|s| s.smtp.as_ref())),
        "user": settings.as_ref().map(|s| &s.user),
        "sign_in": settings.as_ref().map(|s| s.sign_in.name()),
        "signed_in": signed_in,
        "synced_at": account.synced_epoch.map(crate::query::iso_date),
        "problem": problem.map(|p| json!({"code": p.code, "message": p.message, "hint": p.hint})),
    }))
}
