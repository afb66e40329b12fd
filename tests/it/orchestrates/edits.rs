//! A person edits, renames, moves and deletes notes, as an editor does it, while the orchestrator runs: nothing that they
//! wrote is lost, nothing leaves, and in the end notes and outbox say the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use mailkeep::model::ItemState;
use mailkeep::outbox::approval::{Door, Proof};
use mailkeep::store::{Item, ItemFilter};

use crate::orchestrates::{Desk, field};
use crate::world::random::Random;

/// How many edits; `MAILKEEP_EDITS` says otherwise.
fn edits() -> usize {
    std::env::var("MAILKEEP_EDITS").ok().and_then(|number| number.parse().ok()).unwrap_or(100)
}

/// A note that has not left waits for a yes, or has one to exactly what it says.
const WAITS: [ItemState; 2] = [ItemState::PendingApproval, ItemState::Approved];

struct Editor<'a> {
    desk: &'a Desk,
    random: Random,
    number: usize,
    /// What the person last wrote into each note.
    texts: BTreeMap<PathBuf, String>,
}

impl Editor<'_> {
    fn edit(&mut self) {
        self.number += 1;
        match self.random.below(11) {
            0 | 1 => self.writes_new(),
            2 | 3 => self.rewrites(),
            4 => self.saves_as_editors_do(),
            5 => self.renames(),
            6 => self.moves(),
            7 => self.deletes(),
            8 => self.copies(),
            9 => self.approves(),
            _ => self.leaves_rubbish(),
        }
    }

    fn one(&mut self) -> Option<PathBuf> {
        let number = self.texts.len();
        (number > 0).then(|| self.texts.keys().nth(self.random.below(number)).unwrap().clone())
    }

    fn body(&self) -> String {
        format!("Text {} of the person's.\n\nWith a second line.", self.number)
    }

    fn writes_new(&mut self) {
        let folder = ["Drafts", "Drafts", "Approved"][self.random.below(3)];
        let (path, body) = (self.desk.path(&format!("{folder}/note {}.md", self.number)), self.body());
        let text = format!(
            "---\n# mine\nstatus: pending_approval\nto: bob@stone.example\nsubject: S{}\n---\n\n{body}\n",
            self.number
        );
        fs::write(&path, text).unwrap();
        self.texts.insert(path, body);
    }

    /// The text that is there with another body.
    fn changed(&self, path: &Path, body: &str) -> Option<String> {
        let text = fs::read_to_string(path).ok()?;
        let end = text.find("\n---\n")? + 5;
        Some(format!("{}\n{body}\n", &text[..end]))
    }

    fn rewrites(&mut self) {
        let (Some(path), body) = (self.one(), self.body()) else { return };
        let Some(text) = self.changed(&path, &body) else { return };
        fs::write(&path, text).unwrap();
        self.texts.insert(path, body);
    }

    /// A file beside it, and a rename over it.
    fn saves_as_editors_do(&mut self) {
        let (Some(path), body) = (self.one(), self.body()) else { return };
        let Some(text) = self.changed(&path, &body) else { return };
        let beside = path.with_file_name(format!(
            ".{}.tmp{}",
            path.file_name().unwrap().to_str().unwrap(),
            self.number
        ));
        fs::write(&beside, text).unwrap();
        fs::rename(&beside, &path).unwrap();
        self.texts.insert(path, body);
    }

    fn goes_to(&mut self, path: &Path, to: PathBuf) {
        if fs::rename(path, &to).is_ok() {
            let body = self.texts.remove(path).unwrap();
            self.texts.insert(to, body);
        }
    }

    fn renames(&mut self) {
        let Some(path) = self.one() else { return };
        let to = path.with_file_name(format!("renamed {}.md", self.number));
        self.goes_to(&path, to);
    }

    fn moves(&mut self) {
        let Some(path) = self.one() else { return };
        let folder = ["Drafts", "Approved"][self.random.below(2)];
        let to = self.desk.path(folder).join(path.file_name().unwrap());
        if !to.exists() {
            self.goes_to(&path, to);
        }
    }

    fn deletes(&mut self) {
        let Some(path) = self.one() else { return };
        fs::remove_file(&path).unwrap();
        self.texts.remove(&path);
    }

    fn copies(&mut self) {
        let Some(path) = self.one() else { return };
        let to = self.desk.path(&format!("Drafts/copy {}.md", self.number));
        fs::copy(&path, &to).unwrap();
        let body = self.texts[&path].clone();
        self.texts.insert(to, body);
    }

    /// Says yes on the page to what a note asks at the moment. Nothing leaves meanwhile.
    fn approves(&mut self) {
        let Some(item) = self.one().and_then(|path| item_of(self.desk, &path)) else { return };
        let (id, hash) = (item.draft.id.to_string(), item.hash());
        let _ = self.desk.outgoing.approvals().approve(&id, &hash, Door::Page, &Proof::click());
    }

    fn leaves_rubbish(&mut self) {
        let name = [".note.md.swp", "note.md~", "4913", ".obsidian-temp.md"][self.random.below(4)];
        fs::write(self.desk.path(&format!("Drafts/{name}")), "---\nstatus: [\n").unwrap();
    }
}

