//! At most so many server processes on one home. Each holds a lock on a file of its own; the system lets go of it when
//! the process ends, however it ends, so a stale one cannot be.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde_json::{Value, json};

use crate::text_safety::brief;

/// What a server process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerKind {
    /// For one client that has started it; these are counted.
    Mcp,
    /// For all who come over HTTP.
    Serve,
}

impl ServerKind {
    fn file(self, number: usize) -> String {
        match self {
            Self::Mcp => format!("mcp-{number}.lock"),
            Self::Serve => format!("serve-{number}.lock"),
        }
    }
}

/// A place at the table; it is free again when this is dropped.
#[derive(Debug)]
pub struct InstanceLock {
    file: File,
}

/// A place that is taken, as its process described itself.
#[derive(Debug, Clone, PartialEq)]
pub struct RunningInstance {
    /// Process number.
    pub process: u64,
    /// The client's name; empty when it did not tell.
    pub client: String,
    /// Where it listens, when it does.
    pub url: Option<String>,
    /// When it came, in UTC.
    pub since: String,
}

impl InstanceLock {
    /// Takes a free place of `most` in this directory; `None` when all are taken. A directory that cannot be written
    /// keeps nobody out.
    #[must_use]
    pub fn take(directory: &Path, kind: ServerKind, most: usize) -> Option<Option<Self>> {
        if fs::create_dir_all(directory).is_err() {
            return Some(None);
        }
        for number in 1..=most {
            let Ok(file) = open(&directory.join(kind.file(number))) else { return Some(None) };
            if file.try_lock().is_ok() {
                return Some(Some(Self { file }));
            }
        }
        None
    }

    /// Writes down who sits here.
    pub fn describe(&mut self, client: &Value, since: &str) {
        let name = brief(client.get("name").and_then(Value::as_str).unwrap_or_default(), 200);
        self.write(&json!({ "process": std::process::id(), "client": name, "since": since }));
    }

    /// Writes down where this process listens.
    pub fn describe_url(&mut self, url: &str, since: &str) {
        self.write(&json!({ "process": std::process::id(), "client": "", "url": url, "since": since }));
    }

    fn write(&mut self, described: &Value) {
        let text = described.to_string();
        let _ = self.file.set_len(0);
        let _ = self.file.seek(SeekFrom::Start(0));
        let _ = self.file.write_all(text.as_bytes());
    }
}

/// The places that are taken now, those of servers over HTTP last.
#[must_use]
pub fn running_instances(directory: &Path, most: usize) -> Vec<RunningInstance> {
    let of_kind = |kind: ServerKind| {
        (1..=most).filter_map(move |number| read_instance(&directory.join(kind.file(number))))
    };
    of_kind(ServerKind::Mcp).chain(of_kind(ServerKind::Serve)).collect()
}

fn read_instance(path: &Path) -> Option<RunningInstance> {
    let mut file = File::open(path).ok()?;
    if file.try_lock_shared().is_ok() {
        return None;
    }
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    let described: Value = serde_json::from_str(&text).unwrap_or_default();
    let word = |name: &str| described.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let process = described.get("process").and_then(Value::as_u64).unwrap_or_default();
    let url = described.get("url").and_then(Value::as_str).map(str::to_owned);
    Some(RunningInstance { process, client: word("client"), url, since: word("since") })
}

fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ServerKind::Mcp;
    use super::{InstanceLock, ServerKind, running_instances};

    #[test]
    fn a_server_for_all_takes_nobodys_place_and_tells_where_it_listens() {
        let directory = tempfile::tempdir().unwrap();
        let _client = InstanceLock::take(directory.path(), Mcp, 1).unwrap().unwrap();

        let mut server = InstanceLock::take(directory.path(), ServerKind::Serve, 1).unwrap().unwrap();
        server.describe_url("http://127.0.0.1:1/mcp", "2026-01-01T00:00:00Z");

        let found = running_instances(directory.path(), 1);
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].url.as_deref(), Some("http://127.0.0.1:1/mcp"));
    }

    #[test]
    fn a_place_is_free_again_when_its_holder_is_gone() {
        let directory = tempfile::tempdir().unwrap();
        let mut first = InstanceLock::take(directory.path(), Mcp, 2).unwrap().unwrap();
        let second = InstanceLock::take(directory.path(), Mcp, 2).unwrap();

        first.describe(&json!({ "name": "inspector" }), "2026-01-01T00:00:00Z");

        assert!(InstanceLock::take(directory.path(), Mcp, 2).is_none());
        assert_eq!(running_instances(directory.path(), 2)[0].client, "inspector");
        drop(second);
        assert!(InstanceLock::take(directory.path(), Mcp, 2).is_some());
        assert_eq!(running_instances(directory.path(), 2).len(), 1);
    }
}
