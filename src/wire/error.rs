//! What can go wrong between us and a server.

use std::time::Duration;

/// An error of a conversation with a server.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The name of the server leads nowhere, or nobody listens there.
    #[error("cannot reach `{server}`: {detail}")]
    Unreachable {
        /// Host and port.
        server: String,
        /// What the system said.
        detail: String,
    },
    /// The server said nothing for too long.
    #[error("`{server}` did not answer within {} s", .after.as_secs_f32())]
    Timeout {
        /// Host and port.
        server: String,
        /// How long we waited.
        after: Duration,
    },
    /// The connection ended in the middle of a conversation.
    #[error("`{server}` closed the connection{detail}")]
    Closed {
        /// Host and port.
        server: String,
        /// What it said before, if anything.
        detail: String,
    },
    /// The server's certificate proves nothing.
    #[error("the certificate of `{server}` was refused: {detail}")]
    Certificate {
        /// Host and port.
        server: String,
        /// Why.
        detail: String,
    },
    /// The connection could not be protected.
    #[error("cannot make a protected connection to `{server}`: {detail}")]
    Tls {
        /// Host and port.
        server: String,
        /// Why.
        detail: String,
    },
    /// The server speaks in a way we do not understand.
    #[error("`{server}` gave an answer that makes no sense: {detail}")]
    Protocol {
        /// Host and port.
        server: String,
        /// What.
        detail: String,
    },
    /// The server does not let this user in.
    #[error("cannot sign in to `{server}` as `{user}`: {detail}")]
    SignIn {
        /// Host and port.
        server: String,
        /// The user.
        user: String,
        /// What the server said.
        detail: String,
        /// Whether it was shown a token rather than a password.
        by_token: bool,
    },
    /// The server knows the user and lets nobody in as it: only the provider can say more.
    #[error("`{server}` does not let `{user}` in: {detail}")]
    Locked {
        /// Host and port.
        server: String,
        /// The user.
        user: String,
        /// What the server said.
        detail: String,
    },
    /// The server understood and refused.
    #[error("`{server}` refused {what}: {detail}")]
    Refused {
        /// Host and port.
        server: String,
        /// What we asked for.
        what: String,
        /// What the server said.
        detail: String,
        /// Whether the server says that it may work later.
        temporary: bool,
    },
    /// The server wants us to come back later.
    #[error("`{server}` asks us to wait {} s", .retry_after.as_secs())]
    RateLimited {
        /// Host and port.
        server: String,
        /// How long.
        retry_after: Duration,
    },
    /// We were asked to stop.
    #[error("stopped")]
    Stopped,
}

impl WireError {
    /// Whether trying again soon can help. Never for a refused sign-in: repeating it locks accounts.
    #[must_use]
    pub const fn can_retry(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Timeout { .. } | Self::Closed { .. } | Self::Protocol { .. } => {
                true
            }
            Self::Refused { temporary, .. } => *temporary,
            // Waiting as long as is asked for has been tried by then.
            Self::Certificate { .. }
            | Self::Tls { .. }
            | Self::SignIn { .. }
            | Self::Locked { .. }
            | Self::RateLimited { .. }
            | Self::Stopped => false,
        }
    }

    /// Whether we were told to stop, which is nobody's fault.
    #[must_use]
    pub const fn is_stopped(&self) -> bool {
        matches!(self, Self::Stopped)
    }

    /// Whether the server wants us to come back later.
    #[must_use]
    pub const fn is_rate_limited(&self) -> bool {
        matches!(self, Self::RateLimited { .. })
    }

    /// Whether the server turned our credential down.
    #[must_use]
    pub const fn is_sign_in(&self) -> bool {
        matches!(self, Self::SignIn { .. })
    }

    /// Whether what came was no answer of such a server.
    #[must_use]
    pub const fn is_bad_answer(&self) -> bool {
        matches!(self, Self::Protocol { .. })
    }

    /// What the person can do about it, for the account with this address.
    #[must_use]
    pub fn hint(&self, address: &str) -> String {
        let hint = match self {
            Self::Unreachable { .. } => "check the network, and host and port with `mailkeep account list`",
            Self::Timeout { .. } | Self::Closed { .. } => {
                "run `mailkeep sync` again: it goes on where it stopped"
            }
            Self::Certificate { .. } => {
                "check that the host name is right; if the server is yours, have its certificate signed by an \
                 authority this machine trusts"
            }
            Self::Tls { .. } => {
                return format!(
                    "try the other kind with `mailkeep account add {address} --tls implicit|starttls`"
                );
            }
            Self::Protocol { .. } => "check that host and port are those of a mail server",
            Self::SignIn { by_token: true, .. } => {
                return format!(
                    "check that the provider allows programs to read the mail, then sign in again: `mailkeep account \
                     login {address}`"
                );
            }
            Self::SignIn { .. } => {
                return format!(
                    "make a new app password with your provider, then run `mailkeep account login {address}`"
                );
            }
            Self::Locked { .. } => {
                return format!(
                    "sign in on your provider's web page, where the account may be locked or wait for you; then run \
                     `mailkeep account check {address}`"
                );
            }
            Self::Refused { .. } => return format!("run `mailkeep account check {address}`"),
            Self::RateLimited { .. } => "run `mailkeep sync` again later: it goes on where it stopped",
            Self::Stopped => "run the same command again to go on",
        };
        hint.to_owned()
    }

    /// Whether the other side was there, and only took too long.
    #[must_use]
    pub const fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout { .. })
    }

    /// A short name for scripts.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "unreachable",
            Self::Timeout { .. } => "timeout",
            Self::Closed { .. } => "connection_closed",
            Self::Certificate { .. } => "certificate",
            Self::Tls { .. } => "tls",
            Self::Protocol { .. } => "bad_answer",
            Self::SignIn { .. } => "sign_in",
            Self::Locked { .. } => "account_locked",
            Self::Refused { .. } => "refused",
            Self::RateLimited { .. } => "rate_limited",
            Self::Stopped => "stopped",
        }
    }
}
