//! What a key is asked to sign: one purpose with everything it is about, a number that is used once, and a time after which
//! it is void. The number and the time travel with the page under a seal, so that nobody has to remember them.

use ring::digest::{Context, SHA256};
use ring::rand::{SecureRandom, SystemRandom};
use serde::{Deserialize, Serialize};

use super::base64url::Base64Url;
use super::flaw::PasskeyFlaw;
use crate::model::{DraftId, ItemHash};
use crate::outbox::approval::Seal;

/// Seconds in which a question can be answered.
pub(super) const LIFETIME: i64 = 300;

/// What a signature is for. It counts for nothing else. In JSON it stands among the fields of what was signed, so that its
/// names are others than theirs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Purpose {
    /// A yes to these items.
    Approve {
        /// Each with what was shown.
        items: Vec<SignedItem>,
    },
    /// A yes to sending again what may have left before.
    Resend {
        /// Each with what was shown.
        items: Vec<SignedItem>,
    },
    /// Sending goes on after a pause.
    Resume,
    /// Weaker rules count: these.
    Confirm {
        /// Policy and factor, as JSON.
        settings: String,
    },
    /// What another program changed is set anew.
    Renew,
    /// A PIN is set.
    SetPin,
    /// A browser is let in.
    SignIn,
    /// A key is made; signed by nobody, because it is the new key's own challenge.
    Create,
    /// Another key counts from now on.
    Enrol {
        /// Its id.
        #[serde(rename = "new_credential")]
        credential: Base64Url,
        /// COSE bytes.
        #[serde(rename = "new_public_key")]
        public_key: Base64Url,
    },
    /// A key counts no more.
    Remove {
        /// Its id.
        #[serde(rename = "removed_credential")]
        credential: Base64Url,
    },
}

/// An item and the hash that was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedItem {
    /// Its id.
    pub item: String,
    /// Hex digits of everything that leaves, and of the way it leaves by.
    pub hash: String,
}

impl SignedItem {
    /// Of what was shown.
    #[must_use]
    pub fn new(item: DraftId, hash: &ItemHash) -> Self {
        Self { item: item.to_string(), hash: hash.0.to_hex() }
    }
}

impl Purpose {
    /// A yes to one item, as it was shown.
    #[must_use]
    pub fn approve(item: DraftId, hash: &ItemHash) -> Self {
        Self::Approve { items: vec![SignedItem::new(item, hash)] }
    }

    /// Whether a signature for this is one for that: a yes to several items is a yes to each of them.
    #[must_use]
    pub fn covers(&self, wanted: &Self) -> bool {
        let holds = |all: &[SignedItem], some: &[SignedItem]| {
            !some.is_empty() && some.iter().all(|item| all.contains(item))
        };
        match (self, wanted) {
            (Self::Approve { items }, Self::Approve { items: some })
            | (Self::Resend { items }, Self::Resend { items: some }) => holds(items, some),
            (own, wanted) => own == wanted,
        }
    }

    /// The words in front, which keep purposes apart.
    const fn words(&self) -> &'static str {
        match self {
            Self::Approve { .. } => "mailkeep approve v1",
            Self::Resend { .. } => "mailkeep resend v1",
            Self::Resume => "mailkeep resume v1",
            Self::Confirm { .. } => "mailkeep confirm v1",
            Self::Renew => "mailkeep renew v1",
            Self::SetPin => "mailkeep set-pin v1",
            Self::SignIn => "mailkeep sign-in v1",
            Self::Create => "mailkeep create v1",
            Self::Enrol { .. } => "mailkeep enrol v1",
            Self::Remove { .. } => "mailkeep remove v1",
        }
    }

    /// What it is about.
    fn fields(&self) -> Vec<&[u8]> {
        match self {
            Self::Approve { items } | Self::Resend { items } => {
                items.iter().flat_map(|it| [it.item.as_bytes(), it.hash.as_bytes()]).collect()
            }
            Self::Confirm { settings } => vec![settings.as_bytes()],
            Self::Enrol { credential, public_key } => vec![&credential.0, &public_key.0],
            Self::Remove { credential } => vec![&credential.0],
            Self::Resume | Self::Renew | Self::SetPin | Self::SignIn | Self::Create => Vec::new(),
        }
    }
}

