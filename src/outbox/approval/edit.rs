//! The person changes an item themselves. What they write is checked and frozen as any draft is, becomes the next revision,
//! and either waits for a yes or is the yes. The assistant reads the difference.

use serde_json::json;

use crate::drafts::{DraftChange, Drafts};
use crate::model::{ItemHash, ItemState};
use crate::outbox::OutboxError;
use crate::outbox::approval::passkey::Purpose;
use crate::outbox::approval::{Approvals, Door, Given, Proof, unknown};
use crate::outbox::policy::{self, Subject, Verdict};
use crate::store::{AuditEntry, Item, Move, WriteTransaction};

/// What the person changes.
#[derive(Debug, Clone, Copy)]
pub struct Edit<'a> {
    /// Id or code of the item.
    pub id: &'a str,
    /// The revision that they saw, and changed.
    pub shown: &'a ItemHash,
    /// What is to be different.
    pub change: &'a DraftChange,
    /// Where they did so.
    pub door: Door,
}

impl Approvals {
    /// Makes the person's words the next revision. It waits for a yes; one to the revision before is void.
    pub fn edit(&self, edit: &Edit<'_>) -> Result<Item, OutboxError> {
        self.revise(edit, |_, _| Ok(()))
    }

    /// The same, and says yes to exactly that. A passkey cannot have signed what is only now written: who is asked for one
    /// edits first.
    pub fn edit_and_approve(&self, edit: &Edit<'_>, proof: &Proof) -> Result<Item, OutboxError> {
        self.audited(|| {
            self.revise(edit, |tx, item| {
                let purpose = Purpose::approve(item.draft.id, &item.hash());
                let assertion = self.admit(tx, proof, &purpose)?;
                self.put_yes(tx, item, edit.door, &Given { factor: proof.factor().name(), assertion })
            })
        })
    }

    /// One transaction: nobody finds the item changed and not decided about, or the other way round.
    fn revise(
        &self,
        edit: &Edit<'_>,
        decide: impl FnOnce(&WriteTransaction<'_>, &Item) -> Result<(), OutboxError>,
    ) -> Result<Item, OutboxError> {
        let item = self.in_time(edit.id)?;
        let id = item.draft.id.to_string();
        refuse_others(&item, edit)?;
        let change = DraftChange { after: Some(item.draft.revision), ..edit.change.clone() };
        let prepared = Drafts::new(&self.home, self.clock.clone()).for_person().prepare(&id, &change)?;
        let mut store = self.connections.writer()?;
        let tx = store.begin()?;
        refuse_others(&tx.item(item.draft.key)?.ok_or_else(|| unknown(&id))?, edit)?;
        prepared.write(&tx)?;
        let now = self.put_back(&tx, &item)?;
        self.refuse_forbidden(&tx, &now)?;
        self.note_edit(&tx, &item, &now, edit.door)?;
        decide(&tx, &now)?;
        let now = tx.item(item.draft.key)?.ok_or_else(|| unknown(&id))?;
        tx.commit()?;
        Ok(now)
    }

    /// The new revision takes the place of the one that waited.
    fn put_back(&self, tx: &WriteTransaction<'_>, before: &Item) -> Result<Item, OutboxError> {
        let id = || before.draft.id.to_string();
        let draft = tx.item(before.draft.key)?.ok_or_else(|| unknown(&id()))?.draft;
        let step = Move {
            draft: draft.key,
            revision: draft.revision,
            from: draft.state,
            to: ItemState::PendingApproval,
            reason: None,
            error_code: None,
            epoch: self.clock.now().as_second(),
        };
        if !tx.move_item(&step)? {
            return Err(OutboxError::WrongState { id: id(), state: draft.state, wanted: "edited" });
        }
        tx.item(draft.key)?.ok_or_else(|| unknown(&id()))
    }

    /// The owner's rules hold for what the owner writes too.
    fn refuse_forbidden(&self, tx: &WriteTransaction<'_>, item: &Item) -> Result<(), OutboxError> {
        let subject = Subject {
            account: &item.draft.account,
            profile: item.origin.profile.as_deref().unwrap_or_default(),
            channel: item.channel.name(),
            recipients: &item.draft.recipients,
        };
        match policy::judge(&self.in_force(tx)?.policy, &subject) {
            Verdict::Refuse { rule, detail } => Err(OutboxError::Forbidden { rule, detail }),
            Verdict::Ask | Verdict::Allow(_) => Ok(()),
        }
    }

    fn note_edit(
        &self,
        tx: &WriteTransaction<'_>,
        before: &Item,
        now: &Item,
        door: Door,
    ) -> Result<(), OutboxError> {
        tx.append_audit(&AuditEntry {
            kind: "edited",
            item: Some(now.draft.id),
            at_ms: self.clock.now().as_millisecond(),
            body: json!({
                "from_revision": before.draft.revision,
                "revision": now.draft.revision,
                "hash": now.hash().0.to_hex(),
                "recipients": now.draft.recipients.all().map(|to| to.address.clone()).collect::<Vec<_>>(),
                "door": door.name(),
            }),
        })?;
        Ok(())
    }

    /// Notes that the person saw a revision, once for each.
    pub fn note_look(&self, item: &Item, door: Door) -> Result<(), OutboxError> {
        let mut store = self.connections.writer()?;
        let tx = store.begin()?;
        let (revision, hash) = (item.draft.revision, item.hash().0.to_hex());
        let rows = tx.audit_of(item.draft.id)?;
        let body = json!({ "revision": revision, "hash": hash, "door": door.name() });
        let text = body.to_string();
        if rows.iter().any(|row| row.kind == "looked" && row.body == text) {
            return Ok(());
        }
        let at_ms = self.clock.now().as_millisecond();
        tx.append_audit(&AuditEntry { kind: "looked", item: Some(item.draft.id), at_ms, body })?;
        tx.commit()?;
        Ok(())
    }
}

/// Refuses what is not what was shown, and what is decided about already. Nothing has left of what failed: changed, it is
/// asked about anew.
fn refuse_others(item: &Item, edit: &Edit<'_>) -> Result<(), OutboxError> {
    let (id, state) = (item.draft.id.to_string(), item.draft.state);
    if !matches!(state, ItemState::PendingApproval | ItemState::Approved | ItemState::Failed) {
        return Err(OutboxError::WrongState { id, state, wanted: "edited" });
    }
    if item.hash() == *edit.shown { Ok(()) } else { Err(OutboxError::Changed { id }) }
}
