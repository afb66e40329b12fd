//! Takes an approved item to send it. In the transaction that writes the attempt down, everything is checked again: the
//! yes and its seal, the bytes, the envelope, the route, the pause, and whose turn it is.

use std::collections::BTreeSet;

use serde_json::json;

use crate::clock::Clock;
use crate::model::{
    DraftHash, DraftId, DraftKey, Factor, ItemHash, ItemState, Lane, PolicySettings, Recipients, Route,
    VaultApproval,
};
use crate::outbox::OutboxError;
use crate::outbox::approval::{Approvals, Door, passkey};
use crate::outbox::policy::{self, Known, Subject, Verdict, stricter_of};
use crate::store::{
    Approval, Attempt, AttemptOutcome, AuditEntry, AuditRow, Item, Move, Store, WriteTransaction,
};

/// An item that somebody said yes to, unchanged since, whose attempt stands in the journal. There is no other way to
/// get one, and it is used up by being sent.
#[derive(Debug)]
pub struct ApprovedItem {
    draft: DraftKey,
    id: DraftId,
    revision: i64,
    attempt: i64,
    account: String,
    sender: String,
    recipients: Recipients,
    message_id: String,
    bytes: Vec<u8>,
    route: Route,
    may_be_partial: bool,
    remote_id: Option<String>,
    is_repeated: bool,
    profile: Option<String>,
}

impl ApprovedItem {
    /// The item's row.
    #[must_use]
    pub const fn draft(&self) -> DraftKey {
        self.draft
    }

    /// The item's id.
    #[must_use]
    pub const fn id(&self) -> DraftId {
        self.id
    }

    /// The revision that leaves.
    #[must_use]
    pub const fn revision(&self) -> i64 {
        self.revision
    }

    /// The row of the attempt in the journal.
    #[must_use]
    pub const fn attempt(&self) -> i64 {
        self.attempt
    }

    /// The account it leaves from.
    #[must_use]
    pub fn account(&self) -> &str {
        &self.account
    }

    /// Where failures are reported to.
    #[must_use]
    pub fn sender(&self) -> &str {
        &self.sender
    }

    /// Who gets it.
    #[must_use]
    pub const fn recipients(&self) -> &Recipients {
        &self.recipients
    }

    /// Its Message-ID without angle brackets.
    #[must_use]
    pub fn message_id(&self) -> &str {
        &self.message_id
    }

    /// The frozen bytes, without `Date`.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What it leaves by.
    #[must_use]
    pub const fn route(&self) -> &Route {
        &self.route
    }

    /// Whether it may go to some recipients when others are refused.
    #[must_use]
    pub const fn may_be_partial(&self) -> bool {
        self.may_be_partial
    }

    /// Whether an earlier attempt sent nothing, and may have left something behind.
    #[must_use]
    pub const fn is_repeated(&self) -> bool {
        self.is_repeated
    }

    /// The tools that proposed it.
    #[must_use]
    pub fn profile(&self) -> Option<&str> {
        self.profile.as_deref()
    }

    /// What an API calls it since an earlier attempt that sent nothing.
    #[must_use]
    pub fn remote_id(&self) -> Option<&str> {
        self.remote_id.as_deref()
    }
}

/// What became of the wish to send an item.
#[derive(Debug)]
pub enum Claim {
    /// Send it.
    Taken(Box<ApprovedItem>),
    /// It is not its time: sending is paused, or it waits for its next attempt.
    NotNow,
    /// It can still be taken back; how long that is in all.
    Undo {
        /// How long.
        seconds: i64,
    },
    /// Another worker has taken over; this one ends.
    Superseded,
    /// What would leave is not what was approved. It waits for another yes.
    Void(&'static str),
}

/// Takes items for one worker.
pub struct Claimer<'a> {
    /// Who knows a yes again.
    pub approvals: &'a Approvals,
    /// The owner's rules.
    pub policy: &'a PolicySettings,
    /// What it carries.
    pub lane: Lane,
    /// Its turn.
    pub fence: i64,
    /// The time.
    pub clock: &'a Clock,
    /// What could be taken back for long enough while this worker ran, whatever the clock says.
    pub has_waited: &'a BTreeSet<DraftKey>,
}

