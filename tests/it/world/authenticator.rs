//! A security key in software, with the browser around it: makes keys and signs, in the JSON that pages exchange with
//! `navigator.credentials`. It can be told to misbehave in every way that a relying party has to notice.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Value, json};

/// What keys can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Es256,
    Ed25519,
    Rs256,
}

enum Pair {
    Es256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    Rs256(Box<RsaKeyPair>),
}

/// How it misbehaves; the default is a good one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Misbehaviour {
    /// Other flags than presence and verification.
    pub(crate) flags: Option<u8>,
    pub(crate) origin: Option<&'static str>,
    pub(crate) challenge: Option<Vec<u8>>,
    pub(crate) ceremony: Option<&'static str>,
    pub(crate) relying_party: Option<&'static str>,
    pub(crate) cross_origin: bool,
    pub(crate) top_origin: bool,
    pub(crate) bogus_signature: bool,
    /// Another number than the next.
    pub(crate) counter: Option<u32>,
    /// Says that its key is of another kind: the number of the algorithm in the new key.
    pub(crate) algorithm: Option<i64>,
    /// Bytes behind what it says about itself.
    pub(crate) trailing: Vec<u8>,
    /// What it puts into the place of the whole attestation object.
    pub(crate) attestation: Option<Vec<u8>>,
}

pub(crate) struct Authenticator {
    pair: Pair,
    pub(crate) credential: Vec<u8>,
    /// Signatures so far; `None`: it does not count, as synced keys do not.
    pub(crate) counter: Option<u32>,
    pub(crate) bad: Misbehaviour,
}

const PRESENT_AND_VERIFIED: u8 = 0b101;
const NEW_KEY: u8 = 1 << 6;

impl Authenticator {
    pub(crate) fn new(kind: Kind) -> Self {
        let random = SystemRandom::new();
        let pair = match kind {
            Kind::Es256 => {
                let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
                let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
                Pair::Es256(EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap())
            }
            Kind::Ed25519 => {
                let document = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
                Pair::Ed25519(Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap())
            }
            // Made for these tests; it protects nothing.
            Kind::Rs256 => {
                let document = include_bytes!("authenticator_rsa.der");
                Pair::Rs256(Box::new(RsaKeyPair::from_pkcs8(document).unwrap()))
            }
        };
        let mut credential = vec![0; 32];
        random.fill(&mut credential).unwrap();
        Self { pair, credential, counter: Some(0), bad: Misbehaviour::default() }
    }

