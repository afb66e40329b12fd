//! `mailkeep orchestrate`: the vault's flow from a mail to its answer. Builds the orchestrator, alone or beside `serve`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::background::Background;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::mcp::{archives, request_log, settings};
use crate::cli::sync::{accounts, stop_on_signal};
use crate::cli::{account, leaving, reports, serve};
use crate::model::{Audience, IoLimits, McpServerSettings};
use crate::orchestrator::mcp_client::{HttpServer, McpClient, ServerFailure, StdioServer, ToolServer};
use crate::orchestrator::{Event, OnEvent, Orchestrator, OrchestratorError, Parts};
use crate::outbox::approval::folder::FolderDoor;
use crate::query::Archive;
use crate::secret::Secret;
use crate::server::{Dispatcher, Level, RequestLog};
use crate::sync::{self, SyncOptions, SyncProgress};
use crate::text_safety::one_line;
use crate::tools::{Selection, Toolbox};
use crate::vault::Vault;
use crate::wire::chat_model::ChatModel;

/// The server whose tools put labels on mail.
pub(super) const GMAIL: &str = "gmail";

/// Turn new mail into notes of your vault, and notes that you approve into mail
///
/// New mail becomes a note in Needs_Action. Answers wait in Drafts, written by your assistant or by the chat model that
/// you set up. What you move to Approved is sent once you have said yes (see docs/orchestrator.md), and ends in Done.
#[derive(Args)]
#[command(after_help = "Example: mailkeep orchestrate --vault ~/Vault")]
pub(super) struct Arguments {
    /// The directory of your notes [default: $VAULT_PATH, else `[vault] path`]
    #[arg(long, value_name = "DIR")]
    vault: Option<PathBuf>,

    /// Bring in mail, look at everything once, send what may leave, and end
    #[arg(long)]
    once: bool,

