//! `mailkeep db mcp`: the analytics tools over one database file, with names and texts as their document has them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Subcommand};

use crate::cli::context::Context;
use crate::cli::environment;
use crate::cli::failure::Failure;
use crate::cli::mcp::{self, archive_pool_with};
use crate::home::Home;
use crate::server::{ErrorStyle, Level, MailService, RequestLog};
use crate::text_safety::one_line;
use crate::tools::{DbSettings, NameStyle, PROFILES, Selection, Toolbox};

/// Serve analytics and read-only SQL over one database
#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Mcp(Mcp),
}

/// Serve the db.* tools over MCP (standard input and output); reads only, no network
#[derive(Args)]
#[command(after_help = help())]
struct Mcp {
    /// Database file [default: $MAILKEEP_SQLITE_DB, else mail.db of the home]
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,

    /// Only the mail of this account [default: $MAILKEEP_IMAP_ADDRESS, else all]
    #[arg(long, value_name = "ADDRESS")]
    address: Option<String>,

    /// The most rows a call gives [default: $MAILKEEP_MCP_MAX_LIMIT, else 1000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_limit: Option<u64>,

    /// No notes on standard error [default: $MAILKEEP_QUIET, else notes]
    #[arg(long)]
    quiet: bool,
}

fn help() -> String {
    let tools = PROFILES.iter().filter(|profile| profile.name == "db").flat_map(|profile| profile.tools);
    let tools: Vec<_> = tools.map(|tool| format!("  {:<36} {}", tool.name, tool.title)).collect();
    format!(
        "Tools:\n{}\n\ndocs/db-tools.md has the parameters and results of each.\n\n\
         Example: mailkeep db mcp --database ~/mail.db --address ada@example.org --max-limit 500\n\
         Defaults come from MAILKEEP_SQLITE_DB, MAILKEEP_IMAP_ADDRESS, MAILKEEP_MCP_MAX_LIMIT and MAILKEEP_QUIET; \
         see .env.sample.",
        tools.join("\n")
    )
}

pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<ExitCode, Failure> {
    let Command::Mcp(arguments) = &arguments.command;
    let database =
        arguments.database.clone().or_else(|| environment::set("MAILKEEP_SQLITE_DB").map(PathBuf::from));
    let database = database.map(|file| absolute(&file));
    let home = database.as_deref().map_or_else(|| context.home.clone(), Home::with_store);
    let settings = settings(arguments.address.clone(), arguments.max_limit)?;
    context.settle_shield();
    let settings = DbSettings { raw: true, database, ..settings };
    let selection =
        Selection { profiles: vec!["db".to_owned()], names: NameStyle::Exact, ..Selection::default() };
    let service = MailService {
        toolbox: Toolbox::new(&selection)?,
        archives: Arc::new(archive_pool_with(home, context, settings)),
        error_style: ErrorStyle::JsonRpc,
        limits: None,
        instances: None,
        text_only: true,
        ends_on_shutdown: true,
        tasks: false,
        calls: None,
        escalation: None,
    };
    let mut log = RequestLog::new(None, context.clock.clone(), Level::Info);
    if !(arguments.quiet || is_quiet()) {
        environment::warn_of_second_names();
        log = log.on_stderr();
    }
    mcp::serve_logged(service, log)
}

/// What the `db` tools are told; what no option says, the environment does.
pub(super) fn settings(address: Option<String>, max_limit: Option<u64>) -> Result<DbSettings, Failure> {
    let usual = DbSettings::default();
    let max_limit = max_limit.map_or_else(max_limit_set, |limit| Ok(Some(limit)))?;
    Ok(DbSettings {
        address: address.or_else(|| environment::set("MAILKEEP_IMAP_ADDRESS")),
        max_limit: max_limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usual.max_limit),
        ..usual
    })
}

fn max_limit_set() -> Result<Option<u64>, Failure> {
    let Some(text) = environment::set("MAILKEEP_MCP_MAX_LIMIT") else { return Ok(None) };
    match text.parse() {
        Ok(limit) if limit > 0 => Ok(Some(limit)),
        _ => Err(Failure::new(
            "bad_environment",
            format!("MAILKEEP_MCP_MAX_LIMIT is `{}`, which is no number from 1 on", one_line(&text)),
            "set it to a number such as 1000, or leave it out",
        )),
    }
}

fn is_quiet() -> bool {
    environment::is_on("MAILKEEP_QUIET")
}

fn absolute(file: &Path) -> PathBuf {
    std::path::absolute(file).unwrap_or_else(|_| file.to_owned())
}
