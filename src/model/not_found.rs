//! Accounts and messages that somebody named and that are not there, in words that say what is.

/// What was looked for by a name, and not found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotFound {
    /// No such account.
    #[error("there is no account `{address}`")]
    Account {
        /// What was asked for.
        address: String,
        /// What there is.
        known: Vec<String>,
    },
    /// No such message.
    #[error("there is no message `{id}`")]
    Message {
        /// What was asked for.
        id: String,
    },
    /// The message is somebody else's.
    #[error("the account `{account}` does not hold the message `{id}`")]
    InAccount {
        /// The message.
        id: String,
        /// The account that was named.
        account: String,
        /// Those that hold it.
        held_by: Vec<String>,
    },
}

impl NotFound {
    /// A message that an account does not hold; where nobody does, it is not there at all.
    #[must_use]
    pub fn in_account(id: &str, account: &str, mut held_by: Vec<String>) -> Self {
        held_by.sort();
        held_by.dedup();
        match held_by.is_empty() {
            true => Self::Message { id: id.to_owned() },
            false => Self::InAccount { id: id.to_owned(), account: account.to_owned(), held_by },
        }
    }

    /// What the person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Account { known, .. } if known.is_empty() => {
                "there are no accounts yet; `mailkeep import PATH --account ADDRESS` makes one".to_owned()
            }
            Self::Account { known, .. } => format!("the accounts are: {}", known.join(", ")),
            Self::Message { .. } => "take an id from a list or a search; a Message-ID works too".to_owned(),
            Self::InAccount { held_by, .. } => format!("it is held by: {}", held_by.join(", ")),
        }
    }

    /// A short name for scripts.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Account { .. } => "unknown_account",
            Self::Message { .. } => "unknown_message",
            Self::InAccount { .. } => "not_in_account",
        }
    }
}
