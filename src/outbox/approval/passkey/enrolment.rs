//! Enrolling and removing keys. The first needs the PIN, or where there is none a code from the terminal; each one after
//! it is signed by one that is there. Removing takes the factor that is in force.

use serde_json::json;

use super::base64url::Base64Url;
use super::browser::{CreationOptions, NewKeyAnswer, NewKeyQuestion};
use super::challenge::Purpose;
use super::code;
use super::flaw::PasskeyFlaw;
use super::keys::{self, Enrolled, Entry, Key, Keys};
use super::registration::{self, Made};
use crate::model::Factor;
use crate::outbox::OutboxError;
use crate::outbox::approval::confirm::Change;
use crate::outbox::approval::{Approvals, Proof};
use crate::outbox::policy::{InForce, Known};
use crate::store::{AuditEntry, Reader, Store, WriteTransaction};
use crate::text_safety::one_line;

/// Keys that one home can have: all of them are named in every question.
const MOST: usize = 20;
/// Characters of a name.
const LONGEST_NAME: usize = 60;

/// What a new key has to be vouched for with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voucher {
    /// A signature by a key that is enrolled, over the new one.
    Passkey,
    /// The PIN.
    Pin,
    /// A code that `mailkeep approval passkey add` shows on the terminal.
    Code,
}

impl Approvals {
    /// The keys that count, and what is wrong about others.
    pub fn passkeys(&self, reader: &Reader) -> Result<Keys, OutboxError> {
        let known = self.known_by(reader)?;
        let mut keys = Keys::of(&reader.audit_of_passkeys()?, &reader.passkeys()?);
        keys.keys.retain(|key| known.passkeys.contains(&key.fingerprint));
        Ok(keys)
    }

    /// What a new key would be vouched for with.
    pub fn voucher(&self, reader: &Reader) -> Result<Voucher, OutboxError> {
        Ok(voucher(&self.known_by(reader)?))
    }

    /// Asks for a new key, from the page at `origin`.
    pub fn begin_enrolment(&self, name: &str, origin: &str) -> Result<NewKeyQuestion, OutboxError> {
        let name = checked_name(name)?;
        let reader = Reader::open(&self.home.store())?;
        let keys = self.passkeys(&reader)?;
        let ids: Vec<_> = keys.keys.iter().map(|key| key.credential.as_slice()).collect();
        let (ticket, challenge) = self.new_ticket(&Purpose::Create, origin)?;
        let public_key = CreationOptions::new(challenge, &ticket.nonce, &name, &ids);
        Ok(NewKeyQuestion { public_key, ticket })
    }

    /// What a key that is enrolled signs so that this new one counts: ask with [`Approvals::ask_passkey`].
    pub fn to_enrol(&self, answer: &NewKeyAnswer) -> Result<Purpose, OutboxError> {
        let made = registration::read(&answer.credential.response.attestation_object.0)?;
        Ok(enrols(&made))
    }

    /// Enrols the key that a browser had made for the page at `origin`.
    pub fn finish_enrolment(
        &self,
        name: &str,
        origin: &str,
        answer: &NewKeyAnswer,
        proof: &Proof,
    ) -> Result<Key, OutboxError> {
        let name = checked_name(name)?;
        self.audited(|| {
            let now = self.clock.now().as_second();
            let challenge = answer.ticket.open(&Purpose::Create, origin, now, self.seal()?)?;
            let made = registration::check(&answer.credential, &challenge, origin)?;
            let mut store = Store::open(&self.home.store())?;
            let tx = store.begin()?;
            let key = self.enrol(&tx, &name, &made, proof)?;
            tx.commit()?;
            Ok(key)
        })
    }

    fn enrol(
        &self,
        tx: &WriteTransaction<'_>,
        name: &str,
        made: &Made,
        proof: &Proof,
    ) -> Result<Key, OutboxError> {
        let known = self.known(tx)?;
        let chain = tx.audit_of_passkeys()?;
        let before = Keys::of(&chain, &tx.passkeys()?);
        if before.get(&made.credential).is_some() {
            return Err(PasskeyFlaw::Known.into());
        }
        if before.keys.len() >= MOST {
            return Err(OutboxError::Factor(format!("{MOST} keys are enrolled, which is the most")));
        }
        vouched(voucher(&known), proof, &InForce::of(&known, &self.wanted))?;
        let assertion = self.use_up(tx, proof, &enrols(made))?;
        let factor = if proof.is_code() { "terminal" } else { proof.factor().name() };
        let entry = Enrolled {
            credential: Base64Url(made.credential.clone()),
            name: name.to_owned(),
            algorithm: made.public_key.algorithm().number(),
            public_key: Base64Url(made.cose.clone()),
            fingerprint: keys::fingerprint(&made.credential, &made.cose),
            counter: made.counter,
            since: self.clock.now().as_second(),
            factor: factor.to_owned(),
            assertion: assertion.cloned(),
        };
        let row = self.note_key(tx, &Entry::Enrolled(entry))?;
        let after = Keys::of(&[&chain[..], &[row]].concat(), &[]);
        // What the chain would not believe later is not enrolled now.
        let key = after.get(&made.credential).cloned().ok_or(PasskeyFlaw::BadSignature)?;
        tx.put_passkey(&key.row())?;
        let mut passkeys = known.passkeys.clone();
        passkeys.push(key.fingerprint.clone());
        let known = Known { passkeys, ..known }.tightened(&self.wanted);
        self.put_known(tx, &known, &Change::because("passkey enrolled"))?;
        Ok(Key { is_kept: true, ..key })
    }

