//! A person's machine in a temporary directory: a home, some files of mail, and the real binary to run on them.
//! The time zone is UTC and the clock stands still, so that every run is the same run.

pub(crate) mod api_double;
pub(crate) mod assistant;
pub(crate) mod authenticator;
pub(crate) mod authority;
pub(crate) mod certificates;
pub(crate) mod chat_model;
pub(crate) mod conversation;
pub(crate) mod corpus;
pub(crate) mod documents;
pub(crate) mod dovecot;
pub(crate) mod fault_proxy;
pub(crate) mod flaky_smtp;
pub(crate) mod gmail;
pub(crate) mod lying_imap;
pub(crate) mod mail;
pub(crate) mod memory;
pub(crate) mod opensmtpd;
pub(crate) mod other_servers;
pub(crate) mod person;
pub(crate) mod postbox;
pub(crate) mod random;
pub(crate) mod receivers;
pub(crate) mod scripted;
pub(crate) mod synced;
pub(crate) mod tls_front;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use mailkeep::model::ContentHash;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) use mail::Mail;

/// Waits until something is so, for as long as a busy machine may take.
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(120);
    while !is_so() {
        assert!(std::time::Instant::now() < until, "not so in time: {what}");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

/// What `today` is in every test.
pub(crate) const NOW: &str = "2026-06-15T12:00:00Z";
/// The account that mail goes to when a test does not care.
pub(crate) const ACCOUNT: &str = "ada@example.org";

/// A home and a place for files beside it; both are gone when the test ends.
pub(crate) struct World {
    place: TempDir,
    home: PathBuf,
}

impl World {
    /// A machine without any mail.
    pub(crate) fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let home = place.path().join("home");
        Self { place, home }
    }

    /// The same, with the home somewhere else.
    pub(crate) fn with_home(home: &Path) -> Self {
        let place = tempfile::tempdir().unwrap();
        Self { place, home: home.to_owned() }
    }

    /// A machine that holds this mbox.
    pub(crate) fn holding(mbox: &[u8]) -> Self {
        let world = Self::new();
        let file = world.write("held.mbox", mbox);
        world.import(&file);
        world
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// A path beside the home; nothing need be there.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// Writes a file beside the home, with the directories it needs.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// The program, ready to run on this home; `MAILKEEP_TEST_BINARY` names another build of it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let named = std::env::var_os("MAILKEEP_TEST_BINARY");
        let mut command = Command::new(named.unwrap_or_else(|| env!("CARGO_BIN_EXE_mailkeep").into()));
        command
            .arg("--home")
            .arg(&self.home)
            .args(arguments)
            .env("TZ", "UTC")
            .env("MAILKEEP_TEST_NOW", NOW)
            // No test asks the keyring of whoever runs it.
            .env("DBUS_SESSION_BUS_ADDRESS", "")
            .env_remove("XDG_RUNTIME_DIR")
            // Nor does it depend on the terminal it was started from.
            .env_remove("COLUMNS")
            .env_remove("MAILKEEP_HOME")
            .env_remove("MAILKEEP_CONFIG")
            .env_remove("MAILKEEP_TEST_CRASH_AT")
            .stdin(Stdio::null());
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// What the program prints as JSON when all goes well.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        answer(self.command(&["--json"]).args(arguments))
    }

    /// The error the program prints as JSON; it must fail with exit code 1.
    pub(crate) fn failure(&self, arguments: &[&str]) -> Value {
        let output = self.command(&["--json"]).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?} {}", told(&output));
        read_json(&output)["error"].clone()
    }

    /// Imports a path into the usual account; it must go well.
    pub(crate) fn import(&self, path: &Path) -> Value {
        self.import_as(path, ACCOUNT)
    }

    /// Imports a path into an account; it must go well.
    pub(crate) fn import_as(&self, path: &Path, account: &str) -> Value {
        self.json(&["import", text(path), "--account", account])
    }

    /// The subjects a search finds, in its order.
    pub(crate) fn found(&self, query: &str) -> Vec<String> {
        let answer = self.json(&["search", "--limit", "1000", query]);
        list(&answer["results"]).iter().map(|item| item["subject"].as_str().unwrap().to_owned()).collect()
    }

    /// The ids and scores a search finds, in its order, without the time it took.
    pub(crate) fn results(&self, query: &str) -> Value {
        let mut answer = self.json(&["search", "--limit", "1000", query]);
        answer.as_object_mut().unwrap().remove("took_ms");
        answer
    }

    pub(crate) fn count(&self, query: &str) -> u64 {
        self.json(&["count", query])["count"].as_u64().unwrap()
    }

    /// The raw bytes `show --raw` prints.
    pub(crate) fn raw(&self, id: &str) -> Vec<u8> {
        let output = self.run(&["show", "--raw", id]);
        assert!(output.status.success(), "{}", told(&output));
        output.stdout
    }

    /// The hashes of all stored raw bytes, computed afresh from what the store gives back.
    pub(crate) fn hashes(&self) -> BTreeSet<String> {
        let reader = mailkeep::store::Reader::open(&self.home.join("mail.db")).unwrap();
        let rows = reader.rows().unwrap();
        rows.iter()
            .map(|row| mailkeep::model::MessageKey(row.cast_signed()))
            .map(|key| ContentHash::of(&reader.raw(key).unwrap()).to_hex())
            .collect()
    }

    /// The database behind mailkeep's back, for looking and for tampering.
    pub(crate) fn database(&self) -> Connection {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
        Connection::open_with_flags(self.home.join("mail.db"), flags).unwrap()
    }

    /// `verify` must find nothing wrong at all.
    pub(crate) fn assert_sound(&self) {
        let report = self.json(&["verify"]);
        assert_eq!(report["sound"], true, "{report}");
        assert_eq!(list(&report["findings"]).len(), 0, "{report}");
    }
}

