//! Passkeys: a yes that is a signature by the person's key over exactly what leaves. The page asks a question
//! ([`Approvals::ask_passkey`]), the browser's answer becomes a [`Proof`] ([`Approvals::prove_passkey`]), and what was
//! signed stays in the audit chain, where anybody can check it again. Own verifier on `ring`; nothing here knows HTTP.
//!
//! What it shows: that somebody whom the key recognised agreed to these bytes on a page of this machine. What it cannot: a
//! program of the same user can swap the enrolled key together with the whole chain, or this program. That is found with
//! a head that `audit export` wrote elsewhere: tamper-evident, not tamper-proof.

mod assertion;
mod authenticator_data;
mod base64url;
pub mod browser;
mod cbor;
mod challenge;
mod check;
mod client_data;
mod code;
mod cose;
mod enrolment;
mod flaw;
mod keys;
mod registration;

use serde_json::json;

use crate::model::{Factor, PolicySettings};
use crate::outbox::OutboxError;
use crate::outbox::approval::{Approvals, Proof};
use crate::outbox::policy::Known;
use crate::store::{Approval, AuditEntry, Reader, Store, WriteTransaction};

pub use assertion::Assertion;
pub use base64url::Base64Url;
pub use browser::{Answer, NewKeyAnswer, NewKeyQuestion, Question};
pub use challenge::{Purpose, SignedItem, Ticket};
pub use check::SignatureReport;
pub(super) use check::check;
pub use cose::Algorithm;
pub use enrolment::Voucher;
pub use flaw::PasskeyFlaw;
pub use keys::{Key, KeyProblem, Keys};

use browser::RequestOptions;

/// For tests that feed it nonsense: reads an attestation object as a browser sends it.
pub fn reads_attestation(object: &[u8]) -> Result<(), PasskeyFlaw> {
    registration::read(object).map(drop)
}

impl Approvals {
    /// Asks the enrolled keys about something, from the page at `origin` (`http://localhost:PORT`, without a slash).
    pub fn ask_passkey(&self, purpose: &Purpose, origin: &str) -> Result<Question, OutboxError> {
        let reader = Reader::open(&self.home.store())?;
        let known = self.known_by(&reader)?;
        let keys = Keys::of(&reader.audit_of_passkeys()?, &reader.passkeys()?);
        let ids: Vec<_> = keys.keys.iter().filter(|key| known.passkeys.contains(&key.fingerprint)).collect();
        let ids: Vec<_> = ids.iter().map(|key| key.credential.as_slice()).collect();
        if ids.is_empty() {
            return Err(PasskeyFlaw::UnknownKey.into());
        }
        let (ticket, challenge) = self.new_ticket(purpose, origin)?;
        Ok(Question { public_key: RequestOptions::new(challenge, &ids), ticket })
    }

    /// Checks what a key answered to the question about `purpose` that the page at `origin` asked. A refusal is written
    /// into the audit chain.
    pub fn prove_passkey(
        &self,
        purpose: &Purpose,
        origin: &str,
        answer: &Answer,
    ) -> Result<Proof, OutboxError> {
        self.audited(|| {
            let now = self.clock.now().as_second();
            answer.ticket.open(purpose, origin, now, self.seal()?)?;
            let assertion = Assertion::of(answer, purpose, origin);
            let mut store = Store::open(&self.home.store())?;
            let tx = store.begin()?;
            if tx.is_nonce_spent(&assertion.nonce.to_string(), None)? {
                return Err(PasskeyFlaw::Replayed.into());
            }
            self.counter_of(&tx, &assertion)?;
            Ok(Proof::passkey(assertion))
        })
    }

