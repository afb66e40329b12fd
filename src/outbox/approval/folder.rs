//! The door of the vault: a note that was moved to where approved ones lie. That alone shows that somebody could move a
//! file. It counts as a yes only where the owner said so (`vault_approval = "trust-folder"`), where a yes takes no more
//! than a click, and for a note that had stood unchanged, and under its name, for a while before it was moved: else who can
//! write notes could change one under the person's hand. Everywhere else the item waits, first on the page.

use std::sync::Arc;

use serde_json::json;

use crate::model::{Factor, ItemHash, ItemState, VaultApproval};
use crate::outbox::OutboxError;
use crate::outbox::approval::passkey::Purpose;
use crate::outbox::approval::{Approvals, Door, Given, Proof, unknown};
use crate::outbox::propose::{self, NOTES};
use crate::store::{AuditEntry, Item, Move, NoteMove, WriteTransaction};

/// So many seconds a note has stood unchanged before its move is a yes. No setting makes it less.
pub const STANDING: i64 = 30;

/// A note that lies where approved ones lie.
#[derive(Debug, Clone, Copy)]
pub struct MovedNote<'a> {
    /// Id of its item.
    pub id: &'a str,
    /// What it says, by the hash of the item that says the same.
    pub says: &'a ItemHash,
    /// When it was moved there, or later than that by no means, in seconds since 1970.
    pub at: i64,
    /// Since when it had its name while it waited; `None`: it waited under another one, or nowhere.
    pub standing_since: Option<i64>,
}

/// What the move of a note came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderAnswer {
    /// It is a yes.
    Approved,
    /// It waits for a yes elsewhere.
    Waits(WaitsBecause),
    /// It is decided about, or on its way.
    Decided(ItemState),
}

/// Why a move is not a yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitsBecause {
    /// The owner did not say that the folder counts.
    NotTrusted,
    /// A yes takes more than a click.
    Factor(Factor),
    /// The note was written, changed or renamed just before it was moved, or afterwards.
    Young,
    /// What the owner confirmed was changed by another program.
    Broken,
}

impl WaitsBecause {
    /// The reason, for the note.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::NotTrusted => "moving a note is not a yes here (`vault_approval`)".to_owned(),
            Self::Factor(factor) => format!("a yes needs your {}", factor.name()),
            Self::Young => {
                format!("the note was written, changed or renamed less than {STANDING} s before it was moved")
            }
            Self::Broken => {
                "what you confirmed about sending was changed; see `mailkeep approval`".to_owned()
            }
        }
    }
}

/// The vault's way to a yes.
pub struct FolderDoor {
    approvals: Arc<Approvals>,
}

impl FolderDoor {
    /// The door of this home.
    #[must_use]
    pub const fn new(approvals: Arc<Approvals>) -> Self {
        Self { approvals }
    }

    /// A note lies where approved ones lie. However often this is told of the same revision, the first time counts.
    pub fn moved(&self, note: &MovedNote<'_>) -> Result<FolderAnswer, OutboxError> {
        self.approvals.audited(|| {
            let (approvals, key) = (&self.approvals, self.approvals.in_time(note.id)?.draft.key);
            let mut store = approvals.connections.writer()?;
            let tx = store.begin()?;
            let item = tx.item(key)?.ok_or_else(|| unknown(note.id))?;
            if item.draft.state != ItemState::PendingApproval {
                return Ok(FolderAnswer::Decided(item.draft.state));
            }
            if item.hash() != *note.says || item.origin.profile.as_deref() != Some(NOTES) {
                return Err(OutboxError::Changed { id: item.draft.id.to_string() });
            }
            let objection = self.objection(&tx, &item, note)?;
            self.remember(&tx, &item, note, objection)?;
            if objection.is_none() {
                let (purpose, proof) = (Purpose::approve(item.draft.id, &item.hash()), Proof::click());
                let assertion = approvals.admit(&tx, &proof, &purpose)?;
                let given = Given { factor: Factor::Click.name(), assertion };
                approvals.put_yes(&tx, &item, Door::Folder, &given)?;
            }
            tx.commit()?;
            Ok(objection.map_or(FolderAnswer::Approved, FolderAnswer::Waits))
        })
    }

