//! Notes become mail when the person wants it, and never otherwise: the flow of document 002, killed, edited and lied to.

mod doors;
mod edits;
mod flow;
mod kills;
mod models;
mod takes_back;

use std::fs;
use std::path::PathBuf;
use std::process::Output;
use std::sync::Mutex;

use mailkeep::model::{PolicySettings, VaultApproval};
use mailkeep::outbox::approval::Proof;
use mailkeep::store::Item;
use serde_json::Value;

use crate::sends::Outgoing;
use crate::world::mail::mboxrd;
use crate::world::{Mail, read_json, told};

/// When everything begins. Long ago, so that every file of a test is younger than the notes' own time.
const BEGIN: &str = "2021-03-04T10:00:00Z";

/// A home whose mail leaves into a folder, and a vault.
pub(crate) struct Desk {
    pub(crate) outgoing: Outgoing,
    pub(crate) vault: PathBuf,
    pub(crate) sent: PathBuf,
    config: Mutex<String>,
    /// Seconds since everything began.
    time: Mutex<i64>,
}

impl Desk {
    /// One where the owner trusts the folder.
    pub(crate) fn trusting() -> Self {
        Self::with(VaultApproval::TrustFolder)
    }

    /// One where the owner decides on the page.
    pub(crate) fn usual() -> Self {
        Self::with(VaultApproval::Page)
    }

    fn with(vault_approval: VaultApproval) -> Self {
        let (outgoing, sent) = Outgoing::into_folder();
        Self::made(outgoing, sent, vault_approval)
    }

    /// One that sends as this home does, where the owner trusts the folder.
    pub(crate) fn of(outgoing: Outgoing) -> Self {
        let sent = outgoing.world.path("sent files");
        Self::made(outgoing, sent, VaultApproval::TrustFolder)
    }

    fn made(mut outgoing: Outgoing, sent: PathBuf, vault_approval: VaultApproval) -> Self {
        outgoing.policy = PolicySettings {
            undo: 0,
            per_hour: 100_000,
            per_day: 100_000,
            vault_approval,
            ..PolicySettings::default()
        };
        outgoing.now = BEGIN.to_owned();
        outgoing.approvals().confirm(&Proof::click()).unwrap();
        let vault = outgoing.world.path("vault");
        fs::create_dir_all(&vault).unwrap();
        let config = format!(
            "[orchestrator]\nquery = \"in:inbox\"\n[policy]\nundo = 0\nper_hour = 100000\nper_day = 100000\nvault_approval = \"{}\"\n",
            vault_approval.name()
        );
        Self { outgoing, vault, sent, config: Mutex::new(config), time: Mutex::new(0) }
    }

    pub(crate) fn read_config(&self) -> String {
        self.config.lock().unwrap().clone()
    }

    pub(crate) fn set_config(&self, text: &str) {
        text.clone_into(&mut self.config.lock().unwrap());
    }

    /// Adds sections to the configuration.
    pub(crate) fn configured(self, more: &str) -> Self {
        self.config.lock().unwrap().push_str(more);
        self
    }

    /// A mail from Bob in the inbox.
    pub(crate) fn receives(&self, subject: &str, body: &str) {
        let mail = Mail::new(subject).date("Thu, 04 Mar 2021 09:00:00 +0000").body(body).bytes();
        let file = self.outgoing.world.write(&format!("in {subject}/INBOX.mbox"), mboxrd([&mail]));
        self.outgoing.world.import(&file);
    }

    /// Time passes.
    pub(crate) fn later(&self, seconds: i64) {
        *self.time.lock().unwrap() += seconds;
    }

    pub(crate) fn now(&self) -> String {
        let begin: jiff::Timestamp = BEGIN.parse().unwrap();
        (begin + jiff::SignedDuration::from_secs(*self.time.lock().unwrap())).to_string()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> std::process::Command {
        let config = self.outgoing.world.write("config.toml", &*self.config.lock().unwrap());
        let mut command = self.outgoing.world.command(&["--json", "--config"]);
        command.arg(config).args(arguments).env("MAILKEEP_TEST_NOW", self.now()).env("RETRY_DELAY_MS", "1");
        command
    }

    pub(crate) fn orchestration(&self) -> std::process::Command {
        let mut command = self.command(&["orchestrate", "--once", "--no-sync", "--vault"]);
        command.arg(&self.vault);
        command
    }

    /// One look at everything; what was done.
    pub(crate) fn orchestrate(&self) -> Vec<(String, String)> {
        self.events(&self.orchestration().output().unwrap())
    }

    pub(crate) fn events(&self, output: &Output) -> Vec<(String, String)> {
        let answer = read_json(output);
        let all = answer["events"].as_array().unwrap_or_else(|| panic!("{}", told(output)));
        let text = |event: &Value, name: &str| event[name].as_str().unwrap().to_owned();
        all.iter().map(|event| (text(event, "event"), text(event, "note"))).collect()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.vault.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name))
            .unwrap_or_else(|error| panic!("{name}: {error}: {:?}", self.all()))
    }

    /// A person changes a text in a note.
    pub(crate) fn change(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{text}");
        self.write(name, &text.replace(from, to));
    }

    /// A person moves a note.
    pub(crate) fn moves(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).unwrap();
    }

    /// The notes of a folder, by name.
    pub(crate) fn notes(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(folder)) else { return Vec::new() };
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| !name.starts_with('.'));
        names.sort();
        names
    }

    /// All notes.
    pub(crate) fn all(&self) -> Vec<(&'static str, Vec<String>)> {
        ["Needs_Action", "Drafts", "Approved", "Done"].map(|folder| (folder, self.notes(folder))).to_vec()
    }

    /// What has left.
    pub(crate) fn left(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(&self.sent) else { return Vec::new() };
        let mut all: Vec<_> = entries
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "eml"))
            .map(|path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned())
            .collect();
        all.sort();
        all
    }

    /// The item that a note says it is.
    pub(crate) fn item(&self, note: &str) -> Item {
        let text = self.read(note);
        let id = field(&text, "item").unwrap_or_else(|| panic!("no item: {text}"));
        let id = mailkeep::model::DraftId::parse(&id).unwrap();
        self.outgoing.reader().item(id).unwrap().unwrap()
    }

    /// A letter in `Drafts` that has waited long enough.
    pub(crate) fn has_waiting(&self, name: &str, body: &str) {
        self.write(&format!("Drafts/{name}"), &letter(body));
        self.orchestrate();
        self.later(60);
    }
}

/// A note that wants to be sent.
pub(crate) fn letter(body: &str) -> String {
    format!("---\nstatus: pending_approval\nto: bob@stone.example\nsubject: Hello\n---\n\n{body}\n")
}

/// A key of the frontmatter.
pub(crate) fn field(text: &str, key: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(&format!("{key}:")))?;
    let value = line[key.len() + 1..].trim().trim_matches('"').trim_matches('\'').to_owned();
    Some(value).filter(|value| !value.is_empty() && value != "null")
}
