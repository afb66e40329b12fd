//! Which clients are here, and which of them have our entry.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::clients::{CLIENTS, Client};
use super::config_file::ConfigFile;
use super::entry::our_program;
use super::invalid;
use super::places::Places;
use crate::cli::context::Context;
use crate::cli::failure::Failure;

/// How wide the names of clients are.
const ID_COLUMNS: usize = 14;

/// A client and what its configuration says.
pub(in crate::cli) struct Connection {
    pub(in crate::cli) client: &'static Client,
    file: PathBuf,
    installed: bool,
    entries: Vec<OurEntry>,
    problem: Option<String>,
}

/// An entry that starts our server.
struct OurEntry {
    name: String,
    command: PathBuf,
}

impl Connection {
    fn of(client: &'static Client, places: &Places) -> Self {
        let file = client.file(places);
        let (entries, problem) = match entries(client, &file) {
            Ok(entries) => (entries, None),
            Err(failure) => (Vec::new(), Some(failure.message().to_owned())),
        };
        Self { client, file, installed: client.is_installed(places), entries, problem }
    }

    fn state(&self) -> String {
        let gone = self.entries.iter().find(|entry| !entry.command.exists());
        let names =
            || self.entries.iter().map(|entry| format!("`{}`", entry.name)).collect::<Vec<_>>().join(", ");
        match (gone, &self.problem) {
            (Some(entry), _) => {
                format!("connected, but `{}` is gone: connect it again", entry.command.display())
            }
            (None, Some(problem)) => problem.clone(),
            (None, None) if !self.entries.is_empty() => format!("connected as {}", names()),
            (None, None) if self.installed => "installed, not connected".to_owned(),
            (None, None) => "not installed".to_owned(),
        }
    }

    fn json(&self) -> Value {
        let entry = |entry: &OurEntry| {
            let works = entry.command.exists();
            json!({ "name": entry.name, "command": entry.command.display().to_string(), "works": works })
        };
        json!({
            "client": self.client.id, "title": self.client.title, "file": self.file.display().to_string(),
            "installed": self.installed, "connected": !self.entries.is_empty(),
            "entries": self.entries.iter().map(entry).collect::<Vec<_>>(), "problem": self.problem,
        })
    }
}

/// The entries of a client that start our server.
fn entries(client: &Client, file: &Path) -> Result<Vec<OurEntry>, Failure> {
    let file = ConfigFile::read(file.to_owned())?;
    let entries = client.format.entries(file.text(), client.section);
    let entries = entries.map_err(|error| invalid(&file, &error))?;
    let ours = |(name, entry)| Some(OurEntry { name, command: our_program(&entry)? });
    Ok(entries.into_iter().filter_map(ours).collect())
}

/// The names under which a client has us.
pub(super) fn names(client: &Client, file: &Path) -> Vec<String> {
    entries(client, file).unwrap_or_default().into_iter().map(|entry| entry.name).collect()
}

/// The clients that start our server.
pub(in crate::cli) fn connected_clients() -> Vec<Connection> {
    let all = Places::here().map(|places| connections(&places)).unwrap_or_default();
    all.into_iter().filter(|connection| !connection.entries.is_empty()).collect()
}

fn connections(places: &Places) -> Vec<Connection> {
    CLIENTS.iter().map(|client| Connection::of(client, places)).collect()
}

/// Prints all clients.
pub(super) fn print(context: &mut Context, places: &Places) -> Result<(), Failure> {
    let connections = connections(places);
    let out = &mut context.output;
    if out.is_json() {
        let clients: Vec<_> = connections.iter().map(Connection::json).collect();
        return Ok(out.json(&json!({ "clients": clients }))?);
    }
    for connection in &connections {
        out.labelled(connection.client.id, ID_COLUMNS, &connection.state())?;
    }
    let candidate =
        connections.iter().find(|connection| connection.installed && connection.entries.is_empty());
    let name = candidate.map_or("CLIENT", |connection| connection.client.id);
    out.line(format!("\nnext: mailkeep connect {name}, with --dry-run to see first what would change"))?;
    Ok(())
}
