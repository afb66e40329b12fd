//! What an assistant would propose: a reply that waits for the person's yes. In the sample nothing leaves the machine; what
//! is approved becomes a file in a folder of the demonstration's home.

use std::fs;

use serde_json::{Value, json};

use crate::cli::context::Context;
use crate::cli::demo::exchange::call;
use crate::cli::failure::Failure;
use crate::cli::leaving;
use crate::cli::mcp::archive_pool_with;
use crate::store::{Reader, Store};
use crate::text_safety::one_line;
use crate::tools::{DbSettings, Selection, Toolbox};

/// The same each time, so that showing it again proposes nothing new.
const KEY: &str = "mailkeep-demo-reply";
const REPLY: &str = "Dear Ruben,\n\nthank you for the new quote. The oak worktop is worth the difference to us: please go \
                     ahead with it.\n\nCould you send me the plan of the wall units before Friday?\n\nKind regards\nAda\n";

/// Has an assistant propose the reply; what it is told.
pub(super) fn propose(context: &Context) -> Result<Value, Failure> {
    leave_by_folder(context)?;
    let pool = archive_pool_with(context.home.clone(), context, DbSettings::default());
    let pool = pool.with_proposals(leaving::proposals(context));
    let toolbox = Toolbox::new(&Selection::default())?;
    let query = json!({ "query": "kitchen quote from:ruben", "limit": 1 });
    let found = call(&toolbox, &pool, "search_emails", &query)?;
    let answered = found.structured["items"][0]["id"].as_str().unwrap_or_default();
    let letter = json!({ "reply_to_id": answered, "body": REPLY, "idempotency_key": KEY });
    Ok(call(&toolbox, &pool, "send_email", &letter)?.structured)
}

fn leave_by_folder(context: &Context) -> Result<(), Failure> {
    let folder = context.home.directory().join("sent");
    fs::create_dir_all(&folder)?;
    let folder = std::path::absolute(folder)?.display().to_string();
    let accounts = Reader::open(&context.home.store())?.accounts()?;
    let mut store = Store::open_existing(&context.home.store())?;
    let tx = store.begin()?;
    for account in accounts {
        tx.set_send_folder(account.key, Some(&folder))?;
    }
    tx.commit()?;
    Ok(())
}

/// Tells that it waits, and where.
pub(super) fn print(told: &Value, context: &mut Context) -> Result<(), Failure> {
    let bold = anstyle::Style::new().bold();
    let word = |name: &str| one_line(told[name].as_str().unwrap_or_default());
    let out = &mut context.output;
    out.line("")?;
    out.line(format!("{bold}What it proposes waits for your yes{bold:#}"))?;
    out.hanging(&format!("{}  {}", word("code"), word("subject")), 2)?;
    out.line(
        "The assistant asked to send this reply. It is not sent: it waits until you have read it and said yes, on the \
         page that `open` shows or with `outbox review` on the terminal.",
    )?;
    out.line(
        "In this sample an approved message becomes a file in the folder `sent`; none leaves the machine.",
    )?;
    Ok(())
}
