//! What the person confirmed: read, made stricter as the configuration says, made weaker only with the factor that
//! counted until then.

use serde_json::json;

use crate::model::Factor;
use crate::outbox::OutboxError;
use crate::outbox::approval::passkey::{self, Assertion, Purpose, SignatureReport};
use crate::outbox::approval::{Approvals, Proof, marker};
use crate::outbox::policy::{InForce, Kept, Known, weaknesses};
use crate::store::{AuditEntry, Confirmed, Reader, Store, WriteTransaction};

/// Why what counts was changed, and what shows that the person did it.
#[derive(Default)]
pub(super) struct Change<'a> {
    pub(super) why: &'a str,
    pub(super) what: &'a [String],
    pub(super) assertion: Option<&'a Assertion>,
}

impl<'a> Change<'a> {
    pub(super) fn because(why: &'a str) -> Self {
        Self { why, ..Self::default() }
    }
}

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
        Ok(InForce::of(&self.known_by(reader)?, &self.wanted))
    }

    /// Checks every signature of the audit chain, and the keys. Opens no secrets.
    pub fn check_signatures(&self, reader: &Reader) -> Result<SignatureReport, OutboxError> {
        passkey::check(reader)
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
            match (seal.is_good(&item, &approval), is_spent) {
                (true, _) => {}
                (false, true) => bad.spent += 1,
                (false, false) => bad.items.push(item),
            }
        }
        Ok(bad)
    }

    pub(super) fn known_by(&self, reader: &Reader) -> Result<Known, OutboxError> {
        self.believed(reader.confirmed()?, reader.confirmed_by_audit()?)
    }

    pub(super) fn known(&self, tx: &WriteTransaction<'_>) -> Result<Known, OutboxError> {
        self.believed(tx.confirmed()?, tx.confirmed_by_audit()?)
    }

    fn believed(&self, row: Confirmed, told: Option<String>) -> Result<Known, OutboxError> {
        let marker = marker::read(&self.home)?;
        Known::read(&Kept { row, told, marker }, || self.seal())
    }

    /// Keeps everything in which the configuration is stricter than what was confirmed: from here on it takes the person
    /// to go back.
    pub fn settle(&self) -> Result<(), OutboxError> {
        self.settle_in(&mut Store::open(&self.home.store())?)
    }

    /// The same for who has the store open.
    pub(in crate::outbox) fn settle_in(&self, store: &mut Store) -> Result<(), OutboxError> {
        let tx = store.begin()?;
        let known = self.known(&tx)?;
        let stricter = known.tightened(&self.wanted);
        if stricter != known && !known.is_broken {
            let what = weaknesses(&stricter.policy, &known.policy);
            let change = Change { what: &what, ..Change::because("made stricter") };
            self.put_known(&tx, &stricter, &change)?;
            tx.commit()?;
        }
        Ok(())
    }

    /// What a passkey signs so that the configuration counts, weaker or not.
    pub fn to_confirm(&self, reader: &Reader) -> Result<Purpose, OutboxError> {
        Ok(confirms(&self.as_wanted(self.known_by(reader)?)))
    }

    /// Confirms what the configuration asks for, weaker or not.
    pub fn confirm(&self, proof: &Proof) -> Result<InForce, OutboxError> {
        self.audited(|| {
            let mut store = Store::open(&self.home.store())?;
            let tx = store.begin()?;
            let (confirmed, in_force) = (self.as_wanted(self.known(&tx)?), self.in_force(&tx)?);
            let assertion = self.admit(&tx, proof, &confirms(&confirmed))?;
            let change = Change { why: "confirmed", what: &in_force.waits, assertion };
            self.put_known(&tx, &confirmed, &change)?;
            tx.commit()?;
            Ok(InForce::of(&confirmed, &self.wanted))
        })
    }

    /// The same with the rules and the factor of the configuration.
    fn as_wanted(&self, known: Known) -> Known {
        let factor = known.possible(self.wanted.factor);
        Known { policy: self.wanted.policy.clone(), factor, ..known }
    }

    /// Begins anew where what was confirmed cannot be believed: with the usual rules or stricter ones, and the PIN that
    /// the sealed row or the audit chain knows, which must have been given; where the passkey counted, one that is enrolled.
    pub fn renew(&self, proof: &Proof) -> Result<InForce, OutboxError> {
        self.audited(|| {
            let mut store = Store::open(&self.home.store())?;
            let tx = store.begin()?;
            let broken = self.known(&tx)?;
            if !broken.is_broken {
                return self.in_force(&tx);
            }
            may_renew(&broken, proof)?;
            let assertion = self.use_up(&tx, proof, &Purpose::Renew)?;
            let usual = self.with_kept_keys(&tx, Known { is_broken: false, ..broken })?;
            let change = Change { assertion, ..Change::because("set anew after a broken seal") };
            self.put_known(&tx, &usual, &change)?;
            tx.commit()?;
            Ok(InForce::of(&usual, &self.wanted))
        })
    }

    /// Writes down what counts from now on, with its seal, in the audit chain and beside the store. That file comes first:
    /// a commit that fails after it leaves something to set anew, and nothing weaker.
    pub(super) fn put_known(
        &self,
        tx: &WriteTransaction<'_>,
        known: &Known,
        change: &Change<'_>,
    ) -> Result<(), OutboxError> {
        let mut row = known.row();
        row.seal = Some(self.seal()?.sign_confirmed(&row));
        marker::write(&self.home, &row)?;
        tx.put_confirmed(&row)?;
        let mut body = known.told();
        body["why"] = json!(change.why);
        body["changes"] = json!(change.what);
        if let Some(assertion) = change.assertion {
            body["assertion"] = json!(assertion);
        }
        let at_ms = self.clock.now().as_millisecond();
        tx.append_audit(&AuditEntry { kind: "policy", item: None, at_ms, body })?;
        Ok(())
    }
}

fn confirms(known: &Known) -> Purpose {
    Purpose::Confirm { settings: passkey::settings(&known.policy, known.factor) }
}

/// Whether this is the factor that counted before something broke.
fn may_renew(broken: &Known, proof: &Proof) -> Result<(), OutboxError> {
    let needs_key = broken.factor == Factor::Passkey;
    if needs_key && proof.assertion().is_none() {
        return Err(OutboxError::Factor("no passkey signed it".to_owned()));
    }
    if !needs_key && broken.pin.is_some() && !proof.is_pin() && proof.assertion().is_none() {
        return Err(OutboxError::Factor("the PIN was not given".to_owned()));
    }
    Ok(())
}
