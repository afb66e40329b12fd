//! Who says yes and no. A yes is to one revision on one route; it is kept with a seal, and only what carries a good one
//! becomes an [`ApprovedItem`], which nobody else can make and only which can be sent.

mod claim;
mod confirm;
mod edit;
pub mod folder;
mod marker;
pub mod passkey;
mod pin;
mod proof;
mod seal;

use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};

use crate::account::Secrets;
use crate::clock::Clock;
use crate::home::Home;
use crate::model::{DraftId, ItemHash, ItemState};
use crate::outbox::approval::passkey::{Assertion, Purpose, SignedItem};
use crate::outbox::policy::Wanted;
use crate::outbox::{OutboxError, propose};
use crate::store::{Approval, AuditEntry, ConnectionPool, Item, Move, Store, WriteTransaction};

pub use claim::{ApprovedItem, Claim, Claimer};
pub use confirm::BadSeals;
pub use edit::Edit;
pub use proof::Proof;
pub use seal::Seal;

/// Reasons for a no that are ready to be picked, and that the assistant reads; any other words are as good.
pub const REASONS: [&str; 8] = [
    "Not now",
    "Wrong recipient",
    "Wrong tone",
    "Not correct",
    "Too long",
    "Already answered",
    "I will write myself",
    "I did not ask for this",
];

/// Where a yes is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// `mailkeep outbox review`.
    Terminal,
    /// The person's pages.
    Page,
    /// A folder of the vault.
    Folder,
    /// A rule that the owner wrote.
    Rule,
}

impl Door {
    /// The name kept in the store.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Page => "page",
            Self::Folder => "folder",
            Self::Rule => "rule",
        }
    }
}

/// Decides about items.
pub struct Approvals {
    home: Home,
    connections: Arc<ConnectionPool>,
    clock: Clock,
    secrets: Secrets,
    /// Read when it is first needed: a server that starts opens no keyring.
    seal: OnceLock<Seal>,
    wanted: Wanted,
}

impl Approvals {
    /// The decisions of this home, under what the configuration asks for.
    #[must_use]
    pub fn new(home: &Home, clock: Clock, secrets: Secrets, wanted: Wanted) -> Self {
        Self {
            home: home.clone(),
            connections: Arc::new(ConnectionPool::to(home.store())),
            clock,
            secrets,
            seal: OnceLock::new(),
            wanted,
        }
    }

    /// What makes and checks a yes.
    pub fn seal(&self) -> Result<&Seal, OutboxError> {
        match self.seal.get() {
            Some(seal) => Ok(seal),
            None => {
                let seal = Seal::of(&self.secrets)?;
                Ok(self.seal.get_or_init(|| seal))
            }
        }
    }

    pub(super) fn connections(&self) -> &Arc<ConnectionPool> {
        &self.connections
    }

    pub(super) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Says yes to what was shown: to this hash and to no other. The proof is as strong as the factor in force.
    pub fn approve(
        &self,
        id: &str,
        shown: &ItemHash,
        door: Door,
        proof: &Proof,
    ) -> Result<Item, OutboxError> {
        self.audited(|| self.say_yes(id, ItemState::PendingApproval, &Yes { shown, door, proof }))
    }

    /// Says yes to sending again what may have left before. It keeps its Message-ID, so that who has it already can tell.
    pub fn resend(&self, id: &str, shown: &ItemHash, door: Door, proof: &Proof) -> Result<Item, OutboxError> {
        self.audited(|| self.say_yes(id, ItemState::Unknown, &Yes { shown, door, proof }))
    }

