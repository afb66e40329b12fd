//! Writes down what became of an attempt: its outcome, the item's new state, what each recipient got, other Message-IDs,
//! the copy for the mailbox of sent mail and the audit entry, all in one transaction or none of it.

use std::time::Duration;

use serde_json::json;

use crate::model::{DraftId, DraftKey, ItemState, OutboxSettings, Recipients, Route};
use crate::outbox::OutboxError;
use crate::outbox::approval::ApprovedItem;
use crate::outbox::carriers::{Outcome, Receipt, Trouble};
use crate::outbox::retry::{self, Next, Tried};
use crate::store::{
    Attempt, AttemptOutcome, AuditEntry, Delivery, DeliveryStatus, Ending, Item, Move, RefusedRecipient,
    StoreError, WriteTransaction,
};

/// What is known about an attempt while it is made, and after the item itself is used up.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    pub(super) draft: DraftKey,
    pub(super) id: DraftId,
    pub(super) revision: i64,
    pub(super) attempt: i64,
    pub(super) route: Route,
    recipients: Recipients,
    message_id: String,
    profile: Option<String>,
}

impl Facts {
    pub(super) fn of(item: &ApprovedItem) -> Self {
        Self {
            draft: item.draft(),
            id: item.id(),
            revision: item.revision(),
            attempt: item.attempt(),
            route: item.route().clone(),
            recipients: item.recipients().clone(),
            message_id: item.message_id().to_owned(),
            profile: item.profile().map(str::to_owned),
        }
    }

    /// Of an attempt that somebody else made.
    pub(super) fn of_attempt(item: &Item, attempt: &Attempt) -> Self {
        Self {
            draft: item.draft.key,
            id: item.draft.id,
            revision: attempt.revision,
            attempt: attempt.key,
            route: item.route.clone(),
            recipients: item.draft.recipients.clone(),
            message_id: item.draft.message_id.clone(),
            profile: item.origin.profile.clone(),
        }
    }
}

/// What comes next for an item, as far as the worker has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// Nothing.
    Done,
    /// Another try after so long.
    TryAfter(Duration),
    /// Another try at a time that stands in the store, or when sending goes on.
    Waits,
}

/// Where an item goes, and why.
struct Step<'a> {
    to: ItemState,
    reason: Option<&'a str>,
    error_code: Option<&'a str>,
}

impl<'a> Step<'a> {
    const fn to(to: ItemState, reason: &'a str) -> Self {
        Self { to, reason: Some(reason), error_code: None }
    }

    const fn trouble(to: ItemState, trouble: &'a Trouble) -> Self {
        Self { to, reason: Some(trouble.reason.as_str()), error_code: Some(trouble.code) }
    }
}

/// Writes outcomes down.
pub(super) struct Outcomes<'a> {
    pub(super) settings: &'a OutboxSettings,
    pub(super) at_ms: i64,
}

