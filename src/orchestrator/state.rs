//! What the orchestrator has seen, in `Logs/orchestrator_state.json`: which mail became a note, under which name each note
//! has waited and since when, what was written into notes. It is written whole after each step. One that is lost costs
//! little: notes themselves say what they are, and a note is never older than what is written here.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::vault::{Vault, VaultError, VaultPath};

/// Where it stands.
const FILE: &str = "Logs/orchestrator_state.json";
/// Where one goes that cannot be read.
const UNREADABLE: &str = "Logs/orchestrator_state.unreadable.json";
/// So long a message is remembered after it was seen and came in, in seconds: nothing that came in before is new.
const REMEMBERED: i64 = 14 * 86_400;

const DAY: i64 = 86_400;
/// So far back the first look goes, in seconds.
const FIRST_LOOK: i64 = DAY;

/// What was seen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct State {
    /// When something was last new.
    pub updated: String,
    /// Mail that came in before is not new, in seconds since 1970.
    pub since: i64,
    /// Messages that were seen, and when, or when they came in, if that is later.
    pub seen: BTreeMap<String, i64>,
    /// Notes that are items, by the item.
    pub notes: BTreeMap<String, Standing>,
    /// Messages about which a model could not be asked, or gave no answer that can be used.
    pub model: BTreeMap<String, ModelTries>,
    /// The model's server is not asked before, in seconds since 1970.
    pub model_not_before: i64,
    /// What the person was told of in notes, and is still wrong.
    pub escalated: BTreeMap<String, String>,
    /// What is wrong with notes now, by their paths.
    pub problems: BTreeMap<String, String>,
}

/// Where the note of an item is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Standing {
    /// Its folder.
    pub folder: String,
    /// Its name.
    pub name: String,
    /// Since when it has had that name while it waited, and was not written by anybody else.
    pub since: i64,
    /// When its file was last written, in nanoseconds since 1970.
    pub modified: i64,
    /// Since when it is nowhere.
    pub missing_since: Option<i64>,
    /// The last state of the item that was written into it.
    pub told: String,
}

/// How often a model was asked about a message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ModelTries {
    /// How often.
    pub tries: u32,
    /// Not again before, in seconds since 1970.
    pub not_before: i64,
}

impl State {
    /// Reads it; where there is none, mail of the last day is new.
    pub(super) fn read(vault: &Vault, now: i64) -> Result<Self, VaultError> {
        let path = VaultPath::new(FILE)?;
        let begun = || Self { since: now - FIRST_LOOK, ..Self::default() };
        let bytes = match vault.read_bytes(&path) {
            Err(VaultError::NotFound { .. }) => return Ok(begun()),
            bytes => bytes?,
        };
        match serde_json::from_slice(&bytes) {
            Ok(state) => Ok(state),
            Err(_) => {
                vault.write(&VaultPath::new(UNREADABLE)?, &bytes)?;
                Ok(begun())
            }
        }
    }

    /// Writes it.
    pub(super) fn write(&self, vault: &Vault) -> Result<(), VaultError> {
        let text = serde_json::to_string_pretty(self).expect("it is JSON");
        vault.write(&VaultPath::new(FILE)?, format!("{text}\n").as_bytes())
    }

    /// Forgets what can never be new again.
    pub(super) fn forget_old(&mut self, now: i64) {
        // By days: what changes with every look would be written with every look.
        let oldest = (now - REMEMBERED) / DAY * DAY;
        self.since = self.since.max(oldest);
        self.seen.retain(|_, epoch| *epoch >= oldest);
    }

    /// Forgets how often a model was asked about messages that have no note any more.
    pub(super) fn forget_tries(&mut self, with_notes: &BTreeSet<String>) {
        let seen = &self.seen;
        self.model.retain(|id, _| with_notes.contains(id) || seen.contains_key(id));
    }
}

#[cfg(test)]
mod tests {
    use super::State;
    use crate::vault::Vault;

    #[test]
    fn what_was_seen_is_read_again_and_what_cannot_be_read_is_kept_aside() {
        let directory = tempfile::tempdir().unwrap();
        let vault = Vault::open(directory.path()).unwrap();
        let mut state = State::read(&vault, 86_500).unwrap();
        assert_eq!(state.since, 100);
        state.seen.insert("m1".to_owned(), 200);
        state.write(&vault).unwrap();

        assert_eq!(State::read(&vault, 90_000).unwrap(), state);

        std::fs::write(directory.path().join("Logs/orchestrator_state.json"), "{ half").unwrap();
        assert_eq!(State::read(&vault, 90_000).unwrap().since, 3_600);
        let kept = std::fs::read(directory.path().join("Logs/orchestrator_state.unreadable.json")).unwrap();
        assert_eq!(kept, b"{ half");
    }

    #[test]
    fn a_message_is_forgotten_only_when_it_can_not_be_new_any_more() {
        let day = 86_400;
        let mut state = State { since: 0, ..State::default() };
        state.seen.insert("old".to_owned(), 5 * day);
        state.seen.insert("new".to_owned(), 19 * day);

        state.forget_old(20 * day);

        assert_eq!(state.since, 6 * day);
        assert_eq!(state.seen.keys().collect::<Vec<_>>(), ["new"]);
    }
}
