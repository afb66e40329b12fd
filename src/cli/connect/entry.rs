//! The entry that tells a client how to start the server. It holds no secret: a program and its arguments.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::clients::Shape;
use super::document::{Format, Fresh, Refusal};
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::home::Home;

/// The profile the server has when none is named.
const STANDARD_PROFILE: &str = "core";
/// Fields of a server that is reached over the network; an entry of ours cannot stand beside them.
const REMOTE: [&str; 5] = ["url", "uri", "httpUrl", "serverUrl", "headers"];

/// How the server is started.
#[derive(Debug, Clone)]
pub(super) struct Server {
    pub(super) command: String,
    pub(super) args: Vec<String>,
}

impl Server {
    /// This very program, on this home, with this profile; what is standard is left out.
    pub(super) fn new(context: &Context, profile: Option<&str>) -> Result<Self, Failure> {
        let mut args = vec!["mcp".to_owned()];
        if let Some(home) = unusual_home(&context.home) {
            args.extend(["--home".to_owned(), in_text(&home)?]);
        }
        if let Some(profile) = profile.filter(|profile| *profile != STANDARD_PROFILE) {
            args.extend(["--profile".to_owned(), profile.to_owned()]);
        }
        Ok(Self { command: in_text(&program()?)?, args })
    }
}

/// The absolute path of the running program: the one a person has in their `PATH` if it leads to it, since that
/// one outlives an upgrade.
pub(in crate::cli) fn program() -> Result<PathBuf, Failure> {
    let running = std::env::current_exe().map_err(|error| {
        let message = format!("cannot find out where this program is: {error}");
        Failure::new("no_program", message, "start it by its full path")
    })?;
    let name = running.file_name().unwrap_or_default();
    let directories = std::env::var_os("PATH").unwrap_or_default();
    let known = std::env::split_paths(&directories)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(name))
        .find(|path| path.exists())
        .filter(|path| is_same(path, &running));
    Ok(known.unwrap_or(running))
}

/// The home, when it is not the one the server would use by itself.
fn unusual_home(home: &Home) -> Option<PathBuf> {
    let own = std::path::absolute(home.directory()).unwrap_or_else(|_| home.directory().to_owned());
    let is_standard = Home::standard()
        .is_some_and(|standard| standard.directory() == own || is_same(standard.directory(), &own));
    (!is_standard).then_some(own)
}

fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn in_text(path: &Path) -> Result<String, Failure> {
    path.to_str().map(ToOwned::to_owned).ok_or_else(|| {
        let message = format!("`{}` is not UTF-8, and no configuration can hold it", path.display());
        Failure::new("no_text", message, "move it to a path in plain letters")
    })
}

/// The fields of an entry.
pub(super) struct Entry {
    /// What must be so.
    fixed: Vec<(&'static str, Value)>,
    /// What is so at first, and then the person's choice.
    at_first: Vec<(&'static str, Value)>,
}

impl Entry {
    pub(super) fn new(shape: Shape, name: &str, server: &Server) -> Self {
        let run = |command| vec![(command, json!(server.command)), ("args", json!(server.args))];
        let led_by = |key, value| [vec![(key, json!(value))], run("command")].concat();
        let (fixed, at_first) = match shape {
            Shape::Plain => (run("command"), vec![]),
            Shape::Typed => (led_by("type", "stdio"), vec![]),
            Shape::Zed => (led_by("source", "custom"), vec![]),
            Shape::Copilot => (led_by("type", "stdio"), vec![("tools", json!(["*"]))]),
            Shape::Goose => (
                [vec![("type", json!("stdio"))], run("cmd")].concat(),
                vec![
                    ("name", json!(name)),
                    ("description", json!("Your mail, kept on your own machine")),
                    ("enabled", json!(true)),
                    ("envs", json!({})),
                    ("timeout", json!(300)),
                ],
            ),
        };
        Self { fixed, at_first }
    }

    /// The text with this entry at the path; nothing when it is there already. Of an entry that starts a program
    /// only what must change is changed, so that what a person added to it stays.
    pub(super) fn put(&self, format: Format, text: &str, path: [&str; 2]) -> Result<Option<String>, Refusal> {
        let entries = format.entries(text, path[0])?;
        let Some(old) = entries.get(path[1]).and_then(Value::as_object).filter(|old| self.can_change(old))
        else {
            return format.set(text, &path, &self.fresh()).map(Some);
        };
        let mut changed = None;
        for (key, value) in self.fixed.iter().filter(|(key, value)| old.get(*key) != Some(value)) {
            let text = changed.as_deref().unwrap_or(text);
            changed = Some(format.set(text, &[path[0], path[1], key], &Fresh::Plain(value.clone()))?);
        }
        Ok(changed)
    }

    fn can_change(&self, old: &Map<String, Value>) -> bool {
        let starts_program = self.fixed.iter().any(|(key, _)| is_command(key) && old.contains_key(*key));
        starts_program && !REMOTE.iter().any(|key| old.contains_key(*key))
    }

    fn fresh(&self) -> Fresh {
        let fields = self.fixed.iter().chain(&self.at_first);
        Fresh::Object(fields.map(|(key, value)| ((*key).to_owned(), Fresh::Plain(value.clone()))).collect())
    }
}

fn is_command(key: &str) -> bool {
    matches!(key, "command" | "cmd")
}

/// The program of an entry that starts our server; nothing for any other entry.
pub(super) fn our_program(entry: &Value) -> Option<PathBuf> {
    let command = entry.get("command").or_else(|| entry.get("cmd"))?.as_str().map(PathBuf::from)?;
    let is_server = entry.get("args")?.as_array()?.iter().any(|argument| argument == "mcp");
    let is_ours = command.file_stem().is_some_and(|stem| stem == "mailkeep")
        || program().is_ok_and(|program| is_same(&program, &command));
    (is_server && is_ours).then_some(command)
}
