//! Drives mail from where it is found into the store and the index: source -> parse -> store -> index.

mod account;
mod beside;
mod copies;
mod error;
mod follow;
mod gmail;
mod gone;
mod imap_shelf;
mod import;
mod pass;
mod pipeline;
mod plan;
mod label_change;
mod label_wish;
mod prepare;
mod shield;
mod push;
mod watch;

pub use account::{
    AccountProgress, AccountReport, GmailAccount, SyncAccount, SyncOptions, SyncProgress, gmail_source, sync,
};
pub use error::SyncError;
pub use follow::{Eagerness, Follower};
pub use gone::Tally;
pub use import::{ImportReport, ImportRequest, Progress, import};
pub use label_change::{LabelChange, LabelsChanged, change_labels};
pub use shield::apply_shield;
pub use watch::watch;
