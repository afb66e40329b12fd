//! `mailkeep status`: what is here and how fresh it is.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::approval::status::{SAME_USER, notices, notices_json};
use crate::cli::connect::{self, Connection};
use crate::cli::context::Context;
use crate::cli::factor;
use crate::cli::failure::Failure;
use crate::cli::figures::{counted, counted_are, size};
use crate::cli::leaving;
use crate::cli::local_time::local_time;
use crate::cli::{mcp, semantic};
use crate::clock::Clock;
use crate::index::semantic::{self as meaning, Coverage, Phase};
use crate::index::{FullText, LOOKED_THROUGH};
use crate::model::{Factor, ItemState};
use crate::outbox::policy::InForce;
use crate::query::iso_date;
use crate::server::{RunningInstance, running_instances};
use crate::store::{Account, Reader, SCHEMA_VERSION, StoreError};
use crate::text_safety::one_line;
use crate::wire::http::is_here;

/// How wide the names before the lines are.
const LABEL_COLUMNS: usize = 8;
/// What happened longer ago is no news: a week.
const NEWS_FOR: i64 = 7 * 86_400;

/// Show what is kept here and how fresh it is
#[derive(Args)]
#[command(after_help = "Example: mailkeep status --json")]
pub(super) struct Arguments {}

pub(super) fn run(context: &mut Context) -> Result<ExitCode, Failure> {
    let mut archive = context.archive()?;
    let messages = archive.count("", None)?;
    let reader = Reader::open_or_empty(&context.home.store())?;
    let accounts = reader.accounts()?;
    let seen =
        FullText::open(&context.home.text_index(), &reader).ok().flatten().map_or(0, |text| text.seen());
    let not_indexed = reader.count_changes_after(seen)?;
    let behind = not_indexed.saturating_sub(LOOKED_THROUGH);
    let store = file_size(&context.home.store()) + file_size(&context.home.directory().join("mail.db-wal"));
    let index = directory_size(&context.home.text_index());
    let watched = |account: &Account| is_locked(&context.home.watch_lock(account.key.0));
    let described = accounts.iter().map(|account| account_json(account, &reader, watched(account)));
    let described: Vec<Value> = described.collect::<Result<_, _>>()?;
    let watched: Vec<bool> = accounts.iter().map(watched).collect();
    let server = connect::program().ok().map(|program| program.display().to_string());
    let clients = connect::connected_clients();
    let running = running_instances(&context.home.clients(), mcp::most_processes());
    let leaving = Leaving::of(context, &reader)?;
    let vectors = Vectors::of(context, &reader)?;
    let Context { output: out, clock, .. } = context;
    if out.is_json() {
        out.json(&json!({
            "home": context.home.directory().display().to_string(), "schema_version": SCHEMA_VERSION, "messages": messages,
            "store_bytes": store, "index_bytes": index, "not_indexed": not_indexed, "not_searchable": behind,
            "accounts": described,
            "server": { "available": server.is_some(), "command": server },
            "clients": clients.iter().map(|connection| connection.client.id).collect::<Vec<_>>(),
            "running": running.iter().map(running_json).collect::<Vec<_>>(),
            "outbox": leaving.json(), "semantic": vectors.json(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut line = |name: &str, text: &str| out.labelled(name, LABEL_COLUMNS, text);
    line("home", &context.home.directory().display().to_string())?;
    line("mail", &counted(messages, "message"))?;
    line("on disk", &format!("{} mail, {} text index{}", size(store), size(index), vectors.on_disk()))?;
    line("index", &index_state(not_indexed, behind))?;
    line("meaning", &semantic::line(&vectors.phase, vectors.is_working))?;
    if let Some(url) = &vectors.server {
        line("meaning", &semantic::goes_to(url))?;
    }
    for (account, is_watched) in accounts.iter().zip(watched) {
        let fresh = account.synced_epoch.map(|epoch| local_time(&iso_date(epoch), clock));
        let fresh = fresh.map_or("no mail yet".to_owned(), |at| format!("mail last came in {at}"));
        let now = if is_watched { ", news are brought in as they come" } else { "" };
        line("account", &format!("{} ({}), {fresh}{now}", account.address, account.kind))?;
        if let Some(problem) = reader.sync_problem(account.key)? {
            line("problem", &format!("{}; {}", one_line(&problem.message), one_line(&problem.hint)))?;
        }
    }
    for text in leaving.lines(clock) {
        line("outbox", &text)?;
    }
    line("server", &server.map_or("not found".to_owned(), |path| format!("{path} mcp")))?;
    line("clients", &titles(&clients))?;
    for server in &running {
        line("running", &running_line(server, clock))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// How semantic search stands.
struct Vectors {
    phase: Phase,
    bytes: u64,
    /// Whether a process is making vectors now.
    is_working: bool,
    /// The server that reads the mail for it, where the owner names one.
    server: Option<String>,
}

impl Vectors {
    fn of(context: &Context, reader: &Reader) -> Result<Self, Failure> {
        let directory = context.home.vectors();
        Ok(Self {
            phase: meaning::coverage(&directory, reader, &context.models)?,
            bytes: directory_size(&directory),
            is_working: is_locked(&directory.join("lock")),
            server: context.config.semantic.endpoint.url.clone(),
        })
    }

    fn on_disk(&self) -> String {
        if self.bytes == 0 { String::new() } else { format!(", {} vectors", size(self.bytes)) }
    }

    fn json(&self) -> Value {
        let mut value = match &self.phase {
            Phase::Off => json!({ "state": "off" }),
            Phase::NotBegun => json!({ "state": "none" }),
            Phase::Unusable(error) => {
                json!({ "state": error.code(), "message": error.to_string(), "hint": error.hint() })
            }
            Phase::There(coverage) => json!({
                "state": coverage.trouble.as_ref().map_or("ready", |trouble| &trouble.code),
                "indexed": coverage.indexed, "total": coverage.total, "vectors": coverage.vectors,
                "missing": coverage.missing, "model": coverage.model,
                "seconds_left": coverage.left.map(|left| left.as_secs()),
            }),
        };
        if let Phase::There(Coverage { trouble: Some(trouble), .. }) = &self.phase {
            value["message"] = json!(trouble.message);
            value["hint"] = json!(trouble.hint);
        }
        value["bytes"] = json!(self.bytes);
        value["working"] = json!(self.is_working);
        if let Some(url) = &self.server {
            value["server"] = json!({ "url": url, "on_this_machine": is_here(url) });
        }
        value
    }
}

/// How the outbox stands.
struct Leaving {
    waiting: u64,
    approved: u64,
    unknown: u64,
    /// Found changed by a provider in the last days.
    changed: u64,
    paused: Option<String>,
    in_force: InForce,
}

impl Leaving {
    fn of(context: &Context, reader: &Reader) -> Result<Self, Failure> {
        Ok(Self {
            waiting: reader.count_items(ItemState::PendingApproval)?,
            approved: reader.count_items(ItemState::Approved)?,
            unknown: reader.count_items(ItemState::Unknown)?,
            changed: reader.count_changed_copies(context.clock.now().as_second() - NEWS_FOR)?,
            paused: reader.outbox_state()?.paused.map(iso_date),
            in_force: factor::in_force(&leaving::approvals(context), reader)?,
        })
    }

    fn json(&self) -> Value {
        let mut value = notices_json(&self.in_force);
        value["waiting"] = json!(self.waiting);
        value["approved"] = json!(self.approved);
        value["unknown"] = json!(self.unknown);
        value["changed_by_provider"] = json!(self.changed);
        value["paused"] = json!(self.paused);
        value["factor"] = json!(self.in_force.factor.name());
        value["send"] = json!(self.in_force.policy.send);
        value
    }

    /// What the person should know: on a day like any other, what protects them and what does not.
    fn lines(&self, clock: &Clock) -> Vec<String> {
        let mut lines = Vec::new();
        if self.waiting > 0 {
            let what = if self.waiting == 1 {
                "1 item waits".to_owned()
            } else {
                format!("{} items wait", self.waiting)
            };
            lines.push(format!("{what} for your yes: `mailkeep open` or `mailkeep outbox review`"));
        }
        if let Some(since) = &self.paused {
            lines.push(format!("paused since {}: `mailkeep outbox resume`", local_time(since, clock)));
        }
        if self.approved > 0 {
            lines.push(format!("{} to be sent", counted_are(self.approved, "approved item")));
        }
        if self.unknown > 0 {
            let items = counted(self.unknown, "item");
            lines.push(format!("{items} may have left, and nobody can say: `mailkeep outbox list`"));
        }
        if self.changed > 0 {
            let items = counted(self.changed, "sent item");
            lines.push(format!("the provider changed {items}: `mailkeep outbox show ID`"));
        }
        if self.in_force.factor == Factor::Click {
            lines.push(
                "a program that runs commands as you can fake your yes: `mailkeep approval status`"
                    .to_owned(),
            );
        }
        lines.push(SAME_USER.to_owned());
        lines.extend(notices(&self.in_force).iter().map(|notice| one_line(notice)));
        lines
    }
}

/// What the index has not seen is no lack as long as searches look through it themselves.
fn index_state(not_indexed: usize, behind: usize) -> String {
    match (not_indexed, behind) {
        (0, _) => "up to date".to_owned(),
        (newest, 0) => {
            format!("up to date, the newest {} looked through without it", counted_are(newest, "message"))
        }
        (_, behind) => format!("{} behind", counted(behind, "message")),
    }
}

fn running_json(server: &RunningInstance) -> Value {
    json!({ "process": server.process, "client": server.client, "url": server.url, "since": server.since })
}

fn running_line(server: &RunningInstance, clock: &Clock) -> String {
    let client = if server.client.is_empty() { "an unnamed client" } else { &server.client };
    let what = match &server.url {
        Some(url) => format!("serve at {}", one_line(url)),
        None => format!("mcp for {}", one_line(client)),
    };
    format!("{what}, process {}, since {}", server.process, one_line(&local_time(&server.since, clock)))
}

fn titles(clients: &[Connection]) -> String {
    let titles: Vec<_> = clients.iter().map(|connection| connection.client.title).collect();
    if titles.is_empty() { "none, see `mailkeep connect --list`".to_owned() } else { titles.join(", ") }
}

/// Whether a process holds this lock.
fn is_locked(path: &Path) -> bool {
    let file = fs::File::open(path);
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(fs::TryLockError::WouldBlock)))
}

fn account_json(account: &Account, reader: &Reader, is_watched: bool) -> Result<Value, StoreError> {
    let synced_at = account.synced_epoch.map(iso_date);
    let problem = reader.sync_problem(account.key)?;
    let problem = problem.map(|p| json!({"code": p.code, "message": p.message, "hint": p.hint}));
    Ok(
        json!({ "address": account.address, "kind": account.kind, "synced_at": synced_at, "problem": problem, "watched": is_watched }),
    )
}

fn file_size(path: &Path) -> u64 {
    fs::metadata(path).map(|file| file.len()).unwrap_or(0)
}

fn directory_size(path: &Path) -> u64 {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| file_size(&entry.path())).sum()
}
