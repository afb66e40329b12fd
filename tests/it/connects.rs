//! `connect` writes one entry into a client's configuration and leaves every other byte alone.

#[cfg(test)]
mod clients;
#[cfg(test)]
mod files;
#[cfg(test)]
mod packages;
#[cfg(test)]
mod samples;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::world::{NOW, answer, read_json, told};

/// Every variable that moves a configuration, so that a test never meets the real one.
const VARIABLES: [&str; 8] = [
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "GEMINI_CLI_HOME",
    "GOOSE_PATH_ROOT",
    "MAILKEEP_HOME",
];

/// A person with a home directory and nothing in it.
struct Person {
    home: TempDir,
}

impl Person {
    fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program in this person's home, with the standard place for mail.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mailkeep"));
        VARIABLES.iter().for_each(|name| {
            command.env_remove(name);
        });
        command
            .args(arguments)
            .env("HOME", self.home.path())
            .env("PATH", "/usr/bin:/bin")
            .env("MAILKEEP_TEST_NOW", NOW)
            .current_dir(self.home.path())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        answer(self.command(&["--json"]).args(arguments))
    }

    /// The error of a `connect` that fails.
    fn failure(&self, arguments: &[&str]) -> Value {
        let output = self.command(&["--json", "connect"]).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?} {}", told(&output));
        read_json(&output)["error"].clone()
    }

    /// Connects a client; it must go well.
    fn connect(&self, arguments: &[&str]) -> Value {
        answer(self.command(&["--json", "connect"]).args(arguments))
    }

    /// What `connect --list` says of a client.
    fn listed(&self, client: &str) -> Value {
        let answer = self.json(&["connect", "--list"]);
        let clients = answer["clients"].as_array().unwrap();
        clients.iter().find(|listed| listed["client"] == client).unwrap().clone()
    }

    /// The names of all files below the home directory.
    fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        collect(self.home.path(), self.home.path(), &mut files);
        files.sort();
        files
    }
}

fn collect(root: &Path, directory: &Path, files: &mut Vec<String>) {
    for entry in fs::read_dir(directory).unwrap() {
        match entry.unwrap().path() {
            path if path.is_dir() => collect(root, &path, files),
            path => files.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned()),
        }
    }
}

/// The program as entries name it.
const PROGRAM: &str = env!("CARGO_BIN_EXE_mailkeep");
