//! At most so many server processes on one home. Each holds a lock on a file of its own; the system lets go of it when
//! the process ends, however it ends, so a stale one cannot be.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use crate::clock::Clock;
use crate::server::RpcError;
use crate::text_safety::brief;

/// More servers of one home than this do not show themselves.
pub const MOST_SERVERS: usize = 5;

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
    /// Where the person decides, when it has pages.
    pub pages: Option<String>,
    /// When it came, in UTC.
    pub since: String,
}

/// Where a server over HTTP is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerAddresses {
    /// By assistants.
    pub url: String,
    /// By the person: what an answer that waits for them points to, with the item's id behind it.
    pub pages: Option<String>,
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

    /// Writes down where this process listens, and where its pages are.
    pub fn describe_server(&mut self, addresses: &ServerAddresses, since: &str) {
        let ServerAddresses { url, pages } = addresses;
        let process = std::process::id();
        self.write(&json!({ "process": process, "client": "", "url": url, "pages": pages, "since": since }));
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

/// Where the person decides now: the pages of a server of this home that runs.
#[must_use]
pub fn pages_address(directory: &Path) -> Option<String> {
    running_instances(directory, MOST_SERVERS).into_iter().filter_map(|instance| instance.pages).next_back()
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
    let address = |name: &str| described.get(name).and_then(Value::as_str).map(str::to_owned);
    let (url, pages) = (address("url"), address("pages"));
    Some(RunningInstance { process, client: word("client"), url, pages, since: word("since") })
}

fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Server processes of one home.
pub struct InstanceLimit {
    /// How many may be at the same time.
    pub most: usize,
    /// The time.
    pub clock: Clock,
    place: Mutex<InstancePlace>,
}

/// Our place, and the client that told its name.
#[derive(Default)]
struct InstancePlace {
    lock: Option<InstanceLock>,
    client: Value,
}

impl InstanceLimit {
    /// A limit that nothing has been taken of yet.
    #[must_use]
    pub fn new(most: usize, clock: Clock) -> Self {
        Self { most, clock, place: Mutex::default() }
    }

    /// Takes a place, unless we have one, and writes down who the client is as far as it told.
    pub(super) fn take(&self, directory: &Path, client: &Value) -> Result<(), RpcError> {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = place.lock.is_none();
        if is_new {
            let taken = InstanceLock::take(directory, ServerKind::Mcp, self.most);
            place.lock =
                taken.ok_or_else(|| RpcError::new(RpcError::UNAVAILABLE, "Max connections reached"))?;
        }
        if !client.is_null() {
            place.client = client.clone();
        }
        let InstancePlace { lock, client: known } = &mut *place;
        if let Some(lock) = lock.as_mut().filter(|_| is_new || !client.is_null()) {
            lock.describe(known, &self.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
        }
        Ok(())
    }

    pub(super) fn give_back(&self) {
        self.place.lock().unwrap_or_else(PoisonError::into_inner).lock = None;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ServerKind::Mcp;
    use super::{InstanceLock, ServerAddresses, ServerKind, pages_address, running_instances};

    #[test]
    fn a_server_for_all_takes_nobodys_place_and_tells_where_it_listens() {
        let directory = tempfile::tempdir().unwrap();
        let _client = InstanceLock::take(directory.path(), Mcp, 1).unwrap().unwrap();

        let mut server = InstanceLock::take(directory.path(), ServerKind::Serve, 1).unwrap().unwrap();
        let [url, pages] = ["mcp", "outbox"].map(|place| format!("http://127.0.0.1:1/{place}"));
        let addresses = ServerAddresses { url: url.clone(), pages: Some(pages.clone()) };
        server.describe_server(&addresses, "2026-01-01T00:00:00Z");

        let found = running_instances(directory.path(), 1);
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].url, Some(url));
        assert_eq!(pages_address(directory.path()), Some(pages));
        drop(server);
        assert_eq!(pages_address(directory.path()), None, "nobody shows pages any more");
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
