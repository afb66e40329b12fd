//! What proves who we are, whatever the protocol.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::secret::Secret;

/// A password or a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// A password.
    Password(Secret<String>),
    /// An access token.
    Token(Secret<String>),
}

impl Credential {
    /// The secret itself.
    #[must_use]
    pub const fn secret(&self) -> &Secret<String> {
        match self {
            Self::Password(secret) | Self::Token(secret) => secret,
        }
    }

    /// Whether it is a token.
    #[must_use]
    pub const fn is_token(&self) -> bool {
        matches!(self, Self::Token(_))
    }

    /// The SASL mechanism and its first answer, in base64.
    pub(super) fn sasl(&self, user: &str) -> (&'static str, Secret<String>) {
        match self {
            Self::Token(token) => {
                let reply = format!("user={user}\x01auth=Bearer {}\x01\x01", token.reveal());
                ("XOAUTH2", Secret::new(STANDARD.encode(reply)))
            }
            Self::Password(password) => {
                let reply = format!("\0{user}\0{}", password.reveal());
                ("PLAIN", Secret::new(STANDARD.encode(reply)))
            }
        }
    }

    /// What a server said, without the secret: its words are shown and kept.
    pub(super) fn kept_out_of(&self, user: &str, said: &str) -> String {
        let (_, reply) = self.sasl(user);
        let encoded = STANDARD.encode(self.secret().reveal());
        let secrets = [self.secret().reveal().as_str(), reply.reveal(), &encoded];
        secrets
            .iter()
            .filter(|secret| !secret.is_empty())
            .fold(said.to_owned(), |said, secret| said.replace(secret, "..."))
    }
}
