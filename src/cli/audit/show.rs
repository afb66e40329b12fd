//! `mailkeep audit show`: entries of the chain.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::local_time::local_time;
use crate::cli::{leaving, outbox};
use crate::model::ContentHash;
use crate::query::iso_date;
use crate::store::{AuditRow, Reader};
use crate::text_safety::one_line;

/// Show entries, oldest first
#[derive(Args)]
#[command(after_help = "Example: mailkeep audit show --item K7QP --json")]
pub(super) struct Arguments {
    /// Only what happened to this item, by its id or code
    #[arg(long, value_name = "ID")]
    item: Option<String>,

    /// The last so many
    #[arg(long, default_value = "100", value_name = "N")]
    limit: u32,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let reader = outbox::reader(context)?;
    let rows = match &arguments.item {
        Some(id) => reader.audit_of(leaving::proposals(context).status(id)?.item.draft.id)?,
        None => {
            let end = reader.audit_head()?.map_or(0, |row| row.id);
            let limit = arguments.limit as usize;
            reader.audit_rows((end - i64::from(arguments.limit)).max(0), limit)?
        }
    };
    let entries = rows.iter().map(|row| entry(row, &reader)).collect::<Result<Vec<_>, Failure>>()?;
    if context.output.is_json() {
        context.output.json(&json!({ "entries": entries }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for entry in &entries {
        print(entry, context)?;
    }
    if entries.is_empty() {
        context.output.line("nothing has happened yet")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// An entry for scripts, with the preview that it has the hash of. What a PIN is kept as is nobody's business.
fn entry(row: &AuditRow, reader: &Reader) -> Result<Value, Failure> {
    let mut body: Value = serde_json::from_str(&row.body).unwrap_or_default();
    if body["pin"].is_string() {
        body["pin"] = json!(true);
    }
    let preview = body["preview"].as_str().and_then(ContentHash::from_hex);
    let preview = preview.map(|hash| reader.preview(&hash)).transpose()?.flatten();
    Ok(json!({
        "id": row.id,
        "time": iso_date(row.time_ms.div_euclid(1_000)),
        "kind": row.kind,
        "item": row.item,
        "body": body,
        "preview": preview,
        "hash": row.hash.to_hex(),
    }))
}

fn print(entry: &Value, context: &mut Context) -> Result<(), Failure> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let time = local_time(&text(&entry["time"]), &context.clock);
    let (bold, dim) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
    let fields = entry["body"].as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let fields: Vec<_> = fields.map(|(name, value)| format!("{name} {}", short(value))).collect();
    let line = format!(
        "{time}  {bold}{}{bold:#}  {}  {dim}{}{dim:#}",
        text(&entry["kind"]),
        text(&entry["item"]),
        one_line(&fields.join(", "))
    );
    Ok(context.output.hanging(&line, 2)?)
}

/// A value as people read it; of a hash the beginning.
fn short(value: &Value) -> String {
    match value.as_str() {
        Some(hash) if hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            hash[..12].to_owned()
        }
        Some(text) => text.to_owned(),
        None => value.to_string(),
    }
}
