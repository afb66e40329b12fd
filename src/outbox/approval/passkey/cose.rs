//! Public keys as COSE writes them (RFC 9052, 9053, 8230), and signatures by them. A key has one algorithm, which it was
//! enrolled with: what a signature or a browser says about algorithms is not asked for.

use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};

use super::cbor::{self, Value};

/// What a key signs with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// Ed25519.
    Ed25519,
    /// RSA PKCS #1 v1.5 with SHA-256.
    Rs256,
}

impl Algorithm {
    /// All, the ones that are liked best first.
    pub const ALL: [Self; 3] = [Self::Es256, Self::Ed25519, Self::Rs256];

    /// COSE's number.
    #[must_use]
    pub const fn number(self) -> i64 {
        match self {
            Self::Es256 => -7,
            Self::Ed25519 => -8,
            Self::Rs256 => -257,
        }
    }

    /// The one with this number.
    #[must_use]
    pub fn of(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.number() == number)
    }

    /// The name people know.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::Ed25519 => "Ed25519",
            Self::Rs256 => "RS256",
        }
    }
}

/// A key that can check signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublicKey {
    /// A point, uncompressed.
    Es256(Vec<u8>),
    /// A point.
    Ed25519(Vec<u8>),
    /// Modulus and exponent.
    Rs256 {
        /// Without zeros in front.
        modulus: Vec<u8>,
        /// Without zeros in front.
        exponent: Vec<u8>,
    },
}

impl PublicKey {
    /// Reads a key. `None`: it is none of the three kinds, or not written as they are.
    #[must_use]
    pub fn read(cose: &[u8]) -> Option<Self> {
        Self::of(&cbor::read_all(cose)?)
    }

    fn of(key: &Value<'_>) -> Option<Self> {
        let number = |label| key.at(label).and_then(Value::number);
        let bytes = |label, length| key.at(label).and_then(Value::bytes).filter(|it| it.len() == length);
        match (Algorithm::of(number(3)?)?, number(1)?) {
            (Algorithm::Es256, 2) if number(-1)? == 1 => {
                Some(Self::Es256([&[4][..], bytes(-2, 32)?, bytes(-3, 32)?].concat()))
            }
            (Algorithm::Ed25519, 1) if number(-1)? == 6 => Some(Self::Ed25519(bytes(-2, 32)?.to_vec())),
            (Algorithm::Rs256, 3) => {
                let (modulus, exponent) = (key.at(-1)?.bytes()?, key.at(-2)?.bytes()?);
                let is_plain = |number: &[u8]| number.first().is_some_and(|first| *first != 0);
                let fits = (256..=1_024).contains(&modulus.len()) && exponent.len() <= 4;
                (fits && is_plain(modulus) && is_plain(exponent))
                    .then(|| Self::Rs256 { modulus: modulus.to_vec(), exponent: exponent.to_vec() })
            }
            _ => None,
        }
    }

    /// What it signs with.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        match self {
            Self::Es256(_) => Algorithm::Es256,
            Self::Ed25519(_) => Algorithm::Ed25519,
            Self::Rs256 { .. } => Algorithm::Rs256,
        }
    }

    /// Whether it signed this.
    #[must_use]
    pub fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        let checked =
            match self {
                Self::Es256(point) => {
                    UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point).verify(message, signature)
                }
                Self::Ed25519(point) => UnparsedPublicKey::new(&ED25519, point).verify(message, signature),
                Self::Rs256 { modulus, exponent } => RsaPublicKeyComponents { n: modulus, e: exponent }
                    .verify(&RSA_PKCS1_2048_8192_SHA256, message, signature),
            };
        checked.is_ok()
    }
}
