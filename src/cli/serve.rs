//! `mailkeep serve`: the tools over HTTP, for clients that do not start programs themselves.

use std::collections::HashMap;
use std::fs;
use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::audit::{self, CallLog};
use crate::cli::background::Background;
use crate::cli::context::Context;
use crate::cli::environment::Variables;
use crate::cli::failure::Failure;
use crate::cli::housekeeping::Housekeeping;
use crate::cli::mcp::{Choice, archives, call_limits, number, records, request_log, settings};
#[cfg(all(unix, not(target_os = "macos")))]
use crate::cli::notices;
use crate::cli::service;
use crate::cli::smtp_settings::SmtpSettings;
use crate::cli::{factor, leaving, orchestrate, pages, semantic};
use crate::config::Config;
use crate::model::Factor;
use crate::server::http::{self, Bounds, Endpoints, Guard, Listeners, Rest};
use crate::server::{Dispatcher, ErrorStyle, Level, MailService, RequestLog, ServerAddresses};
use crate::tools::registry::FULL;
use crate::tools::{ArchivePool, PROFILES, Selection, Toolbox};
use crate::web::PageAddress;

/// Serve your mail to assistants over HTTP on this machine
///
/// The tools of the chosen profile are at /mcp, every other profile at /mcp/PROFILE. Clients send the token that
/// stands in the home's `token` file. While it runs, it brings in news of the accounts that have a server.
#[derive(Args)]
#[command(after_help = "Example: mailkeep serve --listen 127.0.0.1:8025")]
pub(super) struct Arguments {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8025")]
    listen: SocketAddr,

    /// Ask for no token; only on loopback, and not where mail may leave without asking you
    #[arg(long)]
    no_token: bool,

    /// Bring in no mail meanwhile; the same as `[sync] background = false`
    #[arg(long)]
    no_sync: bool,

    /// Read SMTP_HOST and its like from this file, too
    #[arg(long, value_name = "FILE")]
    env_file: Option<PathBuf>,

    /// Start it with the machine, as a service of this user, and with these options
    #[arg(long, conflicts_with = "uninstall")]
    install: bool,

    /// Start it with the machine no more
    #[arg(long)]
    uninstall: bool,

    #[command(flatten)]
    choice: Choice,
}

impl Arguments {
    /// The options that a service is started with.
    fn kept(&self) -> Vec<String> {
        let mut words = vec!["--listen".to_owned(), self.listen.to_string()];
        for (name, is_set) in [("--no-token", self.no_token), ("--no-sync", self.no_sync)] {
            words.extend(is_set.then(|| name.to_owned()));
        }
        if let Some(file) = &self.env_file {
            let file = std::path::absolute(file).unwrap_or_else(|_| file.clone());
            words.extend(["--env-file".to_owned(), file.display().to_string()]);
        }
        words.extend(["--profile".to_owned(), self.choice.profile.join(",")]);
        if let Some(account) = self.choice.account() {
            words.extend(["--account".to_owned(), account.to_owned()]);
        }
        words
    }
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    if arguments.install {
        return service::install(&arguments.kept(), context);
    }
    if arguments.uninstall {
        return service::uninstall(context);
    }
    if let Some(file) = &arguments.env_file {
        context.variables = Variables::read(file, context.lane)?;
    }
    let token = token(arguments, context)?;
    let sends = context.variables.get("SMTP_HOST").is_some();
    let log = request_log(context, sends);
    log.log_crashes();
    let smtp = prepare_smtp(context, &log)?;
    context.settle_shield();
    let archives = archives(context, arguments.choice.account(), sends);
    let config = &context.config;
    let default =
        Dispatcher::new(service(arguments.choice.toolbox()?, &archives, config), &settings(), log.clone());
    let others = other_profiles(&archives, config, &default)?;
    let guard = Guard::new(token).open(arguments.no_token);
    let rest = others.get("smtp").filter(|_| smtp.is_some()).cloned();
    let endpoints = Endpoints::new(default, others, guard).within(bounds());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let background = Background::of(context, &log);
    let orchestrator = orchestrate::beside_server(context, &log, background.stop());
    let background = background.with_orchestrator(orchestrator);
    let listening = || runtime.block_on(listen(arguments, endpoints, rest, context));
    let served = background.beside(!arguments.no_sync, listening);
    archives.close();
    log.write(Level::Info, "server", "serve has ended");
    served
}