    fn say_yes(&self, id: &str, from: ItemState, yes: &Yes<'_>) -> Result<Item, OutboxError> {
        let item = self.in_time(id)?;
        let mut store = self.connections.writer()?;
        let tx = store.begin()?;
        let item = tx.item(item.draft.key)?.ok_or_else(|| unknown(id))?;
        if item.draft.state != from {
            let (id, state) = (item.draft.id.to_string(), item.draft.state);
            return Err(OutboxError::WrongState { id, state, wanted: ItemState::Approved.name() });
        }
        if item.hash() != *yes.shown {
            return Err(OutboxError::Changed { id: item.draft.id.to_string() });
        }
        let assertion = self.admit(&tx, yes.proof, &yes.purpose(item.draft.id, from))?;
        let given = Given { factor: yes.proof.factor().name(), assertion };
        self.put_yes(&tx, &item, yes.door, &given)?;
        let item = tx.item(item.draft.key)?.ok_or_else(|| unknown(id))?;
        tx.commit()?;
        Ok(item)
    }

    /// Says no, with a reason that the assistant reads.
    pub fn reject(&self, id: &str, reason: Option<&str>) -> Result<Item, OutboxError> {
        self.end(id, ItemState::Rejected, reason)
    }

    /// Takes back what was approved and has not left.
    pub fn cancel(&self, id: &str, reason: Option<&str>) -> Result<Item, OutboxError> {
        self.end(id, ItemState::Cancelled, reason)
    }

    /// Stops all sending.
    pub fn pause(&self) -> Result<(), OutboxError> {
        let mut store = Store::open(&self.home.store())?;
        let tx = store.begin()?;
        let now = self.clock.now();
        if tx.outbox_state()?.paused.is_none() {
            tx.set_paused(Some(now.as_second()))?;
            tx.append_audit(&AuditEntry {
                kind: "paused",
                item: None,
                at_ms: now.as_millisecond(),
                body: json!({}),
            })?;
        }
        tx.commit()?;
        Ok(())
    }

    /// Lets sending go on.
    pub fn resume(&self, proof: &Proof) -> Result<(), OutboxError> {
        self.audited(|| {
            let mut store = Store::open(&self.home.store())?;
            let tx = store.begin()?;
            let assertion = self.admit(&tx, proof, &Purpose::Resume)?;
            tx.set_paused(None)?;
            let at_ms = self.clock.now().as_millisecond();
            let given = Given { factor: proof.factor().name(), assertion };
            let body = given.told(json!({}));
            tx.append_audit(&AuditEntry { kind: "resumed", item: None, at_ms, body })?;
            tx.commit()?;
            Ok(())
        })
    }

    /// The item that somebody is about to decide about. What waited for too long is ended first: where nothing runs that
    /// sends, nobody else says so.
    fn in_time(&self, id: &str) -> Result<Item, OutboxError> {
        let find = || propose::find(&*self.connections.reader()?, id);
        let item = find()?;
        if !self.is_late(&item)? {
            return Ok(item);
        }
        self.expire(&item)?;
        find()
    }

    /// Whether nobody decided about an item in time.
    pub(super) fn is_late(&self, item: &Item) -> Result<bool, OutboxError> {
        let waits = item.draft.state == ItemState::PendingApproval;
        Ok(waits && item.proposed + self.hours_to_decide()? * 3_600 <= self.clock.now().as_second())
    }

    fn hours_to_decide(&self) -> Result<i64, OutboxError> {
        Ok(self.now_in_force(&*self.connections.reader()?)?.policy.expire.into())
    }

    /// Ends an item that nobody decided about in time.
    pub(super) fn expire(&self, item: &Item) -> Result<(), OutboxError> {
        let reason = undecided(self.hours_to_decide()?);
        match self.end(&item.draft.id.to_string(), ItemState::Expired, Some(&reason)) {
            // Somebody else was faster.
            Err(OutboxError::WrongState { .. }) => Ok(()),
            other => other.map(|_| ()),
        }
    }

