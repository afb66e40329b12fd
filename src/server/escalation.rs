//! What a document wants in the person's vault: a line about each call, and notes, where it wants more than an error: a call
//! that got no answer in its time, a sign-in that was refused. They lie in the vault's `Needs_Action`, hold no text of mails, and are never written twice for one call.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::audit::{self, ActionLine};
use crate::clock::Clock;
use crate::text_safety::note_line;

/// A sign-in that is refused again so soon is the same to mend: the call that sends at once and the worker both see it.
const ONE_REFUSAL: Duration = Duration::from_secs(60);

/// Where notes go, and when.
#[derive(Clone)]
pub struct Escalation {
    vault: PathBuf,
    directory: PathBuf,
    after: Duration,
    clock: Clock,
    number: Arc<Mutex<u32>>,
    refused: Arc<Mutex<Option<Instant>>>,
}

/// A call that is watched; when it is dropped, it has been answered.
pub(super) struct Watched {
    _answered: Sender<()>,
}

impl Escalation {
    /// Notes in this vault, for calls that take longer than this.
    #[must_use]
    pub fn new(vault: &Path, after: Duration, clock: Clock) -> Self {
        let (vault, directory) = (vault.to_owned(), vault.join("Needs_Action"));
        Self { vault, directory, after, clock, number: Arc::default(), refused: Arc::default() }
    }

    /// Watches a call: when it has no answer in time, a note says so.
    pub(super) fn watch(&self, tool: &'static str) -> Watched {
        let (answered, wait) = channel::<()>();
        let own = self.clone();
        thread::spawn(move || {
            if wait.recv_timeout(own.after) == Err(RecvTimeoutError::Timeout) {
                let seconds = own.after.as_secs_f64();
                own.note("timeout", tool, &format!("`{tool}` had no answer in {seconds} seconds."));
            }
        });
        Watched { _answered: answered }
    }

    /// Writes a line about a call that is over into the vault's log, with the first characters of what it was given.
    pub(super) fn log(&self, tool: &str, arguments: &Value, is_error: bool, took: Duration) {
        let line = ActionLine {
            at: self.clock.now(),
            tool,
            arguments,
            is_error,
            execution_time_ms: i64::try_from(took.as_millis()).unwrap_or(i64::MAX),
        };
        if let Err(error) = audit::note_action(&self.vault, &line) {
            let _ = writeln!(std::io::stderr(), "warning: no line in {}: {error}", self.vault.display());
        }
    }

    /// Notes that a sign-in was refused, which is the person's to mend.
    pub fn refused_sign_in(&self, tool: &str, text: &str) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.is_none_or(|since| since.elapsed() > ONE_REFUSAL) {
            *refused = Some(Instant::now());
            self.note("auth_failed", tool, text);
        }
    }

    /// Writes a note. That it cannot be written is told on standard error: there is nobody else to tell.
    fn note(&self, reason: &str, tool: &str, text: &str) {
        let now = self.clock.now();
        let number = {
            let mut number = self.number.lock().unwrap_or_else(PoisonError::into_inner);
            *number += 1;
            *number
        };
        let stamp = now.strftime("%Y%m%d-%H%M%S");
        let name = format!("mcp-{reason}-{stamp}-{}-{number}.md", std::process::id());
        let body = format!(
            "---\ntype: mcp_escalation\nreason: {reason}\ntool: {tool}\ncreated: {}\nstatus: pending\n---\n\n{}\n\n\
             Look at `mailkeep outbox list` before anything is sent again.\n",
            now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            note_line(text)
        );
        if let Err(error) = self.write_whole(&name, &body) {
            let _ = writeln!(std::io::stderr(), "warning: no note in {}: {error}", self.directory.display());
        }
    }

    /// A note is there whole or not at all: others read the folder, too.
    fn write_whole(&self, name: &str, body: &str) -> std::io::Result<()> {
        fs::create_dir_all(&self.directory)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.vault)?;
        file.write_all(body.as_bytes())?;
        file.persist_noclobber(self.directory.join(name))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, Instant};

    use super::Escalation;
    use crate::clock::Clock;

    #[test]
    fn a_call_without_an_answer_leaves_a_note_and_one_with_an_answer_none() {
        let vault = tempfile::tempdir().unwrap();
        let clock = Clock::frozen("2026-06-15T12:00:00Z".parse().unwrap());
        let notes = || fs::read_dir(vault.path().join("Needs_Action")).map_or(0, Iterator::count);
        let patient = Escalation::new(vault.path(), Duration::from_secs(3600), clock.clone());
        let hasty = Escalation::new(vault.path(), Duration::from_millis(20), clock);

        drop(patient.watch("send_email"));
        let hung = hasty.watch("send_email");
        let begun = Instant::now();
        while notes() == 0 && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(hung);

        let note = fs::read_dir(vault.path().join("Needs_Action")).unwrap().next().unwrap().unwrap().path();
        assert_eq!(notes(), 1);
        assert!(fs::read_to_string(note).unwrap().contains("reason: timeout\ntool: send_email\n"));
    }
}
