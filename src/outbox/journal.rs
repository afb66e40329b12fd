//! The journal of one attempt while it is made: a line before each step. What cannot be written down is not done, and a
//! worker whose turn is over goes no further. The line before the final dot is on the disk before the dot goes out, and
//! with it those before: until then nothing has left, so that a power cut which takes them takes nothing that counts.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::clock::Clock;
use crate::crash_point::crash_point;
use crate::model::Lane;
use crate::outbox::mark::Mark;
use crate::outbox::outcome::Facts;
use crate::store::{AuditEntry, Store, StoreError, WriteTransaction};

/// Why an attempt goes no further. Nothing has left.
#[derive(Debug, thiserror::Error)]
pub enum Halt {
    /// The owner stopped all sending.
    #[error("sending is paused")]
    Paused,
    /// Another worker has taken over.
    #[error("another process sends now")]
    Superseded,
    /// This process ends.
    #[error("stopped")]
    Stopped,
    /// The step could not be written down.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Stands for a line that is on the disk: all but the last byte is out, and the last one may go now.
#[derive(Debug)]
pub struct Dot(());

/// The turn that an attempt is made in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turned<'a> {
    /// On which lane.
    pub(super) lane: Lane,
    /// Its number.
    pub(super) fence: i64,
    /// What is told, outside the store, of what leaves.
    pub(super) mark: &'a Mark,
}

/// The lines of one attempt.
pub struct Journal<'a> {
    store: &'a mut Store,
    clock: &'a Clock,
    stop: &'a AtomicBool,
    facts: &'a Facts,
    turn: Turned<'a>,
    remote_id: Option<String>,
}

impl<'a> Journal<'a> {
    pub(super) fn new(
        store: &'a mut Store,
        clock: &'a Clock,
        stop: &'a AtomicBool,
        facts: &'a Facts,
        turn: Turned<'a>,
    ) -> Self {
        Self { store, clock, stop, facts, turn, remote_id: None }
    }

    /// Whether the next step may be taken.
    pub fn go_on(&mut self) -> Result<(), Halt> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Halt::Stopped);
        }
        let state = self.store.outbox_state()?;
        if self.store.turn(self.turn.lane)? != self.turn.fence {
            return Err(Halt::Superseded);
        }
        if state.paused.is_some() { Err(Halt::Paused) } else { Ok(()) }
    }

    /// The server waits for the message. Gives the time that stands in it as `Date`, in seconds since 1970.
    pub fn data(&mut self) -> Result<i64, Halt> {
        let at_ms = self.clock.now().as_millisecond();
        self.go_on()?;
        let tx = self.store.begin_ahead()?;
        write_line(tx, self.facts.attempt, |tx, attempt| tx.attempt_data(attempt, at_ms))?;
        crash_point("the server waits for the message");
        Ok(at_ms.div_euclid(1_000))
    }

    /// All but the final dot is out. The chain tells of it too, so that a row that somebody edits after a crash does not
    /// make it look as if nothing had left.
    pub fn dot(&mut self) -> Result<Dot, Halt> {
        let at_ms = self.clock.now().as_millisecond();
        let item = self.facts.id;
        let mut body = json!({ "attempt": self.facts.attempt, "revision": self.facts.revision });
        if let Some(id) = self.remote_id.take() {
            body["remote_id"] = id.into();
        }
        let mut link = None;
        self.line(|tx, attempt| {
            let is_ours = tx.attempt_dot(attempt, at_ms)?;
            link = Some(tx.append_audit(&AuditEntry { kind: "dot", item: Some(item), at_ms, body })?);
            Ok(is_ours)
        })?;
        link.map_or(Ok(()), |link| self.turn.mark.set(&link))?;
        crash_point("the dot is in the journal");
        Ok(Dot(()))
    }

    /// What an API calls the message.
    pub fn remote_id(&mut self, id: &str) -> Result<(), Halt> {
        self.line(|tx, attempt| tx.attempt_remote_id(attempt, id))?;
        self.remote_id = Some(id.to_owned());
        Ok(())
    }

    fn line(
        &mut self,
        write: impl FnOnce(&WriteTransaction<'_>, i64) -> Result<bool, StoreError>,
    ) -> Result<(), Halt> {
        self.go_on()?;
        write_line(self.store.begin()?, self.facts.attempt, write)
    }
}

fn write_line(
    tx: WriteTransaction<'_>,
    attempt: i64,
    write: impl FnOnce(&WriteTransaction<'_>, i64) -> Result<bool, StoreError>,
) -> Result<(), Halt> {
    if tx.outbox_state()?.paused.is_some() {
        return Err(Halt::Paused);
    }
    if !write(&tx, attempt)? {
        return Err(Halt::Superseded);
    }
    tx.commit()?;
    Ok(())
}
