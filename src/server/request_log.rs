//! The log: one line when a request begins and one when it is done, kept small, without anything that was said.

use std::backtrace::Backtrace;
use std::borrow::Cow;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::clock::Clock;
use crate::server::{Request, RpcError};
use crate::text_safety::one_line;

/// A log file has at most this many bytes.
const LARGEST: u64 = 1 << 20;
/// This many files are kept, with the one that is written.
const KEPT: usize = 5;
/// So many lines of a stack are written down.
const MOST_FRAMES: usize = 120;

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
    least: Level,
    on_stderr: bool,
    /// Requests and answers are written down whole.
    whole: bool,
}

struct Shared {
    clock: Clock,
    file: Mutex<Option<LogFile>>,
    last: Mutex<String>,
}

/// A request that has begun.
pub(super) struct Entry {
    id: Uuid,
    method: String,
}

impl RequestLog {
    /// A log in this file; `None` writes none.
    #[must_use]
    pub fn new(path: Option<PathBuf>, clock: Clock, least: Level) -> Self {
        let file = Mutex::new(path.map(LogFile::new));
        let shared = Arc::new(Shared { clock, file, last: Mutex::default() });
        Self { shared, least, on_stderr: false, whole: false }
    }

    /// A log that keeps nothing.
    #[must_use]
    pub fn none() -> Self {
        Self::new(None, Clock::system(), Level::Error)
    }

    /// The same, repeated on standard error.
    #[must_use]
    pub fn on_stderr(self) -> Self {
        Self { on_stderr: true, ..self }
    }

    /// The same for who looks for a mistake: everything, with requests and answers as they are, also on standard
    /// error. What stands in mail is in it then.
    #[must_use]
    pub fn debugging(self) -> Self {
        Self { on_stderr: true, whole: true, least: Level::Debug, ..self }
    }

    /// Writes a line.
    pub fn write(&self, level: Level, category: &str, text: &str) {
        if level < self.least && !self.on_stderr {
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
        if self.on_stderr {
            let _ = std::io::stderr().write_all(line.as_bytes());
        }
        if level >= self.least
            && let Some(file) = &mut *self.shared.file.lock().unwrap_or_else(PoisonError::into_inner)
        {
            file.append(&line);
        }
    }

    pub(super) fn started(&self, request: &Request) -> Entry {
        let entry = Entry { id: Uuid::new_v4(), method: shown(&request.method) };
        let name = request.params.get("name").and_then(Value::as_str);
        let tool = name.map(|name| format!(" ({})", shown(name))).unwrap_or_default();
        let text = format!("[{}] {} started{tool}", entry.id, entry.method);
        self.write(Level::Info, category(&entry.method), &text);
        if self.whole {
            let whole = json!({ "id": request.id, "method": request.method, "params": request.params });
            self.write(Level::Debug, "transport", &format!("[{}] request {whole}", entry.id));
        }
        *self.shared.last.lock().unwrap_or_else(PoisonError::into_inner) = text;
        entry
    }

    /// Writes down the answer, for who looks for a mistake.
    pub(super) fn answered(&self, entry: &Entry, outcome: &Result<Value, RpcError>) {
        if !self.whole {
            return;
        }
        let whole = match outcome {
            Ok(result) => json!({ "result": result }),
            Err(error) => error.response(&Value::Null),
        };
        self.write(Level::Debug, "transport", &format!("[{}] response {whole}", entry.id));
    }

    /// Writes down that an answer is not all there is.
    pub(super) fn warned(&self, entry: &Entry, warning: &str) {
        self.write(Level::Warning, category(&entry.method), &format!("[{}] {warning}", entry.id));
    }

    pub(super) fn completed(&self, entry: &Entry, took: Duration, failure: Option<i64>, answered: bool) {
        let took = took.as_secs_f64() * 1000.0;
        let text = format!("[{}] {} completed in {took:.1}ms", entry.id, entry.method);
        match (failure, answered) {
            (Some(RpcError::INTERNAL), _) => {
                self.write(Level::Error, "errors", &format!("{text} with error {}", RpcError::INTERNAL));
            }
            (Some(code), _) => self.write(Level::Warning, "errors", &format!("{text} with error {code}")),
            (None, false) => self.write(Level::Info, category(&entry.method), &format!("{text}, too late")),
            (None, true) => self.write(Level::Info, category(&entry.method), &text),
        }
    }

    /// Writes down a panic, with the request that was last begun and where it happened.
    pub fn log_crashes(&self) {
        let log = self.clone();
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let stack = Backtrace::force_capture().to_string();
            let last = log.shared.last.lock().map(|last| last.clone()).unwrap_or_default();
            log.write(Level::Error, "errors", &format!("crash: {panic}; last request: {last}"));
            log.write(Level::Error, "errors", &format!("stack: {}", compact(&stack)));
            if log.on_stderr {
                previous(panic);
            }
        }));
    }
}

