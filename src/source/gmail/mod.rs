//! Mail in Gmail, over its API: which messages there are and with which labels, what has happened since a point in
//! the history, and the messages themselves, within the quota that Google gives.

mod change;
mod drafts;
mod fetch;
mod labels;
mod lists;
mod profile;
mod quota;
mod session;

pub use change::MOST_MODIFIED;
pub use drafts::DraftIds;
pub use fetch::{Fetched, Outcome};
pub use labels::{LabelEdit, LabelIds, LabelNames, Standing, mailboxes, remote_name, standing};
pub use lists::{Event, History, What};
pub use quota::Quota;
pub use session::{GmailAccess, GmailSource, TokenOf};

use crate::wire::gmail::GmailMethod;

/// What it costs to fetch one message, in Google's quota units.
pub const UNITS_PER_MESSAGE: u64 = GmailMethod::GetMessage.units();
