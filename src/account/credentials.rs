//! What an account signs in with: a password that is kept, or a token that is good now.

use std::sync::Arc;

use crate::account::{AccountError, Tokens};
use crate::model::SignIn;
use crate::secret::Secret;
use crate::wire::Credential;

/// Gives the secret that one account signs in with, fresh for each connection.
#[derive(Clone)]
pub struct Credentials {
    tokens: Arc<Tokens>,
    address: String,
    way: SignIn,
}

impl Credentials {
    /// For this account.
    #[must_use]
    pub fn new(tokens: Arc<Tokens>, address: &str, way: SignIn) -> Self {
        Self { tokens, address: address.to_owned(), way }
    }

    /// What to sign in with now.
    pub fn get(&self) -> Result<Credential, AccountError> {
        if self.way != SignIn::Password {
            return Ok(Credential::Token(self.tokens.access(&self.address, self.way)?));
        }
        let password = self.tokens.secrets().get(&self.address)?;
        let missing = || AccountError::NotSignedIn { address: self.address.clone() };
        Ok(Credential::Password(password.ok_or_else(missing)?))
    }

    /// Another one in the place of one that the server refused; `None` for a password, of which there is but one.
    /// To be asked once: a second refusal is not about the token's age.
    pub fn instead_of(&self, refused: &Credential) -> Result<Option<Credential>, AccountError> {
        match refused {
            Credential::Password(_) => Ok(None),
            Credential::Token(token) => {
                let other = self.tokens.instead_of(token, &self.address, self.way)?;
                Ok(Some(Credential::Token(other)))
            }
        }
    }

    /// A token that is good now, in the place of one that was refused; an account with a password has none.
    pub fn token(&self, refused: Option<&Secret<String>>) -> Result<Secret<String>, AccountError> {
        if self.way == SignIn::Password {
            return Err(AccountError::NotSignedIn { address: self.address.clone() });
        }
        match refused {
            None => self.tokens.access(&self.address, self.way),
            Some(token) => self.tokens.instead_of(token, &self.address, self.way),
        }
    }

    /// Whether there is something to sign in with; asks nobody.
    pub fn are_there(&self) -> Result<bool, AccountError> {
        match self.way {
            SignIn::Password => Ok(self.tokens.secrets().get(&self.address)?.is_some()),
            _ => self.tokens.is_signed_in(&self.address),
        }
    }
}