impl Outcomes<'_> {
    const fn epoch(&self) -> i64 {
        self.at_ms.div_euclid(1_000)
    }

    /// Writes down what became of an attempt, and moves the item.
    pub(super) fn put(
        &self,
        tx: &WriteTransaction<'_>,
        facts: &Facts,
        outcome: &Outcome,
    ) -> Result<Then, OutboxError> {
        match outcome {
            Outcome::Sent(receipt) => self.sent(tx, facts, receipt),
            Outcome::Failed(trouble) => self.failed(tx, facts, trouble),
            Outcome::Later(trouble) => self.later(tx, facts, trouble),
            Outcome::Halted(halt) => self.halted(tx, facts, &halt.to_string()),
            Outcome::Unknown(detail) => self.unknown(tx, facts, detail),
        }
    }

    fn sent(&self, tx: &WriteTransaction<'_>, facts: &Facts, receipt: &Receipt) -> Result<Then, OutboxError> {
        tx.end_attempt(facts.attempt, &self.ending(AttemptOutcome::Sent, &receipt.reply, &receipt.refused))?;
        let step = Step { to: ItemState::Sent, reason: None, error_code: None };
        if !self.step(tx, facts, &step)? {
            return Ok(Then::Done);
        }
        let attempt = tx.attempts_of(facts.draft)?.into_iter().find(|attempt| attempt.key == facts.attempt);
        let date =
            attempt.and_then(|attempt| attempt.data_ms).map_or(self.epoch(), |ms| ms.div_euclid(1_000));
        tx.note_sent(facts.draft, date)?;
        tx.clear_deliveries(facts.draft)?;
        for to in facts.recipients.all() {
            let refused = receipt.refused.iter().find(|one| one.address.eq_ignore_ascii_case(&to.address));
            self.deliver(tx, facts.draft, &to.address, refused)?;
        }
        for alias in receipt.aliases.iter().filter(|alias| **alias != facts.message_id) {
            tx.add_alias(facts.draft, alias)?;
        }
        if matches!(facts.route, Route::Smtp { .. }) {
            tx.keep_in_sent(facts.draft, facts.revision)?;
        }
        let refused: Vec<_> = receipt.refused.iter().map(|one| &one.address).collect();
        let body = json!({ "reply": receipt.reply, "refused": refused, "aliases": receipt.aliases });
        self.tell(tx, facts, "sent", body)?;
        Ok(Then::Done)
    }

    fn failed(
        &self,
        tx: &WriteTransaction<'_>,
        facts: &Facts,
        trouble: &Trouble,
    ) -> Result<Then, OutboxError> {
        tx.end_attempt(
            facts.attempt,
            &self.ending(AttemptOutcome::Failed, &trouble.reason, &trouble.refused),
        )?;
        self.give_up(tx, facts, trouble)
    }

    fn give_up(
        &self,
        tx: &WriteTransaction<'_>,
        facts: &Facts,
        trouble: &Trouble,
    ) -> Result<Then, OutboxError> {
        if !self.step(tx, facts, &Step::trouble(ItemState::Failed, trouble))? {
            return Ok(Then::Done);
        }
        tx.clear_deliveries(facts.draft)?;
        for refused in &trouble.refused {
            self.deliver(tx, facts.draft, &refused.address, Some(refused))?;
        }
        self.tell(tx, facts, "failed", json!({ "code": trouble.code, "reason": trouble.reason }))?;
        Ok(Then::Done)
    }

    fn later(
        &self,
        tx: &WriteTransaction<'_>,
        facts: &Facts,
        trouble: &Trouble,
    ) -> Result<Then, OutboxError> {
        tx.end_attempt(
            facts.attempt,
            &self.ending(AttemptOutcome::Later, &trouble.reason, &trouble.refused),
        )?;
        let tries = tx.count_try(facts.draft, self.epoch())?;
        let since = self.epoch() - tries.first;
        let next = match trouble.until {
            Some(until) => retry::as_told(until - self.epoch(), since),
            None => {
                let profile = facts.profile.as_deref();
                retry::next(self.settings, Tried { tries: tries.count, since, profile })
            }
        };
        if next == Next::Never {
            return self.give_up(tx, facts, trouble);
        }
        if !self.step(tx, facts, &Step::trouble(ItemState::Approved, trouble))? {
            return Ok(Then::Done);
        }
        let body = json!({ "code": trouble.code, "reason": trouble.reason, "tries": tries.count });
        self.tell(tx, facts, "put_off", body)?;
        match next {
            Next::Soon(pause) => Ok(Then::TryAfter(pause)),
            Next::Later(seconds) => {
                tx.put_off(facts.draft, self.epoch() + seconds, &trouble.reason, trouble.code)?;
                Ok(Then::Waits)
            }
            Next::Never => Ok(Then::Done),
        }
    }

    /// Nothing has left because we went no further: this is no try.
    fn halted(&self, tx: &WriteTransaction<'_>, facts: &Facts, why: &str) -> Result<Then, OutboxError> {
        tx.end_attempt(facts.attempt, &self.ending(AttemptOutcome::Later, why, &[]))?;
        if self.step(tx, facts, &Step::to(ItemState::Approved, why))? {
            self.tell(tx, facts, "put_off", json!({ "reason": why }))?;
        }
        Ok(Then::Waits)
    }

    fn unknown(&self, tx: &WriteTransaction<'_>, facts: &Facts, detail: &str) -> Result<Then, OutboxError> {
        tx.end_attempt(facts.attempt, &self.ending(AttemptOutcome::Unknown, detail, &[]))?;
        let step = Step { error_code: Some("UNKNOWN_OUTCOME"), ..Step::to(ItemState::Unknown, detail) };
        if self.step(tx, facts, &step)? {
            self.tell(tx, facts, "unknown", json!({ "reason": detail }))?;
        }
        Ok(Then::Done)
    }

    fn ending<'a>(
        &self,
        outcome: AttemptOutcome,
        reply: &'a str,
        refused: &'a [RefusedRecipient],
    ) -> Ending<'a> {
        Ending { outcome, reply: Some(reply), refused, at_ms: self.at_ms }
    }

    /// Moves the item, from where this attempt or a worker that took over has left it. Where a person has decided
    /// meanwhile, it stays where they put it.
    fn step(&self, tx: &WriteTransaction<'_>, facts: &Facts, step: &Step<'_>) -> Result<bool, StoreError> {
        let Step { to, reason, error_code } = *step;
        let Some((revision, from)) = tx.item_state(facts.draft)? else { return Ok(false) };
        let is_last = tx.attempts_of(facts.draft)?.last().is_some_and(|last| last.key == facts.attempt);
        let is_ours = matches!(from, ItemState::Sending | ItemState::Unknown) && is_last;
        if revision != facts.revision || !is_ours {
            return Ok(false);
        }
        let epoch = self.epoch();
        tx.move_item(&Move { draft: facts.draft, revision, from, to, reason, error_code, epoch })
    }

    fn deliver(
        &self,
        tx: &WriteTransaction<'_>,
        draft: DraftKey,
        recipient: &str,
        refused: Option<&RefusedRecipient>,
    ) -> Result<(), StoreError> {
        let status = if refused.is_some() { DeliveryStatus::Refused } else { DeliveryStatus::Sent };
        tx.put_delivery(
            draft,
            &Delivery {
                recipient: recipient.to_owned(),
                status,
                epoch: self.epoch(),
                detail: refused.map(|one| one.reply.clone()),
                message: None,
                is_probable: false,
            },
        )
    }

    fn tell(
        &self,
        tx: &WriteTransaction<'_>,
        facts: &Facts,
        kind: &str,
        mut body: serde_json::Value,
    ) -> Result<(), StoreError> {
        body["attempt"] = facts.attempt.into();
        body["revision"] = facts.revision.into();
        tx.append_audit(&AuditEntry { kind, item: Some(facts.id), at_ms: self.at_ms, body }).map(drop)
    }
}
