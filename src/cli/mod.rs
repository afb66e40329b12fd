//! The command line: one file a command. The only place that builds the object graph, reads the terminal
//! and prints.

mod account;
mod approval;
mod audit;
mod background;
mod backup;
mod browser;
mod channel_settings;
mod completions;
mod config;
mod connect;
mod context;
mod controlling_terminal;
mod courier;
mod db;
mod count;
mod demo;
mod doctor;
mod drafts;
mod environment;
mod export;
mod extract_text;
mod factor;
mod failure;
mod forget;
mod guarded_sql;
mod help_table;
mod housekeeping;
mod import;
mod layout;
mod leaving;
mod man;
mod mcp;
mod message_list;
#[cfg(all(unix, not(target_os = "macos")))]
mod notices;
mod open;
mod orchestrate;
mod outbox;
mod output;
mod pager;
mod pages;
mod passkey_page;
mod query_words;
mod progress;
mod pusher;
mod reindex;
mod reports;
mod restore;
mod search;
mod search_json;
mod semantic;
mod serve;
mod service;
mod shield;
mod show;
mod signed_in;
mod smtp_settings;
mod sql;
mod stats;
mod status;
mod sync;
mod terminal;
mod typed;
mod verify;
mod watch_log;
mod welcome;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use context::Context;
use failure::Failure;
use output::Output;

/// What this program is called.
const NAME: &str = "mailkeep";

use crate::config::{Config, ConfigFile};
use crate::figures;
use crate::local_time;
use crate::model::Lane;

/// Your mail, kept on your own machine, found in milliseconds.
#[derive(Parser)]
#[command(name = NAME, version, max_term_width = help_table::WIDEST, arg_required_else_help = false)]
struct Arguments {
    /// Directory that holds the mail [default: $MAILKEEP_HOME, else the platform's data directory]
    #[arg(long, global = true, value_name = "DIR")]
    home: Option<PathBuf>,

    /// File with your preferences [default: $MAILKEEP_CONFIG, else `mailkeep/config.toml` in the platform's
    /// configuration directory]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Print JSON for scripts
    #[arg(long, global = true)]
    json: bool,

    /// Print long text at once, not a screen at a time
    #[arg(long, global = true)]
    no_pager: bool,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Demo(demo::Arguments),
    Account(account::Arguments),
    Sync(sync::Arguments),
    Import(import::Arguments),
    Search(search::Arguments),
    Count(count::Arguments),
    Show(show::Arguments),
    Drafts(drafts::Arguments),
    Outbox(outbox::Arguments),
    Open(open::Arguments),
    Orchestrate(orchestrate::Arguments),
    Approval(approval::Arguments),
    Audit(audit::Arguments),
    Export(export::Arguments),
    Forget(forget::Arguments),
    Sql(sql::Arguments),
    Db(db::Arguments),
    Stats(stats::Arguments),
    Status(status::Arguments),
    Connect(connect::Arguments),
    Config(config::Arguments),
    Doctor(doctor::Arguments),
    Shield(shield::Arguments),
    Verify(verify::Arguments),
    Backup(backup::Arguments),
    Restore(restore::Arguments),
    Reindex(reindex::Arguments),
    Mcp(mcp::Arguments),
    Serve(serve::Arguments),
    Completions(completions::Arguments),
    #[command(hide = true)]
    Man(man::Arguments),
    #[command(hide = true)]
    ExtractText(extract_text::Arguments),
    #[command(hide = true, name = crate::query::SQL_SUBCOMMAND)]
    GuardedSql,
}

impl Command {
    /// Whether it runs for long, starts other programs or sends: what it does not need there, nobody can take from it.
    const fn stays_or_sends(&self) -> bool {
        matches!(self, Self::Mcp(_) | Self::Serve(_) | Self::Outbox(_) | Self::Orchestrate(_) | Self::Sync(_))
    }
}

/// Runs the program; what `main` calls.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse_from(query_words::spelt_out(std::env::args_os())) {
        Ok(arguments) => arguments,
        Err(error) => return failure::usage(&error),
    };
    if let Some(Command::ExtractText(arguments)) = &arguments.command {
        return extract_text::run(arguments);
    }
    if let Some(Command::GuardedSql) = &arguments.command {
        return guarded_sql::run();
    }
    make_new_files_private();
    let json = arguments.json;
    start(arguments).unwrap_or_else(|failure| failure.report(json))
}