    /// Bring in no mail meanwhile
    #[arg(long)]
    no_sync: bool,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    super::outbox::reader(context)?;
    context.apply_shield()?;
    let vault = vault(arguments.vault.as_deref(), context)?;
    let stop = Arc::new(AtomicBool::new(false));
    stop_on_signal(&stop);
    if arguments.once {
        return once(arguments, context, &vault, &stop);
    }
    let log = request_log(context, false);
    let is_json = context.output.is_json();
    let lines: OnEvent = Box::new(move |event| print_line(event, is_json));
    let orchestrator = build(context, &vault, lines, &stop)?;
    let background = Background::of(context, &log).with_orchestrator(Some(orchestrator));
    context.output.note(&format!("seeing to the notes in {}; Ctrl-C ends it", vault.display()));
    background.beside(!arguments.no_sync, || {
        while !stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    Ok(ExitCode::SUCCESS)
}

/// Everything once: mail in, notes, mail out, notes again.
fn once(
    arguments: &Arguments,
    context: &mut Context,
    vault: &Path,
    stop: &Arc<AtomicBool>,
) -> Result<ExitCode, Failure> {
    let events: Arc<Mutex<Vec<Event>>> = Arc::default();
    let heard = Arc::clone(&events);
    let on: OnEvent =
        Box::new(move |event| heard.lock().unwrap_or_else(PoisonError::into_inner).push(event.clone()));
    let orchestrator = build(context, vault, on, stop)?;
    if !arguments.no_sync {
        bring_in(context, stop)?;
    }
    orchestrator.once()?;
    if context.config.outbox.background && context.has_store()? {
        leaving::worker(context, stop).run_once()?;
        orchestrator.once()?;
    }
    let events = std::mem::take(&mut *events.lock().unwrap_or_else(PoisonError::into_inner));
    print(&events, context)?;
    let failed = events.iter().any(|event| matches!(event.what, "failed" | "problem"));
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Brings in mail of all accounts that have a server. One that cannot be reached keeps the notes from nothing.
fn bring_in(context: &Context, stop: &Arc<AtomicBool>) -> Result<(), Failure> {
    let mut progress = SyncProgress::default();
    progress.stop = Arc::clone(stop);
    let connections = context.config.sync.connections.get();
    let options = SyncOptions { connections, ..SyncOptions::default() };
    let tokens = Arc::new(account::tokens(context, options.silence, stop));
    let accounts = accounts(&[], &tokens, context)?;
    if accounts.is_empty() {
        return Ok(());
    }
    let place = (&context.home, &context.clock);
    for report in sync::sync(place, &accounts, &options, &Context::extractor(), &progress)? {
        if let Some(error) = report.error.filter(|error| !error.is_busy()) {
            context.output.note(&format!("{}: {error}", report.address));
        }
    }
    reports::look(context);
    Ok(())
}

fn print(events: &[Event], context: &mut Context) -> Result<(), Failure> {
    if context.output.is_json() {
        let all: Vec<_> = events.iter().map(as_json).collect();
        return Ok(context.output.json(&json!({ "events": all }))?);
    }
    if events.is_empty() {
        context.output.note("nothing is new");
    }
    events.iter().try_for_each(|event| context.output.line(line(event)))?;
    Ok(())
}

/// A line as soon as something happens. Who reads it may have gone; what was done is in the notes.
fn print_line(event: &Event, is_json: bool) {
    let line = if is_json { as_json(event).to_string() } else { line(event) };
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn line(event: &Event) -> String {
    let words = [event.what, &one_line(&event.note), &one_line(&event.detail)].map(str::to_owned);
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("  ")
}

fn as_json(event: &Event) -> Value {
    json!({ "event": event.what, "note": event.note, "detail": event.detail })
}

/// The orchestrator of `serve`, where the owner wants one. What keeps it from starting is told, and keeps nobody else.
pub(super) fn beside_server(
    context: &Context,
    log: &RequestLog,
    stop: &Arc<AtomicBool>,
) -> Option<Orchestrator> {
    if !context.config.orchestrator.background {
        return None;
    }
    let own = log.clone();
    let on: OnEvent = Box::new(move |event| {
        let level = if matches!(event.what, "failed" | "problem") { Level::Warning } else { Level::Info };
        own.write(level, "orchestrator", &format!("{} {}", event.what, one_line(&event.note)));
    });
    match vault(None, context).and_then(|vault| build(context, &vault, on, stop)) {
        Ok(orchestrator) => Some(orchestrator),
        Err(failure) => {
            context.output.note(&format!("the orchestrator does not run: {}", failure.message()));
            None
        }
    }
}

fn vault(named: Option<&Path>, context: &Context) -> Result<PathBuf, Failure> {
    let path = named.map(Path::to_owned).or_else(|| context.vault()).ok_or_else(|| {
        let hint = "name it with `--vault DIR`, with `path` under `[vault]`, or with `VAULT_PATH`";
        Failure::new("vault_missing", "nobody said where your notes are", hint)
    })?;
    Ok(std::path::absolute(&path).unwrap_or(path))
}

fn build(
    context: &Context,
    vault: &Path,
    on: OnEvent,
    stop: &Arc<AtomicBool>,
) -> Result<Orchestrator, Failure> {
    std::fs::create_dir_all(context.home.directory())?;
    let (home, clock) = (context.home.clone(), context.clock.clone());
    let open = move || Archive::open(&home, Audience::Assistant, clock.clone(), Context::extractor());
    let parts = Parts {
        vault: Vault::open(vault).map_err(OrchestratorError::from)?,
        clock: context.clock.clone(),
        settings: context.config.orchestrator.clone(),
        open: Box::new(open),
        proposals: leaving::proposals(context),
        door: FolderDoor::new(leaving::approvals(context)),
        model: chat_model(context, stop)?,
        labels: labels(context, vault, stop)?,
        on,
    };
    Ok(Orchestrator::new(parts, &context.home.orchestrator_lock())?)
}

/// The model that the owner set up.
fn chat_model(context: &Context, stop: &Arc<AtomicBool>) -> Result<Option<ChatModel>, Failure> {
    let settings = &context.config.chat_model;
    let Some(base_url) = &settings.base_url else { return Ok(None) };
    if settings.model.is_empty() {
        let hint = "write its name into `model` under `[chat_model]`";
        return Err(Failure::new("no_model", "`[chat_model]` has a `base_url` and no `model`", hint));
    }
    let key = settings.key.clone().map(Secret::new);
    let limits = IoLimits { silence: settings.timeout(), stop: Arc::clone(stop) };
    Ok(Some(ChatModel::new(base_url, &settings.model, key, limits)))
}

/// Who puts labels on mail: the owner's server, or our own tools in this process.
fn labels(context: &Context, vault: &Path, stop: &Arc<AtomicBool>) -> Result<Option<McpClient>, Failure> {
    let settings = &context.config.orchestrator;
    if settings.label.is_empty() {
        return Ok(None);
    }
    let server: Box<dyn ToolServer> = match settings.servers.get(GMAIL) {
        Some(server) => configured(server, stop),
        None => Box::new(own_tools(context)?),
    };
    Ok(Some(McpClient::new(GMAIL, server, vault, context.clock.clone())))
}

fn configured(server: &McpServerSettings, stop: &Arc<AtomicBool>) -> Box<dyn ToolServer> {
    match &server.url {
        Some(url) => {
            Box::new(HttpServer::new(url.clone(), server.token.clone().map(Secret::new), Arc::clone(stop)))
        }
        None => Box::new(StdioServer::new(server.command.clone(), server.env.clone())),
    }
}

/// Our own tools, in this process.
struct OwnTools {
    dispatcher: Arc<Dispatcher>,
}

fn own_tools(context: &Context) -> Result<OwnTools, Failure> {
    let selection = Selection { profiles: vec![GMAIL.to_owned()], ..Selection::default() };
    let service = serve::service(Toolbox::new(&selection)?, &archives(context, None, false), &context.config);
    Ok(OwnTools { dispatcher: Dispatcher::new(service, &settings(), request_log(context, false)) })
}

impl ToolServer for OwnTools {
    fn request(&mut self, method: &str, params: Value, within: Duration) -> Result<Value, ServerFailure> {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let unavailable = || ServerFailure::Unavailable("it did not answer in time".to_owned());
        let mut answer = self.dispatcher.ask("orchestrator", message, within).ok_or_else(unavailable)?;
        match answer["error"]["message"].as_str() {
            Some(message) => {
                let code = answer["error"]["code"].as_i64().unwrap_or_default();
                Err(ServerFailure::Error { code, message: message.to_owned() })
            }
            None => Ok(answer["result"].take()),
        }
    }
}

impl From<OrchestratorError> for Failure {
    fn from(error: OrchestratorError) -> Self {
        Self::new(error.code(), error.to_string(), error.hint())
    }
}