/// A server that the environment names must work from the start: a slip in it is told now and not with the first mail.
fn prepare_smtp(context: &Context, log: &RequestLog) -> Result<Option<SmtpSettings>, Failure> {
    let prepared = SmtpSettings::read(&context.variables).and_then(|settings| {
        if let Some(settings) = &settings {
            check_log_file(context)?;
            settings.test()?;
            settings.ensure_account(context)?;
        }
        Ok(settings)
    });
    match &prepared {
        Ok(Some(_)) => log.write(Level::Info, "server", "serve starts; the server of SMTP_HOST lets us in"),
        Ok(None) => log.write(Level::Info, "server", "serve starts"),
        Err(failure) => {
            log.write(Level::Error, "server", &format!("serve cannot start: {}", failure.message()))
        }
    }
    prepared
}

/// Nothing leaves whose record cannot be written, so that it had better be told now.
fn check_log_file(context: &Context) -> Result<(), Failure> {
    let Some(file) = records(context, true).log_file else { return Ok(()) };
    audit::check_log(&file).map_err(|error| {
        let message = format!("`LOG_FILE` cannot be written: `{}`: {error}", file.display());
        Failure::new("log_file", message, "name a file that you can write, or none")
    })
}

async fn listen(
    arguments: &Arguments,
    endpoints: Endpoints,
    rest: Option<Arc<Dispatcher>>,
    context: &mut Context,
) -> Result<ExitCode, Failure> {
    let listeners = Listeners::bind(arguments.listen).await.map_err(cannot_listen)?;
    let stop = Arc::new(Notify::new());
    let signal = Arc::clone(&stop);
    ctrlc::set_handler(move || signal.notify_one()).map_err(|error| {
        Failure::new("signals", format!("cannot listen to signals: {error}"), "run `mailkeep doctor`")
    })?;
    let address = listeners.address()?;
    let rest = rest.map(|dispatcher| Rest::new(dispatcher, address, context.clock.clone()));
    let endpoints = endpoints.with_rest(rest);
    // Who reaches it from elsewhere is not at this machine: there are no pages for them.
    let (endpoints, has_pages) = match listeners.is_localhost() {
        true => (endpoints.with_pages(pages::pages(context, address.port()).router()), true),
        false => (endpoints, false),
    };
    let url = format!("http://{address}/mcp");
    announce(&url, arguments, context)?;
    let origin = has_pages.then(|| PageAddress::at(address.port()).origin());
    announce_pages(origin.as_deref(), context)?;
    let pages = origin.map(|origin| format!("{origin}/outbox"));
    begin_notices(pages.as_deref(), context);
    let keeping = Housekeeping::begin(context, ServerAddresses { url, pages });
    http::serve(listeners, endpoints, async move { stop.notified().await }).await?;
    drop(keeping);
    Ok(ExitCode::SUCCESS)
}

/// Tells the person on their desktop what waits, where they have one and want it.
fn begin_notices(page: Option<&str>, context: &Context) {
    #[cfg(all(unix, not(target_os = "macos")))]
    if let Some(page) = page.filter(|_| context.config.outbox.notices) {
        notices::begin(context.home.clone(), page.to_owned());
    }
    #[cfg(not(all(unix, not(target_os = "macos"))))]
    let _ = (page, context);
}

fn cannot_listen((place, error): (SocketAddr, std::io::Error)) -> Failure {
    let hint = "another program may be there, and what you type on your pages could reach it; choose another port with \
                `--listen 127.0.0.1:0`";
    Failure::new("cannot_listen", format!("cannot listen on `{place}`: {error}"), hint)
}

