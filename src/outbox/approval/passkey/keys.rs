//! Which keys are enrolled, as the audit chain tells it: each enrolment after the first is signed by a key that was there
//! before. Rows of the store only repeat it; one that says something else is named, and counts for nothing.

use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

use super::assertion::Assertion;
use super::base64url::Base64Url;
use super::challenge::Purpose;
use super::cose::PublicKey;
use super::flaw::PasskeyFlaw;
use crate::model::ContentHash;
use crate::store::{AuditRow, PasskeyRow, Reader, StoreError};

/// What the chain says about a key.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "did", rename_all = "snake_case")]
pub(super) enum Entry {
    /// It counts from here on.
    Enrolled(Enrolled),
    /// It counts no more.
    Removed {
        /// Which.
        credential: Base64Url,
        /// What the person showed.
        factor: String,
        /// By a key that was enrolled.
        assertion: Option<Assertion>,
    },
}

/// A key that was enrolled.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Enrolled {
    pub(super) credential: Base64Url,
    pub(super) name: String,
    pub(super) algorithm: i64,
    pub(super) public_key: Base64Url,
    pub(super) fingerprint: String,
    pub(super) counter: u32,
    pub(super) since: i64,
    /// What the person showed: `pin`, `terminal`, or `passkey`, which was there before.
    pub(super) factor: String,
    /// By the key that was there before.
    pub(super) assertion: Option<Assertion>,
}

/// An enrolled key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The authenticator's id of it.
    pub credential: Vec<u8>,
    /// As the person called it.
    pub name: String,
    /// COSE bytes.
    pub cose: Vec<u8>,
    /// The same, read.
    pub public_key: PublicKey,
    /// What stands for it in words: SHA-256 over id and key, as hex digits.
    pub fingerprint: String,
    /// The highest number of a signature that the row and the enrolment know.
    pub counter: u32,
    /// When it was enrolled, in seconds since 1970.
    pub since: i64,
    /// Whether the store's row is as it was enrolled.
    pub is_kept: bool,
}

/// Something about keys that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeyProblem {
    /// The link of the chain, where it is one.
    pub link: Option<i64>,
    /// What is wrong.
    pub problem: String,
}

/// All keys, and what is wrong about them.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    /// Those that are enrolled, oldest first.
    pub keys: Vec<Key>,
    /// What was left aside, and why.
    pub problems: Vec<KeyProblem>,
}

impl Keys {
    /// As the chain and the store have them.
    #[must_use]
    pub fn of(chain: &[AuditRow], rows: &[PasskeyRow]) -> Self {
        let mut keys = Self::default();
        for row in chain {
            if let Err(problem) = keys.step(row) {
                keys.problems.push(KeyProblem { link: Some(row.id), problem });
            }
        }
        keys.compare(rows);
        keys
    }

    /// As the chain has them up to a link.
    pub fn until(reader: &Reader, link: i64) -> Result<Self, StoreError> {
        let chain: Vec<_> = reader.audit_of_passkeys()?.into_iter().filter(|row| row.id <= link).collect();
        Ok(Self::of(&chain, &[]))
    }

    /// The key with this id, if it counts: known to the chain, to the store, and to what the person's seal is on.
    pub fn counting(&self, credential: &[u8], sealed: &[String]) -> Result<&Key, PasskeyFlaw> {
        let key = self.enrolled(credential, sealed)?;
        if key.is_kept { Ok(key) } else { Err(PasskeyFlaw::Swapped) }
    }

    /// The same, whatever the row of the store says.
    pub fn enrolled(&self, credential: &[u8], sealed: &[String]) -> Result<&Key, PasskeyFlaw> {
        let key = self.get(credential).filter(|key| sealed.contains(&key.fingerprint));
        key.ok_or(PasskeyFlaw::UnknownKey)
    }

    pub(super) fn get(&self, credential: &[u8]) -> Option<&Key> {
        self.keys.iter().find(|key| key.credential == credential)
    }

    /// What stands for all of them.
    #[must_use]
    pub fn fingerprints(&self) -> Vec<String> {
        self.keys.iter().map(|key| key.fingerprint.clone()).collect()
    }