fn start(arguments: Arguments) -> Result<ExitCode, Failure> {
    let file = ConfigFile::find(arguments.config.or_else(config_variable));
    // A wrong file stops every command but the one that says what is wrong with it.
    let config = match arguments.command {
        Some(Command::Config(_)) => Config::default(),
        _ => file.load()?,
    };
    let output = Output::new(arguments.json);
    let output = if arguments.no_pager { output.without_pager() } else { output };
    let lane = lane_of(arguments.command.as_ref());
    if arguments.command.as_ref().is_some_and(Command::stays_or_sends) {
        environment::leave_foreign_credentials(lane)?;
    }
    let mut context = Context::new(arguments.home, file, config, output, lane)?;
    let code = run(arguments.command, &mut context)?;
    context.output.flush()?;
    Ok(code)
}

/// The channels that a command carries: those of a server that has the tools of one other channel, or of who sends on it.
fn lane_of(command: Option<&Command>) -> Lane {
    match command {
        Some(Command::Mcp(arguments)) => arguments.lane(),
        Some(Command::Outbox(arguments)) => arguments.lane(),
        _ => Lane::Mail,
    }
}

/// The file that the environment names.
fn config_variable() -> Option<PathBuf> {
    std::env::var_os("MAILKEEP_CONFIG").filter(|name| !name.is_empty()).map(Into::into)
}

/// The program as people know it, for completions and manual pages: commands that only we call are left out.
fn as_shown() -> clap::Command {
    let program = Arguments::command();
    let shown: Vec<_> = program.get_subcommands().filter(|command| !command.is_hide_set()).cloned().collect();
    let about = program.get_about().cloned().unwrap_or_default();
    let bare = clap::Command::new(NAME).about(about).version(env!("CARGO_PKG_VERSION"));
    bare.args(program.get_arguments().cloned()).subcommands(shown)
}

/// Mail is nobody else's business: everything this program creates is for its owner only.
fn make_new_files_private() {
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
}

fn run(command: Option<Command>, context: &mut Context) -> Result<ExitCode, Failure> {
    match command {
        None => welcome::run(context),
        Some(Command::Demo(arguments)) => demo::run(&arguments, context),
        Some(Command::Account(arguments)) => account::run(&arguments, context),
        Some(Command::Sync(arguments)) => sync::run(&arguments, context),
        Some(Command::Import(arguments)) => import::run(&arguments, context),
        Some(Command::Search(arguments)) => search::run(&arguments, context),
        Some(Command::Count(arguments)) => count::run(&arguments, context),
        Some(Command::Show(arguments)) => show::run(&arguments, context),
        Some(Command::Drafts(arguments)) => drafts::run(&arguments, context),
        Some(Command::Outbox(arguments)) => outbox::run(&arguments, context),
        Some(Command::Orchestrate(arguments)) => orchestrate::run(&arguments, context),
        Some(Command::Open(arguments)) => open::run(&arguments, context),
        Some(Command::Approval(arguments)) => approval::run(&arguments, context),
        Some(Command::Audit(arguments)) => audit::run(&arguments, context),
        Some(Command::Export(arguments)) => export::run(&arguments, context),
        Some(Command::Forget(arguments)) => forget::run(&arguments, context),
        Some(Command::Db(arguments)) => db::run(&arguments, context),
        Some(Command::Sql(arguments)) => sql::run(&arguments, context),
        Some(Command::Stats(arguments)) => stats::run(&arguments, context),
        Some(Command::Status(_)) => status::run(context),
        Some(Command::Connect(arguments)) => connect::run(&arguments, context),
        Some(Command::Doctor(_)) => doctor::run(context),
        Some(Command::Shield(arguments)) => shield::run(&arguments, context),
        Some(Command::Verify(_)) => verify::run(context),
        Some(Command::Backup(arguments)) => backup::run(&arguments, context),
        Some(Command::Restore(arguments)) => restore::run(&arguments, context),
        Some(Command::Reindex(arguments)) => reindex::run(&arguments, context),
        Some(Command::Serve(arguments)) => serve::run(&arguments, context),
        Some(Command::Completions(arguments)) => completions::run(&arguments, context),
        Some(Command::Man(arguments)) => man::run(&arguments, context),
        Some(Command::Mcp(arguments)) => mcp::run(&arguments, context),
        Some(Command::Config(arguments)) => config::run(&arguments, context),
        Some(Command::ExtractText(arguments)) => Ok(extract_text::run(&arguments)),
        Some(Command::GuardedSql) => Ok(guarded_sql::run()),
    }
}
