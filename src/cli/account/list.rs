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
use crate::model::Endpoint;
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
    let out = &mut context.output;
    if out.is_json() {
        out.json(&json!({ "accounts": items }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let width =
        |name: &str| items.iter().map(|item| item[name].as_str().map_or(1, str::len)).max().unwrap_or(0);
    let (address, kind, imap) = (width("address"), width("kind"), width("imap"));
    for item in &items {
        let text = |name: &str| item[name].as_str().unwrap_or("-").to_owned();
        let state = match (&item["problem"], item["signed_in"].as_bool()) {
            (Value::Object(problem), _) => problem["message"].as_str().unwrap_or_default().to_owned(),
            (_, Some(false)) if item["kind"] != "local" => {
                format!("not signed in; run `mailkeep account login {}`", text("address"))
            }
            _ => item["synced_at"]
                .as_str()
                .map_or("no mail yet".to_owned(), |at| format!("mail last came in {at}")),
        };
        let (who, what, place) = (text("address"), text("kind"), text("imap"));
        out.line(format!("{who:address$}  {what:kind$}  {place:imap$}  {}", one_line(&state)))?;
    }
    if items.is_empty() {
        out.line("no accounts; add one with `mailkeep account add ADDRESS`")?;
    }
    Ok(ExitCode::SUCCESS)
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
    Ok(json!({
        "address": account.address,
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