    /// Takes a key away, by its id.
    pub fn remove_passkey(&self, credential: &[u8], proof: &Proof) -> Result<(), OutboxError> {
        self.audited(|| {
            let mut store = Store::open(&self.home.store())?;
            let tx = store.begin()?;
            let (known, in_force) = (self.known(&tx)?, self.in_force(&tx)?);
            let keys = Keys::of(&tx.audit_of_passkeys()?, &tx.passkeys()?);
            let fingerprint = keys.enrolled(credential, &known.passkeys)?.fingerprint.clone();
            let passkeys: Vec<_> = known.passkeys.iter().filter(|it| **it != fingerprint).cloned().collect();
            if passkeys.is_empty() && in_force.factor == Factor::Passkey {
                return Err(OutboxError::LastPasskey);
            }
            let credential = Base64Url(credential.to_vec());
            let purpose = Purpose::Remove { credential: credential.clone() };
            let assertion = self.admit(&tx, proof, &purpose)?.cloned();
            let factor = proof.factor().name().to_owned();
            self.note_key(&tx, &Entry::Removed { credential: credential.clone(), factor, assertion })?;
            tx.drop_passkey(&credential.0)?;
            self.put_known(&tx, &Known { passkeys, ..known }, &Change::because("passkey removed"))?;
            tx.commit()?;
            Ok(())
        })
    }

    /// Makes the rows of the store say again what the chain says, and keeps only keys that it knows.
    pub(in crate::outbox::approval) fn with_kept_keys(
        &self,
        tx: &WriteTransaction<'_>,
        mut known: Known,
    ) -> Result<Known, OutboxError> {
        let keys = Keys::of(&tx.audit_of_passkeys()?, &tx.passkeys()?);
        known.passkeys.retain(|fingerprint| keys.fingerprints().contains(fingerprint));
        tx.drop_passkeys()?;
        for key in keys.keys.iter().filter(|key| known.passkeys.contains(&key.fingerprint)) {
            tx.put_passkey(&key.row())?;
        }
        Ok(known)
    }

    /// Writes down in the chain what became of a key.
    fn note_key(
        &self,
        tx: &WriteTransaction<'_>,
        entry: &Entry,
    ) -> Result<crate::store::AuditRow, OutboxError> {
        let body = serde_json::to_value(entry).expect("an entry is JSON");
        let at_ms = self.clock.now().as_millisecond();
        Ok(tx.append_audit(&AuditEntry { kind: "passkey", item: None, at_ms, body })?)
    }

    /// The code that lets a page enrol the first key where there is no PIN. To be shown on the controlling terminal only.
    pub fn enrolment_code(&self) -> Result<String, OutboxError> {
        let changes = Reader::open(&self.home.store())?.audit_of_passkeys()?.len();
        Ok(code::code(self.seal()?, &self.clock, changes))
    }

    /// Checks the code that was typed into a page.
    pub fn prove_code(&self, given: &str) -> Result<Proof, OutboxError> {
        self.audited(|| {
            let changes = Reader::open(&self.home.store())?.audit_of_passkeys()?.len();
            if code::is_code(given, self.seal()?, &self.clock, changes) {
                Ok(Proof::code())
            } else {
                Err(PasskeyFlaw::WrongCode.into())
            }
        })
    }

    /// Notes that a browser was let in with a PIN or a passkey; a signature is used up by that.
    pub fn sign_in(&self, proof: &Proof) -> Result<(), OutboxError> {
        self.audited(|| {
            let mut store = Store::open(&self.home.store())?;
            let tx = store.begin()?;
            if proof.factor() == Factor::Click {
                return Err(OutboxError::Factor("signing in takes the PIN or a passkey".to_owned()));
            }
            let assertion = self.admit(&tx, proof, &Purpose::SignIn)?;
            let mut body = json!({ "factor": proof.factor().name() });
            if let Some(assertion) = assertion {
                body["assertion"] = json!(assertion);
            }
            let at_ms = self.clock.now().as_millisecond();
            tx.append_audit(&AuditEntry { kind: "signed_in", item: None, at_ms, body })?;
            tx.commit()?;
            Ok(())
        })
    }
}

fn enrols(made: &Made) -> Purpose {
    Purpose::Enrol {
        credential: Base64Url(made.credential.clone()),
        public_key: Base64Url(made.cose.clone()),
    }
}

fn voucher(known: &Known) -> Voucher {
    match (known.passkeys.is_empty(), &known.pin) {
        (false, _) => Voucher::Passkey,
        (true, Some(_)) => Voucher::Pin,
        (true, None) => Voucher::Code,
    }
}

/// Whether this proof vouches for a new key.
fn vouched(voucher: Voucher, proof: &Proof, in_force: &InForce) -> Result<(), OutboxError> {
    proof.sets_up(in_force)?;
    let refused = match voucher {
        Voucher::Passkey if proof.assertion().is_none() => {
            "a passkey that is enrolled has to sign the new one"
        }
        Voucher::Pin if !proof.is_pin() => "the first passkey needs the PIN",
        Voucher::Code if !proof.is_code() => "the first passkey needs the code from your terminal",
        _ => return Ok(()),
    };
    Err(OutboxError::Factor(refused.to_owned()))
}

/// A name as it is kept: one line, not too long.
fn checked_name(name: &str) -> Result<String, OutboxError> {
    let name = one_line(name).trim().to_owned();
    match name.chars().count() {
        1..=LONGEST_NAME => Ok(name),
        _ => Err(OutboxError::Factor(format!("a key has a name of 1 to {LONGEST_NAME} characters"))),
    }
}
