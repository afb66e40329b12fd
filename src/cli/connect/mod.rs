//! `mailkeep connect`: writes the entry that starts our server into a client's own configuration, and takes it
//! out again. Changes that one entry and nothing else; what it cannot change safely it leaves alone.

mod clients;
mod config_file;
mod diff;
mod document;
mod entry;
mod list;
mod places;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::{factor, leaving};
use crate::model::Factor;
use crate::store::Reader;
use crate::text_safety::many_lines;

use clients::{CLAUDE_CODE, CLIENTS, Client};
use config_file::ConfigFile;
use document::Refusal;
use entry::{Entry, Server};
use places::Places;

pub(super) use entry::program;
pub(super) use list::{Connection, connected_clients};

/// Connect an assistant to your mail, or list those that are connected
#[derive(Args, Clone)]
#[command(after_help = "Example: mailkeep connect claude-desktop --dry-run")]
pub(super) struct Arguments {
    /// Client whose configuration gets the entry; without one, all are listed
    #[arg(value_parser = ClientName)]
    client: Option<String>,

    /// List the clients: which are installed, which are connected
    #[arg(long, conflicts_with = "client")]
    list: bool,

    /// Show what would change, and change nothing
    #[arg(long, requires = "client")]
    dry_run: bool,

    /// Take the entry out again
    #[arg(long, requires = "client")]
    remove: bool,

    /// Tools the server offers [default: core]
    #[arg(long, value_name = "PROFILE", value_parser = profile, requires = "client", conflicts_with = "remove")]
    profile: Option<String>,

    /// Name of the entry
    #[arg(long, value_name = "NAME", default_value = "mailkeep", value_parser = name)]
    name: String,

    /// Write, or take out, three entries instead: `email-mcp`, `whatsapp-mcp` and `linkedin-mcp`, each a process of its own
    #[arg(long, requires = "client", conflicts_with_all = ["profile", "name"])]
    channels: bool,

    /// Write to `.mcp.json` in this directory, for this project only (Claude Code)
    #[arg(long, requires = "client")]
    project: bool,
}

/// Any text; help and completions list the clients there are, and what is none of them gets an answer of ours.
#[derive(Clone)]
struct ClientName;

impl TypedValueParser for ClientName {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(CLIENTS.iter().map(|client| PossibleValue::new(client.id))))
    }
}

/// The names that every client takes.
fn name(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match (1..=64).contains(&text.len()) && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err("use 1 to 64 letters, digits, `-` and `_`".to_owned()),
    }
}

