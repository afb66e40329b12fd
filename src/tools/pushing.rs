//! What becomes of a change on the account's server. Tools speak to no server: whoever starts them hands them somebody
//! who does, in the background, and who waits a moment for it.

use crate::tools::text::server_words;

/// Takes what was changed here to the servers.
pub trait ChangePusher: Send + Sync {
    /// Has the changes of the account with this address pushed, and waits a moment for it.
    fn push(&self, address: &str) -> Pushed;
}

/// How far changes have come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    /// Everything that was waiting has been told to the server; what it said of each change is noted there.
    Done,
    /// Another process is syncing the account.
    Busy,
    /// It takes longer than anybody should wait; it goes on.
    UnderWay,
    /// The server could not be told, and why.
    Failed(String),
    /// The owner wants syncs alone to speak to servers.
    Off,
}

impl Pushed {
    /// A short name for scripts.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Done => "on_server",
            _ => "waiting",
        }
    }

    /// When the server will know, for a sentence that says that it does not yet.
    #[must_use]
    pub fn when(&self) -> String {
        match self {
            Self::Busy => {
                "when the sync that another mailkeep process is doing has ended, or with the next one"
                    .to_owned()
            }
            Self::UnderWay => "in a moment, or with the next sync".to_owned(),
            Self::Failed(reason) => format!("with the next sync ({})", server_words(reason)),
            // What the server was not told in a push that went well waits for a mailbox to be read anew.
            Self::Done | Self::Off => "with the next sync".to_owned(),
        }
    }
}
