//! The PIN: kept as Argon2id, five tries, then a lock-out that doubles and that no restart ends. A try is counted before
//! it is looked at, so that ending the process in between wins nothing. Tries at the door, where anybody on this machine
//! can knock, are counted apart: they lock the door and nothing else.

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use jiff::Timestamp;
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::json;

use crate::outbox::OutboxError;
use crate::outbox::approval::confirm::Change;
use crate::outbox::approval::passkey::Purpose;
use crate::outbox::approval::{Approvals, Proof};
use crate::outbox::policy::Known;
use crate::secret::Secret;
use crate::store::{AuditEntry, PinFailures, PinPlace, Store, WriteTransaction};

/// Tries before it is locked.
const TRIES: u32 = 5;
/// Seconds of the first lock-out.
const LOCKED: i64 = 15 * 60;
/// The longest lock-out: a day.
const LONGEST: i64 = 24 * 3_600;
/// The shortest PIN that can be set.
const SHORTEST: usize = 6;

impl Approvals {
    /// Sets the PIN; in the place of one that is there only with a proof of that one.
    pub fn set_pin(&self, new: &Secret<String>, proof: &Proof) -> Result<(), OutboxError> {
        if new.reveal().chars().count() < SHORTEST {
            return Err(OutboxError::Factor(format!("a PIN has at least {SHORTEST} characters")));
        }
        let pin = Some(digest(new)?);
        self.audited(|| {
            let mut store = Store::open(&self.home.store())?;
            let tx = store.begin()?;
            let known = self.known(&tx)?;
            let assertion = self.admit(&tx, proof, &Purpose::SetPin)?;
            let why = match (&known.pin, proof.is_pin() || assertion.is_some()) {
                (None, _) => "PIN set",
                (Some(_), true) => "PIN changed",
                (Some(_), false) => {
                    return Err(OutboxError::Factor("the PIN that is set was not given".to_owned()));
                }
            };
            for place in [PinPlace::Inside, PinPlace::Door] {
                self.put_tries(&tx, place, PinFailures::default())?;
            }
            let known = Known { pin: pin.clone(), ..known }.tightened(&self.wanted);
            self.put_known(&tx, &known, &Change { assertion, ..Change::because(why) })?;
            tx.commit()?;
            Ok(())
        })
    }

    /// Checks the PIN of who is let in already, or is at the terminal. None at all is no try.
    pub fn prove_pin(&self, given: &Secret<String>) -> Result<Proof, OutboxError> {
        self.prove_pin_at(PinPlace::Inside, given)
    }

    /// Checks the PIN of who wants to be let in.
    pub fn prove_pin_at_door(&self, given: &Secret<String>) -> Result<Proof, OutboxError> {
        self.prove_pin_at(PinPlace::Door, given)
    }

    fn prove_pin_at(&self, place: PinPlace, given: &Secret<String>) -> Result<Proof, OutboxError> {
        if given.reveal().is_empty() {
            return Err(OutboxError::Factor("the PIN was not given".to_owned()));
        }
        let mut store = Store::open(&self.home.store())?;
        let (pin, left) = self.count_try(&mut store, place)?;
        if !is_right(given, &pin) {
            return Err(match left {
                0 => self.locked(&mut store, place)?,
                1 => OutboxError::WrongPin { left: "1 try".to_owned() },
                left => OutboxError::WrongPin { left: format!("{left} tries") },
            });
        }
        let tx = store.begin()?;
        self.put_tries(&tx, place, PinFailures::default())?;
        tx.commit()?;
        Ok(Proof::pin())
    }

    /// Notes a try as wrong, before anybody knows; the PIN to compare with, and how many tries are left.
    fn count_try(&self, store: &mut Store, place: PinPlace) -> Result<(String, u32), OutboxError> {
        let tx = store.begin()?;
        let pin = self.known(&tx)?.pin.ok_or_else(|| OutboxError::Factor("no PIN is set".to_owned()))?;
        let now = self.clock.now().as_second();
        let before = tx.pin_failures(place)?;
        if let Some(until) = before.locked_until.filter(|until| *until > now) {
            return Err(locked_until(until));
        }
        let count = before.count + 1;
        let rounds = count / TRIES;
        let locked = (count % TRIES == 0).then(|| now + (LOCKED << (rounds - 1).min(7)).min(LONGEST));
        self.put_tries(&tx, place, PinFailures { count, locked_until: locked })?;
        tx.commit()?;
        Ok((pin, (TRIES - count % TRIES) % TRIES))
    }

    /// Keeps how many tries were wrong, in the row and in the audit chain: the stricter of the two counts, so that who
    /// writes into the row wins nothing.
    fn put_tries(
        &self,
        tx: &WriteTransaction<'_>,
        place: PinPlace,
        failures: PinFailures,
    ) -> Result<(), OutboxError> {
        let mut body = json!({ "failures": failures.count, "locked_until": failures.locked_until });
        match place.name() {
            None => tx.put_pin_failures(failures)?,
            Some(name) => body["at"] = json!(name),
        }
        let at_ms = self.clock.now().as_millisecond();
        tx.append_audit(&AuditEntry { kind: "pin", item: None, at_ms, body })?;
        Ok(())
    }

    fn locked(&self, store: &mut Store, place: PinPlace) -> Result<OutboxError, OutboxError> {
        let until = store.begin()?.pin_failures(place)?.locked_until;
        Ok(locked_until(until.unwrap_or_default()))
    }
}

fn locked_until(epoch: i64) -> OutboxError {
    OutboxError::PinLocked { until: Timestamp::from_second(epoch).unwrap_or(Timestamp::MAX) }
}

/// 64 MiB and three passes: a tenth of a second for us, years for who tries many.
fn argon2() -> Argon2<'static> {
    let params = Params::new(64 * 1_024, 3, 1, None).expect("the parameters are within bounds");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

fn digest(pin: &Secret<String>) -> Result<String, OutboxError> {
    let mut salt = [0; 16];
    SystemRandom::new().fill(&mut salt).expect("the system gives random numbers");
    let hash = argon2().hash_password_with_salt(pin.reveal().as_bytes(), &salt);
    let failed = |error| OutboxError::Factor(format!("the PIN cannot be kept: {error}"));
    hash.map(|hash: PasswordHash| hash.to_string()).map_err(failed)
}

fn is_right(given: &Secret<String>, pin: &str) -> bool {
    let Ok(hash) = PasswordHash::new(pin) else { return false };
    argon2().verify_password(given.reveal().as_bytes(), &hash).is_ok()
}