    /// Ends an item that has not left.
    pub(super) fn end(&self, id: &str, to: ItemState, reason: Option<&str>) -> Result<Item, OutboxError> {
        let item = propose::find(&*self.connections.reader()?, id)?;
        let mut store = self.connections.writer()?;
        let tx = store.begin()?;
        let item = tx.item(item.draft.key)?.ok_or_else(|| unknown(id))?;
        self.step(&tx, &item, to, reason)?;
        let now = self.clock.now();
        tx.append_audit(&AuditEntry {
            kind: to.name(),
            item: Some(item.draft.id),
            at_ms: now.as_millisecond(),
            body: json!({ "revision": item.draft.revision, "reason": reason }),
        })?;
        let item = tx.item(item.draft.key)?.ok_or_else(|| unknown(id))?;
        tx.commit()?;
        Ok(item)
    }

    /// Writes a yes down, with its seal, and moves the item.
    pub(super) fn put_yes(
        &self,
        tx: &WriteTransaction<'_>,
        item: &Item,
        door: Door,
        given: &Given<'_>,
    ) -> Result<(), OutboxError> {
        let now = self.clock.now();
        let undo = if door == Door::Rule { 0 } else { i64::from(self.in_force(tx)?.policy.undo) };
        let mut approval = Approval {
            key: 0,
            draft: item.draft.key,
            revision: item.draft.revision,
            hash: item.hash(),
            door: door.name().to_owned(),
            factor: given.factor.to_owned(),
            epoch: now.as_second(),
            send_after: now.as_second() + undo,
            signature: given.assertion.map(Assertion::kept),
            seal: Vec::new(),
        };
        approval.seal = self.seal()?.sign(&item.draft.id.to_string(), &approval);
        self.step(tx, item, ItemState::Approved, None)?;
        tx.put_approval(&approval)?;
        tx.append_audit(&AuditEntry {
            kind: "approved",
            item: Some(item.draft.id),
            at_ms: now.as_millisecond(),
            body: given.told(json!({
                "revision": approval.revision,
                "hash": approval.hash.0.to_hex(),
                "door": approval.door,
                "send_after": approval.send_after,
            })),
        })?;
        Ok(())
    }

    fn step(
        &self,
        tx: &WriteTransaction<'_>,
        item: &Item,
        to: ItemState,
        reason: Option<&str>,
    ) -> Result<(), OutboxError> {
        let step = Move {
            draft: item.draft.key,
            revision: item.draft.revision,
            from: item.draft.state,
            to,
            reason,
            error_code: None,
            epoch: self.clock.now().as_second(),
        };
        let wrong = || OutboxError::WrongState {
            id: item.draft.id.to_string(),
            state: item.draft.state,
            wanted: to.name(),
        };
        if tx.move_item(&step)? { Ok(()) } else { Err(wrong()) }
    }
}

/// What somebody said yes to, and how.
struct Yes<'a> {
    shown: &'a ItemHash,
    door: Door,
    proof: &'a Proof,
}

impl Yes<'_> {
    /// What a passkey must have signed for it.
    fn purpose(&self, item: DraftId, from: ItemState) -> Purpose {
        let items = vec![SignedItem::new(item, self.shown)];
        match from {
            ItemState::Unknown => Purpose::Resend { items },
            _ => Purpose::Approve { items },
        }
    }
}

/// What was given for a yes: the factor or the words of a rule, and the signature, where a key made one.
pub(super) struct Given<'a> {
    /// Name of the factor, or the rule's words.
    pub(super) factor: &'a str,
    assertion: Option<&'a Assertion>,
}

impl<'a> Given<'a> {
    /// A rule of the owner's said it.
    pub(super) const fn rule(words: &'a str) -> Self {
        Self { factor: words, assertion: None }
    }

    /// What the audit chain keeps of it, beside the rest.
    fn told(&self, mut body: Value) -> Value {
        body["factor"] = json!(self.factor);
        if let Some(assertion) = self.assertion {
            body["assertion"] = json!(assertion);
        }
        body
    }
}

/// Why an item is void that nobody decided about.
pub(super) fn undecided(hours: i64) -> String {
    format!("nobody decided about it within {hours} hours")
}

fn unknown(id: &str) -> OutboxError {
    OutboxError::UnknownItem { id: id.to_owned() }
}
