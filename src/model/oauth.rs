//! Who we are for Google and Microsoft: what the owner registered there, and where to ask.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// The registrations, `[oauth]` in the configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OauthClients {
    /// With Google.
    pub google: OauthClient,
    /// With Microsoft.
    pub microsoft: OauthClient,
}

/// One registration. What is left out is usual.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OauthClient {
    /// The name the provider gave us.
    pub client_id: Option<String>,
    /// What it gave us with it. Google gives one to programs too, though a program cannot keep it.
    #[serde(serialize_with = "only_that_it_is_set")]
    pub client_secret: Option<String>,
    /// Where a person agrees.
    pub auth_url: Option<String>,
    /// Where tokens are given.
    pub token_url: Option<String>,
    /// Where a machine without a browser asks.
    pub device_url: Option<String>,
}

pub(super) fn only_that_it_is_set<S: Serializer>(
    secret: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    secret.as_ref().map(|_| "(set)").serialize(serializer)
}

impl fmt::Debug for OauthClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OauthClient({:?})", self.client_id)
    }
}

/// Where secrets are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SecretStore {
    /// With the keyring of the desktop where there is one that works, else in a file.
    #[default]
    Auto,
    /// In an encrypted file, with its key beside it.
    File,
    /// In an encrypted file, with its key in the keyring of the desktop.
    Keyring,
}
