//! What can go wrong with accounts and their secrets.

use std::path::PathBuf;

/// An error of an account.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// No account has this address.
    #[error("there is no account `{address}`")]
    Unknown {
        /// As it was asked for.
        address: String,
    },
    /// The account has no server to ask.
    #[error("`{address}` has no server: its mail comes from files")]
    NoServer {
        /// The account.
        address: String,
    },
    /// The account has no password or token.
    #[error("no password is known for `{address}`")]
    NotSignedIn {
        /// The account.
        address: String,
    },
    /// The provider wants a token, which we cannot get yet.
    #[error("`{address}` can only be signed in to with {provider}'s own page, which mailkeep cannot do yet")]
    NoToken {
        /// The account.
        address: String,
        /// Who gives tokens.
        provider: &'static str,
    },
    /// The secrets are there, but cannot be read with the key that is there.
    #[error("the secrets in `{}` cannot be decrypted", path.display())]
    Undecipherable {
        /// The file.
        path: PathBuf,
    },
    /// A file could not be read or written.
    #[error("cannot use `{}`: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl AccountError {
    /// What the person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Unknown { .. } => {
                "see `mailkeep account list`, or add it with `mailkeep account add ADDRESS`".to_owned()
            }
            Self::NoServer { address } => {
                format!("name its server: `mailkeep account add {address} --imap HOST:PORT`")
            }
            Self::NotSignedIn { address } => format!("run `mailkeep account login {address}`"),
            Self::NoToken { .. } => {
                "have the provider forward the mail, or import an export of it with `mailkeep import`".to_owned()
            }
            Self::Undecipherable { .. } => {
                "bring `secrets.key` back, or delete both files and sign in again with `mailkeep account login`"
                    .to_owned()
            }
            Self::File { .. } => "check the permissions of the home directory".to_owned(),
        }
    }

    /// A short name for scripts.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "account_unknown",
            Self::NoServer { .. } => "account_local",
            Self::NotSignedIn { .. } => "not_signed_in",
            Self::NoToken { .. } => "no_token",
            Self::Undecipherable { .. } => "secrets_undecipherable",
            Self::File { .. } => "file_error",
        }
    }
}