    /// A note lies there no more, and was not deleted: the person took their yes back, or does not want it first.
    pub fn moved_back(&self, id: &str) -> Result<(), OutboxError> {
        let mut store = self.approvals.connections.writer()?;
        let tx = store.begin()?;
        let item = tx.item(self.key(id)?)?.ok_or_else(|| unknown(id))?;
        if item.moved.is_none() {
            return Ok(());
        }
        tx.note_move(item.draft.key, None)?;
        let is_yes = item.draft.state == ItemState::Approved;
        let at_ms = self.approvals.clock.now().as_millisecond();
        let body = json!({ "revision": item.draft.revision, "reason": "its note was moved out of Approved" });
        if is_yes {
            self.take_back(&tx, &item)?;
        }
        let kind = if is_yes { "void" } else { "moved_back" };
        tx.append_audit(&AuditEntry { kind, item: Some(item.draft.id), at_ms, body })?;
        tx.commit()?;
        Ok(())
    }

    fn key(&self, id: &str) -> Result<crate::model::DraftKey, OutboxError> {
        Ok(propose::find(&*self.approvals.connections.reader()?, id)?.draft.key)
    }

    fn take_back(&self, tx: &WriteTransaction<'_>, item: &Item) -> Result<(), OutboxError> {
        let moved = tx.move_item(&Move {
            draft: item.draft.key,
            revision: item.draft.revision,
            from: ItemState::Approved,
            to: ItemState::PendingApproval,
            reason: None,
            error_code: None,
            epoch: self.approvals.clock.now().as_second(),
        })?;
        let (id, state) = (item.draft.id.to_string(), item.draft.state);
        if moved { Ok(()) } else { Err(OutboxError::WrongState { id, state, wanted: "taken back" }) }
    }

    /// Why the move is no yes.
    fn objection(
        &self,
        tx: &WriteTransaction<'_>,
        item: &Item,
        note: &MovedNote<'_>,
    ) -> Result<Option<WaitsBecause>, OutboxError> {
        let rules = self.approvals.in_force(tx)?;
        let asked = rules.missing.unwrap_or(rules.factor);
        let known = item.moved.filter(|moved| moved.revision == item.draft.revision);
        let at = known.map_or(note.at, |moved| moved.epoch.min(note.at));
        let has_stood = |since: i64| at.saturating_sub(since) >= STANDING;
        Ok(match () {
            () if rules.is_broken => Some(WaitsBecause::Broken),
            () if rules.policy.vault_approval != VaultApproval::TrustFolder => Some(WaitsBecause::NotTrusted),
            () if asked != Factor::Click => Some(WaitsBecause::Factor(asked)),
            () if !has_stood(item.draft.updated) || !note.standing_since.is_some_and(has_stood) => {
                Some(WaitsBecause::Young)
            }
            () => None,
        })
    }

    /// Writes the first move of a revision down: who looks later must not find the note older than it was.
    fn remember(
        &self,
        tx: &WriteTransaction<'_>,
        item: &Item,
        note: &MovedNote<'_>,
        objection: Option<WaitsBecause>,
    ) -> Result<(), OutboxError> {
        if item.moved.is_some_and(|moved| moved.revision == item.draft.revision) {
            return Ok(());
        }
        let revision = item.draft.revision;
        tx.note_move(item.draft.key, Some(NoteMove { revision, epoch: note.at }))?;
        let at_ms = self.approvals.clock.now().as_millisecond();
        let reason = objection.map(|it| format!("waits: {}", it.words()));
        let body = json!({ "revision": revision, "hash": item.hash().0.to_hex(), "reason": reason });
        tx.append_audit(&AuditEntry { kind: "moved", item: Some(item.draft.id), at_ms, body })?;
        Ok(())
    }
}
