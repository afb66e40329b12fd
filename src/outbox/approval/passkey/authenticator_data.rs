//! What an authenticator says about a signature, or about a new key (WebAuthn 3, 6.1). Pure.

use super::cbor;
use super::cose::PublicKey;
use super::flaw::PasskeyFlaw;

/// Where credentials of ours belong: browsers know no ports here, so every program of this machine shares it.
pub(super) const RELYING_PARTY: &str = "localhost";

const USER_PRESENT: u8 = 1;
const USER_VERIFIED: u8 = 1 << 2;
const BACKUP_ELIGIBLE: u8 = 1 << 3;
const BACKED_UP: u8 = 1 << 4;
const HAS_KEY: u8 = 1 << 6;
const HAS_EXTENSIONS: u8 = 1 << 7;
/// The longest id of a credential (WebAuthn 3, 4).
pub(super) const LONGEST_ID: usize = 1_023;

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AuthenticatorData<'a> {
    /// How many signatures the key has made; 0 where it does not count.
    pub(super) counter: u32,
    /// The key, when one was made.
    pub(super) new_key: Option<NewKey<'a>>,
}

/// A key that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NewKey<'a> {
    /// Its id.
    pub(super) credential: &'a [u8],
    /// COSE bytes.
    pub(super) cose: &'a [u8],
    /// The same, read.
    pub(super) public_key: PublicKey,
}

/// Reads it, and asks for the right relying party and for a person who was there and was recognised.
pub(super) fn read(bytes: &[u8]) -> Result<AuthenticatorData<'_>, PasskeyFlaw> {
    let (fixed, rest) = bytes.split_at_checked(37).ok_or(PasskeyFlaw::Malformed("authenticator data"))?;
    let (party, flags) = (&fixed[..32], fixed[32]);
    let counter = fixed[33..].iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
    let has = |flag: u8| flags & flag != 0;
    if party != ring::digest::digest(&ring::digest::SHA256, RELYING_PARTY.as_bytes()).as_ref() {
        return Err(PasskeyFlaw::OtherParty);
    }
    if !has(USER_PRESENT) {
        return Err(PasskeyFlaw::NotPresent);
    }
    if !has(USER_VERIFIED) {
        return Err(PasskeyFlaw::NotVerified);
    }
    if has(BACKED_UP) && !has(BACKUP_ELIGIBLE) {
        return Err(PasskeyFlaw::Malformed("authenticator data"));
    }
    let (new_key, rest) = if has(HAS_KEY) { new_key(rest)? } else { (None, rest) };
    let is_whole = if has(HAS_EXTENSIONS) { cbor::read_all(rest).is_some() } else { rest.is_empty() };
    if !is_whole {
        return Err(PasskeyFlaw::Malformed("authenticator data"));
    }
    Ok(AuthenticatorData { counter, new_key })
}

/// The key behind its maker's id (16 bytes, which nobody asks for) and its own id with a length.
fn new_key(bytes: &[u8]) -> Result<(Option<NewKey<'_>>, &[u8]), PasskeyFlaw> {
    let malformed = || PasskeyFlaw::Malformed("the new key");
    let (head, rest) = bytes.split_at_checked(18).ok_or_else(malformed)?;
    let length = usize::from(head[16]) << 8 | usize::from(head[17]);
    let (credential, rest) = rest.split_at_checked(length).ok_or_else(malformed)?;
    if credential.is_empty() || credential.len() > LONGEST_ID {
        return Err(malformed());
    }
    let (_, behind) = cbor::read(rest).ok_or_else(malformed)?;
    let cose = &rest[..rest.len() - behind.len()];
    let public_key = PublicKey::read(cose).ok_or(PasskeyFlaw::UnknownAlgorithm)?;
    Ok((Some(NewKey { credential, cose, public_key }), behind))
}
