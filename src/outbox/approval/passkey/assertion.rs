//! A signature of the person's, kept with everything that is needed to check it again later, without us and offline.

use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

use super::authenticator_data;
use super::base64url::Base64Url;
use super::browser::Answer;
use super::challenge::{Purpose, challenge};
use super::client_data::{self, Ceremony};
use super::cose::PublicKey;
use super::flaw::PasskeyFlaw;

/// Signatures of RSA keys with 8,192 bits have 1,024 bytes; what authenticators say has 37 and some extensions.
const LONGEST: usize = 1_024;

/// What was signed, by which key, where and until when it could be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assertion {
    /// What it is for.
    #[serde(flatten)]
    pub purpose: Purpose,
    /// Used once.
    pub nonce: Base64Url,
    /// Seconds since 1970; it could be given until then.
    pub expiry: i64,
    /// The page that asked.
    pub origin: String,
    /// The key's id.
    pub credential: Base64Url,
    client_data: Base64Url,
    authenticator_data: Base64Url,
    signature: Base64Url,
}

impl Assertion {
    /// What a browser answered to a question about this.
    pub(super) fn of(answer: &Answer, purpose: &Purpose, origin: &str) -> Self {
        let response = &answer.credential.response;
        Self {
            purpose: purpose.clone(),
            nonce: answer.ticket.nonce.clone(),
            expiry: answer.ticket.expiry,
            origin: origin.to_owned(),
            credential: answer.credential.raw_id.clone(),
            client_data: response.client_data.clone(),
            authenticator_data: response.authenticator_data.clone(),
            signature: response.signature.clone(),
        }
    }

    /// Reads what was kept.
    pub(super) fn read(kept: &[u8]) -> Option<Self> {
        serde_json::from_slice(kept).ok()
    }

    /// How it is kept beside a yes.
    pub(in crate::outbox::approval) fn kept(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("an assertion is JSON")
    }

    /// Checks it with a key; the number that the key counts it as.
    pub(super) fn check(&self, key: &PublicKey) -> Result<u32, PasskeyFlaw> {
        let (said, signature) = (&self.authenticator_data.0, &self.signature.0);
        if said.len() > LONGEST || signature.len() > LONGEST {
            return Err(PasskeyFlaw::Malformed("the signature"));
        }
        if !client_data::is_ours(&self.origin) {
            return Err(PasskeyFlaw::OtherOrigin);
        }
        let challenge = challenge(&self.purpose, &self.nonce.0, self.expiry);
        client_data::check(&self.client_data.0, Ceremony::Get, &challenge, &self.origin)?;
        let data = authenticator_data::read(said)?;
        if data.new_key.is_some() {
            return Err(PasskeyFlaw::OtherType);
        }
        let signed = [said, digest(&SHA256, &self.client_data.0).as_ref()].concat();
        if key.has_signed(&signed, signature) { Ok(data.counter) } else { Err(PasskeyFlaw::BadSignature) }
    }
}
