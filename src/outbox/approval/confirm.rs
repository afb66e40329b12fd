//! What the person confirmed: read, made stricter as the configuration says, made weaker only with the factor that
//! counted until then.

use serde_json::json;

use crate::outbox::OutboxError;
use crate::outbox::approval::{Approvals, Proof};
use crate::outbox::policy::{InForce, Known, weaknesses};
use crate::store::{AuditEntry, Reader, Store, WriteTransaction};

/// A yes whose seal is not of this home's key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BadSeals {
    /// Ids of items that could leave by it.
    pub items: Vec<String>,
    /// How many are used up or taken back: nothing leaves by them, and in a home that was restored they are usual.
    pub spent: usize,
}

impl Approvals {
    /// What counts now, as a transaction sees it.
    pub(in crate::outbox) fn in_force(&self, tx: &WriteTransaction<'_>) -> Result<InForce, OutboxError> {
        Ok(InForce::of(&self.known(tx)?, &self.wanted))
    }

    /// What counts now.
    pub fn now_in_force(&self, reader: &Reader) -> Result<InForce, OutboxError> {
        let (row, audit) = (reader.confirmed()?, reader.confirmed_by_audit()?);
        let known = Known::read(&row, audit.as_deref(), || self.seal())?;
        Ok(InForce::of(&known, &self.wanted))
    }

    /// Which yes was not given here.
    pub fn bad_seals(&self, reader: &Reader) -> Result<BadSeals, OutboxError> {
        let mut bad = BadSeals::default();
        let approvals = reader.approvals()?;
        if approvals.is_empty() {
            return Ok(bad);
        }
        let seal = self.seal()?;
        for (item, approval, is_spent) in approvals {
            match (seal.is_good(&approval), is_spent) {
                (true, _) => {}
                (false, true) => bad.spent += 1,
                (false, false) => bad.items.push(item),
            }
        }
        Ok(bad)
    }

    pub(super) fn known(&self, tx: &WriteTransaction<'_>) -> Result<Known, OutboxError> {
        Known::read(&tx.confirmed()?, tx.confirmed_by_audit()?.as_deref(), || self.seal())
    }

    /// Keeps everything in which the configuration is stricter than what was confirmed: from here on it takes the person
    /// to go back.
    pub fn settle(&self) -> Result<(), OutboxError> {
        let mut store = Store::open(&self.home.store())?;
        let tx = store.begin()?;
        let known = self.known(&tx)?;
        let stricter = known.tightened(&self.wanted);
        if stricter != known && !known.is_broken {
            self.put_known(&tx, &stricter, "made stricter", &weaknesses(&stricter.policy, &known.policy))?;
            tx.commit()?;
        }
        Ok(())
    }

    /// Confirms what the configuration asks for, weaker or not.
    pub fn confirm(&self, proof: &Proof) -> Result<InForce, OutboxError> {
        let mut store = Store::open(&self.home.store())?;
        let tx = store.begin()?;
        let (known, in_force) = (self.known(&tx)?, self.in_force(&tx)?);
        proof.satisfies(&in_force)?;
        let factor = if known.pin.is_some() { self.wanted.factor } else { known.factor };
        let confirmed = Known { policy: self.wanted.policy.clone(), factor, ..known };
        self.put_known(&tx, &confirmed, "confirmed", &in_force.waits)?;
        tx.commit()?;
        Ok(InForce::of(&confirmed, &self.wanted))
    }

    /// Begins anew where what was confirmed cannot be believed: with the usual rules or stricter ones, and the PIN that
    /// the sealed row or the audit chain knows, which must have been given.
    pub fn renew(&self, proof: &Proof) -> Result<InForce, OutboxError> {
        let mut store = Store::open(&self.home.store())?;
        let tx = store.begin()?;
        let broken = self.known(&tx)?;
        if !broken.is_broken {
            return self.in_force(&tx);
        }
        if broken.pin.is_some() && !proof.is_pin() {
            return Err(OutboxError::Factor("the PIN was not given".to_owned()));
        }
        let usual = Known { is_broken: false, ..broken };
        self.put_known(&tx, &usual, "set anew after a broken seal", &[])?;
        tx.commit()?;
        Ok(InForce::of(&usual, &self.wanted))
    }

    /// Writes down what counts from now on, with its seal and in the audit chain.
    pub(super) fn put_known(
        &self,
        tx: &WriteTransaction<'_>,
        known: &Known,
        why: &str,
        changes: &[String],
    ) -> Result<(), OutboxError> {
        let mut row = known.row();
        row.seal = Some(self.seal()?.sign_confirmed(&row));
        tx.put_confirmed(&row)?;
        let mut body = known.told();
        body["why"] = json!(why);
        body["changes"] = json!(changes);
        let at_ms = self.clock.now().as_millisecond();
        tx.append_audit(&AuditEntry { kind: "policy", item: None, at_ms, body })?;
        Ok(())
    }
}
