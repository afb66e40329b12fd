//! The seal on a yes: made with a key that is not in the store, so that a row that somebody wrote there is worth nothing.

use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};

use crate::account::{AccountError, Secrets};
use crate::secret::Secret;
use crate::store::{Approval, Confirmed};

/// The name of the key, and of the file that holds it alone: who checks a yes needs no password of any account.
const NAME: &str = "approval seal";
const FILE: &str = "approval-seal";

/// Makes and checks seals.
pub struct Seal(hmac::Key);

impl Seal {
    /// With the key of this home, which is made when there is none.
    pub fn of(secrets: &Secrets) -> Result<Self, AccountError> {
        let secrets = secrets.apart(FILE);
        let kept = match secrets.get(NAME)? {
            Some(key) => key,
            None => secrets.set_if_absent(NAME, &new_key())?,
        };
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, kept.reveal().as_bytes())))
    }

    /// The seal on a yes to the item with this short id.
    #[must_use]
    pub(super) fn sign(&self, item: &str, approval: &Approval) -> Vec<u8> {
        hmac::sign(&self.0, &sealed(item, approval)).as_ref().to_vec()
    }

    /// Whether a yes is as it was given, to the item with this short id.
    #[must_use]
    pub(super) fn is_good(&self, item: &str, approval: &Approval) -> bool {
        hmac::verify(&self.0, &sealed(item, approval), &approval.seal).is_ok()
    }

    /// The seal on other things of ours; what they are stands in front of them.
    #[must_use]
    pub(super) fn sign_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        hmac::sign(&self.0, bytes).as_ref().to_vec()
    }

    /// Whether they carry our seal.
    #[must_use]
    pub(super) fn is_good_bytes(&self, bytes: &[u8], seal: &[u8]) -> bool {
        hmac::verify(&self.0, bytes, seal).is_ok()
    }

    /// The seal on what the person confirmed.
    #[must_use]
    pub(in crate::outbox) fn sign_confirmed(&self, confirmed: &Confirmed) -> Vec<u8> {
        hmac::sign(&self.0, &sealed_confirmed(confirmed)).as_ref().to_vec()
    }

    /// Whether what the person confirmed is as it was written.
    #[must_use]
    pub(in crate::outbox) fn is_good_confirmed(&self, confirmed: &Confirmed) -> bool {
        let seal = confirmed.seal.as_deref().unwrap_or_default();
        hmac::verify(&self.0, &sealed_confirmed(confirmed), seal).is_ok()
    }
}

fn new_key() -> Secret<String> {
    let mut bytes = [0; 32];
    SystemRandom::new().fill(&mut bytes).expect("the system gives random numbers");
    Secret::new(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Everything that a yes says; every field with its length. With the short id, because the chain knows the item by that and
/// the row by nothing else.
fn sealed(item: &str, approval: &Approval) -> Vec<u8> {
    let numbers = [approval.draft.0, approval.revision, approval.epoch, approval.send_after];
    let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
    let signature = approval.signature.as_deref().unwrap_or_default();
    for field in [
        item.as_bytes(),
        &approval.hash.0.0[..],
        approval.door.as_bytes(),
        approval.factor.as_bytes(),
        signature,
    ] {
        add(&mut bytes, field);
    }
    bytes
}

/// The same for what was confirmed; the word in front keeps the two kinds apart.
fn sealed_confirmed(confirmed: &Confirmed) -> Vec<u8> {
    let policy = confirmed.policy.as_deref().unwrap_or_default();
    let pin = confirmed.pin.as_deref().unwrap_or_default();
    let mut bytes = Vec::new();
    for field in ["mailkeep confirmed", policy, &confirmed.factor, pin] {
        add(&mut bytes, field.as_bytes());
    }
    if let Some(passkeys) = &confirmed.passkeys {
        add(&mut bytes, passkeys.as_bytes());
    }
    bytes
}

fn add(bytes: &mut Vec<u8>, field: &[u8]) {
    bytes.extend((field.len() as u64).to_be_bytes());
    bytes.extend(field);
}
