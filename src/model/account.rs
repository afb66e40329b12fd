//! How an account reaches its servers. No secrets: those are kept apart.

use std::fmt;

/// How a connection is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tls {
    /// From the first byte.
    Implicit,
    /// After a command in the clear.
    StartTls,
    /// Not at all: only for the own machine, or when the owner says so.
    None,
}

impl Tls {
    /// The name kept in the store and taken on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Implicit => "implicit",
            Self::StartTls => "starttls",
            Self::None => "none",
        }
    }

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Implicit, Self::StartTls, Self::None].into_iter().find(|tls| tls.name() == name)
    }
}

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// How the connection is protected.
    pub tls: Tls,
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// How an account proves who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignIn {
    /// A password, often one made for this program alone.
    Password,
    /// A token from Google.
    Google,
    /// A token from Microsoft.
    Microsoft,
}

impl SignIn {
    /// The name kept in the store.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Google => "google",
            Self::Microsoft => "microsoft",
        }
    }

    /// Who gives tokens; nobody for passwords.
    #[must_use]
    pub const fn provider(self) -> Option<&'static str> {
        match self {
            Self::Password => None,
            Self::Google => Some("Google"),
            Self::Microsoft => Some("Microsoft"),
        }
    }

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Password, Self::Google, Self::Microsoft].into_iter().find(|way| way.name() == name)
    }
}

/// How mail is reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Via {
    /// Over IMAP.
    #[default]
    Imap,
    /// Over the Gmail API; IMAP may help.
    Gmail,
}

impl Via {
    /// The name kept in the store, and the kind of such accounts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Imap => "imap",
            Self::Gmail => "gmail",
        }
    }

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Imap, Self::Gmail].into_iter().find(|via| via.name() == name)
    }
}

/// An account on servers. What is unknown is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountSettings {
    /// How mail is reached.
    pub via: Via,
    /// Name to sign in with.
    pub user: String,
    /// How to sign in.
    pub sign_in: SignIn,
    /// Where mail is read.
    pub imap: Option<Endpoint>,
    /// Where mail is submitted.
    pub smtp: Option<Endpoint>,
}
