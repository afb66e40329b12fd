//! `mailkeep mcp`: the tools for an assistant, over standard input and output.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::audit::CallLog;
use crate::cli::channel_settings;
use crate::cli::context::Context;
use crate::cli::courier::{AtOnce, Beside};
use crate::cli::db;
use crate::cli::environment::{self, Variables};
use crate::cli::failure::Failure;
use crate::cli::help_table;
use crate::cli::leaving;
use crate::cli::pusher::Pusher;
use crate::cli::signed_in;
use crate::cli::smtp_settings::SmtpSettings;
use crate::config::LimitSettings;
use crate::home::Home;
use crate::model::{Audience, Lane, SendRecords};
use crate::query::Archive;
use crate::server::{
    CallLimits, Dispatcher, Ending, ErrorStyle, Escalation, Frames, InstanceLimit, Level, MailService,
    RequestLog, Settings, pages_address, serve,
};
use crate::tools::registry::{SelectionError, has_fields_in_result};
use crate::tools::{ArchivePool, DbSettings, NameStyle, PROFILES, PageAddress, Profile, Selection, Toolbox};

/// Serve your mail to an AI assistant over MCP (standard input and output)
///
/// Assistants start this by themselves once `mailkeep connect CLIENT` has told them how.
#[derive(Args)]
#[command(after_help = tools_by_profile())]
pub(super) struct Arguments {
    #[command(flatten)]
    pub(super) choice: Choice,

    /// How errors of tools are told
    #[arg(long, value_enum, default_value_t = Style::Result)]
    error_style: Style,

    /// Read SMTP_HOST and its like from this file, too
    #[arg(long, value_name = "FILE")]
    env_file: Option<PathBuf>,
}

/// Which tools are served.
#[derive(Args, Clone)]
pub(super) struct Choice {
    /// Sets of tools, separated by commas
    #[arg(long, value_name = "PROFILE", value_delimiter = ',', default_value = "core")]
    pub(super) profile: Vec<String>,

    /// Only these tools
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    tools: Vec<String>,

    /// Not these tools
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    disable: Vec<String>,

    /// Only tools that change nothing
    #[arg(long)]
    read_only: bool,

    /// The account that mail leaves from where a tool names none [default: SMTP_USER, or the only one]
    #[arg(long, value_name = "ADDRESS")]
    account: Option<String>,

