//! `mailkeep config`: the settings in force, where they come from, what is wrong with them.

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Value, json};

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::orchestrate::GMAIL;
use crate::cli::output::Output;
use crate::config::{self, Config, ConfigFile};

/// Show and check your preferences
#[derive(clap::Args)]
#[command(after_help = "Example: mailkeep config check")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Copy, Subcommand)]
enum Command {
    /// Print every setting that is in force, and whether the file or the program says so
    Show,
    /// Print where the file is
    Path,
    /// Say what is wrong with the file, by line and column
    Check,
    /// Print the page that explains every setting
    Reference,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let Context { config_file: file, output, .. } = context;
    match arguments.command {
        Command::Show => show(file, output)?,
        Command::Path => path(file, output)?,
        Command::Check => check(file, output)?,
        Command::Reference => output.line(config::reference().trim_end())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn path(file: &ConfigFile, output: &mut Output) -> Result<(), Failure> {
    let shown = shown_path(file)?;
    let is_there = file.path.as_ref().is_some_and(|path| path.exists());
    if output.is_json() {
        return Ok(output.json(&json!({"path": shown, "exists": is_there}))?);
    }
    output.line(shown)?;
    if !is_there {
        output.note("there is no such file yet; everything has its default");
    }
    Ok(())
}

fn shown_path(file: &ConfigFile) -> Result<String, Failure> {
    let no_home = || {
        Failure::new(
            "no_home",
            "this user has no configuration directory",
            "name a file with `--config FILE`",
        )
    };
    Ok(file.path.as_ref().ok_or_else(no_home)?.display().to_string())
}

fn check(file: &ConfigFile, output: &mut Output) -> Result<(), Failure> {
    let warnings = warnings(&file.load()?);
    let shown = shown_path(file)?;
    if output.is_json() {
        return Ok(output.json(&json!({"path": shown, "ok": true, "warnings": warnings}))?);
    }
    if warnings.is_empty() {
        return Ok(output.line(format!("{shown}: nothing is wrong"))?);
    }
    Ok(warnings.iter().try_for_each(|warning| output.line(format!("{shown}: {warning}")))?)
}

/// What may stand there, and does nothing.
fn warnings(config: &Config) -> Vec<String> {
    let orchestrator = &config.orchestrator;
    let unused = orchestrator.servers.keys().filter(|name| *name != GMAIL);
    let mut warnings: Vec<_> = unused
        .map(|name| {
            format!("no tool of `{name}` under `orchestrator.servers` is ever called; only `{GMAIL}` is")
        })
        .collect();
    if orchestrator.servers.contains_key(GMAIL) && orchestrator.label.is_empty() {
        warnings
            .push(format!("`orchestrator.servers` names `{GMAIL}`, which is called only if `label` is set"));
    }
    warnings
}

fn show(file: &ConfigFile, output: &mut Output) -> Result<(), Failure> {
    let text = file.read()?;
    let written: toml::Table = toml::from_str(&text).unwrap_or_default();
    let settings: Vec<_> = config::values(&file.load()?)
        .into_iter()
        .map(|(key, value)| (key, value, if is_written(&written, key) { "file" } else { "default" }))
        .collect();
    if output.is_json() {
        return Ok(output.json(&json!({"path": shown_path(file)?, "settings": as_json(&settings)}))?);
    }
    let mut section = "";
    for (key, value, from) in &settings {
        let (here, name) = key.rsplit_once('.').unwrap_or(("", key));
        if here != section {
            output.line(format!("{}[{here}]", if section.is_empty() { "" } else { "\n" }))?;
            section = here;
        }
        let line = setting_line(name, value, from);
        output.line(line)?;
    }
    Ok(())
}

/// A line as it may stand in the file; what the owner did not write is a comment there.
fn setting_line(name: &str, value: &Value, from: &str) -> String {
    let sign = if from == "file" { "" } else { "# " };
    format!("{sign}{name} = {}", config::shown(value))
}

fn as_json(settings: &[(&str, Value, &str)]) -> Vec<Value> {
    let line = |(key, value, from): &(&str, Value, &str)| json!({"key": key, "value": value, "from": from});
    settings.iter().map(line).collect()
}

fn is_written(table: &toml::Table, key: &str) -> bool {
    let (name, rest) = key.split_once('.').unwrap_or((key, ""));
    match table.get(name) {
        Some(toml::Value::Table(inner)) => is_written(inner, rest),
        other => other.is_some() && rest.is_empty(),
    }
}
