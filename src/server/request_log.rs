//! The log: one line when a request begins and one when it is done, kept small, without anything that was said.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use uuid::Uuid;

use crate::clock::Clock;
use crate::text_safety::one_line;

/// A log file is rotated when it has grown to this size.
const LARGEST: u64 = 1 << 20;
/// This many old ones are kept.
const KEPT: usize = 5;

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For who debugs.
    Debug,
    /// As expected.
    Info,
    /// A client did something that was refused.
    Warning,
    /// Something that should not happen.
    Error,
}

/// Where requests are written down. Cheap to clone; clones write to the same place.
#[derive(Clone)]
pub struct RequestLog {
    shared: Arc<Shared>,
}

struct Shared {
    clock: Clock,
    file: Mutex<Option<LogFile>>,
    least: Level,
    on_stderr: bool,
    last: Mutex<String>,
}

/// A request that has begun.
pub(super) struct Entry {
    id: Uuid,
    method: String,
}

impl RequestLog {
    /// A log in this file; `None` writes none. `on_stderr` repeats it there.
    #[must_use]
    pub fn new(path: Option<PathBuf>, clock: Clock, least: Level, on_stderr: bool) -> Self {
        let file = Mutex::new(path.map(LogFile::new));
        Self { shared: Arc::new(Shared { clock, file, least, on_stderr, last: Mutex::default() }) }
    }

    /// A log that keeps nothing.
    #[must_use]
    pub fn none() -> Self {
        Self::new(None, Clock::system(), Level::Error, false)
    }

    /// Writes a line.
    pub fn write(&self, level: Level, category: &str, text: &str) {
        if level < self.shared.least && !self.shared.on_stderr {
            return;
        }
        let now = self.shared.clock.now();
        let name = match level {
            Level::Debug => "DEBUG",
            Level::Info => "INFO",
            Level::Warning => "WARNING",
            Level::Error => "ERROR",
        };
        let line = format!("{now:.3} {name} [{category}] {}\n", one_line(text));
        if self.shared.on_stderr {
            let _ = std::io::stderr().write_all(line.as_bytes());
        }
        if level >= self.shared.least
            && let Some(file) = &mut *self.shared.file.lock().unwrap_or_else(PoisonError::into_inner)
        {
            file.append(line.as_bytes());
        }
    }

    pub(super) fn started(&self, method: &str, name: Option<&str>) -> Entry {
        let entry = Entry { id: Uuid::new_v4(), method: shown(method) };
        let tool = name.map(|name| format!(" ({})", shown(name))).unwrap_or_default();
        let text = format!("[{}] {} started{tool}", entry.id, entry.method);
        self.write(Level::Info, category(&entry.method), &text);
        *self.shared.last.lock().unwrap_or_else(PoisonError::into_inner) = text;
        entry
    }

    /// Writes down that an answer is not all there is.
    pub(super) fn warned(&self, entry: &Entry, warning: &str) {
        self.write(Level::Warning, category(&entry.method), &format!("[{}] {warning}", entry.id));
    }

    pub(super) fn completed(&self, entry: &Entry, took: Duration, failure: Option<i64>, answered: bool) {
        let took = took.as_secs_f64() * 1000.0;
        let text = format!("[{}] {} completed in {took:.1}ms", entry.id, entry.method);
        match (failure, answered) {
            (Some(code), _) => self.write(Level::Warning, "errors", &format!("{text} with error {code}")),
            (None, false) => self.write(Level::Info, category(&entry.method), &format!("{text}, too late")),
            (None, true) => self.write(Level::Info, category(&entry.method), &text),
        }
    }

    /// Writes down a panic, with the request that was last begun.
    pub fn log_crashes(&self) {
        let log = self.clone();
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let last = log.shared.last.lock().map(|last| last.clone()).unwrap_or_default();
            log.write(Level::Error, "errors", &format!("crash: {panic}; last request: {last}"));
            if log.shared.on_stderr {
                previous(panic);
            }
        }));
    }
}

/// Names come from strangers too.
fn shown(name: &str) -> String {
    name.chars().take(80).collect()
}

fn category(method: &str) -> &'static str {
    if method.starts_with("tools/") { "tools" } else { "server" }
}

/// A file that several processes append to.
struct LogFile {
    path: PathBuf,
    file: Option<File>,
}

impl LogFile {
    fn new(path: PathBuf) -> Self {
        Self { path, file: None }
    }

    /// Appends a line; a log that cannot be written is no reason to stop.
    fn append(&mut self, line: &[u8]) {
        if self.is_elsewhere() {
            self.file = self.open().ok();
        }
        let Some(file) = &mut self.file else { return };
        let _ = file.write_all(line);
        if file.metadata().is_ok_and(|metadata| metadata.len() > LARGEST) {
            self.rotate();
        }
    }

    /// Another process may have rotated the file away.
    fn is_elsewhere(&self) -> bool {
        let ours = self.file.as_ref().and_then(|file| file.metadata().ok());
        let theirs = fs::metadata(&self.path).ok();
        !matches!((ours, theirs), (Some(ours), Some(theirs)) if same_file(&ours, &theirs))
    }

    fn open(&self) -> std::io::Result<File> {
        if let Some(directory) = self.path.parent() {
            fs::create_dir_all(directory)?;
        }
        OpenOptions::new().append(true).create(true).open(&self.path)
    }

    fn rotate(&mut self) {
        let Ok(lock) = File::create(numbered(&self.path, 0)) else { return };
        if lock.try_lock().is_err() || self.is_elsewhere() {
            return;
        }
        for number in (1..KEPT).rev() {
            let _ = fs::rename(numbered(&self.path, number), numbered(&self.path, number + 1));
        }
        let _ = fs::rename(&self.path, numbered(&self.path, 1));
        self.file = None;
    }
}

#[cfg(unix)]
fn same_file(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// `mcp-server.log.1` is the newest of the old ones; number 0 is the lock that keeps two from rotating at once.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let ending = if number == 0 { ".lock".to_owned() } else { format!(".{number}") };
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Level, RequestLog};
    use crate::clock::Clock;

    #[test]
    fn a_log_is_rotated_and_five_old_ones_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("logs/mcp-server.log");
        let logs = [(); 2].map(|()| RequestLog::new(Some(path.clone()), Clock::system(), Level::Info, false));
        let text = "x".repeat(100_000);

        for turn in 0..90 {
            logs[turn % 2].write(Level::Info, "server", &text);
        }

        let mut sizes = Vec::new();
        for entry in fs::read_dir(path.parent().unwrap()).unwrap() {
            let entry = entry.unwrap();
            if !entry.file_name().to_str().unwrap().ends_with(".lock") {
                sizes.push(entry.metadata().unwrap().len());
            }
        }
        assert_eq!(sizes.len(), 6);
        assert!(sizes.iter().all(|size| *size < 1_300_000), "{sizes:?}");
    }

    #[test]
    fn what_is_below_the_level_is_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("mcp-server.log");
        let log = RequestLog::new(Some(path.clone()), Clock::system(), Level::Warning, false);

        log.write(Level::Info, "server", "quiet");
        log.write(Level::Error, "errors", "loud");

        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains("ERROR [errors] loud") && !text.contains("quiet"), "{text}");
    }
}