fn profile(text: &str) -> Result<String, String> {
    match text.split(',').all(|part| name(part).is_ok()) {
        true => Ok(text.to_owned()),
        false => Err("name one profile, or several with commas between them".to_owned()),
    }
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<ExitCode, Failure> {
    let places = Places::here()
        .ok_or_else(|| Failure::new("no_home", "this user has no home directory", "set HOME to one"))?;
    let Some(client) = &arguments.client else {
        list::print(context, &places)?;
        return Ok(ExitCode::SUCCESS);
    };
    let client = Client::named(client).ok_or_else(|| unknown(client))?;
    let path = path(client, &places, arguments.project)?;
    if !arguments.remove && !arguments.project && !client.is_installed(&places) {
        context.output.note(&format!("{} does not seem to be installed here", client.title));
    }
    let file = ConfigFile::read(path)?;
    let changes = changes(client, &file, arguments, context)?;
    carry_out(&changes, &file, arguments, context)?;
    if arguments.channels && !arguments.remove && !context.output.is_json() {
        context.output.line(CREDENTIALS_ADVICE)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What is to be done, one entry after the other on the same text.
fn changes(
    client: &'static Client,
    file: &ConfigFile,
    arguments: &Arguments,
    context: &Context,
) -> Result<Vec<Change>, Failure> {
    let mut changes: Vec<Change> = Vec::new();
    for entry in entries(arguments) {
        let text = newest(&changes).unwrap_or(file.text());
        changes.push(Change::new(client, file, text, &entry, context)?);
    }
    Ok(changes)
}

/// The text that all of them together make; nothing when all is as it should be.
fn newest(changes: &[Change]) -> Option<&str> {
    changes.iter().rev().find_map(|change| change.text.as_deref())
}

/// Writes the new text, once, or shows it, and tells about each entry.
fn carry_out(
    changes: &[Change],
    file: &ConfigFile,
    arguments: &Arguments,
    context: &mut Context,
) -> Result<(), Failure> {
    let text = newest(changes);
    let diff = text.filter(|_| arguments.dry_run).map(|text| diff::unified(file.path(), file.text(), text));
    let backup = match text.filter(|_| !arguments.dry_run) {
        Some(text) => file.replace(text, context.clock.now())?,
        None => None,
    };
    let done = Done { diff, backup };
    if context.output.is_json() {
        let all: Vec<_> = changes.iter().map(|change| change.json(file, arguments, &done)).collect();
        match all.as_slice() {
            [one] if !arguments.channels => context.output.json(one)?,
            all => context.output.json(&json!({ "entries": all }))?,
        }
        return Ok(());
    }
    match &done.diff {
        Some(diff) => context.output.line(many_lines(diff.trim_end_matches('\n')))?,
        None => {
            let is_click = is_click(context);
            changes.iter().try_for_each(|change| context.output.line(change.told(file, is_click)))?;
        }
    }
    if let Some(backup) = &done.backup {
        context.output.line(format!("the file as it was: {}", backup.display()))?;
    }
    Ok(())
}

/// The channels as servers of their own, under the names that the document of these profiles gives them.
const CHANNELS: [(&str, &str); 3] =
    [("email-mcp", "email"), ("whatsapp-mcp", "whatsapp"), ("linkedin-mcp", "linkedin")];
/// Entries hold no secrets.
const CREDENTIALS_ADVICE: &str = "\
each reads its own credentials from a file beside the configuration (`mailkeep config path`) and never another's: \
`.env` (SMTP_HOST, SMTP_USER, SMTP_PASS), `whatsapp.env` (WHATSAPP_ACCESS_TOKEN, WHATSAPP_PHONE_NUMBER_ID), `linkedin.env` \
(LINKEDIN_ACCESS_TOKEN, LINKEDIN_AUTHOR_URN)";

/// What is asked for, one entry each.
fn entries(arguments: &Arguments) -> Vec<Arguments> {
    if !arguments.channels {
        return vec![arguments.clone()];
    }
    let entry = |(name, profile): (&str, &str)| Arguments {
        name: name.to_owned(),
        profile: (!arguments.remove).then(|| profile.to_owned()),
        ..arguments.clone()
    };
    CHANNELS.into_iter().map(entry).collect()
}

fn path(client: &Client, places: &Places, project: bool) -> Result<PathBuf, Failure> {
    if !project {
        return Ok(client.file(places));
    }
    if client.id != CLAUDE_CODE {
        let message = format!("{} has no `.mcp.json` of a project", client.title);
        return Err(Failure::new("no_project", message, "leave out `--project`, or connect `claude-code`"));
    }
    Ok(std::env::current_dir()?.join(".mcp.json"))
}

fn unknown(name: &str) -> Failure {
    let message = format!("there is no client `{name}`; did you mean `{}`?", Client::nearest(name).id);
    let known = CLIENTS.iter().map(|client| client.id).collect::<Vec<_>>().join(", ");
    Failure::new("unknown_client", message, format!("the clients are: {known}"))
}

/// Why a configuration stays as it is.
fn invalid(file: &ConfigFile, error: &Refusal) -> Failure {
    let place = error.place.map_or(String::new(), |(line, column)| format!("line {line}, column {column}: "));
    let message = format!("`{}` cannot be used: {place}{}", file.path().display(), error.message);
    Failure::new("config_invalid", message, "correct it there and try again; nothing was changed")
}

/// Whether a yes asks for nothing that only the person has; so does one in a home that cannot be read yet.
fn is_click(context: &Context) -> bool {
    let reader = Reader::open_or_empty(&context.home.store()).ok();
    let in_force = reader.and_then(|reader| factor::in_force(&leaving::approvals(context), &reader).ok());
    in_force.is_none_or(|in_force| in_force.factor == Factor::Click)
}

/// A program that runs commands as this user could say yes in this user's place.
const SHELL_ADVICE: &str = "\nit can run commands as you, so it can also type your yes. A factor that it does not have keeps it from approving what \
     it proposes: a PIN (`mailkeep approval set-pin`), or better a passkey (`mailkeep approval passkey add`)";

/// How a client and we stand afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Connected,
    Updated,
    AlreadyConnected,
    Removed,
    NotConnected,
}

/// What is to be done to a configuration.
struct Change {
    client: &'static Client,
    name: String,
    server: Option<Server>,
    /// The new text; nothing when all is as it should be.
    text: Option<String>,
    state: State,
}

/// What became of a configuration.
struct Done {
    diff: Option<String>,
    backup: Option<PathBuf>,
}

impl Change {
    /// A change of a text of this file.
    fn new(
        client: &'static Client,
        file: &ConfigFile,
        before: &str,
        arguments: &Arguments,
        context: &Context,
    ) -> Result<Self, Failure> {
        let path = [client.section, arguments.name.as_str()];
        let name = arguments.name.clone();
        let failed = |error: Refusal| invalid(file, &error);
        if arguments.remove {
            let text = client.format.remove(before, &path).map_err(failed)?;
            let state = if text.is_some() { State::Removed } else { State::NotConnected };
            return Ok(Self { client, name, server: None, text, state });
        }
        let server = Server::new(context, arguments.profile.as_deref())?;
        let known = client.format.entries(before, path[0]).map_err(failed)?.contains_key(path[1]);
        let entry = Entry::new(client.shape, path[1], &server);
        let text = entry.put(client.format, before, path).map_err(failed)?;
        let state = match (&text, known) {
            (None, _) => State::AlreadyConnected,
            (Some(_), true) => State::Updated,
            (Some(_), false) => State::Connected,
        };
        Ok(Self { client, name, server: Some(server), text, state })
    }

    fn json(&self, file: &ConfigFile, arguments: &Arguments, done: &Done) -> Value {
        let entry =
            self.server.as_ref().map(|server| json!({ "command": server.command, "args": server.args }));
        json!({
            "client": self.client.id, "name": self.name, "file": file.path().display().to_string(),
            "state": self.state, "dry_run": arguments.dry_run, "entry": entry, "diff": done.diff,
            "backup": done.backup.as_ref().map(|backup| backup.display().to_string()),
        })
    }

    /// What was done. Who could click in the person's place is told about as long as a click is a yes.
    fn told(&self, file: &ConfigFile, is_click: bool) -> String {
        let advice = if is_click && self.client.has_shell() { SHELL_ADVICE } else { "" };
        let (title, file, name) = (self.client.title, file.path(), &self.name);
        let shown = file.display();
        match self.state {
            State::Removed => format!("{title} is no longer connected: `{name}` is gone from {shown}"),
            State::NotConnected => match list::names(self.client, file).as_slice() {
                [] => format!("{title} is not connected: there is no `{name}` in {shown}"),
                [other, ..] => format!("there is no `{name}` in {shown}, but `{other}`: add --name {other}"),
            },
            State::AlreadyConnected => format!("{title} is already connected as `{name}` in {shown}{advice}"),
            State::Connected => {
                format!(
                    "{title} is connected: `{name}` is in {shown}\nrestart {title} so that it reads it{advice}"
                )
            }
            State::Updated => {
                format!(
                    "{title} is up to date: `{name}` was changed in {shown}\nrestart {title} so that it reads it{advice}"
                )
            }
        }
    }
}
