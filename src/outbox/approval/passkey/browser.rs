//! What goes to `navigator.credentials` and what comes back, in the JSON shapes of WebAuthn 3 (5.1.8, 5.1.9):
//! `PublicKeyCredential.parseCreationOptionsFromJSON`, `parseRequestOptionsFromJSON` and `toJSON` read and write them.

use serde::{Deserialize, Serialize};

use super::authenticator_data::RELYING_PARTY;
use super::base64url::Base64Url;
use super::challenge::{LIFETIME, Ticket};
use super::cose::Algorithm;

/// A question for a key that is there: the page gives `public_key` to `credentials.get`, and sends `ticket` back with
/// what comes out.
#[derive(Debug, Clone, Serialize)]
pub struct Question {
    /// `PublicKeyCredentialRequestOptionsJSON`.
    #[serde(rename = "publicKey")]
    pub public_key: RequestOptions,
    /// To be sent back as it is.
    pub ticket: Ticket,
}

/// `PublicKeyCredentialRequestOptionsJSON`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestOptions {
    challenge: Base64Url,
    timeout: i64,
    rp_id: &'static str,
    allow_credentials: Vec<Descriptor>,
    user_verification: &'static str,
}

/// A question for a new key: the page gives `public_key` to `credentials.create`, and sends `ticket` back with what
/// comes out.
#[derive(Debug, Clone, Serialize)]
pub struct NewKeyQuestion {
    /// `PublicKeyCredentialCreationOptionsJSON`.
    #[serde(rename = "publicKey")]
    pub public_key: CreationOptions,
    /// To be sent back as it is.
    pub ticket: Ticket,
}

/// `PublicKeyCredentialCreationOptionsJSON`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CreationOptions {
    rp: Party,
    user: User,
    challenge: Base64Url,
    pub_key_cred_params: Vec<Parameter>,
    timeout: i64,
    exclude_credentials: Vec<Descriptor>,
    authenticator_selection: Selection,
    attestation: &'static str,
}

#[derive(Debug, Clone, Serialize)]
struct Party {
    id: &'static str,
    name: &'static str,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct User {
    id: Base64Url,
    name: String,
    display_name: String,
}

#[derive(Debug, Clone, Serialize)]
struct Parameter {
    r#type: &'static str,
    alg: i64,
}

#[derive(Debug, Clone, Serialize)]
struct Descriptor {
    r#type: &'static str,
    id: Base64Url,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Selection {
    resident_key: &'static str,
    user_verification: &'static str,
}

const KIND: &str = "public-key";

fn descriptors(credentials: &[&[u8]]) -> Vec<Descriptor> {
    credentials.iter().map(|id| Descriptor { r#type: KIND, id: Base64Url(id.to_vec()) }).collect()
}

impl RequestOptions {
    /// For these keys.
    pub(super) fn new(challenge: [u8; 32], credentials: &[&[u8]]) -> Self {
        Self {
            challenge: Base64Url(challenge.to_vec()),
            timeout: LIFETIME * 1_000,
            rp_id: RELYING_PARTY,
            allow_credentials: descriptors(credentials),
            user_verification: "required",
        }
    }
}

impl CreationOptions {
    /// For a key that is none of these. The user's id is the nonce: another one each time, so that no authenticator puts
    /// a new key into the place of an old one.
    pub(super) fn new(challenge: [u8; 32], nonce: &Base64Url, name: &str, known: &[&[u8]]) -> Self {
        let parameter = |algorithm: Algorithm| Parameter { r#type: KIND, alg: algorithm.number() };
        Self {
            rp: Party { id: RELYING_PARTY, name: "mailkeep" },
            user: User {
                id: nonce.clone(),
                name: format!("mailkeep: {name}"),
                display_name: name.to_owned(),
            },
            challenge: Base64Url(challenge.to_vec()),
            pub_key_cred_params: Algorithm::ALL.map(parameter).to_vec(),
            timeout: LIFETIME * 1_000,
            exclude_credentials: descriptors(known),
            authenticator_selection: Selection { resident_key: "preferred", user_verification: "required" },
            attestation: "none",
        }
    }
}

/// What `credentials.create` gave, with the ticket of the question.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NewKeyAnswer {
    /// As it came with the question.
    pub ticket: Ticket,
    /// `RegistrationResponseJSON`.
    pub credential: Registration,
}

/// `RegistrationResponseJSON`, of which only this is looked at.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Registration {
    /// The key's id.
    pub raw_id: Base64Url,
    /// What was made.
    pub response: AttestationResponse,
}

/// `AuthenticatorAttestationResponseJSON`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AttestationResponse {
    /// What the browser says.
    #[serde(rename = "clientDataJSON")]
    pub client_data: Base64Url,
    /// What the authenticator says.
    #[serde(rename = "attestationObject")]
    pub attestation_object: Base64Url,
}

/// What `credentials.get` gave, with the ticket of the question.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Answer {
    /// As it came with the question.
    pub ticket: Ticket,
    /// `AuthenticationResponseJSON`.
    pub credential: Authentication,
}

/// `AuthenticationResponseJSON`, of which only this is looked at.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Authentication {
    /// The key's id.
    pub raw_id: Base64Url,
    /// What was signed.
    pub response: AssertionResponse,
}

/// `AuthenticatorAssertionResponseJSON`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AssertionResponse {
    /// What the browser says.
    #[serde(rename = "clientDataJSON")]
    pub client_data: Base64Url,
    /// What the authenticator says.
    pub authenticator_data: Base64Url,
    /// By the key, over both.
    pub signature: Base64Url,
}
