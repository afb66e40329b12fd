//! What can go wrong with accounts and their secrets.

use std::path::PathBuf;

use crate::account::oauth::Refusal;
use crate::model::Fault;
use crate::text_safety::one_line;
use crate::wire::WireError;

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
    /// The account is on a server, and nobody has said or found where.
    #[error("the server of `{address}` is not known yet")]
    ServerUnknown {
        /// The account.
        address: String,
    },
    /// The account's server is not where servers usually are.
    #[error("no server of `{address}` was found in the usual places")]
    NotFound {
        /// The account.
        address: String,
    },
    /// The account has no password or token.
    #[error("nobody has signed in to `{address}` yet")]
    NotSignedIn {
        /// The account.
        address: String,
    },
    /// The account signs in with a password, so nobody gives it tokens.
    #[error("`{address}` signs in with a password")]
    NoToken {
        /// The account.
        address: String,
    },
    /// The owner has not registered us with the provider.
    #[error("{provider} does not know mailkeep yet: no client id is configured")]
    NoClient {
        /// Who gives tokens.
        provider: &'static str,
    },
    /// The provider takes back what it granted.
    #[error("{provider} no longer lets mailkeep in to `{address}`: {reason}")]
    SignInAgain {
        /// The account.
        address: String,
        /// Who gives tokens.
        provider: &'static str,
        /// What it said.
        reason: String,
    },
    /// The sign-in is somebody else's.
    #[error("the sign-in of `{address}` shows the mail of `{other}`")]
    OtherMailbox {
        /// The account.
        address: String,
        /// Whose mail it is.
        other: String,
    },
    /// The person said no.
    #[error("nothing was granted by {provider}: {reason}")]
    Denied {
        /// Who gives tokens.
        provider: &'static str,
        /// What it said.
        reason: String,
    },
    /// The person did not decide in time.
    #[error("nobody agreed on {provider}'s page in time")]
    LoginExpired {
        /// Who gives tokens.
        provider: &'static str,
    },
    /// The provider refuses us for another reason.
    #[error("{provider} refused the sign-in ({code}): {reason}")]
    Oauth {
        /// Who gives tokens.
        provider: &'static str,
        /// Its short name for the reason.
        code: String,
        /// What it said.
        reason: String,
    },
    /// The browser has nowhere to come back to.
    #[error("cannot listen on this machine for the browser: {detail}")]
    NoPort {
        /// What the system said.
        detail: String,
    },
    /// A token could not be asked for.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The secrets are there, but cannot be read with the key that is there.
    #[error("the secrets in `{}` cannot be decrypted", path.display())]
    Undecipherable {
        /// The file.
        path: PathBuf,
    },
    /// The key of the secrets is with the desktop's keyring, which does not give it.
    #[error("the desktop's keyring cannot be used: {detail}")]
    Keyring {
        /// What it said.
        detail: String,
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
    /// What a token endpoint's refusal means.
    pub(super) fn from_refusal(refusal: Refusal, provider: &'static str) -> Self {
        match refusal {
            Refusal::Wire(error) => Self::Wire(error),
            Refusal::Said { code, reason } if code == "access_denied" => Self::Denied { provider, reason },
            Refusal::Said { code, reason } => {
                let code = one_line(&code).chars().take(40).collect();
                Self::Oauth { provider, code, reason }
            }
        }
    }

    /// Whether trying again soon can help.
    #[must_use]
    pub const fn can_retry(&self) -> bool {
        matches!(self, Self::Wire(error) if error.can_retry())
    }

    /// Whether we were told to stop, which is nobody's fault.
    #[must_use]
    pub const fn is_stopped(&self) -> bool {
        matches!(self, Self::Wire(error) if error.is_stopped())
    }

    /// Whether only the person can mend it, by signing in.
    #[must_use]
    pub const fn wants_sign_in(&self) -> bool {
        matches!(self, Self::NotSignedIn { .. } | Self::SignInAgain { .. } | Self::OtherMailbox { .. })
    }

    /// What the person can do about it, for the account with this address.
    #[must_use]
    pub fn hint(&self, address: &str) -> String {
        match self {
            Self::Unknown { .. } => {
                format!("see `mailkeep account list`, or add it with `mailkeep account add {address}`")
            }
            Self::NoServer { address } | Self::NotFound { address } => {
                format!("name its server: `mailkeep account add {address} --imap HOST:PORT`")
            }
            Self::ServerUnknown { address } => format!(
                "run `mailkeep account check {address}` to look for it, or name it: `mailkeep account add {address} \
                 --imap HOST:PORT`"
            ),
            Self::NotSignedIn { address } => format!("run `mailkeep account login {address}`"),
            Self::NoToken { address } => format!("run `mailkeep account login {address}` without `--device`"),
            Self::NoClient { provider } => no_client(provider),
            Self::SignInAgain { address, .. } => format!("sign in again: `mailkeep account login {address}`"),
            Self::OtherMailbox { address, .. } => {
                format!(
                    "sign in again, and choose `{address}` on the page; if it is another name of the same mailbox, add the \
                     account again with `--user`"
                )
            }
            Self::Denied { .. } => "run the same command again, and agree on the page".to_owned(),
            Self::LoginExpired { .. } => "run the same command again".to_owned(),
            Self::Oauth { code, .. } => oauth_hint(code).to_owned(),
            Self::NoPort { .. } => "sign in with `--device`".to_owned(),
            Self::Wire(error) => error.hint(address),
            Self::Undecipherable { .. } => {
                "bring `secrets.key` back, or delete both files and sign in again with `mailkeep account login`"
                    .to_owned()
            }
            Self::Keyring { .. } => {
                "run this in your desktop's session; to do without its keyring, set `store = \"file\"` under `[secrets]` in \
                 config.toml and run `mailkeep account login` in the session once"
                    .to_owned()
            }
            Self::File { .. } => "check the permissions of the home directory".to_owned(),
        }
    }

    /// Of what kind it is.
    #[must_use]
    pub const fn fault(&self) -> Fault {
        match self {
            Self::Unknown { .. } => Fault::Unknown,
            Self::NotSignedIn { .. }
            | Self::SignInAgain { .. }
            | Self::OtherMailbox { .. }
            | Self::Denied { .. }
            | Self::LoginExpired { .. }
            | Self::Oauth { .. } => Fault::SignIn,
            Self::Wire(error) if error.can_retry() => Fault::Passing,
            Self::NoServer { .. }
            | Self::ServerUnknown { .. }
            | Self::NotFound { .. }
            | Self::NoToken { .. }
            | Self::NoClient { .. } => Fault::Mistaken,
            Self::NoPort { .. }
            | Self::Wire(_)
            | Self::Undecipherable { .. }
            | Self::Keyring { .. }
            | Self::File { .. } => Fault::Internal,
        }
    }

    /// A short name for scripts.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "account_unknown",
            Self::NoServer { .. } => "account_local",
            Self::ServerUnknown { .. } => "server_unknown",
            Self::NotFound { .. } => "server_not_found",
            Self::NotSignedIn { .. } => "not_signed_in",
            Self::NoToken { .. } => "no_token",
            Self::NoClient { .. } => "no_client_id",
            Self::SignInAgain { .. } => "sign_in_again",
            Self::OtherMailbox { .. } => "other_mailbox",
            Self::Denied { .. } => "consent_denied",
            Self::LoginExpired { .. } => "login_expired",
            Self::Oauth { .. } => "oauth_refused",
            Self::NoPort { .. } => "no_port",
            Self::Wire(error) => error.code(),
            Self::Undecipherable { .. } => "secrets_undecipherable",
            Self::Keyring { .. } => "keyring",
            Self::File { .. } => "file_error",
        }
    }
}

/// How to register with a provider.
fn no_client(provider: &str) -> String {
    let (place, section) = match provider {
        "Google" => (
            "make an OAuth client of the type `Desktop app` at https://console.cloud.google.com/auth/clients, with \
             the Gmail API enabled",
            "[oauth.google] with client_id and client_secret",
        ),
        _ => (
            "register an application for `http://localhost` (mobile and desktop) at https://entra.microsoft.com",
            "[oauth.microsoft] with client_id",
        ),
    };
    format!("{place}; then write {section} into config.toml (`mailkeep --help` says where it is)")
}

fn oauth_hint(code: &str) -> &'static str {
    match code {
        "invalid_client" | "unauthorized_client" => {
            "check client_id and client_secret under `[oauth]` in config.toml"
        }
        "invalid_scope" => {
            "this provider gives no access to mail by `--device`: sign in without it; on a machine without a browser, \
             open the address elsewhere and paste the one the browser ends on"
        }
        "redirect_uri_mismatch" => "the OAuth client must be one for desktop apps",
        _ => "run the same command again; if it stays, make a new OAuth client",
    }
}
