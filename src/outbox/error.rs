//! Why something about an item could not be done, in words that name the item and a way out.

use crate::account::AccountError;
use crate::drafts::DraftError;
use crate::model::{Factor, Fault, ItemState};
use crate::outbox::approval::passkey::PasskeyFlaw;
use crate::store::StoreError;

/// An error of the outbox.
#[derive(Debug, thiserror::Error)]
pub enum OutboxError {
    /// The store could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The draft.
    #[error(transparent)]
    Draft(#[from] DraftError),
    /// Secrets.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// No such item.
    #[error("nothing in the outbox is known as `{id}`")]
    UnknownItem {
        /// What was asked for.
        id: String,
    },
    /// The account has no way out.
    #[error("`{account}` has no server that takes mail")]
    NoRoute {
        /// The account.
        account: String,
    },
    /// What was asked for cannot leave as it is.
    #[error("`{field}`: {problem}")]
    Unfit {
        /// What is wrong.
        field: &'static str,
        /// What about it.
        problem: String,
    },
    /// This process cannot send on a channel.
    #[error("{problem}")]
    NoAccess {
        /// What is missing.
        problem: String,
        /// Where to get it.
        hint: &'static str,
    },
    /// A list offers no way out that counts.
    #[error("this message offers no way to unsubscribe that can be used: {reasons}")]
    NoOffer {
        /// Why, for each way.
        reasons: String,
    },
    /// Nothing says which account a note leaves from.
    #[error("the note does not say which account it leaves from")]
    NoteAccount {
        /// Those there are.
        known: Vec<String>,
    },
    /// A rule of the owner's forbids it.
    #[error("the owner's rule `{rule}` forbids it: {detail}")]
    Forbidden {
        /// Which.
        rule: String,
        /// The value that broke it.
        detail: String,
    },
    /// Too many.
    #[error("{limit} items in {window} are allowed; the next one may be proposed at {retry_after}")]
    RateLimited {
        /// How many.
        limit: u32,
        /// In which time.
        window: &'static str,
        /// When there is room again.
        retry_after: jiff::Timestamp,
    },
    /// The key of a request names another one already.
    #[error("this idempotency key was used for another message, `{id}`")]
    KeyReused {
        /// That one.
        id: String,
    },
    /// It is in another state.
    #[error("`{id}` is `{state}`, so it cannot be {wanted}")]
    WrongState {
        /// The item.
        id: String,
        /// Where it is.
        state: ItemState,
        /// What was to be done: `approved`, `rejected`.
        wanted: &'static str,
    },
    /// It is not what was looked at.
    #[error("`{id}` was changed after it was shown")]
    Changed {
        /// The item.
        id: String,
    },
    /// Somebody else changed what the person confirmed.
    #[error("what you confirmed about sending was changed by another program, or comes from another home")]
    Broken,
    /// Too many wrong PINs.
    #[error("the PIN was wrong too often; the next try counts at {until}")]
    PinLocked {
        /// Until then.
        until: jiff::Timestamp,
    },
    /// The PIN is not the one that was set.
    #[error("the PIN is wrong; {left} more before it is locked")]
    WrongPin {
        /// Tries that are left.
        left: String,
    },
    /// What a key signed does not count.
    #[error("the passkey was not accepted: {0}")]
    Passkey(#[from] PasskeyFlaw),
    /// Nobody could say yes any more.
    #[error("the last passkey cannot go while a yes needs one")]
    LastPasskey,
    /// The configuration asks for a PIN or a key that nobody has set up.
    #[error("a yes needs the `{}` of the configuration, and none is set up", factor.name())]
    NotSetUp {
        /// Which.
        factor: Factor,
    },
    /// The factor was not given, or not right.
    #[error("{0}")]
    Factor(String),
}

impl OutboxError {
    /// What the person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Store(error) => error.hint(),
            Self::Draft(error) => error.hint(),
            Self::Account(error) => error.hint("ADDRESS"),
            Self::UnknownItem { .. } => "`mailkeep outbox list` shows what is there".to_owned(),
            Self::NoRoute { account } => {
                format!("`mailkeep account add {account} --smtp HOST:PORT` gives it one")
            }
            Self::Unfit { .. } => "change it and call again".to_owned(),
            Self::NoAccess { hint, .. } => (*hint).to_owned(),
            Self::NoOffer { .. } => {
                "the user can look for a link in the message itself, or move such mail out of the way"
                    .to_owned()
            }
            Self::NoteAccount { known } => {
                format!("write `account:` into it, one of: {}", known.join(", "))
            }
            Self::Forbidden { .. } => "the owner can change it in `[policy]` of the configuration".to_owned(),
            Self::RateLimited { .. } => "wait until then".to_owned(),
            Self::KeyReused { .. } => "give every message a key of its own, or none".to_owned(),
            Self::WrongState { .. } => "`mailkeep outbox show ID` tells what became of it".to_owned(),
            Self::Changed { .. } => "look at it again before you decide".to_owned(),
            Self::Broken => "look at it and set it anew with `mailkeep approval renew`".to_owned(),
            Self::PinLocked { .. } => "wait until then; a restart does not help".to_owned(),
            Self::WrongPin { .. } => "type it again".to_owned(),
            Self::Passkey(_) => "look at the page again and try once more".to_owned(),
            Self::LastPasskey => {
                "add another one, or set another `factor` under `[approval]` and confirm it on your page"
                    .to_owned()
            }
            Self::NotSetUp { factor: Factor::Passkey } => {
                "enrol one with `mailkeep approval passkey add`".to_owned()
            }
            Self::NotSetUp { .. } => "set one with `mailkeep approval set-pin`".to_owned(),
            Self::Factor(_) => "`mailkeep approval status` tells how a yes is given".to_owned(),
        }
    }