    /// Follows one entry; what is wrong with it otherwise.
    pub(super) fn step(&mut self, row: &AuditRow) -> Result<(), String> {
        if row.computed() != row.hash {
            return Err("the entry about a key was changed after it was written".to_owned());
        }
        let entry = serde_json::from_str(&row.body).map_err(|_| "the entry about a key cannot be read")?;
        match entry {
            Entry::Enrolled(enrolled) => self.enrol(&enrolled, row.time_ms.div_euclid(1_000)),
            Entry::Removed { credential, factor, assertion } => {
                let wanted = Purpose::Remove { credential: credential.clone() };
                if assertion.is_some() || factor == "passkey" {
                    self.is_signed(assertion.as_ref(), &wanted, row.time_ms.div_euclid(1_000))?;
                }
                self.keys.retain(|key| key.credential != credential.0);
                Ok(())
            }
        }
    }

    fn enrol(&mut self, enrolled: &Enrolled, at: i64) -> Result<(), String> {
        let key = Key::of(enrolled).ok_or("the key that was enrolled is none that is known")?;
        if !self.keys.is_empty() {
            let (credential, public_key) = (enrolled.credential.clone(), enrolled.public_key.clone());
            let wanted = Purpose::Enrol { credential, public_key };
            self.is_signed(enrolled.assertion.as_ref(), &wanted, at)
                .map_err(|problem| format!("the enrolment of `{}`: {problem}", key.name))?;
        }
        self.keys.retain(|known| known.credential != key.credential);
        self.keys.push(key);
        Ok(())
    }

    /// Whether a key that is enrolled signed this, in time.
    pub(super) fn is_signed(
        &self,
        assertion: Option<&Assertion>,
        wanted: &Purpose,
        at: i64,
    ) -> Result<u32, String> {
        let assertion = assertion.ok_or("no key signed it")?;
        if !assertion.purpose.covers(wanted) {
            return Err("what the key signed is something else".to_owned());
        }
        if at > assertion.expiry {
            return Err("what the key signed was void by then".to_owned());
        }
        let key = self.get(&assertion.credential.0).ok_or("it was signed by a key that is not enrolled")?;
        assertion.check(&key.public_key).map_err(|flaw| flaw.to_string())
    }

    /// Holds the rows of the store against what the chain says.
    fn compare(&mut self, rows: &[PasskeyRow]) {
        for key in &mut self.keys {
            let row = rows.iter().find(|row| row.credential == key.credential);
            let algorithm = key.public_key.algorithm().number();
            key.is_kept = row.is_some_and(|row| row.public_key == key.cose && row.algorithm == algorithm);
            key.counter = key.counter.max(row.map_or(0, |row| row.counter));
            let problem = match (row, key.is_kept) {
                (_, true) => continue,
                (Some(_), false) => format!("the key `{}` in the store is not the one enrolled", key.name),
                (None, false) => format!("the key `{}` is missing in the store", key.name),
            };
            self.problems.push(KeyProblem { link: None, problem });
        }
        let is_strange = |row: &&PasskeyRow| self.keys.iter().all(|key| key.credential != row.credential);
        let strange = rows.iter().filter(is_strange);
        let strange = strange.map(|row| format!("the key `{}` in the store was never enrolled", row.name));
        self.problems.extend(strange.map(|problem| KeyProblem { link: None, problem }).collect::<Vec<_>>());
    }
}

impl Key {
    /// As it was enrolled; `None` when algorithm and key do not belong together.
    fn of(enrolled: &Enrolled) -> Option<Self> {
        let public_key = PublicKey::read(&enrolled.public_key.0)?;
        let fingerprint = fingerprint(&enrolled.credential.0, &enrolled.public_key.0);
        let fits =
            public_key.algorithm().number() == enrolled.algorithm && fingerprint == enrolled.fingerprint;
        fits.then(|| Self {
            credential: enrolled.credential.0.clone(),
            name: enrolled.name.clone(),
            cose: enrolled.public_key.0.clone(),
            public_key,
            fingerprint,
            counter: enrolled.counter,
            since: enrolled.since,
            is_kept: true,
        })
    }

    /// The row that repeats it.
    pub(super) fn row(&self) -> PasskeyRow {
        PasskeyRow {
            credential: self.credential.clone(),
            name: self.name.clone(),
            algorithm: self.public_key.algorithm().number(),
            public_key: self.cose.clone(),
            counter: self.counter,
            since: self.since,
        }
    }
}

/// What stands for a key.
pub(super) fn fingerprint(credential: &[u8], cose: &[u8]) -> String {
    let length = (credential.len() as u64).to_be_bytes();
    let mut hash = ContentHash([0; 32]);
    hash.0.copy_from_slice(digest(&SHA256, &[&length[..], credential, cose].concat()).as_ref());
    hash.to_hex()
}