/// A stack on one line.
fn compact(stack: &str) -> String {
    stack.lines().map(str::trim).take(MOST_FRAMES).collect::<Vec<_>>().join(" | ")
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

    /// Appends a line; a log that cannot be written is no reason to stop. A line that would make the file too large
    /// begins the next one, and one that no file could hold is cut.
    fn append(&mut self, line: &str) {
        let line = cut(line);
        let _turn = self.turn();
        if self.is_elsewhere() {
            self.file = self.open().ok();
        }
        let size = self.file.as_ref().and_then(|file| file.metadata().ok()).map_or(0, |file| file.len());
        if size > 0 && size + line.len() as u64 > LARGEST {
            self.rotate();
            self.file = self.open().ok();
        }
        if let Some(file) = &mut self.file {
            let _ = file.write_all(line.as_bytes());
        }
    }

    /// Keeps other processes away while the file grows; one that does not let go is not waited for long.
    fn turn(&self) -> Option<File> {
        let lock = File::create(numbered(&self.path, 0)).ok()?;
        for _ in 0..50 {
            if lock.try_lock().is_ok() {
                return Some(lock);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        None
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

    fn rotate(&self) {
        let _ = fs::remove_file(numbered(&self.path, KEPT));
        for number in (1..KEPT - 1).rev() {
            let _ = fs::rename(numbered(&self.path, number), numbered(&self.path, number + 1));
        }
        let _ = fs::rename(&self.path, numbered(&self.path, 1));
    }
}

/// A line that fits into a file, with its end.
fn cut(line: &str) -> Cow<'_, str> {
    const NOTE: &str = " [cut]\n";
    let most = usize::try_from(LARGEST).unwrap_or(usize::MAX);
    if line.len() <= most {
        return Cow::Borrowed(line);
    }
    let end = (0..=most - NOTE.len()).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    Cow::Owned(format!("{}{NOTE}", &line[..end]))
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
    fn a_log_has_five_files_of_a_megabyte_at_most() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("logs/mcp-server.log");
        let logs = [(); 2].map(|()| RequestLog::new(Some(path.clone()), Clock::system(), Level::Info));
        let text = "x".repeat(100_000);

        for turn in 0..90 {
            logs[turn % 2].write(Level::Info, "server", &text);
        }
        logs[0].write(Level::Info, "server", &"y".repeat(3_000_000));

        let mut sizes = Vec::new();
        for entry in fs::read_dir(path.parent().unwrap()).unwrap() {
            let entry = entry.unwrap();
            if !entry.file_name().to_str().unwrap().ends_with(".lock") {
                sizes.push(entry.metadata().unwrap().len());
            }
        }
        assert_eq!(sizes.len(), 5);
        assert!(sizes.iter().all(|size| *size <= 1 << 20), "{sizes:?}");
    }

    #[test]
    fn what_is_below_the_level_is_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("mcp-server.log");
        let log = RequestLog::new(Some(path.clone()), Clock::system(), Level::Warning);

        log.write(Level::Info, "server", "quiet");
        log.write(Level::Error, "errors", "loud");

        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains("ERROR [errors] loud") && !text.contains("quiet"), "{text}");
    }
}