    /// Of what kind it is.
    #[must_use]
    pub const fn fault(&self) -> Fault {
        match self {
            Self::Store(error) => error.fault(),
            Self::Draft(error) => error.fault(),
            Self::Account(error) => error.fault(),
            Self::UnknownItem { .. } => Fault::Unknown,
            Self::NoAccess { .. } => Fault::SignIn,
            Self::RateLimited { .. } => Fault::TooOften,
            Self::Changed { .. } => Fault::Passing,
            Self::Forbidden { .. }
            | Self::Broken
            | Self::PinLocked { .. }
            | Self::WrongPin { .. }
            | Self::Passkey(_)
            | Self::LastPasskey
            | Self::NotSetUp { .. }
            | Self::Factor(_) => Fault::Forbidden,
            Self::NoRoute { .. }
            | Self::Unfit { .. }
            | Self::NoOffer { .. }
            | Self::NoteAccount { .. }
            | Self::KeyReused { .. }
            | Self::WrongState { .. } => Fault::Mistaken,
        }
    }

    /// A short name for scripts.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Store(error) => error.code(),
            Self::Draft(error) => error.code(),
            Self::Account(error) => error.code(),
            Self::UnknownItem { .. } => "unknown_item",
            Self::NoRoute { .. } => "no_route",
            Self::Unfit { .. } => "unfit",
            Self::NoAccess { .. } => "no_access",
            Self::NoOffer { .. } => "no_offer",
            Self::NoteAccount { .. } => "note_account",
            Self::Forbidden { .. } => "forbidden",
            Self::RateLimited { .. } => "rate_limited",
            Self::KeyReused { .. } => "key_reused",
            Self::WrongState { .. } => "wrong_state",
            Self::Changed { .. } => "item_changed",
            Self::Broken => "confirmation_broken",
            Self::PinLocked { .. } => "pin_locked",
            Self::WrongPin { .. } => "wrong_pin",
            Self::Passkey(_) => "passkey_refused",
            Self::LastPasskey => "last_passkey",
            Self::NotSetUp { .. } => "factor_not_set_up",
            Self::Factor(_) => "factor_refused",
        }
    }
}