    /// Whether a proof is enough for this now, in the transaction that does it; what to keep of it. A signature is used
    /// up by what it is kept with.
    pub(super) fn admit<'p>(
        &self,
        tx: &WriteTransaction<'_>,
        proof: &'p Proof,
        purpose: &Purpose,
    ) -> Result<Option<&'p Assertion>, OutboxError> {
        let in_force = self.in_force(tx)?;
        match purpose {
            Purpose::SetPin => proof.sets_up(&in_force)?,
            _ => proof.satisfies(&in_force)?,
        }
        self.use_up(tx, proof, purpose)
    }

    /// The same without asking whether the factor is strong enough.
    pub(super) fn use_up<'p>(
        &self,
        tx: &WriteTransaction<'_>,
        proof: &'p Proof,
        purpose: &Purpose,
    ) -> Result<Option<&'p Assertion>, OutboxError> {
        let Some(assertion) = proof.assertion() else { return Ok(None) };
        if !assertion.purpose.covers(purpose) {
            return Err(PasskeyFlaw::OtherChallenge.into());
        }
        if self.clock.now().as_second() >= assertion.expiry {
            return Err(PasskeyFlaw::Expired.into());
        }
        let item = purpose.item().unwrap_or_default();
        if tx.is_nonce_spent(&assertion.nonce.to_string(), Some(item))? {
            return Err(PasskeyFlaw::Replayed.into());
        }
        let counter = self.counter_of(tx, assertion)?;
        tx.set_passkey_counter(&assertion.credential.0, counter)?;
        Ok(Some(assertion))
    }

    /// Checks a signature with the key that counts; the number it has.
    fn counter_of(&self, tx: &WriteTransaction<'_>, assertion: &Assertion) -> Result<u32, OutboxError> {
        let known = self.known(tx)?;
        let keys = Keys::of(&tx.audit_of_passkeys()?, &tx.passkeys()?);
        let id = &assertion.credential.0;
        // Setting anew is for when somebody changed the rows.
        let key = match assertion.purpose {
            Purpose::Renew => keys.enrolled(id, &known.passkeys)?,
            _ => keys.counting(id, &known.passkeys)?,
        };
        let counter = assertion.check(&key.public_key)?;
        let last = last_counter(tx, assertion, key)?;
        match last {
            // A signature for several items is met once for each.
            Some(last) if counter <= last && (counter, last) != (0, 0) => {
                Err(PasskeyFlaw::CounterBack.into())
            }
            _ => Ok(counter),
        }
    }

    fn new_ticket(&self, purpose: &Purpose, origin: &str) -> Result<(Ticket, [u8; 32]), OutboxError> {
        if !client_data::is_ours(origin) {
            return Err(PasskeyFlaw::OtherOrigin.into());
        }
        let ticket = Ticket::new(purpose, origin, self.clock.now().as_second(), self.seal()?);
        let challenge = challenge::challenge(purpose, &ticket.nonce.0, ticket.expiry);
        Ok((ticket, challenge))
    }

    /// Does something with a key; a refusal is written down.
    pub(super) fn audited<T>(&self, act: impl FnOnce() -> Result<T, OutboxError>) -> Result<T, OutboxError> {
        let done = act();
        if let Err(OutboxError::Passkey(flaw)) = &done {
            self.note_refusal(flaw)?;
        }
        done
    }

    fn note_refusal(&self, flaw: &PasskeyFlaw) -> Result<(), OutboxError> {
        let mut store = Store::open(&self.home.store())?;
        let tx = store.begin()?;
        let at_ms = self.clock.now().as_millisecond();
        let body = json!({ "factor": "passkey", "reason": flaw.to_string() });
        tx.append_audit(&AuditEntry { kind: "refused", item: None, at_ms, body })?;
        tx.commit()?;
        Ok(())
    }
}

impl Purpose {
    /// The one item that it is about.
    fn item(&self) -> Option<&str> {
        match self {
            Self::Approve { items } | Self::Resend { items } => items.first().map(|it| it.item.as_str()),
            _ => None,
        }
    }
}

/// Rules as they are signed.
pub(super) fn settings(policy: &PolicySettings, factor: Factor) -> String {
    json!({ "policy": policy.kept(), "factor": factor.name() }).to_string()
}

/// The highest number of the key's signatures before this one: of the row, the enrolment and the chain. `None`: the last
/// one is this one.
fn last_counter(
    tx: &WriteTransaction<'_>,
    assertion: &Assertion,
    key: &Key,
) -> Result<Option<u32>, OutboxError> {
    let last = tx.last_signed_by(&assertion.credential.to_string())?;
    let last = last.and_then(|body| serde_json::from_str::<serde_json::Value>(&body).ok());
    let last = last.and_then(|body| serde_json::from_value::<Assertion>(body["assertion"].clone()).ok());
    match last {
        Some(last) if last == *assertion => Ok(None),
        // An entry that cannot be read any more has been changed; the row still knows.
        Some(last) => Ok(Some(last.check(&key.public_key).unwrap_or_default().max(key.counter))),
        None => Ok(Some(key.counter)),
    }
}

/// Why a yes that was signed, or had to be, does not hold; `None`: it does.
pub(super) fn objection(
    tx: &WriteTransaction<'_>,
    known: &Known,
    item: &str,
    approval: &Approval,
) -> Result<Option<&'static str>, OutboxError> {
    let Some(assertion) = approval.signature.as_deref().and_then(Assertion::read) else {
        return Ok(Some("no passkey signed the yes"));
    };
    let told = tx.last_yes(item)?.and_then(|body| serde_json::from_str::<serde_json::Value>(&body).ok());
    let told = told.and_then(|body| serde_json::from_value::<Assertion>(body["assertion"].clone()).ok());
    if told.as_ref() != Some(&assertion) {
        return Ok(Some("the signature of the yes is not the one that the audit chain holds"));
    }
    let shown = SignedItem { item: item.to_owned(), hash: approval.hash.0.to_hex() };
    let wanted = [Purpose::Approve { items: vec![shown.clone()] }, Purpose::Resend { items: vec![shown] }];
    if !wanted.iter().any(|wanted| assertion.purpose.covers(wanted)) {
        return Ok(Some("the passkey signed something else"));
    }
    if approval.epoch >= assertion.expiry {
        return Ok(Some("what the passkey signed was void by then"));
    }
    let keys = Keys::of(&tx.audit_of_passkeys()?, &tx.passkeys()?);
    let checked = keys
        .counting(&assertion.credential.0, &known.passkeys)
        .and_then(|key| assertion.check(&key.public_key));
    Ok(checked.err().map(|flaw| match flaw {
        PasskeyFlaw::UnknownKey => "the passkey that signed the yes is not enrolled",
        PasskeyFlaw::Swapped => "the passkey in the store is not the one that was enrolled",
        _ => "the signature of the yes is wrong",
    }))
}
