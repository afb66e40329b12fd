//! A key that a browser had made. Whoever made the authenticator vouches for nothing here: an attestation is read and left
//! aside, because the person enrols the key they hold, and shows who they are by other means.

use super::authenticator_data::{self, NewKey};
use super::browser::Registration;
use super::cbor::{self, Value};
use super::client_data::{self, Ceremony};
use super::cose::PublicKey;
use super::flaw::PasskeyFlaw;

/// Attestations with their certificates have a few thousand bytes.
const LONGEST: usize = 32 * 1_024;

/// What was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Made {
    /// The key's id.
    pub(super) credential: Vec<u8>,
    /// COSE bytes.
    pub(super) cose: Vec<u8>,
    /// The same, read.
    pub(super) public_key: PublicKey,
    /// How many signatures it has made.
    pub(super) counter: u32,
}

/// Reads and checks what came back for a challenge, from a page.
pub(super) fn check(
    registration: &Registration,
    challenge: &[u8],
    origin: &str,
) -> Result<Made, PasskeyFlaw> {
    client_data::check(&registration.response.client_data.0, Ceremony::Create, challenge, origin)?;
    let made = read(&registration.response.attestation_object.0)?;
    if made.credential != registration.raw_id.0 {
        return Err(PasskeyFlaw::Malformed("the key's id"));
    }
    Ok(made)
}

/// Reads an attestation object, and asks for the right relying party and a person who was recognised.
pub(super) fn read(object: &[u8]) -> Result<Made, PasskeyFlaw> {
    let malformed = || PasskeyFlaw::Malformed("the attestation object");
    if object.len() > LONGEST {
        return Err(malformed());
    }
    let attestation = cbor::read_all(object).ok_or_else(malformed)?;
    let is_form = matches!(attestation.named("fmt"), Some(Value::Text(_)))
        && matches!(attestation.named("attStmt"), Some(Value::Map(_)));
    let said = attestation.named("authData").and_then(Value::bytes).filter(|_| is_form);
    let data = authenticator_data::read(said.ok_or_else(malformed)?)?;
    let Some(NewKey { credential, cose, public_key }) = data.new_key else {
        return Err(PasskeyFlaw::OtherType);
    };
    Ok(Made { credential: credential.to_vec(), cose: cose.to_vec(), public_key, counter: data.counter })
}