fn starts(desk: &Desk) -> Child {
    let mut command = desk.command(&["orchestrate", "--no-sync", "--vault"]);
    command.arg(&desk.vault).env_remove("MAILKEEP_TEST_NOW");
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// The item that a note says it is.
fn item_of(desk: &Desk, path: &Path) -> Option<Item> {
    let id = field(&fs::read_to_string(path).ok()?, "item")?;
    desk.outgoing.reader().item(mailkeep::model::DraftId::parse(&id)?).unwrap()
}

/// What is wrong between notes and outbox.
fn flaws(desk: &Desk, texts: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let mut flaws = Vec::new();
    let mut items = BTreeSet::new();
    for (path, body) in texts {
        let Ok(text) = fs::read_to_string(path) else {
            flaws.push(format!("{} is gone", path.display()));
            continue;
        };
        if !text.ends_with(&format!("\n\n{body}\n")) || !text.starts_with("---\n# mine\n") {
            flaws.push(format!("{} does not say `{body}`: {text}", path.display()));
        }
        let Some(item) = item_of(desk, path) else {
            flaws.push(format!("{} has no item", path.display()));
            continue;
        };
        if item.draft.body.trim_end() != body || !WAITS.contains(&item.draft.state) {
            flaws.push(format!("{} is {}: {}", path.display(), item.draft.state, item.draft.body));
        }
        items.insert(item.draft.id.to_string());
    }
    let filter = ItemFilter { states: WAITS.to_vec(), limit: 10_000, offset: 0 };
    for item in desk.outgoing.reader().items(&filter).unwrap() {
        if !items.contains(&item.draft.id.to_string()) {
            flaws.push(format!("{} waits without a note: {}", item.draft.id, item.draft.subject));
        }
    }
    flaws
}

#[test]
fn whatever_a_person_does_to_notes_meanwhile_they_and_the_outbox_agree_in_the_end() {
    let desk = Desk::trusting();
    desk.set_config(&desk.read_config().replace("query = \"in:inbox\"", "query = \"in:inbox\"\npoll = 1"));
    desk.orchestrate();
    desk.outgoing.approvals().pause().unwrap();
    let mut process = starts(&desk);
    let mut editor = Editor { desk: &desk, random: Random::new(11), number: 0, texts: BTreeMap::new() };

    for _ in 0..edits() {
        editor.edit();
        let pause = editor.random.below(40) as u64;
        thread::sleep(Duration::from_millis(pause));
    }

    let until = Instant::now() + Duration::from_secs(120);
    while !flaws(&desk, &editor.texts).is_empty() && Instant::now() < until {
        thread::sleep(Duration::from_millis(200));
    }
    let ended = process.try_wait().unwrap();
    process.kill().unwrap();
    process.wait().unwrap();
    assert!(ended.is_none(), "it has ended: {ended:?}");
    assert_eq!(flaws(&desk, &editor.texts), [""; 0]);
    assert!(desk.left().is_empty(), "everything is paused");
}
