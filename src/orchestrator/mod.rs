//! The vault's state machine (document 002): new mail becomes a note in `Needs_Action`; a chat model, if the owner set one
//! up, suggests what to do with it; answers wait in `Drafts`; what the person moves to `Approved` is taken to the outbox's
//! door for folders; what was sent goes to `Done`. Refuses to say yes itself: it can propose, and tell the door of a move.
//!
//! Notes are the person's. Every step looks at them anew, changes single keys of the frontmatter, writes only what nobody
//! changed meanwhile, and can be done again: a note that was renamed, edited or deleted is taken as it is.

mod answered_mail;
mod assigning;
mod deciding;
mod decision;
mod error;
mod escalating;
mod incoming;
mod inert;
mod letting_go;
pub mod mcp_client;
pub mod notes;
mod outgoing;
mod prompt;
mod state;
mod waker;

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

pub use error::OrchestratorError;

use crate::clock::Clock;
use crate::model::{OrchestratorSettings, SendRecords};
use crate::orchestrator::mcp_client::McpClient;
use crate::orchestrator::state::State;
use crate::orchestrator::waker::Waker;
use crate::outbox::approval::folder::FolderDoor;
use crate::outbox::propose::Proposals;
use crate::query::{Archive, QueryError};
use crate::vault::{Vault, VaultError};
use crate::wire::chat_model::ChatModel;

/// While something is leaving, it is looked after this often.
const SOON: Duration = Duration::from_millis(500);

/// Opens the archive as assistants see it: what is kept from them stands in no note.
pub type OpenArchive = Box<dyn Fn() -> Result<Archive, QueryError> + Send + Sync>;

/// Something that was done, for who watches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What, as a word: `new`, `decided`, `queued`, `approved`, `waits`, `sent`, `failed`, `let_go`, `problem`.
    pub what: &'static str,
    /// About which note.
    pub note: String,
    /// More, for people.
    pub detail: String,
}

/// Hears what is done.
pub type OnEvent = Box<dyn Fn(&Event) + Send + Sync>;

/// What an orchestrator is made of.
pub struct Parts {
    /// The vault.
    pub vault: Vault,
    /// The time.
    pub clock: Clock,
    /// The owner's preferences.
    pub settings: OrchestratorSettings,
    /// The mail.
    pub open: OpenArchive,
    /// Where notes are proposed.
    pub proposals: Arc<Proposals>,
    /// Where a move is told of.
    pub door: FolderDoor,
    /// Who suggests what to do; nobody unless the owner set one up.
    pub model: Option<ChatModel>,
    /// Who puts labels on mail.
    pub labels: Option<McpClient>,
    /// Who hears what is done.
    pub on: OnEvent,
}

/// Sees to the notes of one vault.
pub struct Orchestrator {
    parts: Parts,
    records: SendRecords,
    state: Mutex<State>,
    /// As long as this is held, no other process sees to a vault for this home.
    _lock: File,
}

/// Whether something is to be looked at again soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    Usual,
    Soon,
}

impl Orchestrator {
    /// Makes the folders, and reads what was seen before. `lock` keeps other processes away.
    pub fn new(parts: Parts, lock: &Path) -> Result<Self, OrchestratorError> {
        let lock = hold(lock)?;
        notes::make_folders(&parts.vault)?;
        let state = State::read(&parts.vault, parts.clock.now().as_second())?;
        state.write(&parts.vault)?;
        let vault = std::path::absolute(parts.vault.root()).unwrap_or_else(|_| parts.vault.root().to_owned());
        let records = SendRecords { vault: Some(vault), log_file: None };
        Ok(Self { parts, records, state: Mutex::new(state), _lock: lock })
    }

    /// One look at everything: mail, drafts, what was moved, what became of it. A model is asked about what is new.
    pub fn once(&self) -> Result<(), OrchestratorError> {
        self.pass()?;
        let stop = AtomicBool::new(false);
        while self.decide_next(&stop)? {}
        self.settle().map(drop)
    }

    /// Looks again whenever something changes, until it is told to stop. What goes wrong is told, and tried again.
    pub fn run(&self, stop: &AtomicBool) {
        thread::scope(|scope| {
            if self.parts.model.is_some() {
                scope.spawn(|| self.decide_until(stop));
            }
            let waker = Waker::of(&self.parts.vault);
            let mut last = String::new();
            while !stop.load(Ordering::Relaxed) {
                let pace = self.pass().unwrap_or_else(|error| {
                    self.tell_once(&mut last, &error);
                    Pace::Usual
                });
                let usual = self.parts.settings.poll();
                waker.wait(if pace == Pace::Soon { usual.min(SOON) } else { usual }, stop);
            }
        });
    }

    fn decide_until(&self, stop: &AtomicBool) {
        let mut last = String::new();
        while !stop.load(Ordering::Relaxed) {
            let has_decided = self.decide_next(stop).unwrap_or_else(|error| {
                self.tell_once(&mut last, &error);
                false
            });
            if !has_decided {
                rest(self.parts.settings.poll(), stop);
            }
        }
    }

    fn pass(&self) -> Result<Pace, OrchestratorError> {
        self.bring_in()?;
        self.look_at_accounts()?;
        let pace = self.settle()?;
        let now = self.now();
        self.change(|state| state.forget_old(now))?;
        Ok(pace)
    }

    /// What is known of what was seen.
    fn look<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes what is known of what was seen; on the disk when this returns.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> Result<T, VaultError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let before = state.clone();
        let result = change(&mut state);
        if *state != before {
            state.updated = self.parts.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
            state.write(&self.parts.vault)?;
        }
        Ok(result)
    }

    fn now(&self) -> i64 {
        self.parts.clock.now().as_second()
    }

    fn tell(&self, what: &'static str, note: &str, detail: &str) {
        (self.parts.on)(&Event { what, note: note.to_owned(), detail: detail.to_owned() });
    }

    /// What stays wrong is told once.
    fn tell_once(&self, last: &mut String, error: &OrchestratorError) {
        let now = error.to_string();
        if *last != now {
            self.tell("problem", "", &now);
            *last = now;
        }
    }
}

fn hold(path: &Path) -> Result<File, OrchestratorError> {
    let failed = |source| VaultError::Io { path: path.display().to_string(), source };
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path).map_err(failed)?;
    file.try_lock().map_err(|_| OrchestratorError::Busy)?;
    Ok(file)
}

fn rest(time: Duration, stop: &AtomicBool) {
    let until = std::time::Instant::now() + time;
    while std::time::Instant::now() < until && !stop.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(50));
    }
}
