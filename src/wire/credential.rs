//! What proves who we are, whatever the protocol.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::secret::Secret;
use crate::wire::Redactor;

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

    /// Takes this secret out of what a server says.
    #[must_use]
    pub fn redactor(&self, user: &str) -> Redactor {
        Redactor::new(&[self.sasl(user).1.reveal(), self.secret().reveal()])
    }
}