/// Tells the person at this terminal where their pages are. Where only a click counts, with a link that lets them in;
/// elsewhere the page asks for the factor.
fn announce_pages(origin: Option<&str>, context: &mut Context) -> Result<(), Failure> {
    let Some(origin) = origin.filter(|_| std::io::stdout().is_terminal() && !context.output.is_json()) else {
        return Ok(());
    };
    let factor = factor::in_force(&leaving::approvals(context), &context.reader()?)?.factor;
    let page = match factor {
        Factor::Click => format!("{origin}/open/{}", pages::access(context).new_link()?.reveal()),
        Factor::Pin | Factor::Passkey => format!("{origin}/outbox"),
    };
    context.output.line(format!("pages    {page}"))?;
    Ok(context.output.flush()?)
}

fn announce(url: &str, arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    let token_file = context.home.token();
    if context.output.is_json() {
        return Ok(context.output.json(&json!({
            "url": url, "token_file": token_file.display().to_string(),
            "embedding_server": context.config.semantic.endpoint.url,
        }))?);
    }
    context.output.line(format!("serving  {url}"))?;
    if !arguments.no_token {
        context.output.line(format!("token    in {}", token_file.display()))?;
    }
    if let Some(url) = &context.config.semantic.endpoint.url {
        context.output.line(format!("meaning  {}", semantic::goes_to(url)))?;
    }
    context.output.line("Ctrl-C ends it")?;
    Ok(())
}

/// What clients of these tools get.
pub(super) fn service(toolbox: Toolbox, archives: &Arc<ArchivePool>, config: &Config) -> Arc<MailService> {
    Arc::new(MailService {
        limits: call_limits(&toolbox, &config.limits),
        toolbox,
        archives: Arc::clone(archives),
        error_style: ErrorStyle::Result,
        instances: None,
        text_only: false,
        ends_on_shutdown: false,
        tasks: config.mcp.tasks,
        calls: Some(CallLog::at(archives.home().calls())),
        escalation: None,
    })
}

/// Every profile by its name. All of them share the threads and the allowance of the default one.
fn other_profiles(
    archives: &Arc<ArchivePool>,
    config: &Config,
    default: &Arc<Dispatcher>,
) -> Result<HashMap<String, Arc<Dispatcher>>, Failure> {
    let names = PROFILES.iter().map(|profile| profile.name).chain([FULL]);
    let mut others = HashMap::new();
    for name in names {
        let selection = Selection { profiles: vec![name.to_owned()], ..Selection::default() };
        others.insert(name.to_owned(), default.beside(service(Toolbox::new(&selection)?, archives, config)));
    }
    Ok(others)
}

/// What is set by the environment.
fn bounds() -> Bounds {
    let mut bounds = Bounds::default();
    if let Some(milliseconds) = number("MAILKEEP_HTTP_TIME_MS") {
        bounds.patience = Duration::from_millis(milliseconds);
    }
    bounds
}

/// The token that clients must know; made when there is none.
fn token(arguments: &Arguments, context: &Context) -> Result<String, Failure> {
    if arguments.no_token && !arguments.listen.ip().is_loopback() {
        return Err(Failure::new(
            "token_needed",
            format!("without a token everybody who reaches `{}` could read the mail", arguments.listen),
            "leave out `--no-token`, or listen on 127.0.0.1",
        ));
    }
    let path = context.home.token();
    match fs::read_to_string(&path) {
        Ok(token) if !token.trim().is_empty() => Ok(token.trim().to_owned()),
        _ => new_token(&path),
    }
}

fn new_token(path: &Path) -> Result<String, Failure> {
    let token = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    // A new file, because an old one would keep its permissions.
    let _ = fs::remove_file(path);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)?.write_all(token.as_bytes())?;
    Ok(token)
}