/// The bytes that a key signs: every field with its length, so that no two questions have the same.
#[must_use]
pub(super) fn challenge(purpose: &Purpose, nonce: &[u8], expiry: i64) -> [u8; 32] {
    let (expiry, fields) = (expiry.to_be_bytes(), purpose.fields());
    let mut hash = Context::new(&SHA256);
    let mut add = |field: &[u8]| {
        hash.update(&(field.len() as u64).to_be_bytes());
        hash.update(field);
    };
    add(purpose.words().as_bytes());
    add(&(fields.len() as u64).to_be_bytes());
    fields.into_iter().for_each(&mut add);
    add(nonce);
    add(&expiry);
    let mut bytes = [0; 32];
    bytes.copy_from_slice(hash.finish().as_ref());
    bytes
}

/// A question that was asked: comes back with the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ticket {
    /// Used once.
    pub nonce: Base64Url,
    /// Seconds since 1970; void from then on.
    pub expiry: i64,
    /// Over the question and the page that asks it.
    pub seal: Base64Url,
}

impl Ticket {
    /// A new question from a page.
    #[must_use]
    pub fn new(purpose: &Purpose, origin: &str, now: i64, seal: &Seal) -> Self {
        let mut nonce = vec![0; 32];
        SystemRandom::new().fill(&mut nonce).expect("the system gives random numbers");
        let expiry = now + LIFETIME;
        let sealed = seal.sign_bytes(&sealed(&challenge(purpose, &nonce, expiry), origin));
        Self { nonce: Base64Url(nonce), expiry, seal: Base64Url(sealed) }
    }

    /// What the key was asked to sign, if we asked, from this page, not too long ago.
    pub fn open(
        &self,
        purpose: &Purpose,
        origin: &str,
        now: i64,
        seal: &Seal,
    ) -> Result<[u8; 32], PasskeyFlaw> {
        let challenge = challenge(purpose, &self.nonce.0, self.expiry);
        if self.nonce.0.len() != 32 || !seal.is_good_bytes(&sealed(&challenge, origin), &self.seal.0) {
            return Err(PasskeyFlaw::NotAsked);
        }
        if now >= self.expiry || self.expiry > now + LIFETIME {
            return Err(PasskeyFlaw::Expired);
        }
        Ok(challenge)
    }
}

fn sealed(challenge: &[u8; 32], origin: &str) -> Vec<u8> {
    [b"mailkeep question", &challenge[..], origin.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Purpose, SignedItem, challenge};
    use crate::outbox::approval::passkey::Base64Url;

    fn item(item: &str, hash: &str) -> SignedItem {
        SignedItem { item: item.to_owned(), hash: hash.to_owned() }
    }

    #[test]
    fn no_two_questions_have_the_same_bytes() {
        let items = [item("d1", "aa"), item("d2", "bb")];
        let key = |text: &str| Base64Url(text.as_bytes().to_vec());
        let purposes = [
            Purpose::Approve { items: items.to_vec() },
            Purpose::Approve { items: vec![item("d2", "bb"), item("d1", "aa")] },
            Purpose::Approve { items: vec![item("d1aa", "d2bb")] },
            Purpose::Approve { items: vec![item("d1a", "a")] },
            Purpose::Approve { items: vec![item("d1", "aa")] },
            Purpose::Resend { items: vec![item("d1", "aa")] },
            Purpose::Approve { items: Vec::new() },
            Purpose::Resume,
            Purpose::Renew,
            Purpose::SetPin,
            Purpose::SignIn,
            Purpose::Create,
            Purpose::Confirm { settings: "d1".to_owned() },
            Purpose::Enrol { credential: key("d1"), public_key: key("aa") },
            Purpose::Enrol { credential: key("d1a"), public_key: key("a") },
            Purpose::Remove { credential: key("d1") },
        ];
        let mut all: BTreeSet<_> = purposes.iter().map(|purpose| challenge(purpose, &[7; 32], 5)).collect();
        all.insert(challenge(&purposes[0], &[8; 32], 5));
        all.insert(challenge(&purposes[0], &[7; 32], 6));

        assert_eq!(all.len(), purposes.len() + 2);
    }

    #[test]
    fn a_yes_to_several_is_one_to_each_and_to_no_other() {
        let several = Purpose::Approve { items: vec![item("d1", "aa"), item("d2", "bb")] };
        let one = |id, hash| Purpose::Approve { items: vec![item(id, hash)] };

        assert!(
            several.covers(&one("d1", "aa")) && several.covers(&one("d2", "bb")) && several.covers(&several)
        );
        assert!(
            !several.covers(&one("d1", "bb")) && !several.covers(&Purpose::Approve { items: Vec::new() })
        );
        assert!(!several.covers(&Purpose::Resend { items: vec![item("d1", "aa")] }));
        assert!(!one("d1", "aa").covers(&several) && !Purpose::Resume.covers(&Purpose::Renew));
    }
}