    /// How names with dots are spelt in the list
    #[arg(long, value_enum, default_value_t = Names::Safe)]
    tool_names: Names,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Names {
    /// As every client takes them
    Safe,
    /// As the tools' documents write them
    Exact,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Style {
    /// As results that models can read
    Result,
    /// As errors of JSON-RPC
    Jsonrpc,
}

impl Arguments {
    /// The channels whose tools alone are served.
    pub(super) fn lane(&self) -> Lane {
        match self.choice.profile.as_slice() {
            [one] => Lane::of_profile(one),
            _ => Lane::Mail,
        }
    }
}

impl Choice {
    fn selection(&self) -> Selection {
        Selection {
            profiles: self.profile.clone(),
            only: self.tools.clone(),
            without: self.disable.clone(),
            read_only: self.read_only,
            names: if self.tool_names == Names::Exact { NameStyle::Exact } else { NameStyle::Safe },
        }
    }

    /// The account that mail leaves from where a tool names none.
    pub(super) fn account(&self) -> Option<&str> {
        self.account.as_deref()
    }

    /// The tools that were chosen.
    pub(super) fn toolbox(&self) -> Result<Toolbox, Failure> {
        Ok(Toolbox::new(&self.selection())?)
    }
}

impl From<SelectionError> for Failure {
    fn from(error: SelectionError) -> Self {
        Self::new("bad_profile", error.to_string(), error.hint())
    }
}

fn tools_by_profile() -> String {
    let tools = |profile: &Profile| profile.tools.iter().map(|tool| tool.name).collect::<Vec<_>>().join(", ");
    let profiles = PROFILES.iter().map(|profile| (profile.name, tools(profile)));
    let rows: Vec<_> = profiles.chain([("full", "all of them".to_owned())]).collect();
    let table = help_table::table(rows.iter().map(|(name, tools)| (*name, tools.as_str())), 9);
    format!("Profiles:\n{table}\n\nExample: mailkeep mcp --profile core --read-only")
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    environment::warn_of_second_names();
    if let Some(file) = &arguments.env_file {
        context.variables = Variables::read(file, context.lane)?;
    }
    prepare_sender(context);
    let toolbox = arguments.choice.toolbox()?;
    let limits = call_limits(&toolbox, &context.config.limits);
    context.settle_shield();
    let sends = arguments.choice.profile == ["smtp"];
    let archives = archives(context, arguments.choice.account(), sends);
    let service = MailService {
        toolbox,
        archives: Arc::clone(&archives),
        error_style: if arguments.error_style == Style::Jsonrpc {
            ErrorStyle::JsonRpc
        } else {
            ErrorStyle::Result
        },
        limits,
        instances: Some(InstanceLimit::new(most_processes(), context.clock.clone())),
        text_only: false,
        ends_on_shutdown: false,
        tasks: context.config.mcp.tasks,
        calls: Some(CallLog::at(context.home.calls())),
        escalation: escalation(arguments, context),
    };
    let sending = Beside::begin(context, service.escalation.clone());
    let served = serve_logged(service, request_log(context, sends));
    drop(sending);
    served
}

/// The account that the environment names is there before the first call. What is wrong with it is told and keeps nobody
/// from reading mail.
fn prepare_sender(context: &Context) {
    let prepared = match context.lane {
        Lane::Mail => SmtpSettings::read(&context.variables).and_then(|settings| match settings {
            Some(settings) => settings.ensure_account(context),
            None => Ok(()),
        }),
        _ => channel_settings::ensure_account(context),
    };
    if let Err(failure) = prepared {
        context.output.note(failure.message());
    }
}

/// Notes in the owner's vault, which the profiles `email`, `whatsapp` and `linkedin` have where there is a vault.
fn escalation(arguments: &Arguments, context: &Context) -> Option<Escalation> {
    let escalates = matches!(arguments.choice.profile.as_slice(), [one] if has_fields_in_result(one));
    let vault = context.vault().filter(|_| escalates)?;
    Some(Escalation::new(&vault, settings().call_time, context.clock.clone()))
}

/// The limits of the profile and those of the owner's.
pub(super) fn call_limits(toolbox: &Toolbox, owners: &LimitSettings) -> Option<CallLimits> {
    let LimitSettings { calls_per_minute, calls_per_hour } = *owners;
    let own = toolbox.is_profile("assistant").then(CallLimits::for_assistant);
    if own.is_none() && calls_per_minute.is_none() && calls_per_hour.is_none() {
        return None;
    }
    let number = |limit: Option<NonZeroU32>| limit.and_then(|limit| usize::try_from(limit.get()).ok());
    let none = || CallLimits::new(Vec::new());
    Some(own.unwrap_or_else(none).and(number(calls_per_minute), number(calls_per_hour)))
}

/// Serves until the input ends or a signal comes.
pub(super) fn serve_logged(service: MailService, log: RequestLog) -> Result<ExitCode, Failure> {
    log.log_crashes();
    let archives = Arc::clone(&service.archives);
    let dispatcher = Dispatcher::new(Arc::new(service), &settings(), log);
    let ending = Ending::default();
    let signal = ending.teller();
    ctrlc::set_handler(move || {
        let _ = signal.try_send(());
    })
    .map_err(|error| {
        Failure::new("signals", format!("cannot listen to signals: {error}"), "run `mailkeep doctor`")
    })?;
    keep_clean(&archives);
    serve(&dispatcher, Frames { input: std::io::stdin(), output: std::io::stdout() }, ending);
    archives.close();
    Ok(ExitCode::SUCCESS)
}

/// Opens the archive while the client is still shaking hands, and deletes saved files when their hour is over.
fn keep_clean(archives: &Arc<ArchivePool>) {
    const MINUTE: Duration = Duration::from_secs(60);
    let archives = Arc::clone(archives);
    std::thread::spawn(move || {
        archives.prepare();
        loop {
            archives.sweep();
            archives.seal_calls();
            std::thread::sleep(MINUTE);
        }
    });
}

/// What tools of this home have before them. Never migrates, never indexes: that is for commands of the person's. What
/// tools change goes to the servers at once.
pub(super) fn archives(context: &Context, account: Option<&str>, sends: bool) -> Arc<ArchivePool> {
    let settings = db::settings(None, None).unwrap_or_else(|failure| {
        context.output.note(failure.message());
        DbSettings::default()
    });
    let pool = archive_pool_with(context.home.clone(), context, settings);
    let pool =
        pool.with_sign_in(signed_in::asker(context)).with_attach_from(context.config.drafts.directories());
    let pool = pool.with_proposals(leaving::proposals(context)).with_page(page(&context.home));
    let own = || leaving::routes(context).environment.map(|server| server.user);
    let pool = pool.with_sender(account.map(str::to_owned).or_else(own));
    let pool = pool.with_records(records(context, sends)).with_vault(context.vault());
    let pool = pool.with_courier(Box::new(AtOnce::of(context)));
    Arc::new(pool.with_pusher(Box::new(Pusher::of(context))))
}

/// Where lines about sending are wanted: in the vault that there is, and for a server that `sends` as its document says
/// in its log.
pub(super) fn records(context: &Context, sends: bool) -> SendRecords {
    let path = |name: &str| context.variables.get(name).and_then(|path| std::path::absolute(path).ok());
    if context.lane != Lane::Mail {
        return SendRecords::default();
    }
    SendRecords { vault: context.vault(), log_file: path("LOG_FILE").filter(|_| sends) }
}

/// Where the person decides, as long as a `serve` of this home runs.
fn page(home: &Home) -> PageAddress {
    let clients = home.clients();
    Box::new(move || pages_address(&clients))
}

/// The same for any home.
pub(super) fn archive_pool_with(home: Home, context: &Context, settings: DbSettings) -> ArchivePool {
    let clock = context.clock.clone();
    let open = {
        let (home, clock, models) = (home.clone(), clock.clone(), Arc::clone(&context.models));
        move || {
            let archive = Archive::open(&home, Audience::Assistant, clock.clone(), Context::extractor())?;
            Ok(archive.with_models(&models))
        }
    };
    ArchivePool::new(home, clock, Box::new(open)).with_db(settings)
}

/// The log of the server, in the platform's log directory unless `LOG_FILE` says otherwise. For a server that `sends` as
/// its document says, `LOG_FILE` gets a line for each attempt instead.
pub(super) fn request_log(context: &Context, sends: bool) -> RequestLog {
    let named = context.variables.get("LOG_FILE").filter(|_| !sends).map(PathBuf::from);
    let path =
        named.or_else(|| crate::home::log_directory().map(|directory| directory.join("mcp-server.log")));
    let least = match context.variables.get("LOG_LEVEL").unwrap_or_default().to_lowercase().as_str() {
        "debug" => Level::Debug,
        "warn" | "warning" => Level::Warning,
        "error" => Level::Error,
        _ => Level::Info,
    };
    let log = RequestLog::new(path, context.clock.clone(), least);
    if is_debug() { log.debugging() } else { log }
}

/// What is set by the environment.
pub(super) fn settings() -> Settings {
    let mut settings = Settings { debug: is_debug(), ..Settings::default() };
    if let Some(milliseconds) = number("MAILKEEP_CALL_TIME_MS") {
        settings.call_time = Duration::from_millis(milliseconds);
    }
    settings
}

pub(super) fn most_processes() -> usize {
    number("MAILKEEP_MAX_CONNECTIONS").and_then(|number| usize::try_from(number).ok()).unwrap_or(5)
}

/// Whether requests and answers are written down whole, for who looks for a mistake.
fn is_debug() -> bool {
    environment::is_on("MAILKEEP_MCP_DEBUG") || environment::is_on("MAILKEEP_DEBUG")
}

pub(super) fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.trim().parse().ok()
}