/// The JSON a command prints; it must go well.
pub(crate) fn answer(command: &mut Command) -> Value {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}\n{}", told(&output));
    read_json(&output)
}

/// The JSON on standard output.
pub(crate) fn read_json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", told(output)))
}

/// All a program said, for the message of a failed assertion.
pub(crate) fn told(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    let shown = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(2000)]).into_owned();
    format!("{}\nstdout: {}\nstderr: {}", output.status, shown(out), shown(err))
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The items of a JSON array.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// What a message is known by and how long it is: with the same line ends no other message has both.
pub(crate) fn identity(raw: &[u8]) -> String {
    format!("{} {}", ContentHash::of_message(raw).to_hex(), raw.len())
}

/// The hashes of messages, as [`World::hashes`] tells them.
pub(crate) fn hashes_of<'a>(messages: impl IntoIterator<Item = &'a Vec<u8>>) -> BTreeSet<String> {
    messages.into_iter().map(|message| ContentHash::of(message).to_hex()).collect()
}

/// Whether nothing may be missing here: a test that cannot run fails, and those that take long run too.
pub(crate) fn requires_all() -> bool {
    std::env::var_os("MAILKEEP_REQUIRE_ALL").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Says that a test did not run, past the test runner, which keeps the words of tests that pass to itself; and where
/// nothing may be missing, fails it. `MAILKEEP_SKIPPED` names a file in which all of them are gathered.
pub(crate) fn skipped(test: &str, reason: &str) {
    assert!(!requires_all(), "{test} cannot run here: {reason}");
    let _ = writeln!(std::io::stderr(), "\n*** SKIPPED {test}: {reason} ***\n");
    if let Some(file) = std::env::var_os("MAILKEEP_SKIPPED") {
        let file = fs::OpenOptions::new().append(true).create(true).open(file);
        // One write, so that lines of tests that run side by side stay whole.
        let _ = file.and_then(|mut file| file.write_all(format!("{test}: {reason}\n").as_bytes()));
    }
}