    /// What `navigator.credentials.create` gives for a question, with its ticket.
    pub(crate) fn creates(&self, question: &Value, origin: &str) -> Value {
        let client_data = self.client_data("webauthn.create", question, origin);
        let cose = self.cose();
        let length = u16::try_from(self.credential.len()).unwrap().to_be_bytes();
        let key = [&[0; 16][..], &length, &self.credential, &cose].concat();
        let said =
            [self.said(NEW_KEY, self.counter.unwrap_or_default()), key, self.bad.trailing.clone()].concat();
        let attestation =
            [&b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData"[..], &head(2, said.len()), &said].concat();
        let attestation = self.bad.attestation.clone().unwrap_or(attestation);
        json!({
            "ticket": question["ticket"],
            "credential": {
                "id": encoded(&self.credential), "rawId": encoded(&self.credential), "type": "public-key",
                "authenticatorAttachment": "cross-platform", "clientExtensionResults": {},
                "response": {
                    "clientDataJSON": encoded(&client_data), "attestationObject": encoded(&attestation),
                    "transports": ["usb"], "publicKeyAlgorithm": -7,
                },
            },
        })
    }

    /// What `navigator.credentials.get` gives for a question, with its ticket.
    pub(crate) fn signs(&mut self, question: &Value, origin: &str) -> Value {
        let client_data = self.client_data("webauthn.get", question, origin);
        self.counter = self.counter.map(|counter| counter + 1);
        let counter = self.bad.counter.or(self.counter).unwrap_or_default();
        let said = [self.said(0, counter), self.bad.trailing.clone()].concat();
        let mut signature = self.sign(&[&said, digest(&SHA256, &client_data).as_ref()].concat());
        if self.bad.bogus_signature {
            let middle = signature.len() / 2;
            signature[middle] ^= 1;
        }
        json!({
            "ticket": question["ticket"],
            "credential": {
                "id": encoded(&self.credential), "rawId": encoded(&self.credential), "type": "public-key",
                "authenticatorAttachment": "cross-platform", "clientExtensionResults": {},
                "response": {
                    "clientDataJSON": encoded(&client_data), "authenticatorData": encoded(&said),
                    "signature": encoded(&signature), "userHandle": null,
                },
            },
        })
    }

    /// What the browser says.
    fn client_data(&self, ceremony: &str, question: &Value, origin: &str) -> Vec<u8> {
        let challenge = question["publicKey"]["challenge"].as_str().unwrap().to_owned();
        let challenge = self.bad.challenge.as_deref().map_or(challenge, encoded);
        let mut data = json!({
            "type": self.bad.ceremony.unwrap_or(ceremony), "challenge": challenge,
            "origin": self.bad.origin.unwrap_or(origin), "crossOrigin": self.bad.cross_origin,
            "other_keys_can_be_added_here": "do not compare this with a template",
        });
        if self.bad.top_origin {
            data["topOrigin"] = json!("https://evil.example");
        }
        data.to_string().into_bytes()
    }

    /// What the authenticator says in front of everything.
    fn said(&self, flags: u8, counter: u32) -> Vec<u8> {
        let party = digest(&SHA256, self.bad.relying_party.unwrap_or("localhost").as_bytes());
        let flags = self.bad.flags.unwrap_or(PRESENT_AND_VERIFIED) | flags;
        [party.as_ref(), &[flags], &counter.to_be_bytes()].concat()
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match &self.pair {
            Pair::Es256(pair) => pair.sign(&random, message).unwrap().as_ref().to_vec(),
            Pair::Ed25519(pair) => pair.sign(message).as_ref().to_vec(),
            Pair::Rs256(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).unwrap();
                signature
            }
        }
    }

    /// The public half, as COSE has it.
    pub(crate) fn cose(&self) -> Vec<u8> {
        let algorithm = |own: i64| number(self.bad.algorithm.unwrap_or(own));
        match &self.pair {
            Pair::Es256(pair) => {
                let point = pair.public_key().as_ref();
                let (x, y) = (&point[1..33], &point[33..]);
                let front = [&b"\xa5\x01\x02\x03"[..], &algorithm(-7), b"\x20\x01\x21\x58\x20", x].concat();
                [&front[..], b"\x22\x58\x20", y].concat()
            }
            Pair::Ed25519(pair) => {
                let point = pair.public_key().as_ref();
                [&b"\xa4\x01\x01\x03"[..], &algorithm(-8), b"\x20\x06\x21\x58\x20", point].concat()
            }
            Pair::Rs256(pair) => {
                let parts = PublicKeyComponents::<Vec<u8>>::from(pair.public());
                let front = [&b"\xa4\x01\x03\x03"[..], &algorithm(-257), b"\x20"].concat();
                [&front[..], &head(2, parts.n.len()), &parts.n, b"\x21", &head(2, parts.e.len()), &parts.e]
                    .concat()
            }
        }
    }
}

pub(crate) fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// A negative number in CBOR.
fn number(number: i64) -> Vec<u8> {
    head(1, usize::try_from(-1 - number).unwrap())
}

/// The first bytes of a CBOR value, in the shortest form.
fn head(kind: u8, argument: usize) -> Vec<u8> {
    let kind = kind << 5;
    match argument {
        0..=23 => vec![kind | u8::try_from(argument).unwrap()],
        24..=255 => vec![kind | 24, u8::try_from(argument).unwrap()],
        _ => [&[kind | 25][..], &u16::try_from(argument).unwrap().to_be_bytes()].concat(),
    }
}