impl Claimer<'_> {
    /// Takes an item, if it may leave now by the route that the process has for its account.
    pub fn claim(&self, store: &mut Store, draft: DraftKey, route: &Route) -> Result<Claim, OutboxError> {
        // The line before the final dot takes it to the disk.
        let tx = store.begin_ahead()?;
        let state = tx.outbox_state()?;
        if tx.turn(self.lane)? != self.fence {
            return Ok(Claim::Superseded);
        }
        let now = self.clock.now().as_second();
        let Some(item) = tx.item(draft)? else { return Ok(Claim::NotNow) };
        let is_its = item.channel.lane() == self.lane && item.draft.state == ItemState::Approved;
        if !is_its || state.paused.is_some() || item.waits(now) {
            return Ok(Claim::NotNow);
        }
        let Some(approval) = tx.approval(draft, item.draft.revision)? else {
            return self.void(tx, &item, "nobody said yes to it");
        };
        // A try that sent nothing takes no yes back.
        let is_yes = |word: &AuditRow| matches!(&*word.kind, "approved" | "put_off") && word.is_intact();
        if !tx.last_word(item.draft.id)?.as_ref().is_some_and(is_yes) {
            return self.void(tx, &item, "the yes is not the last that was said about it");
        }
        let attempts = tx.attempts_of(draft)?;
        let is_spent = |attempt: &Attempt| attempt.approval == approval.key && attempt.may_have_left();
        if attempts.iter().any(is_spent) {
            return self.void(tx, &item, "it may have left under this yes");
        }
        let bytes = tx.frozen_bytes(draft, item.draft.revision)?.unwrap_or_default();
        let known = self.approvals.known(&tx)?;
        let objection = self.objection(&item, &approval, &bytes, route)?;
        if let Some(why) = objection.or_else(|| self.rule_against(&known, &item, &approval)) {
            return self.void(tx, &item, why);
        }
        if let Some(why) = signature_against(&tx, &known, &item, &approval)? {
            return self.void(tx, &item, why);
        }
        if approval.send_after > now && !self.has_waited.contains(&draft) {
            return Ok(Claim::Undo { seconds: approval.send_after - approval.epoch });
        }
        let item = self.begin(&tx, item, &approval, bytes)?;
        tx.commit()?;
        Ok(Claim::Taken(Box::new(item)))
    }

    /// Why the yes does not hold for what would leave.
    fn objection(
        &self,
        item: &Item,
        approval: &Approval,
        bytes: &[u8],
        route: &Route,
    ) -> Result<Option<&'static str>, OutboxError> {
        let content =
            DraftHash::of(&item.draft.account, &item.draft.from.address, &item.draft.recipients, bytes);
        let would_leave = ItemHash::of(item.channel, &content, route, item.may_be_partial);
        if !self.approvals.seal()?.is_good(&item.draft.id.to_string(), approval) {
            return Ok(Some("the yes was not given here"));
        }
        if item.route != *route {
            return Ok(Some("the account's server was changed after the yes"));
        }
        if would_leave != approval.hash || item.hash() != approval.hash {
            return Ok(Some("it was changed after the yes"));
        }
        Ok(None)
    }

    /// What in the owner's rules forbids it now.
    fn rule_against(&self, known: &Known, item: &Item, approval: &Approval) -> Option<&'static str> {
        let by_rule = approval.door == Door::Rule.name();
        if known.is_broken && by_rule {
            return Some("the owner's rules were changed by somebody else");
        }
        if !by_rule && Factor::parse(&approval.factor).is_none_or(|given| given < known.factor) {
            return Some("a stronger proof is asked for since the yes");
        }
        let policy = stricter_of(&known.policy, self.policy);
        if approval.door == Door::Folder.name()
            && (known.is_broken || policy.vault_approval != VaultApproval::TrustFolder)
        {
            return Some("the vault's folder does not count as a yes any more");
        }
        let subject = Subject {
            account: &item.draft.account,
            profile: item.origin.profile.as_deref().unwrap_or_default(),
            channel: item.channel.name(),
            recipients: &item.draft.recipients,
        };
        match policy::judge(&policy, &subject) {
            Verdict::Refuse { .. } => Some("the owner's rules forbid a recipient"),
            Verdict::Ask if by_rule => Some("the rule that allowed it is gone"),
            _ => None,
        }
    }

    /// Writes the attempt down before anything is said to anybody.
    fn begin(
        &self,
        tx: &WriteTransaction<'_>,
        item: Item,
        approval: &Approval,
        bytes: Vec<u8>,
    ) -> Result<ApprovedItem, OutboxError> {
        let now = self.clock.now();
        let before = put_off_before(tx, &item)?;
        let (is_repeated, remote_id) = (before.is_some(), before.and_then(|before| before.remote_id));
        let attempt = tx.begin_attempt(approval, &item.route.place(), now.as_millisecond())?;
        self.step(tx, &item, ItemState::Sending, None)?;
        tx.append_audit(&AuditEntry {
            kind: "attempt",
            item: Some(item.draft.id),
            at_ms: now.as_millisecond(),
            body: json!({
                "attempt": attempt,
                "revision": item.draft.revision,
                "hash": item.hash().0.to_hex(),
                "route": item.route.to_string(),
                "size": bytes.len(),
            }),
        })?;
        Ok(ApprovedItem {
            draft: item.draft.key,
            id: item.draft.id,
            revision: item.draft.revision,
            attempt,
            sender: item.draft.from.address.clone(),
            account: item.draft.account,
            recipients: item.draft.recipients,
            message_id: item.draft.message_id,
            bytes,
            route: item.route,
            may_be_partial: item.may_be_partial,
            remote_id,
            is_repeated,
            profile: item.origin.profile,
        })
    }

    /// Puts an item back before the person.
    fn void(&self, tx: WriteTransaction<'_>, item: &Item, why: &'static str) -> Result<Claim, OutboxError> {
        self.step(&tx, item, ItemState::PendingApproval, Some(why))?;
        tx.append_audit(&AuditEntry {
            kind: "void",
            item: Some(item.draft.id),
            at_ms: self.clock.now().as_millisecond(),
            body: json!({ "revision": item.draft.revision, "reason": why }),
        })?;
        tx.commit()?;
        Ok(Claim::Void(why))
    }

    fn step(
        &self,
        tx: &WriteTransaction<'_>,
        item: &Item,
        to: ItemState,
        reason: Option<&str>,
    ) -> Result<(), OutboxError> {
        let wrong = || OutboxError::WrongState {
            id: item.draft.id.to_string(),
            state: item.draft.state,
            wanted: to.name(),
        };
        let moved = tx.move_item(&Move {
            draft: item.draft.key,
            revision: item.draft.revision,
            from: item.draft.state,
            to,
            reason,
            error_code: None,
            epoch: self.clock.now().as_second(),
        })?;
        if moved { Ok(()) } else { Err(wrong()) }
    }
}

/// Why the person's key did not agree, where it had to, or is said to have.
fn signature_against(
    tx: &WriteTransaction<'_>,
    known: &Known,
    item: &Item,
    approval: &Approval,
) -> Result<Option<&'static str>, OutboxError> {
    let is_asked_for = known.factor == Factor::Passkey || approval.factor == Factor::Passkey.name();
    if approval.door == Door::Rule.name() || !is_asked_for {
        return Ok(None);
    }
    passkey::objection(tx, known, &item.draft.id.to_string(), approval)
}

/// The last attempt, if it sent nothing and is repeated now. After any other end it begins anew, because a person decided
/// so.
fn put_off_before(tx: &WriteTransaction<'_>, item: &Item) -> Result<Option<Attempt>, OutboxError> {
    let last = tx.attempts_of(item.draft.key)?.pop();
    let last = last.filter(|last| last.revision == item.draft.revision);
    Ok(last.filter(|last| last.outcome == Some(AttemptOutcome::Later)))
}
