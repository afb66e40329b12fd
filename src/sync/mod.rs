//! Drives mail from where it is found into the store and the index: source -> parse -> store -> index.

mod account;
mod draft_mirror;
mod error;
mod files;
mod follow;
mod gmail;
mod gone;
mod imap;
mod lock;
mod pipeline;
mod prepare;
mod push;
mod shield;
mod watch;

pub use account::{
    AccountProgress, AccountReport, GmailAccount, SyncAccount, SyncOptions, SyncProgress, gmail_source, sync,
};
pub use error::SyncError;
pub use files::{ImportReport, ImportRequest, Progress, import};
pub use follow::{Eagerness, Follower};
pub use gone::Tally;
pub use lock::{AccountLock, hold_account};
pub use push::push;
pub use shield::{apply_shield, release};
pub use watch::watch;
