//! `serve --install` and `--uninstall`: a service of this user that starts with the machine and comes back when it ends.
//! Writes one file, says what it wrote and which commands it ran, and needs no rights that the user has not.

mod launchd;
mod systemd;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::json;

use crate::cli::context::Context;
use crate::cli::failure::Failure;

/// What was done, line by line.
struct Done {
    file: PathBuf,
    lines: Vec<String>,
}

/// Starts the server with the machine from now on, with these arguments behind `serve`.
pub(super) fn install(arguments: &[String], context: &mut Context) -> Result<ExitCode, Failure> {
    let words = command_line(arguments, context)?;
    let done = match cfg!(target_os = "macos") {
        true => launchd::install(&words)?,
        false => systemd::install(&words)?,
    };
    tell(&done, context)
}

/// Starts it with the machine no more.
pub(super) fn uninstall(context: &mut Context) -> Result<ExitCode, Failure> {
    let done = match cfg!(target_os = "macos") {
        true => launchd::uninstall()?,
        false => systemd::uninstall()?,
    };
    tell(&done, context)
}

fn tell(done: &Done, context: &mut Context) -> Result<ExitCode, Failure> {
    if context.output.is_json() {
        context.output.json(&json!({ "file": done.file.display().to_string(), "done": done.lines }))?;
    } else {
        for line in &done.lines {
            context.output.line(line)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The program by its whole path, and everything that made this call what it is: home and configuration.
fn command_line(arguments: &[String], context: &Context) -> Result<Vec<String>, Failure> {
    let program = std::env::current_exe().and_then(fs::canonicalize)?;
    let mut words = vec![as_text(&program)?];
    if context.home_is_named || std::env::var_os("MAILKEEP_HOME").is_some() {
        words.extend(["--home".to_owned(), as_text(&absolute(context.home.directory())?)?]);
    }
    if let Some(path) = context.config_file.path.as_ref().filter(|_| context.config_file.is_named) {
        words.extend(["--config".to_owned(), as_text(&absolute(path)?)?]);
    }
    words.push("serve".to_owned());
    words.extend_from_slice(arguments);
    Ok(words)
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    Ok(std::path::absolute(path)?)
}

fn as_text(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().filter(|text| !text.contains(['\n', '\r']));
    text.map(str::to_owned).ok_or_else(|| {
        let message = format!("`{}` cannot stand in a service file", path.display());
        Failure::new("service", message, "put mailkeep and its home where paths are plain text")
    })
}

/// The user's home directory.
fn user_home() -> Result<PathBuf, Failure> {
    let found = directories::BaseDirs::new().map(|base| base.home_dir().to_owned());
    found.ok_or_else(|| Failure::new("no_home", "this user has no home directory", "set HOME"))
}

fn write(file: &Path, text: &str) -> Result<String, Failure> {
    if let Some(directory) = file.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(file, text)?;
    Ok(format!("wrote    {}", file.display()))
}

/// Runs a command and says so; what it says when it fails.
fn ran(program: &str, arguments: &[&str]) -> Result<String, String> {
    let shown = format!("{program} {}", arguments.join(" "));
    match Command::new(program).args(arguments).output() {
        Ok(output) if output.status.success() => Ok(format!("ran      {shown}")),
        Ok(output) => {
            let told = String::from_utf8_lossy(&output.stderr);
            let told = crate::text_safety::one_line(told.trim());
            Err(format!("failed   {shown}: {told}"))
        }
        Err(error) => Err(format!("failed   {shown}: {error}")),
    }
}

/// Whether there is such a program.
fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}
