//! Items that their notes do not want any more: deleted, moved elsewhere, made unreadable, or changed so that they ask for
//! nothing that can be sent. What the person took back must not be sent by a yes from before.

use std::collections::BTreeSet;

use crate::model::ItemState;
use crate::orchestrator::notes::DRAFTS;
use crate::orchestrator::outgoing::Look;
use crate::orchestrator::{Orchestrator, OrchestratorError, Pace};
use crate::outbox::propose::OutboxError;

/// A note that is nowhere for so many seconds was deleted; editors take one away for a moment when they save it.
const GONE_AFTER: i64 = 3;

impl Orchestrator {
    /// Items whose note was deleted or moved elsewhere, or cannot be read, are taken back.
    pub(super) fn let_go(&self, look: &mut Look, hidden: &BTreeSet<String>) -> Result<(), OrchestratorError> {
        let now = self.now();
        let (mut gone, mut unwanted) = (Vec::new(), Vec::new());
        // What was proposed and never written into its note, because somebody was faster or a process died.
        let vault = self.records.vault.as_deref().unwrap_or(self.parts.vault.root());
        for id in self.parts.proposals.waiting_notes(vault)? {
            look.standing.entry(id).or_default();
        }
        for (id, standing) in &mut look.standing {
            let is_hidden = hidden.contains(&standing.name);
            if look.seen.contains(id) || is_hidden {
                standing.missing_since = None;
            } else if now - *standing.missing_since.get_or_insert(now) >= GONE_AFTER {
                gone.push(id.clone());
                continue;
            } else {
                look.pace = Pace::Soon;
            }
            // A yes does not outlive its note for a moment; a question does, until it is clear that the note is gone.
            if !look.seen.contains(id) && (is_hidden || self.state_of(id) == Some(ItemState::Approved)) {
                unwanted.push((id.clone(), standing.folder.clone()));
            }
        }
        for (id, folder) in unwanted {
            self.take_back(Some(&id), &folder, look)?;
        }
        for id in gone {
            self.withdraw(&id, look)?;
            look.standing.remove(&id);
        }
        Ok(())
    }

    /// A note no longer says what its item says, or that it is to leave: a yes to the item counts no more, and nobody is
    /// asked about it before the note says so again.
    pub(super) fn take_back(
        &self,
        id: Option<&str>,
        folder: &str,
        look: &mut Look,
    ) -> Result<(), OrchestratorError> {
        let waits =
            |id: &&str| matches!(self.state_of(id), Some(ItemState::PendingApproval | ItemState::Approved));
        let Some(id) = id.filter(waits) else { return Ok(()) };
        if folder == DRAFTS {
            self.parts.door.moved_back(id)?;
        }
        self.withdraw(id, look)?;
        let standing = look.standing.entry(id.to_owned()).or_default();
        ItemState::Withdrawn.name().clone_into(&mut standing.told);
        Ok(())
    }

    fn state_of(&self, id: &str) -> Option<ItemState> {
        self.parts.proposals.note_item(id).map(|item| item.draft.state)
    }

    fn withdraw(&self, id: &str, look: &Look) -> Result<(), OrchestratorError> {
        match self.parts.proposals.withdraw(id) {
            Ok(_) => self.tell("let_go", look.standing.get(id).map_or("", |it| &it.name), id),
            // It was decided about, or has left: nothing waits for the note.
            Err(OutboxError::WrongState { .. } | OutboxError::UnknownItem { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}
