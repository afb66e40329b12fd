//! Mail on an IMAP server: which mailboxes there are, what has changed in them since a cursor, and the messages
//! themselves. Mailboxes are opened for reading only, unless flags are to be set.

mod change;
mod copies;
mod fetch;
mod flags;
mod idle;
mod mailboxes;

pub use change::Changed;
pub use fetch::{FetchFailure, FetchMode, Message};
pub use mailboxes::{Cursor, FlagState, Listing, Opened, Remote, Remotes};

use crate::account::{Credentials, Provider};
use crate::model::{AccountSettings, Endpoint, IoLimits};
use crate::source::SourceError;
use crate::wire::imap::Client;
use crate::wire::{Credential, WireError};

/// A signed-in connection.
pub struct ImapSource {
    client: Client,
    endpoint: Endpoint,
    capabilities: Capabilities,
    /// The mailbox that is open, by the server's name, and its UIDVALIDITY.
    open: Option<(String, u32)>,
    suspect: Option<u32>,
}

/// What of the server's extensions we use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Capabilities {
    changes: Changes,
    /// Gmail's own numbers and labels.
    gmail: bool,
    /// Asking for the state of large mailboxes.
    status: bool,
    /// Gmail's numbers of threads.
    gmail_threads: bool,
}

/// How the server tells what has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Changes {
    /// With what has gone (RFC 7162, QRESYNC).
    QResync,
    /// Without what has gone (RFC 7162, CONDSTORE).
    CondStore,
    /// Not at all.
    None,
}

impl ImapSource {
    /// Connects and signs in. A token that is refused may only be old: another one is tried, once.
    pub fn sign_in(
        settings: &AccountSettings,
        endpoint: &Endpoint,
        credentials: &Credentials,
        limits: IoLimits,
    ) -> Result<Self, SourceError> {
        let credential = credentials.get()?;
        match Self::sign_in_with(settings, endpoint, &credential, limits.clone()) {
            Err(error @ SourceError::Wire(WireError::SignIn { .. })) => {
                let other = credentials.instead_of(&credential)?.ok_or(error)?;
                Self::sign_in_with(settings, endpoint, &other, limits)
            }
            outcome => outcome,
        }
    }

    fn sign_in_with(
        settings: &AccountSettings,
        endpoint: &Endpoint,
        credential: &Credential,
        limits: IoLimits,
    ) -> Result<Self, SourceError> {
        let mut client = Client::connect(endpoint, limits, credential.redactor(&settings.user))?;
        client.sign_in(&settings.user, credential)?;
        client.compress(endpoint)?;
        let changes = changes(&mut client)?;
        let gmail = client.can("X-GM-EXT-1");
        let capabilities = Capabilities { changes, gmail, gmail_threads: gmail, status: may("STATUS") };
        Ok(Self { client, endpoint: endpoint.clone(), capabilities, open: None, suspect: None })
    }

    /// Whether messages carry Gmail's numbers, so that one that is in several mailboxes is known by them.
    #[must_use]
    pub fn is_gmail(&self) -> bool {
        self.capabilities.gmail
    }

    /// From how many messages on a mailbox should be opened to learn its state: servers that keep a file for each
    /// message look at every one of them when they are asked for the state, and not when the mailbox is opened.
    #[must_use]
    pub fn large(&self) -> u64 {
        if self.capabilities.status { 10_000 } else { 0 }
    }

    /// Whether what is submitted for sending is put into the mailbox for sent mail without our help.
    #[must_use]
    pub fn keeps_sent(&self) -> bool {
        Provider::of_host(&self.endpoint.host).is_some_and(|provider| provider.keeps_sent)
    }

    /// Whether the server can tell us of news by itself.
    #[must_use]
    pub fn can_idle(&self) -> bool {
        self.client.can("IDLE")
    }

    /// Says goodbye. The server need not answer.
    pub fn leave(mut self) {
        let _ = self.client.send("LOGOUT");
    }

    fn protocol_error(&self, detail: impl Into<String>) -> SourceError {
        WireError::Protocol { server: self.endpoint.to_string(), detail: detail.into() }.into()
    }
}

/// Debug builds can be told to do without some extensions, to prove that nothing depends on them.
fn may(name: &str) -> bool {
    let without = if cfg!(debug_assertions) { std::env::var("MAILKEEP_TEST_WITHOUT").ok() } else { None };
    !without.as_deref().is_some_and(|names| names.split(',').any(|n| n == name))
}

fn changes(client: &mut Client) -> Result<Changes, WireError> {
    if client.can("QRESYNC") && may("QRESYNC") {
        client.run("ENABLE QRESYNC", |_| {})?;
        return Ok(Changes::QResync);
    }
    if (client.can("CONDSTORE") || client.can("QRESYNC")) && may("CONDSTORE") {
        return Ok(Changes::CondStore);
    }
    Ok(Changes::None)
}
