//! What mailkeep talks about: addresses, messages, attachments, ids. No I/O, nothing of ours is used here.

pub mod address;
pub mod audience;
pub mod findings;
pub mod draft;
pub mod flags;
pub mod ids;
pub mod mailbox;
pub mod message;

pub use address::Address;
pub use audience::Audience;
pub use draft::{Answered, Draft, DraftHash, DraftState, Recipients};
pub use findings::{Findings, Flag, Reason};
pub use flags::Flags;
pub use ids::{
    AccountKey, ContentHash, DraftId, DraftKey, MailboxKey, MessageKey, PlacementKey, ShortId, ThreadKey,
};
pub use mailbox::MailboxRole;
pub use message::{Attachment, DateHints, DateSource, Defect, Disposition, MessageDate, ParsedMessage};
